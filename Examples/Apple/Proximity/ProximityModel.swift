import CoreBluetoothRadio
import HeraldProximity

/// One device nearby, as the screen lists it.
public struct NearbyDevice: Hashable, Sendable, Identifiable {
    /// The target number that Herald gave the device in this run.
    public var id: TargetID
    /// The Herald payload of the device; nil until it was read.
    public var payload: [UInt8]?
    /// The signal strength of the last Herald reading, in dBm; nil before the first.
    public var rssi: Int?
}

/// Notices who is near. The screen calls `start` and shows `lists`.
@MainActor public final class ProximityModel {
    /// The devices nearby whenever something changed, for one consumer.
    public nonisolated let lists: AsyncStream<[NearbyDevice]>

    private let continuation: AsyncStream<[NearbyDevice]>.Continuation
    private var radio: CoreBluetoothRadio?
    private var sensor: Sensor?
    private var listening: Task<Void, Never>?
    private var devices: [TargetID: NearbyDevice] = [:]

    public init() { (lists, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Begins to advertise and to scan; it goes on in the background, if the app's background modes allow it.
    ///
    /// - Parameter payload: The payload that others read from this device, at most 510 bytes.
    public func start(payload: [UInt8]) async throws {
        guard sensor == nil else { return }
        // Under this name the system wakes the app for its connections after it has ended it.
        let radio = try await CoreBluetoothRadio.open(
            CoreBluetoothRadio.Configuration(restoreIdentifier: "proximity"))
        let sensor = try Sensor(
            central: radio, peripheral: radio, supplier: FixedPayloadSupplier(payload), configuration: .iPhone)
        self.radio = radio
        self.sensor = sensor
        let events = sensor.events
        listening = Task { [weak self] in
            for await event in events { self?.note(event.event) }
        }
        await sensor.start()
    }

    /// Stops and lets go of Bluetooth.
    public func stop() async {
        await sensor?.stop()
        await radio?.close()
        listening?.cancel()
        sensor = nil
        radio = nil
        continuation.finish()
    }

    private func note(_ event: HeraldEvent) {
        switch event {
        case .measured(let reading):
            devices[reading.target, default: NearbyDevice(id: reading.target)].rssi = Int(reading.rssi)
        case .read(let target, let payload, _):
            devices[target, default: NearbyDevice(id: target)].payload = payload
        default: return
        }
        continuation.yield(devices.values.sorted { $0.id < $1.id })
    }
}
