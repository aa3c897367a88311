import Air
import Bluetooth
import Determinism
import Tuvali

/// A hostile device that occupies a connection of the verifier: it sends nothing, or invalid bytes.
struct ConnectionHog: SimulatedHost {
    private let target: DeviceAddress
    private let fault: PlannedFault
    private let lens: FrameClassifier
    private var link: LinkID?
    private var wakeAt: MonotonicInstant?
    private var sentCount = 0
    private var dice: SeededRandom
    /// The number of connections that it opened.
    private(set) var connections = 0

    init(target: DeviceAddress, fault: PlannedFault, lens: FrameClassifier, dice: SeededRandom) {
        self.target = target
        self.fault = fault
        self.lens = lens
        self.dice = dice
    }

    var nextDeadline: MonotonicInstant? { wakeAt }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        wakeAt = max(now, fault.start)
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard now < fault.end else {
            wakeAt = nil
            commands.append(link.map { .disconnect($0) } ?? .cancelConnect)
            return
        }
        if let link {
            if fault.kind == .babblers { babble(on: link, into: &commands) }
            wakeAt = min(fault.end, now + .milliseconds(fault.kind == .babblers ? 12 : 60_000))
        } else {
            commands.append(.connect(target))
            wakeAt = fault.end
        }
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .connected(let link, _, _, _, _):
            self.link = link
            connections += 1
            wakeAt = now < fault.end ? now + .milliseconds(1) : now
        case .disconnected:
            link = nil
            wakeAt = now < fault.end ? min(fault.end, now + .milliseconds(200)) : nil
        case .report, .connectCancelled, .sent, .received, .statistics: break
        }
    }

    /// Writes a value that no wallet would write at that time.
    private mutating func babble(on link: LinkID, into commands: inout [AirCommand]) {
        guard sentCount < 400 else { return }
        sentCount += 1
        let frame: [UInt8]? =
            switch dice.within(0...3) {
            case 0: lens.writeCommand(.identify, dice.bytes(count: 15))
            case 1: lens.writeCommand(.responseSize, [0, 0, 1, 0])
            case 2: lens.writeCommand(.submitResponse, dice.bytes(count: 19))
            default: lens.writeCommand(.reportRequest, [1])
            }
        if let frame { commands.append(.send(link, frame: frame)) }
    }
}
