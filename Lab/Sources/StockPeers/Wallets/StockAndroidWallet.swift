public import Air
public import Bluetooth
public import Determinism

/// The wallet of the deployed Android library, 0.5.2 or 0.4.9, with all its habits.
///
/// It writes everything without response, one write at a time; never writes a client configuration descriptor; listens
/// to the report and the status only after its report request has been sent; insists on the MTU that it asked for; and
/// waits for ever for whatever does not come.
///
/// Where observations leave a choice: an MTU that fits is taken at once rather than after its 500 ms; the callback of a
/// write comes when the controller has sent it.
public struct StockAndroidWallet: SimulatedHost {
    /// The operating system's treatment of requests for an MTU.
    public enum MTUBehaviour: String, Hashable, Sendable, CaseIterable {
        /// Android 9 to 13: each request is an exchange with the requested value.
        case upTo13 = "android-13"
        /// Android 14 and later: the first request exchanges 517 whatever the app requests; later ones change nothing.
        case from14 = "android-14"
    }

    static let mtuRequests = [512, 185, 100]
    static let failureFrameLimit = 15

    /// All that the library said.
    public private(set) var journal = StockEventLog()

    private let setup: StockWalletSetup
    private let system: MTUBehaviour
    private var app: StockWalletApp<ScheduledAction>
    private var listening: Set<StockCharacteristic> = []
    private var isConnecting = false
    private var isClosing = false
    private var identity: [UInt8] = []
    private var verifierKey: [UInt8] = []
    private var unexplored: [RemoteService] = []
    private var discovery = StockBackOff(limit: 5)
    private var mtuIndex: Int?
    private var hasExchanged = false
    private var writeBytes = 20
    private var cipher: StockCipher?
    private var sealed: [UInt8] = []
    /// Sequence numbers that are still to be sent in this pass.
    private var outgoing: ArraySlice<Int> = []
    private var failureFrames = 0

    enum ScheduledAction: Sendable {
        case callback(PhoneCentral.Callback)
        case discover
        case mtuOverdue(Int)
        case listen([StockCharacteristic])
        case send
        /// The transfer's thread has handled the report of success.
        case dataSent
        case close
    }

    /// Makes a wallet that starts as soon as it is on an air.
    public init(_ setup: StockWalletSetup, system: MTUBehaviour = .from14) {
        self.setup = setup
        self.system = system
        app = StockWalletApp(generation: setup.generation)
    }

    /// The earliest deadline of the wallet and its stack.
    public var nextDeadline: MonotonicInstant? { app.nextDeadline }

    /// Reads the code and begins to scan.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch StockURI.readByAndroid(setup.uri) {
        case .accepted(let name, let leadingKey):
            identity = StockAdvertisement.identity(name: name, leadingKey: leadingKey)
            commands.append(.startScanning(isActive: true))
        case .refused(let code):
            journal.add(.error(code), at: now)
            app.end()
        case .crash(let reason): crash(reason, into: &commands)
        }
    }

    /// Handles an event of the controller, after the phone's latency.
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
            if case .pushed(let characteristic, let value) = callback {
                guard listening.contains(characteristic) else {
                    journal.lostPushes += 1
                    continue
                }
                if characteristic == .reportResponse, value.first == 1, journal.succeededAt == nil {
                    journal.succeededAt = now
                }
            }
            app.schedule(.callback(callback), at: now + setup.timing.appLatency)
        }
    }

    private mutating func perform(_ step: ScheduledAction, at now: MonotonicInstant, into commands: inout [AirCommand])
    {
        switch step {
        case .callback(let callback): react(to: callback, at: now, into: &commands)
        case .discover: if !isClosing { ask(.discoverServices(nil), as: .services, at: now, into: &commands) }
        case .mtuOverdue(let index):
            if mtuIndex == index { requestMTU(index + 1, at: now, into: &commands) }
        case .listen(let characteristics): listening.formUnion(characteristics)
        case .dataSent: journal.add(.dataSent, at: now)
        case .send: if !isClosing { announce(at: now, into: &commands) }
        case .close: over(at: now)
        }
    }

    private mutating func react(
        to callback: PhoneCentral.Callback, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        if case .disconnected = callback { return over(at: now) }
        guard !isClosing else { return }
        switch callback {
        case .heard(let address, let data): heard(address, data, into: &commands)
        case .connected:
            commands.append(.stopScanning)
            ask(.discoverServices(nil), as: .services, at: now, into: &commands)
        case .services(let services):
            unexplored = services
            explore(at: now, into: &commands)
        case .characteristics: explore(at: now, into: &commands)
        case .discoveryFailed: discoverAgain(at: now, into: &commands)
        case .mtu(let value): mtuChanged(value, at: now, into: &commands)
        case .mtuFailed, .disconnected: break
        case .written(let characteristic, let isDone): written(characteristic, isDone, at: now, into: &commands)
        case .pushed(let characteristic, let value): pushed(characteristic, value, at: now, into: &commands)
        }
    }

    // MARK: - Ends

    mutating func fail(_ code: StockErrorCode, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        journal.add(.error(code), at: now)
        tearDown(at: now, into: &commands)
    }

    /// Disconnects, and closes when the link is down or after 50 ms.
    mutating func tearDown(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        isClosing = true
        app.phone.disconnect(into: &commands)
        app.schedule(.close, at: now + .milliseconds(50))
    }

    private mutating func over(at now: MonotonicInstant) {
        journal.add(.disconnected, at: now)
        app.end()
    }

    mutating func crash(_ reason: String, into commands: inout [AirCommand]) {
        journal.crash = reason
        app.crash(isScanning: true, into: &commands)
    }

    mutating func ask(
        _ procedure: GATTClient.Procedure, as purpose: PhoneCentral.ProcedurePurpose, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        deliver(app.phone.perform(procedure, as: purpose, at: now, into: &commands), at: now)
    }

    mutating func write(
        _ value: [UInt8], to characteristic: StockCharacteristic, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        deliver(
            app.phone.write(value, to: characteristic, withResponse: false, at: now, into: &commands), at: now)
    }

    // MARK: - From the advertisement to the status

    private mutating func heard(_ address: DeviceAddress, _ data: AdvertisingData, into commands: inout [AirCommand]) {
        guard !isConnecting, data.serviceUUIDs.contains(setup.generation.service),
            let content = data.serviceData(of: setup.generation.service),
            let rest = data.serviceData(of: setup.generation.scanResponse), content == identity
        else { return }
        // The key is taken from the air: five bytes of it are all that the code was compared with.
        verifierKey = content.suffix(5) + rest
        isConnecting = true
        commands.append(.connect(address))
    }

    // MARK: - Discovery and MTU

    private mutating func explore(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if !unexplored.isEmpty {
            let service = unexplored.removeFirst()
            return ask(.discoverCharacteristics(of: service), as: .characteristics, at: now, into: &commands)
        }
        guard app.phone.remote(.identify) != nil else { return discoverAgain(at: now, into: &commands) }
        requestMTU(0, at: now, into: &commands)
    }

    private mutating func discoverAgain(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let wait = discovery.next(at: now) else { return fail(.serviceNotFound, at: now, into: &commands) }
        app.schedule(.discover, at: now + wait)
    }

    private mutating func requestMTU(_ index: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard index < Self.mtuRequests.count else {
            mtuIndex = nil
            return fail(.mtuNegotiation, at: now, into: &commands)
        }
        mtuIndex = index
        app.schedule(.mtuOverdue(index), at: now + .milliseconds(500))
        if system == .from14, hasExchanged { return deliver([.mtu(app.phone.mtu)], at: now) }
        hasExchanged = true
        let requested = system == .from14 ? 517 : Self.mtuRequests[index]
        ask(.exchangeMTU(requested), as: .mtu, at: now, into: &commands)
    }

    /// Compares the MTU with the last requested one, even if it answers an earlier request.
    private mutating func mtuChanged(_ value: Int, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let index = mtuIndex, min(value, 512) == Self.mtuRequests[index] else { return }
        mtuIndex = nil
        writeBytes = StockChunker.writeBytes(mtu: value)
        app.schedule(.listen([.disconnect]), at: now + setup.timing.listenLatency)
        journal.add(.connected, at: now)
        write(setup.identify, to: .identify, at: now, into: &commands)
    }

    // MARK: - Writes

    private mutating func written(
        _ characteristic: StockCharacteristic, _ isDone: Bool, at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        guard isDone else {
            if characteristic == .reportRequest { return fail(.transferFailed, at: now, into: &commands) }
            journal.stuck = "a write of \(characteristic) failed, which is only logged"
            return
        }
        switch characteristic {
        case .identify: identified(at: now, into: &commands)
        case .responseSize, .submitResponse: sendNext(at: now, into: &commands)
        case .reportRequest:
            app.schedule(.listen([.reportResponse, .verificationStatus]), at: now + setup.timing.listenLatency)
        case .requestSize, .request, .reportResponse, .verificationStatus, .disconnect: break
        }
    }

    private mutating func identified(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        cipher = StockCipher(privateKey: setup.privateKey, peerKey: verifierKey, nonce: setup.nonce)
        guard cipher != nil else { return fail(.walletCentral, at: now, into: &commands) }
        journal.add(.secureChannelEstablished, at: now)
        app.schedule(.send, at: now + setup.consentDelay)
    }

    private mutating func announce(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        sealed = cipher?.seal(setup.payload) ?? []
        outgoing = Array(1...max(1, StockChunker.count(total: sealed.count, writeBytes: writeBytes)))[...]
        let announced = setup.announcedBytes ?? sealed.count
        let size = StockChunker.bigEndian(announced >> 16) + StockChunker.bigEndian(announced)
        write(size, to: .responseSize, at: now, into: &commands)
    }

    private mutating func sendNext(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        guard let sequence = outgoing.popFirst() else {
            return write([1], to: .reportRequest, at: now, into: &commands)
        }
        if journal.firstChunkAt == nil { journal.firstChunkAt = now }
        let chunk = StockChunker.chunk(sequence, of: sealed, writeBytes: writeBytes)
        write(chunk, to: .submitResponse, at: now, into: &commands)
    }

    // MARK: - What the verifier pushes

    private mutating func pushed(
        _ characteristic: StockCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into commands: inout [AirCommand]
    ) {
        switch characteristic {
        case .reportResponse: reported(StockTransferReport(reading: value), at: now, into: &commands)
        case .verificationStatus:
            journal.add(.verificationStatus(value.first == 0 ? 0 : 1), at: now)
            tearDown(at: now, into: &commands)
        case .disconnect:
            if value.first == 1 { tearDown(at: now, into: &commands) }
        case .identify, .requestSize, .request, .responseSize, .submitResponse, .reportRequest: break
        }
    }

    private mutating func reported(
        _ report: StockTransferReport, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch report {
        case .success: app.schedule(.dataSent, at: now + setup.timing.transferLatency)
        case .unreadable: fail(.walletCentral, at: now, into: &commands)
        case .missing(let numbers):
            guard failureFrames < Self.failureFrameLimit else {
                return fail(.transferFailed, at: now, into: &commands)
            }
            failureFrames += 1
            let count = StockChunker.count(total: sealed.count, writeBytes: writeBytes)
            guard numbers.allSatisfy({ (1...max(1, count)).contains($0) }) else {
                return fail(.walletTransfer, at: now, into: &commands)
            }
            outgoing = numbers[...]
            sendNext(at: now, into: &commands)
        }
    }
}
