public import Bluetooth
public import Determinism
public import Simulation

/// The wallet of the deployed iOS library, 0.5.0, with all its habits.
///
/// It writes chunks of the first pass in a loop on the main queue with a pause of 20 ms after each, without asking whether
/// the stack can take them (what it cannot take is dropped); all else with response. It subscribes to what the verifier
/// pushes and does not look at the result. A malformed message ends its process.
public struct StockIOSWallet: SimulatedHost {
    static let chunkPause = Duration.milliseconds(20)
    static let failureFrameLimit = 15

    /// All that the library said.
    public internal(set) var journal = StockJournal()

    let setup: StockWalletSetup
    let systemMTU: Int
    var phone: PhoneCentral
    var agenda = Agenda<Step>()
    /// Until when the main queue is in the loop over the chunks.
    var busyUntil = MonotonicInstant.zero
    var candidate: DeviceAddress?
    var isClosing = false
    var isOver = false
    var identity: [UInt8] = []
    var verifierKey: [UInt8] = []
    var isScanning = false
    var discovery = StockBackOff(limit: 10)
    var reportRequest = StockBackOff(limit: 5)
    var writeBytes = 0
    var cipher: StockCipher?
    var sealed: [UInt8] = []
    var failureFrames = 0

    enum Step: Sendable {
        case callback(PhoneCentral.Callback)
        case discover
        case send
        case chunk(Int)
        case requestReport
    }

    /// Makes a wallet that starts as soon as it is on an air.
    ///
    /// - Parameter systemMTU: what iOS asks for by itself; the wallet has no say in it.
    public init(_ setup: StockWalletSetup, systemMTU: Int = 517) {
        self.setup = setup
        self.systemMTU = systemMTU
        phone = PhoneCentral(generation: setup.generation)
    }

    /// When anything of its own is due.
    public var nextDeadline: MonotonicInstant? {
        isOver ? nil : [agenda.nextDeadline, phone.nextDeadline].compactMap { $0 }.min()
    }

    /// Reads the code and begins to scan.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch StockURI.readByIOS(setup.uri) {
        case .accepted(let name, let leadingKey):
            identity = StockAdvertisement.identity(name: name, leadingKey: leadingKey)
            isScanning = true
            commands.append(.startScanning(isActive: true))
        case .refused(let code):
            journal.add(.error(code), at: now)
            isOver = true
        case .crash(let reason): crash(reason, into: &commands)
        }
    }

    /// Passes on what the controller says, when the main queue is free.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard !isOver else { return }
        var callbacks: [PhoneCentral.Callback] = []
        phone.handle(event, at: now, into: &commands, &callbacks)
        deliver(callbacks, at: now)
    }

    /// Does what is due.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        var callbacks: [PhoneCentral.Callback] = []
        phone.wake(at: now, into: &commands, &callbacks)
        deliver(callbacks, at: now)
        while !isOver, let step = agenda.popDue(at: now) { perform(step, at: now, into: &commands) }
    }

    mutating func deliver(_ callbacks: [PhoneCentral.Callback], at now: MonotonicInstant) {
        for callback in callbacks {
            if case .pushed(.reportResponse, let value) = callback, value.first == 1, journal.succeededAt == nil {
                journal.succeededAt = now
            }
            agenda.add(.callback(callback), at: max(now + setup.timing.appLatency, busyUntil))
        }
    }

    private mutating func perform(_ step: Step, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if case .callback(.disconnected) = step { return over(at: now) }
        guard !isClosing else { return }
        switch step {
        case .callback(let callback): react(to: callback, at: now, into: &commands)
        case .discover: discover(at: now, into: &commands)
        case .send: announce(at: now, into: &commands)
        case .chunk(let sequence): sendChunk(sequence, at: now, into: &commands)
        case .requestReport: write([1], to: .reportRequest, withResponse: true, at: now, into: &commands)
        }
    }

    private mutating func react(
        to callback: PhoneCentral.Callback, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch callback {
        case .heard(let address, let data): heard(address, data, into: &commands)
        case .connected:
            commands.append(.stopScanning)
            isScanning = false
            ask(.exchangeMTU(systemMTU), as: .mtu, at: now, into: &commands)
            discover(at: now, into: &commands)
        case .services(let services):
            guard let service = services.first else { return discoverAgain(at: now) }
            ask(.discoverCharacteristics(of: service), as: .characteristics, at: now, into: &commands)
        case .characteristics: explored(at: now, into: &commands)
        case .discoveryFailed: discoverAgain(at: now)
        case .written(let characteristic, let isDone): written(characteristic, isDone, at: now, into: &commands)
        case .pushed(let characteristic, let value): pushed(characteristic, value, at: now, into: &commands)
        case .mtu, .mtuFailed, .disconnected: break
        }
    }

    // MARK: - Ends

    /// Says that it is over before it says why, and again when the link is down.
    mutating func fail(_ code: StockErrorCode, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        journal.add(.disconnected, at: now)
        journal.add(.error(code), at: now)
        tearDown(into: &commands)
    }

    mutating func tearDown(into commands: inout [AirCommand]) {
        isClosing = true
        phone.disconnect(into: &commands)
    }

    private mutating func over(at now: MonotonicInstant) {
        journal.add(.disconnected, at: now)
        isOver = true
        agenda.clear()
    }

    mutating func crash(_ reason: String, into commands: inout [AirCommand]) {
        journal.crash = reason
        isOver = true
        agenda.clear()
        if isScanning { commands.append(.stopScanning) }
        phone.disconnect(into: &commands)
    }

    mutating func ask(
        _ procedure: GATTClient.Procedure, as purpose: PhoneCentral.Purpose, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        deliver(phone.perform(procedure, as: purpose, at: now, into: &commands), at: now)
    }

    mutating func write(
        _ value: [UInt8], to characteristic: StockCharacteristic, withResponse: Bool, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        deliver(
            phone.write(value, to: characteristic, withResponse: withResponse, at: now, into: &commands), at: now)
    }
}
