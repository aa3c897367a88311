import Bluetooth
public import CryptoSuite
public import Determinism
public import Radio
public import Tuvali

/// The wallet of one hand-over, on a radio: a driver without decisions around `WalletSession`.
///
/// Make one for each hand-over. Iterate `events` from before `connect`; call `send` after `secureChannelEstablished`.
/// When the task that iterates is cancelled, so is the session.
public actor Wallet {
    /// The verifier at the other end of the link.
    private struct RemoteVerifier {
        var link: (any CentralLink)?
        var profile = WireProfile.tuvali05
        var characteristics: [RemoteCharacteristic] = [] {
            didSet { written = nil }
        }
        /// The characteristic that was written last, so that the list is not searched for each chunk.
        private var written: RemoteCharacteristic?

        /// The characteristic to write to; nil when the verifier has none with the UUID.
        mutating func target(_ uuid: BluetoothUUID) -> RemoteCharacteristic? {
            if let written, written.uuid == uuid { return written }
            written = characteristic(uuid)
            return written
        }

        func characteristic(_ uuid: BluetoothUUID) -> RemoteCharacteristic? {
            characteristics.first { $0.uuid == uuid }
        }
    }

    /// The session's events, for one consumer; ends after the terminal event.
    public nonisolated let events: AsyncStream<WalletEvent>

    private let radio: any CentralRadio
    private let configuration: WalletConfiguration
    private let clock: any MonotonicClock
    private var random: any RandomSource
    private let operations = SerialQueue()
    private var timer: DeadlineTimer
    private var session: WalletSession?
    private var verifier = RemoteVerifier()
    private var scanning: Task<Void, Never>?
    private var listening: Task<Void, Never>?
    private var reporter: HandOverEventReporter<WalletEvent>

    /// Makes a wallet.
    ///
    /// - Parameters:
    ///   - radio: any central radio; several wallets may share one.
    ///   - random: where the session's key and nonce come from.
    public init(
        radio: any CentralRadio, configuration: WalletConfiguration = WalletConfiguration(),
        clock: any MonotonicClock = SystemMonotonicClock(), random: any RandomSource = SystemRandom()
    ) {
        self.radio = radio
        var configuration = configuration
        if radio.exchangesMTUUnasked { configuration.leaveMTUToSystem() }
        self.configuration = configuration
        self.clock = clock
        self.random = random
        timer = DeadlineTimer(clock: clock)
        let (events, continuation) = AsyncStream.makeStream(of: WalletEvent.self)
        self.events = events
        reporter = HandOverEventReporter(continuation)
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason else { return }
            Task { [weak self] in await self?.disconnect() }
        }
    }

    /// Looks for the verifier that `uri` names and connects to it.
    ///
    /// Allowed once.
    ///
    /// - Throws: `tuvali.wallet.low-order-key`, `tuvali.session.misused` when called again.
    public func connect(to uri: TuvaliURI) throws(TuvaliError) {
        guard session == nil else { throw TuvaliError(.sessionMisused, "A wallet serves one hand-over.") }
        session = try WalletSession(uri: uri, random: &random, configuration: configuration)
        feed(.start)
    }

    /// Sends the payload.
    ///
    /// Allowed once, after `secureChannelEstablished`.
    ///
    /// - Throws: `tuvali.session.misused`, `tuvali.wallet.payload-too-large`; the session goes on as it was.
    public func send(_ payload: [UInt8]) throws(TuvaliError) {
        guard var session else { throw TuvaliError(.sessionMisused, "There is no session.") }
        var outputs: [WalletSession.Output] = []
        try session.send(payload, at: clock.now(), into: &outputs)
        self.session = session
        apply(outputs)
    }

    /// Ends the session; the event `disconnected` follows when the link is down.
    ///
    /// Does nothing when it has ended.
    public func disconnect() {
        if session == nil { reporter.continuation.finish() }
        feed(.cancel)
    }

    private func feed(_ input: WalletSession.Input) {
        guard session != nil else { return }
        var outputs: [WalletSession.Output] = []
        session?.handle(input, at: clock.now(), into: &outputs)
        apply(outputs)
    }

    private func apply(_ outputs: [WalletSession.Output]) {
        for output in outputs { apply(output) }
        timer.arm(session?.nextDeadline) { [weak self] in await self?.timerFired($0) }
    }

    private func timerFired(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        feed(.tick)
    }

    private func apply(_ output: WalletSession.Output) {
        switch output {
        case .startScanning(let services): startScanning(services)
        case .stopScanning: stopScanning()
        case .connect(let address, let timeout): operations.add { await self.connect(to: address, timeout: timeout) }
        case .exchangeMTU(let requested):
            // Not in the serial queue: the next request must not wait until this one was answered.
            Task { await self.exchangeMTU(requested) }
        case .discover(let profile): operations.add { await self.discover(profile) }
        case .subscribe(let uuids): operations.add { await self.subscribe(uuids) }
        case .write(let characteristic, let uuid, let value, let withResponse):
            if characteristic == .submitResponse, reporter.times.firstChunkAt == nil {
                reporter.times.firstChunkAt = seconds
            }
            operations.add { await self.write(value, to: characteristic, uuid, withResponse: withResponse) }
        case .read(let characteristic, let uuid):
            // Not in the serial queue: write commands go out while a verifier does not answer.
            Task { await self.read(characteristic, uuid) }
        case .disconnect:
            operations.cancelCurrent()
            operations.add { await self.verifier.link?.disconnect() }
        case .event(let event): report(event)
        case .finished(let ending):
            operations.cancelCurrent()
            operations.add { await self.finish(ending) }
        }
    }

    private var seconds: Double { (clock.now() - .zero).inSeconds }

    private func finish(_ ending: SessionEnding) async {
        timer.cancel()
        stopScanning()
        listening?.cancel()
        if let link = verifier.link {
            reporter.continuation.yield(.linkReport(reporter.times.report(await link.statistics())))
            await link.disconnect()
        }
        if case .failed(let error) = ending {
            reporter.continuation.yield(.error(error))
        } else {
            reporter.continuation.yield(.disconnected(ending))
        }
        reporter.continuation.finish()
    }
}

// Requests of the core to the radio.
extension Wallet {
    private func startScanning(_ services: [BluetoothUUID]) {
        let radio = radio
        scanning = Task { [weak self] in
            do {
                for try await report in try await radio.scan(services: services) { await self?.feed(.heard(report)) }
                if !Task.isCancelled { await self?.feed(.radioFailed("The radio stopped scanning.")) }
            } catch {
                if !Task.isCancelled { await self?.feed(.radioFailed("\(error)")) }
            }
        }
    }

    private func stopScanning() {
        scanning?.cancel()
        scanning = nil
    }

    private func connect(to address: DeviceAddress, timeout: Duration) async {
        do {
            let link = try await radio.connect(to: address, timeout: timeout)
            verifier.link = link
            reporter.times.connectedAt = seconds
            listening?.cancel()
            listening = Task { [weak self] in
                for await event in link.events { await self?.heard(event) }
            }
            feed(.connected)
        } catch {
            switch error.code {
            case .unavailable, .notPermitted: feed(.radioFailed(error.reason))
            case .connectTimeout, .linkLost, .requestTimeout, .attError, .badAnswer, .notFound, .tooLarge,
                .unsupported, .cancelled:
                feed(.connectFailed)
            }
        }
    }

    private func heard(_ event: CentralLinkEvent) {
        switch event {
        case .value(let value, let remote, _):
            guard let characteristic = verifier.profile.characteristic(with: remote.uuid) else { return }
            feed(.received(characteristic, value))
        case .mtu(let mtu): feed(.mtu(mtu))
        case .disconnected(let reason): feed(.disconnected(LinkEndCause(reason)))
        }
    }

    private func exchangeMTU(_ requested: Int) async {
        guard let link = verifier.link else { return }
        do {
            feed(.mtu(try await link.exchangeMTU(requested)))
        } catch {
            guard !isEnd(error) else { return }
            feed(.mtuFailed(inForce: await link.mtu))
        }
    }

    private func discover(_ profile: WireProfile) async {
        guard let link = verifier.link else { return }
        verifier.profile = profile
        do {
            guard let found = try await link.discoverServices(profile.service).first else {
                return feed(.discoveryFailed)
            }
            verifier.characteristics = try await link.discoverCharacteristics(of: found)
            feed(.discovered(verifier.characteristics.map(\.uuid)))
        } catch {
            if !isEnd(error) { feed(.discoveryFailed) }
        }
    }

    private func subscribe(_ uuids: [BluetoothUUID]) async {
        guard let link = verifier.link else { return }
        var failed: [BluetoothUUID] = []
        for characteristic in verifier.characteristics where uuids.contains(characteristic.uuid) {
            do {
                try await link.subscribe(to: characteristic)
            } catch {
                if isEnd(error) { return }
                failed.append(characteristic.uuid)
            }
        }
        feed(.subscribed(failed: failed))
    }

    private func read(_ characteristic: TuvaliCharacteristic, _ uuid: BluetoothUUID) async {
        guard let link = verifier.link, let remote = verifier.characteristic(uuid) else {
            return feed(.readFailed(characteristic))
        }
        do {
            feed(.valueRead(characteristic, try await link.read(remote)))
        } catch {
            if !isEnd(error) { feed(.readFailed(characteristic)) }
        }
    }

    private func write(
        _ value: [UInt8], to characteristic: TuvaliCharacteristic, _ uuid: BluetoothUUID, withResponse: Bool
    ) async {
        guard let link = verifier.link, let remote = verifier.target(uuid) else {
            return feed(.writeFailed(characteristic))
        }
        do {
            if withResponse {
                try await link.write(value, to: remote)
            } else {
                try await link.writeWithoutResponse(value, to: remote)
            }
            feed(.written(characteristic))
        } catch {
            if !isEnd(error) { feed(.writeFailed(characteristic)) }
        }
    }

    /// Returns true when `error` only says that the link is down.
    ///
    /// The core hears of that from the radio, and must not hear it twice.
    private func isEnd(_ error: RadioError) -> Bool { error.code == .linkLost || error.code == .cancelled }

    private func report(_ event: WalletEvent) {
        switch event {
        case .progress(let progress): guard reporter.admits(progress, at: clock.now()) else { return }
        case .sent(let summary):
            reporter.times.arrivedAt = seconds
            reporter.times.summary = summary
        case .found, .heardOther, .reconnecting, .connected, .requested, .secureChannelEstablished, .failureFrame,
            .status, .linkReport, .error, .disconnected:
            break
        }
        reporter.continuation.yield(event)
    }
}
