public import Air
public import Bluetooth
import ByteCoding
public import Determinism

/// The verifier of the deployed Android library, 0.5.2 or 0.4.9, with all its habits.
///
/// It checks no states: any Identify replaces the keys, any size the assembler, writes of any device count. It reports
/// success before it opens what it received. It cannot take a link down: it asks the wallet to go, and closes its
/// service after 55 ms at the latest. What ends the process of the real one is `journal.crash` here.
///
/// Not modelled: prepared writes, which the real one takes fragment by fragment and no wallet sends.
public struct StockVerifier: SimulatedHost {
    /// The most bytes that a size may announce before memory ends, in the model: 64 MiB.
    public static let memoryBytes = 64 << 20

    /// All that the library said.
    public private(set) var journal = StockEventLog()

    private let setup: StockVerifierSetup
    private var phone: PhonePeripheral
    private var schedule = EventHeap<ScheduledAction>()
    /// The link of the central that connected last, which the verifier serves.
    private var link: LinkID?
    private(set) var writeBytes = 20
    private var isReady = false
    private var isClosing = false
    private var isOver = false
    private var cipher: StockCipher?
    private var assembler: StockAssembler?

    enum ScheduledAction: Sendable {
        case callback(PhonePeripheral.Callback)
        case decide
        case close
    }

    /// Makes a verifier that advertises as soon as it is on an air.
    public init(_ setup: StockVerifierSetup) {
        self.setup = setup
        phone = PhonePeripheral(
            generation: setup.generation, maximumMTU: setup.maximumMTU, services: setup.services)
    }

    /// The earliest deadline of the verifier and its stack.
    public var nextDeadline: MonotonicInstant? {
        let own = isOver ? nil : schedule.first?.instant
        return [own, phone.nextDeadline].compactMap { $0 }.min()
    }

    /// Begins to advertise; a name that is too long is never advertised.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        advertise(into: &commands)
    }

    /// Handles an event of the controller, after the phone's latency.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        for callback in phone.handle(event, at: now, into: &commands) where !isOver {
            schedule.insert(.callback(callback), at: now + setup.timing.appLatency)
        }
    }

    /// Handles the deadlines that have passed.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let deadline = phone.nextDeadline, now >= deadline { phone.wake(at: now, into: &commands) }
        while !isOver, let step = schedule.popFirst(through: now)?.payload { perform(step, at: now, into: &commands) }
    }

    private mutating func perform(_ step: ScheduledAction, at now: MonotonicInstant, into commands: inout [AirCommand])
    {
        switch step {
        case .callback(.connected(let link)): connected(link, at: now, into: &commands)
        case .callback(.disconnected(let link)): if link == self.link { over(at: now, into: &commands) }
        case .callback(.mtu(let value)): if !isClosing { mtuChanged(value, at: now, into: &commands) }
        case .callback(.written(let characteristic, let value)):
            if !isClosing { written(characteristic, value, at: now, into: &commands) }
        case .decide: if !isClosing { decide(at: now, into: &commands) }
        case .close: over(at: now, into: &commands)
        }
    }

    // MARK: - Connections

    private func advertise(into commands: inout [AirCommand]) {
        let advertisement = StockAdvertisement.make(
            name: setup.name, key: setup.publicKey, generation: setup.generation)
        guard let advertisement else { return }
        commands.append(
            .startAdvertising(
                data: advertisement.data, scanResponse: advertisement.scanResponse, intervalMicroseconds: 100_000,
                isConnectable: true))
    }

    /// Records the connection, and keeps advertising until a wallet has identified itself.
    private mutating func connected(
        _ link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        self.link = link
        journal.add(.connected, at: now)
        if !isReady, !isClosing { advertise(into: &commands) }
    }

    private mutating func mtuChanged(_ value: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        writeBytes = StockChunker.writeBytes(mtu: value)
        if value - 3 < 64 { fail(.unsupportedMTU, at: now, into: &commands) }
    }

    // MARK: - Ends

    mutating func fail(_ code: StockErrorCode, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        journal.add(.error(code), at: now)
        tearDown(at: now, into: &commands)
    }

    /// Stops advertising, asks the wallet to go, gives up its hold on the link 5 ms later, and closes 50 ms after that.
    mutating func tearDown(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        isClosing = true
        commands.append(.stopAdvertising)
        push([1], of: .disconnect, at: now, into: &commands)
        schedule.insert(.close, at: now + .milliseconds(55))
    }

    private mutating func over(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        journal.add(.disconnected, at: now)
        stop(into: &commands)
    }

    /// The process ends; the link stays up until the wallet goes, because a server holds none.
    mutating func crash(_ reason: String, into commands: inout [AirCommand]) {
        journal.crash = reason
        stop(into: &commands)
    }

    private mutating func stop(into commands: inout [AirCommand]) {
        isOver = true
        schedule = EventHeap()
        commands.append(.stopAdvertising)
        phone.close()
    }

    /// Pushes a value; before a wallet has identified itself only the request to disconnect is pushed.
    mutating func push(
        _ value: [UInt8], of characteristic: StockCharacteristic, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        guard let link, isReady || characteristic == .disconnect else { return }
        let isSent = phone.push(
            value, of: characteristic, on: link, subscribersOnly: setup.pushRule == .subscribersOnly, at: now,
            into: &commands)
        if !isSent { journal.lostPushes += 1 }
    }

    // MARK: - What a wallet writes; nothing is checked against what came before

    private mutating func written(
        _ characteristic: StockCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch characteristic {
        case .identify: identify(value, at: now, into: &commands)
        case .responseSize: announced(value, at: now, into: &commands)
        case .submitResponse:
            if assembler?.take(value) == .outOfRange { fail(.verifierTransfer, at: now, into: &commands) }
        case .reportRequest:
            if value.first == 1 { report(at: now, into: &commands) }
        case .requestSize, .request, .reportResponse, .verificationStatus, .disconnect: break
        }
    }

    private mutating func identify(_ value: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard value.count >= 44 else { return }
        let derived = StockCipher(
            privateKey: setup.privateKey, peerKey: Array(value[12..<44]), nonce: Array(value.prefix(12)))
        guard let derived else { return fail(.verifierPeripheral, at: now, into: &commands) }
        cipher = derived
        isReady = true
        commands.append(.stopAdvertising)
        journal.add(.secureChannelEstablished, at: now)
    }

    private mutating func announced(_ value: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard value.count >= 4 else { return fail(.verifierPeripheral, at: now, into: &commands) }
        let size = UInt32(bigEndianBytes: value.prefix(4))
        let signed = Int32(bitPattern: size)
        if signed < 0 { return crash("an array cannot have \(signed) bytes", into: &commands) }
        // An exception that is only logged; the report request comes to grief over it.
        if signed == 0 {
            assembler = nil
            return
        }
        guard signed <= Self.memoryBytes else { return crash("no memory for \(signed) bytes", into: &commands) }
        assembler = StockAssembler(totalBytes: Int(signed), writeBytes: writeBytes)
    }

    private mutating func report(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let assembler else { return crash("a report was asked for before a size", into: &commands) }
        guard !assembler.isComplete else { return succeed(assembler, at: now, into: &commands) }
        let missing = assembler.missing
        guard Double(missing.count) <= 0.7 * Double(assembler.chunkCount) else {
            return fail(.tooManyFailures, at: now, into: &commands)
        }
        push(
            StockTransferReport.bytes(missing: missing, writeBytes: writeBytes), of: .reportResponse, at: now,
            into: &commands)
    }

    /// Says success first, then looks whether it is one; does so again on every further request.
    private mutating func succeed(
        _ assembler: StockAssembler, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        push(
            StockTransferReport.bytes(missing: [], writeBytes: writeBytes), of: .reportResponse, at: now,
            into: &commands)
        guard let payload = cipher?.open(assembler.bytes) else {
            return fail(.verifierTransfer, at: now, into: &commands)
        }
        journal.add(
            .dataReceived(payload, corruptChunkCount: assembler.corruptCount, chunkCount: assembler.chunkCount),
            at: now)
        if setup.decision != nil { schedule.insert(.decide, at: now + setup.decisionDelay) }
    }

    private mutating func decide(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let decision = setup.decision else { return }
        push([decision == 0 ? 0 : 1], of: .verificationStatus, at: now, into: &commands)
    }
}
