public import Bluetooth
public import Determinism
public import Simulation

/// The verifier of the deployed Android library, 0.5.2 or 0.4.9, with all its habits.
///
/// It checks no states: any Identify replaces the keys, any size the assembler, writes of any device count. It reports
/// success before it opens what it received. It cannot take a link down: it asks the wallet to go, and closes its service
/// after 55 ms at the latest. What ends the process of the real one is `journal.crash` here.
///
/// Not modelled: prepared writes, which the real one takes fragment by fragment and no wallet sends.
public struct StockVerifier: SimulatedHost {
    /// The most bytes that a size may announce before memory ends, in the model: 64 MiB.
    public static let memoryBytes = 64 << 20

    /// All that the library said.
    public internal(set) var journal = StockJournal()

    let setup: StockVerifierSetup
    var phone: PhonePeripheral
    var agenda = Agenda<Step>()
    /// Which central connected last; it is the one that is talked to.
    var link: LinkID?
    var writeBytes = 20
    var isReady = false
    var isClosing = false
    var isOver = false
    var cipher: StockCipher?
    var assembler: StockAssembler?

    enum Step: Sendable {
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

    /// When anything of its own is due.
    public var nextDeadline: MonotonicInstant? {
        let own = isOver ? nil : agenda.nextDeadline
        return [own, phone.nextDeadline].compactMap { $0 }.min()
    }

    /// Begins to advertise; a name that is too long is never advertised.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        advertise(into: &commands)
    }

    /// Passes on what the controller says, after the phone's latency.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var callbacks: [PhonePeripheral.Callback] = []
        phone.handle(event, at: now, into: &commands, &callbacks)
        for callback in callbacks where !isOver {
            agenda.add(.callback(callback), at: now + setup.timing.appLatency)
        }
    }

    /// Does what is due.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let deadline = phone.nextDeadline, now >= deadline {
            var callbacks: [PhonePeripheral.Callback] = []
            phone.wake(at: now, into: &commands, &callbacks)
        }
        while !isOver, let step = agenda.popDue(at: now) { perform(step, at: now, into: &commands) }
    }

    private mutating func perform(_ step: Step, at now: MonotonicInstant, into commands: inout [AirCommand]) {
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

    /// Advertising goes on until a wallet has identified itself.
    private mutating func connected(
        _ link: LinkID, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        self.link = link
        journal.add(.connected, at: now)
        if !isReady, !isClosing { advertise(into: &commands) }
    }

    private mutating func mtuChanged(_ value: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        writeBytes = StockChunks.writeBytes(mtu: value)
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
        agenda.add(.close, at: now + .milliseconds(55))
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
        agenda.clear()
        commands.append(.stopAdvertising)
        phone.close()
    }

    /// Before a wallet has identified itself only the request to disconnect is pushed.
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
}
