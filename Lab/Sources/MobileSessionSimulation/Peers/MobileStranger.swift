package import Air
package import Bluetooth
package import Determinism

/// A device that connects to whatever advertises a service, and says nothing or nonsense: deviation F8.
package struct MobileStranger: SimulatedHost {
    private let service: BluetoothUUID
    private let talks: Bool
    private var stack = HostStack()
    private var link: LinkID?
    private var isOver = false

    /// Makes a stranger; one that `talks` writes nonsense.
    package init(service: BluetoothUUID, talks: Bool) {
        self.service = service
        self.talks = talks
    }

    /// The deadline of its stack.
    package var nextDeadline: MonotonicInstant? { stack.nextDeadline }

    /// Begins to listen.
    package mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand])
    {
        commands.append(.startScanning(isActive: false))
    }

    /// Handles the deadline of its stack.
    package mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var events: [HostStackEvent] = []
        stack.wake(at: now, into: &commands, &events)
    }

    /// Connects, and says its nonsense.
    package mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var events: [HostStackEvent] = []
        stack.handle(event, at: now, into: &commands, &events)
        for event in events {
            switch event {
            case .heard(let report):
                guard link == nil, !isOver, report.kind == .connectable,
                    AdvertisingData(parsing: report.data).serviceUUIDs.contains(service)
                else { continue }
                isOver = true
                commands += [.stopScanning, .connect(report.address)]
            case .connected(let link, _, _):
                self.link = link
                guard talks else { continue }
                var more: [HostStackEvent] = []
                stack.discover(only: service, on: link, at: now, into: &commands, &more)
            case .discovered(let link, let found?):
                for characteristic in found where characteristic.properties.contains(.writeWithoutResponse) {
                    var more: [HostStackEvent] = []
                    stack.write(
                        [0x07, 0x41], to: characteristic.uuid, on: link, withResponse: false, at: now, into: &commands,
                        &more)
                }
            default: break
            }
        }
    }
}
