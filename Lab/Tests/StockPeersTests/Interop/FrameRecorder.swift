import Air
import Bluetooth
import ByteCoding
import Determinism

/// A host whose advertisements and frames are written down, a line each: microseconds, direction, bytes.
struct FrameRecorder<Host: SimulatedHost>: SimulatedHost {
    private(set) var host: Host
    private(set) var lines: [String] = []

    init(_ host: Host) { self.host = host }

    var nextDeadline: MonotonicInstant? { host.nextDeadline }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        recorded(at: now, into: &commands) { $0.start(as: address, at: now, into: &$1) }
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if case .received(_, let frame) = event { add("<", frame, at: now) }
        recorded(at: now, into: &commands) { $0.handle(event, at: now, into: &$1) }
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        recorded(at: now, into: &commands) { $0.wake(at: now, into: &$1) }
    }

    private mutating func recorded(
        at now: MonotonicInstant, into commands: inout [AirCommand], _ body: (inout Host, inout [AirCommand]) -> Void
    ) {
        var new: [AirCommand] = []
        body(&host, &new)
        for command in new {
            switch command {
            case .send(_, let frame): add(">", frame, at: now)
            case .startAdvertising(let data, let scanResponse, _, _):
                add("advertised", data, at: now)
                add("scan-response", scanResponse, at: now)
            default: break
            }
        }
        commands += new
    }

    private mutating func add(_ direction: String, _ bytes: [UInt8], at now: MonotonicInstant) {
        lines.append("\(now.nanoseconds / 1000) \(direction) \(Hex.encode(bytes))")
    }
}
