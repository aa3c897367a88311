import Determinism
import Herald
import HeraldProximity
public import Radio

#if canImport(Darwin)
    public import Foundation
#else
    public import FoundationEssentials
#endif

/// A proximity sensor with the calls of Herald's own libraries: one object that starts and stops, and reports to
/// delegates.
///
/// An adapter without decisions around `HeraldProximity.Sensor`, one of which it makes at each start. Calls return at
/// once and take effect in their order. A sensor that runs when the object is released is stopped.
public final class SensorArray: Sendable {
    private let supplier: any PayloadDataSupplier
    private let central: any CentralRadio
    private let peripheral: (any PeripheralRadio)?
    private let delegates = Lock<[any SensorDelegate]>([])
    private let calls = SerialQueue()
    private let running = Lock<(sensor: Sensor, events: Task<Void, Never>)?>(nil)

    /// The device's own payload when the array was made.
    public let payloadData: PayloadData?

    /// Makes a sensor array on a radio; the deployed libraries take the phone's.
    ///
    /// - Parameter peripheral: The radio that advertises, usually the same; without one, the device only scans and
    ///   writes.
    public init(
        _ payloadDataSupplier: any PayloadDataSupplier, central: any CentralRadio, peripheral: (any PeripheralRadio)?
    ) {
        supplier = payloadDataSupplier
        self.central = central
        self.peripheral = peripheral
        payloadData = payloadDataSupplier.payload(PayloadTimestamp(), device: nil)
    }

    deinit { running.withLock { $0?.events.cancel() } }

    /// Adds a delegate, which gets all events from now on.
    public func add(delegate: any SensorDelegate) { delegates.withLock { $0.append(delegate) } }

    /// Begins to scan and to advertise, with the settings of `BLESensorConfiguration`.
    ///
    /// Settings that a sensor refuses are reported as the state `unavailable`.
    public func start() {
        calls.add { [weak self] in await self?.begin() }
    }

    /// Stops, until the next `start()`.
    public func stop() {
        calls.add { [weak self] in await self?.end() }
    }

    /// Sends data of 1 to 510 bytes to a device near.
    ///
    /// - Returns: false for a device that is not near or takes no data, and while the array is stopped.
    public func immediateSend(data: Data, _ targetIdentifier: TargetIdentifier) async -> Bool {
        guard let number = UInt64(targetIdentifier) else { return false }
        return await send(data, to: .target(TargetID(number)))
    }

    /// Sends data of 1 to 510 bytes to all devices that were noticed in the last minute.
    ///
    /// - Returns: false where there is none, and while the array is stopped.
    public func immediateSendAll(data: Data) async -> Bool { await send(data, to: .all) }

    private func send(_ data: Data, to recipients: HeraldNode.MessageTargets) async -> Bool {
        await calls.drain()
        guard let sensor = running.withLock({ $0?.sensor }) else { return false }
        do { return try await !sensor.send(Array(data), to: recipients).targets.isEmpty } catch { return false }
    }

    private func begin() async {
        guard running.withLock({ $0 == nil }) else { return }
        do throws(HeraldError) {
            let legacy = supplier.legacyPayload(PayloadTimestamp(), device: nil).map { Array($0.data) }
            let sensor = try Sensor(
                central: central, peripheral: peripheral, supplier: SupplierAdapter(supplier: supplier),
                configuration: HeraldConfiguration(BLESensorConfiguration.current, openTracePayload: legacy))
            let events = Task { [delegates] in
                for await event in sensor.events { Self.report(event, to: delegates.withLock { $0 }) }
            }
            running.withLock { $0 = (sensor, events) }
            await sensor.start()
        } catch {
            for delegate in delegates.withLock({ $0 }) { delegate.sensor(.BLE, didUpdateState: .unavailable) }
        }
    }

    private func end() async {
        let ended = running.withLock { running in
            defer { running = nil }
            return running
        }
        await ended?.sensor.stop()
        await ended?.events.value
    }

    private static func report(_ happening: SensorEvent, to delegates: [any SensorDelegate]) {
        for delegate in delegates {
            switch happening.event {
            case .state(let state): delegate.sensor(.BLE, didUpdateState: SensorState(state))
            case .detected(let target):
                delegate.sensor(.BLE, didDetect: "\(target)")
                delegate.sensor(.BLE, available: true, didDeleteOrDetect: "\(target)")
            case .forgotten(let target): delegate.sensor(.BLE, available: false, didDeleteOrDetect: "\(target)")
            case .read(let target, let payload, _):
                delegate.sensor(.BLE, didRead: PayloadData(Data(payload)), fromTarget: "\(target)")
            case .legacy(let target, let payload, _):
                let data = PayloadData(Data(payload), service: HeraldUUIDs.openTraceService)
                delegate.sensor(.BLE, didRead: data, fromTarget: "\(target)")
            case .shared(let payloads, let target, _):
                delegate.sensor(.BLE, didShare: payloads.map { PayloadData(Data($0)) }, fromTarget: "\(target)")
            case .received(let message, let target):
                delegate.sensor(.BLE, didReceive: Data(message), fromTarget: "\(target)")
            case .measured(let reading): report(reading, happening.payload, to: delegate)
            case .visit(let visit): delegate.sensor(.BLE, didVisit: Location(visit, in: happening))
            case .recognised, .distance, .transmitPower, .model, .sent, .notSent, .contactBegan, .contactEnded, .merged,
                .ownPayload, .noPayload, .trouble:
                break
            }
        }
    }

    private static func report(_ reading: SignalReading, _ payload: [UInt8]?, to delegate: any SensorDelegate) {
        let proximity = Proximity(
            value: Double(reading.rssi), calibration: reading.transmitPower.map { Calibration(value: Double($0)) })
        let target = "\(reading.target)"
        delegate.sensor(.BLE, didMeasure: proximity, fromTarget: target)
        guard let payload else { return }
        delegate.sensor(
            .BLE, didMeasure: proximity, fromTarget: target, withPayload: PayloadData(Data(payload)))
    }
}

extension SensorState {
    fileprivate init(_ state: RadioState) {
        switch state {
        case .on: self = .on
        case .off: self = .off
        case .unavailable: self = .unavailable
        }
    }
}

extension Location {
    fileprivate init(_ visit: BeaconVisit, in event: SensorEvent) {
        func date(_ instant: MonotonicInstant) -> Date { Date(event.time) - (event.at - instant).inSeconds }
        self.init(
            value: ContactLog.shortName(of: visit.payload), start: date(visit.since), end: date(visit.until ?? event.at)
        )
    }
}
