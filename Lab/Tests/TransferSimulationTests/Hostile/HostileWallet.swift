import Air
import Bluetooth
import Determinism
import Tuvali

@testable import TransferSimulation

/// A device that connects to a verifier and then does what its script says, whatever the verifier answers.
struct HostileWallet: SimulatedHost {
    enum Step: Hashable, Sendable {
        case mtu(Int)
        case write(TuvaliCharacteristic, [UInt8])
        case command(TuvaliCharacteristic, [UInt8])
        case pdu([UInt8])
        /// Reads so many times, each time after the answer to the one before; then goes on.
        case read(TuvaliCharacteristic, times: Int)
        case frame([UInt8])
        case wait(Duration)
        case disconnect
    }

    /// The values that were pushed, in order.
    private(set) var pushed: [(TuvaliCharacteristic, [UInt8])] = []
    private(set) var connectionCount = 0
    private(set) var answeredReads = 0
    private(set) var disconnectedAt: [MonotonicInstant] = []

    private let target: DeviceAddress
    private let steps: [Step]
    private let comesBack: Bool
    private let database: GATTDatabase
    private var position = 0
    private var readsLeft: (characteristic: TuvaliCharacteristic, count: Int)?
    private var queue: ATTPDUQueue<Never>?
    private(set) var nextDeadline: MonotonicInstant?

    init(_ steps: [Step], target: DeviceAddress, after delay: Duration = .zero, comesBack: Bool = false) throws {
        self.steps = steps
        self.target = target
        self.comesBack = comesBack
        database = try GATTDatabase([WireProfile.tuvali05.serviceDefinition()])
        nextDeadline = MonotonicInstant.zero + delay
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        nextDeadline = nil
        if queue == nil { commands.append(.connect(target)) } else { play(at: now, into: &commands) }
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .connected(let link, _, _, _, let capacity):
            connectionCount += 1
            queue = ATTPDUQueue(link: link, capacity: capacity)
            position = 0
            play(at: now, into: &commands)
        case .sent: queue?.sent(into: &commands)
        case .received(_, let frame):
            if case .readResponse? = attributePDU(in: frame).flatMap({ try? ATTPDU($0) }) {
                return readAnswered(at: now, into: &commands)
            }
            guard let bytes = attributePDU(in: frame),
                case .handleValueNotification(let handle, let value)? = try? ATTPDU(bytes),
                let characteristic = TuvaliCharacteristic.pushed.first(where: { handleOf($0) == handle })
            else { return }
            pushed.append((characteristic, value))
        case .disconnected:
            queue = nil
            disconnectedAt.append(now)
            nextDeadline = comesBack ? now : nil
        case .report, .connectCancelled, .statistics: break
        }
    }

    private mutating func readAnswered(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        answeredReads += 1
        guard let (characteristic, count) = readsLeft else { return }
        guard count > 0 else {
            readsLeft = nil
            return play(at: now, into: &commands)
        }
        readsLeft = (characteristic, count - 1)
        send(.readRequest(handle: handleOf(characteristic)), into: &commands)
    }

    private func handleOf(_ characteristic: TuvaliCharacteristic) -> UInt16 {
        database.valueHandle(of: WireProfile.tuvali05.uuid(of: characteristic)) ?? 0
    }

    private mutating func play(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        while position < steps.count {
            position += 1
            switch steps[position - 1] {
            case .mtu(let mtu): send(.exchangeMTURequest(mtu: UInt16(mtu)), into: &commands)
            case .write(let characteristic, let value):
                send(.writeRequest(handle: handleOf(characteristic), value: value), into: &commands)
            case .command(let characteristic, let value):
                send(.writeCommand(handle: handleOf(characteristic), value: value), into: &commands)
            case .pdu(let bytes): queue?.add(bytes, into: &commands)
            case .read(let characteristic, let times):
                readsLeft = (characteristic, times - 1)
                send(.readRequest(handle: handleOf(characteristic)), into: &commands)
                return
            case .frame(let bytes): if let link = queue?.link { commands.append(.send(link, frame: bytes)) }
            case .disconnect: if let link = queue?.link { commands.append(.disconnect(link)) }
            case .wait(let duration):
                nextDeadline = now + duration
                return
            }
        }
    }

    private mutating func send(_ pdu: ATTPDU, into commands: inout [AirCommand]) {
        queue?.add(pdu.bytes, into: &commands)
    }
}
