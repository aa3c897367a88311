public import Air
public import Bluetooth
public import Determinism

/// The wallet of the deployed iOS library, 0.5.0, with all its habits.
///
/// It writes chunks of the first pass in a loop on the main queue with a pause of 20 ms after each, without asking
/// whether the stack can take them (what it cannot take is dropped); all else with response. It subscribes to what the
/// verifier pushes and does not look at the result. A malformed message ends its process.
public struct StockIOSWallet: SimulatedHost {
    static let chunkPause = Duration.milliseconds(20)
    static let failureFrameLimit = 15

    /// All that the library said.
    public private(set) var journal = StockEventLog()

    private let setup: StockWalletSetup
    private let systemMTU: Int
    private var app: StockWalletApp<ScheduledAction>
    /// The time until which the main queue is in the loop over the chunks.
    private var busyUntil = MonotonicInstant.zero
    private var candidate: DeviceAddress?
    private var isClosing = false
    private var identity: [UInt8] = []
    private var verifierKey: [UInt8] = []
    private var isScanning = false
    private var discovery = StockBackOff(limit: 10)
    private var reportRequest = StockBackOff(limit: 5)
    private var writeBytes = 0
    private var cipher: StockCipher?
    private var sealed: [UInt8] = []
    private var failureFrames = 0

    enum ScheduledAction: Sendable {
        case callback(PhoneCentral.Callback)
        case discover
        case send
        case chunk(Int)
        case requestReport
    }

    /// Makes a wallet that starts as soon as it is on an air.
    ///
    /// - Parameter systemMTU: what iOS asks for; the wallet cannot change it.
    public init(_ setup: StockWalletSetup, systemMTU: Int = 517) {
        self.setup = setup
        self.systemMTU = systemMTU
        app = StockWalletApp(generation: setup.generation)
    }

    /// The earliest deadline of the wallet and its stack.
    public var nextDeadline: MonotonicInstant? { app.nextDeadline }

    /// Reads the code and begins to scan.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch StockURI.readByIOS(setup.uri) {
        case .accepted(let name, let leadingKey):
            identity = StockAdvertisement.identity(name: name, leadingKey: leadingKey)
            isScanning = true
            commands.append(.startScanning(isActive: true))
        case .refused(let code):
            journal.add(.error(code), at: now)
            app.end()
        case .crash(let reason): crash(reason, into: &commands)
        }
    }

    /// Handles an event of the controller, when the main queue is free.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        deliver(app.handle(event, at: now, into: &commands), at: now)
    }

    /// Handles the deadlines that have passed.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        deliver(app.wake(at: now, into: &commands), at: now)
        while let step = app.takeStep(at: now) { perform(step, at: now, into: &commands) }
    }

    mutating func deliver(_ callbacks: [PhoneCentral.Callback], at now: MonotonicInstant) {
        for callback in callbacks {
            if case .pushed(.reportResponse, let value) = callback, value.first == 1, journal.succeededAt == nil {
                journal.succeededAt = now
            }
            app.schedule(.callback(callback), at: max(now + setup.timing.appLatency, busyUntil))
        }
    }

    private mutating func perform(_ step: ScheduledAction, at now: MonotonicInstant, into commands: inout [AirCommand])
    {
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
        app.phone.disconnect(into: &commands)
    }

    private mutating func over(at now: MonotonicInstant) {
        journal.add(.disconnected, at: now)
        app.end()
    }

    mutating func crash(_ reason: String, into commands: inout [AirCommand]) {
        journal.crash = reason
        app.crash(isScanning: isScanning, into: &commands)
    }

    mutating func ask(
        _ procedure: GATTClient.Procedure, as purpose: PhoneCentral.ProcedurePurpose, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        deliver(app.phone.perform(procedure, as: purpose, at: now, into: &commands), at: now)
    }

    mutating func write(
        _ value: [UInt8], to characteristic: StockCharacteristic, withResponse: Bool, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        deliver(
            app.phone.write(value, to: characteristic, withResponse: withResponse, at: now, into: &commands), at: now)
    }

    // MARK: - From the advertisement to the status

    /// The first callback of an advertiser, without its scan response, is ignored.
    private mutating func heard(_ address: DeviceAddress, _ data: AdvertisingData, into commands: inout [AirCommand]) {
        guard isScanning, candidate != address, data.serviceUUIDs.contains(setup.generation.service),
            let rest = data.serviceData(of: setup.generation.scanResponse)
        else { return }
        guard let content = data.serviceData(of: setup.generation.service) else {
            return crash("the advertisement lacks its service data", into: &commands)
        }
        guard content == identity else { return }
        verifierKey = content.suffix(5) + rest
        candidate = address
        commands.append(.connect(address))
    }

    // MARK: - Discovery

    private mutating func discover(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        ask(.discoverServices(setup.generation.service), as: .services, at: now, into: &commands)
    }

    /// One counter for services and characteristics; its end is only logged.
    private mutating func discoverAgain(at now: MonotonicInstant) {
        guard let wait = discovery.next(at: now) else {
            journal.stuck = "discovery was given up, which is only logged"
            return
        }
        app.schedule(.discover, at: now + wait)
    }

    private mutating func explored(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard StockCharacteristic.allCases.allSatisfy({ app.phone.remote($0) != nil }) else {
            return discoverAgain(at: now)
        }
        let longest = app.phone.mtu - 3
        guard longest >= 64 else { return fail(.mtuNegotiation, at: now, into: &commands) }
        writeBytes = min(longest, 509)
        for characteristic in [StockCharacteristic.reportResponse, .verificationStatus, .disconnect] {
            guard let remote = app.phone.remote(characteristic) else { continue }
            ask(.subscribe(remote, isOn: true), as: .subscription, at: now, into: &commands)
        }
        journal.add(.connected, at: now)
        write(setup.identify, to: .identify, withResponse: true, at: now, into: &commands)
    }

    // MARK: - Writes

    private mutating func written(
        _ characteristic: StockCharacteristic, _ isDone: Bool, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch (characteristic, isDone) {
        case (.identify, true): identified(at: now, into: &commands)
        case (.responseSize, true): beginFirstPass(at: now, into: &commands)
        case (.submitResponse, false):
            if failureFrames > 0 { fail(.transferFailed, at: now, into: &commands) }
        case (.reportRequest, false): requestReportAgain(at: now)
        case (.identify, false), (.responseSize, false):
            journal.stuck = "a write of \(characteristic) failed, which is only logged"
        default: break
        }
    }

    private mutating func identified(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        cipher = StockCipher(privateKey: setup.privateKey, peerKey: verifierKey, nonce: setup.nonce)
        guard cipher != nil else { return crash("the verifier's key is of low order", into: &commands) }
        journal.add(.secureChannelEstablished, at: now)
        app.schedule(.send, at: now + setup.consentDelay)
    }

    private mutating func announce(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sealed = cipher?.seal(setup.payload) ?? []
        let announced = setup.announcedBytes ?? sealed.count
        let size = StockChunker.bigEndian(announced >> 16) + StockChunker.bigEndian(announced)
        write(size, to: .responseSize, withResponse: true, at: now, into: &commands)
    }

    var chunkCount: Int { StockChunker.count(total: sealed.count, writeBytes: writeBytes) }

    private mutating func beginFirstPass(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        busyUntil = now + Self.chunkPause * chunkCount
        sendChunk(1, at: now, into: &commands)
    }

    private mutating func sendChunk(_ sequence: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard sequence <= chunkCount else {
            return write([1], to: .reportRequest, withResponse: true, at: now, into: &commands)
        }
        guard sequence <= 0xFFFF else { return crash("a sequence number exceeds 16 bits", into: &commands) }
        if journal.firstChunkAt == nil { journal.firstChunkAt = now }
        if app.phone.canWrite {
            let chunk = StockChunker.chunk(sequence, of: sealed, writeBytes: writeBytes)
            write(chunk, to: .submitResponse, withResponse: false, at: now, into: &commands)
        } else {
            journal.droppedWrites += 1
        }
        app.schedule(.chunk(sequence + 1), at: now + Self.chunkPause)
    }

    /// Requests the report again; the result of the request is only logged.
    private mutating func requestReportAgain(at now: MonotonicInstant) {
        guard let wait = reportRequest.next(at: now) else {
            journal.stuck = "the report request was given up, which is only logged"
            return
        }
        app.schedule(.requestReport, at: now + wait)
    }

    // MARK: - What the verifier pushes

    private mutating func pushed(
        _ characteristic: StockCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch characteristic {
        case .reportResponse: reported(value, at: now, into: &commands)
        case .verificationStatus:
            if let status = value.first, status <= 1 { journal.add(.verificationStatus(status), at: now) }
            tearDown(into: &commands)
        case .disconnect:
            if value.first == 1 { tearDown(into: &commands) }
        case .identify, .requestSize, .request, .responseSize, .submitResponse, .reportRequest: break
        }
    }

    private mutating func reported(_ value: [UInt8], at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch StockTransferReport(reading: value) {
        case .success: journal.add(.dataSent, at: now)
        case .unreadable: crash("the report has an unknown type", into: &commands)
        case .missing(let signed):
            let numbers = signed.map { $0 & 0xFFFF }
            guard failureFrames < Self.failureFrameLimit else {
                return fail(.transferFailed, at: now, into: &commands)
            }
            failureFrames += 1
            guard !numbers.isEmpty, numbers.allSatisfy({ (1...max(1, chunkCount)).contains($0) }) else {
                return crash("the report asks for a chunk that does not exist", into: &commands)
            }
            for sequence in numbers {
                let chunk = StockChunker.chunk(sequence, of: sealed, writeBytes: writeBytes)
                write(chunk, to: .submitResponse, withResponse: true, at: now, into: &commands)
            }
            write([1], to: .reportRequest, withResponse: true, at: now, into: &commands)
        }
    }
}
