// Two devices in one process notice each other on a virtual air: what an app does with the library, and nothing else.
//
// An app has one sensor. It gives it the radio of its device instead of a virtual one, keeps its state in a store of its own,
// and iterates over the events for as long as it runs.

import HeraldProximity
import VirtualRadio

/// One device: a sensor with identifiers that change every six minutes.
struct Phone {
    let name: String
    let sensor: Sensor

    init(_ name: String, radio: some CentralRadio & PeripheralRadio, store: any SensorStateStore) async throws {
        self.name = name
        // The secret of the identifiers outlives the process where the store does.
        var random = SystemRandom()
        let identity = try await SensorIdentity.restore(from: store, at: Sensor.systemCalendar(), random: &random)
        var configuration = HeraldConfiguration()
        configuration.limits.devices = 1000
        sensor = try Sensor(
            central: radio, peripheral: radio, supplier: identity.supplier(country: 826, state: 4),
            configuration: configuration)
    }

    /// Greets the first device that is identified, and returns when a greeting has come, one has gone, and the other was measured.
    func meet() async throws {
        var (isMeasured, greeted, wasGreeted) = (false, false, false)
        await sensor.start()
        for await happening in sensor.events {
            switch happening.event {
            case .detected(let target): print("\(name): somebody is near (\(target))")
            case .read(let target, let payload, _):
                print("\(name): \(target) is \(payload.count) bytes of payload")
                _ = try await sensor.send(Array("hello from \(name)".utf8), to: .target(target))
            case .measured(let reading):
                // With a payload, the reading is of a device that is known.
                guard !isMeasured, let payload = happening.payload else { continue }
                print("\(name): \(ContactLog.shortName(of: payload)) is heard at \(reading.rssi) dBm")
                isMeasured = true
            case .received(let message, _):
                print("\(name): \(String(decoding: message, as: UTF8.self))")
                wasGreeted = true
            case .sent: greeted = true
            case .notSent(_, _, let error): throw error
            case .state(let state): print("\(name): the radio is \(state.rawValue)")
            case .trouble(let error, _): print("\(name): \(error.code.rawValue)")
            default: break
            }
            if isMeasured, greeted, wasGreeted { return }
        }
    }
}

@main
struct Notice {
    static func main() async throws {
        let air = VirtualAir.private()
        let ann = try await Phone("Ann", radio: air.makeRadio(), store: MemoryStateStore())
        let ben = try await Phone("Ben", radio: air.makeRadio(), store: MemoryStateStore())
        async let met: Void = ann.meet()
        try await ben.meet()
        try await met
        for device in await ann.sensor.devices {
            print("Ann knows \(device.target): \(device.payload?.count ?? 0) bytes")
        }
        await ann.sensor.stop()
        await ben.sensor.stop()
        await air.close()
    }
}
