import Air
import Bluetooth
import Determinism
import Tuvali

@testable import TransferSimulation

/// A device that looks like a verifier and answers as its reactions say.
struct HostileVerifier: SimulatedHost {
    enum Action: Hashable, Sendable {
        case notify(TuvaliCharacteristic, [UInt8])
        case pdu([UInt8])
        case disconnect
    }

    /// The actions of the verifier when a characteristic was written.
    typealias Reaction = @Sendable (TuvaliCharacteristic, [UInt8]) -> [Action]

    /// The verifier's answer to a read of the request, with its delay: takes the wallet's Identify, the characteristic
    /// and the number of the read of it, from 1; nil leaves the read without an answer.
    typealias ReadReaction =
        @Sendable (IdentifyRequest, TuvaliCharacteristic, Int) -> (value: [UInt8], delay: Duration)?

    /// The number of reads of each characteristic.
    private(set) var readCounts: [TuvaliCharacteristic: Int] = [:]

    /// The values that the wallet wrote, in order.
    private(set) var written: [(TuvaliCharacteristic, [UInt8])] = []
    private(set) var connectionCount = 0

    private let advertisement: TuvaliAdvertisement
    private let scanResponse: [UInt8]
    /// Requests that get no answer, by opcode.
    private let ignored: [ATTOpcode]
    /// Characteristics whose writes get no answer.
    private let deafTo: [TuvaliCharacteristic]
    private let onConnection: [Action]
    private let reaction: Reaction
    private let readReaction: ReadReaction?
    private var owedValue: [UInt8]?
    private(set) var nextDeadline: MonotonicInstant?
    private let database: GATTDatabase
    private var server: GATTServer
    private var queue: ATTPDUQueue<Never>?

    init(
        uri: TuvaliURI, scanResponse: [UInt8]? = nil, ignoring ignored: [ATTOpcode] = [],
        deafTo: [TuvaliCharacteristic] = [], onConnection: [Action] = [], reaction: @escaping Reaction = { _, _ in [] },
        onRead readReaction: ReadReaction? = nil
    ) throws {
        advertisement = TuvaliAdvertisement(uri: uri, profile: .tuvali05)
        self.scanResponse = scanResponse ?? advertisement.scanResponse
        self.ignored = ignored
        self.deafTo = deafTo
        self.onConnection = onConnection
        self.reaction = reaction
        self.readReaction = readReaction
        database = try GATTDatabase([WireProfile.tuvali05.serviceDefinition(servesRequest: readReaction != nil)])
        server = GATTServer(database: database)
    }

    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        advertise(into: &commands)
    }

    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        nextDeadline = nil
        if let value = owedValue { serve(.answerRead(value), at: now, into: &commands) }
        owedValue = nil
    }

    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .connected(let link, _, _, _, let capacity):
            connectionCount += 1
            server = GATTServer(database: database)
            queue = ATTPDUQueue(link: link, capacity: capacity)
            act(onConnection, at: now, into: &commands)
        case .sent: queue?.sent(into: &commands)
        case .received(_, let frame):
            guard let pdu = attributePDU(in: frame), isHeard(pdu) else { return }
            serve(.received(pdu), at: now, into: &commands)
        case .disconnected:
            queue = nil
            advertise(into: &commands)
        case .report, .connectCancelled, .statistics: break
        }
    }

    private func advertise(into commands: inout [AirCommand]) {
        commands.append(
            .startAdvertising(
                data: advertisement.data, scanResponse: scanResponse, intervalMicroseconds: 100_000,
                isConnectable: true))
    }

    private func isHeard(_ pdu: [UInt8]) -> Bool {
        guard let opcode = pdu.first.flatMap(ATTOpcode.init(rawValue:)), !ignored.contains(opcode) else { return false }
        guard case .writeRequest(let handle, _)? = try? ATTPDU(pdu) else { return true }
        return !deafTo.contains { database.valueHandle(of: WireProfile.tuvali05.uuid(of: $0)) == handle }
    }

    private mutating func serve(_ input: GATTServer.Input, at now: MonotonicInstant, into commands: inout [AirCommand])
    {
        for output in server.handle(input, at: now) {
            switch output {
            case .send(let pdu): queue?.add(pdu, into: &commands)
            case .written(let uuid, let value, _):
                guard let characteristic = WireProfile.tuvali05.characteristic(with: uuid) else { continue }
                written.append((characteristic, value))
                act(reaction(characteristic, value), at: now, into: &commands)
            case .readPassedOn(let uuid, _): read(uuid, at: now, into: &commands)
            default: break
            }
        }
    }

    private mutating func read(_ uuid: BluetoothUUID, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        let identify = written.first { $0.0 == .identify }.flatMap { IdentifyRequest(parsing: $0.1) }
        guard let characteristic = WireProfile.tuvali05.characteristic(with: uuid), let identify else { return }
        readCounts[characteristic, default: 0] += 1
        guard let answer = readReaction?(identify, characteristic, readCounts[characteristic] ?? 0) else { return }
        guard answer.delay > .zero else { return serve(.answerRead(answer.value), at: now, into: &commands) }
        owedValue = answer.value
        nextDeadline = now + answer.delay
    }

    private mutating func act(_ actions: [Action], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        for action in actions {
            switch action {
            case .notify(let characteristic, let value):
                let uuid = WireProfile.tuvali05.uuid(of: characteristic)
                serve(.notify(id: 1, characteristic: uuid, value: value, confirmed: false), at: now, into: &commands)
            case .pdu(let bytes): queue?.add(bytes, into: &commands)
            case .disconnect: if let link = queue?.link { commands.append(.disconnect(link)) }
            }
        }
    }
}
