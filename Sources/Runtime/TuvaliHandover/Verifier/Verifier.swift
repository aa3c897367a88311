import Bluetooth
public import CryptoSuite
public import Determinism
public import Radio
public import Tuvali

/// The verifier of one hand-over, on a radio: a driver without decisions around `VerifierSession`.
///
/// Make one, with a radio of its own, for each hand-over. Iterate `events`; call `decide` after `received`. When the
/// task that iterates is cancelled, so is the session.
public actor Verifier {
    /// The services of the session on its radio.
    private struct PublicationState {
        var isDone = false
        var servesRequest = false
    }

    /// The end of the session, and the callers of `stop` that wait for it.
    private struct VerifierShutdown {
        private(set) var hasCome = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func come() {
            hasCome = true
            for waiter in waiters { waiter.resume() }
            waiters = []
        }
    }

    /// The session's events, for one consumer; ends after the terminal event.
    public nonisolated let events: AsyncStream<VerifierEvent>

    private let radio: any PeripheralRadio
    private let configuration: VerifierConfiguration
    private let clock: any MonotonicClock
    private var random: any RandomSource
    private var operations = PeripheralOperations()
    private var timer: DeadlineTimer
    private var session: VerifierSession?
    private var publication = PublicationState()
    private var listening: Task<Void, Never>?
    private var reporter: HandOverEventReporter<VerifierEvent>
    private var end = VerifierShutdown()

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - radio: any peripheral radio; its events are consumed.
    ///   - random: where the session's key comes from.
    public init(
        radio: any PeripheralRadio, configuration: VerifierConfiguration = VerifierConfiguration(),
        clock: any MonotonicClock = SystemMonotonicClock(), random: any RandomSource = SystemRandom()
    ) {
        self.radio = radio
        self.configuration = configuration
        self.clock = clock
        self.random = random
        timer = DeadlineTimer(clock: clock)
        let (events, continuation) = AsyncStream.makeStream(of: VerifierEvent.self)
        self.events = events
        reporter = HandOverEventReporter(continuation)
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason else { return }
            Task { [weak self] in await self?.disconnect() }
        }
    }

    /// Begins to advertise under `name` and returns the content of the QR code.
    ///
    /// Allowed once.
    ///
    /// - Throws: `tuvali.uri.missing-name`, `tuvali.uri.bad-name`, `tuvali.session.internal`, `tuvali.session.misused`
    ///   when called again. A radio that cannot advertise is an `error` event.
    @discardableResult
    public func start(name: String) throws(TuvaliError) -> TuvaliURI {
        try start(name: name) { (_) throws(TuvaliError) in nil }
    }

    /// Begins to advertise with a request, and returns the content of the QR code.
    ///
    /// Allowed once.
    ///
    /// - Parameter request: Makes the request for the session's public key, which a bound request names; nil: none.
    /// - Throws: as `start(name:)`, and what `request` throws.
    @discardableResult
    public func start(
        name: String, asking request: (_ key: [UInt8]) throws(TuvaliError) -> VerifierRequestMessage?
    ) throws(TuvaliError) -> TuvaliURI {
        guard session == nil else { throw TuvaliError(.sessionMisused, "A verifier serves one hand-over.") }
        var session = try VerifierSession(name: name, random: &random, configuration: configuration)
        if let message = try request(session.uri.key) {
            try session.hold(message, salt: random.bytes(count: SealedRequest.saltBytes))
        }
        publication.servesRequest = session.holdsRequest
        self.session = session
        listen()
        feed(.start)
        return session.uri
    }

    /// Sends the wallet the decision about its credential.
    ///
    /// Allowed once, after `received`.
    ///
    /// - Throws: `tuvali.session.misused`; the session goes on as it was.
    public func decide(_ status: VerificationStatus) throws(TuvaliError) {
        guard var session else { throw TuvaliError(.sessionMisused, "There is no session.") }
        var outputs: [VerifierSession.Output] = []
        try session.decide(status, at: clock.now(), into: &outputs)
        self.session = session
        apply(outputs)
    }

    /// Ends the session; the event `disconnected` follows when every link is down.
    ///
    /// Does nothing when it has ended.
    public func disconnect() {
        if session == nil { reporter.continuation.finish() }
        feed(.cancel)
    }

    /// Ends the session and returns when the wallet was asked to disconnect and every link is down: before the radio is
    /// closed.
    ///
    /// A cancelled task waits here too, for `disconnectWait` and `closeWait` together at most. Returns at once when the
    /// session has ended.
    public func stop() async {
        disconnect()
        guard session != nil, !end.hasCome else { return }
        await withCheckedContinuation { end.waiters.append($0) }
    }

    private func feed(_ input: VerifierSession.Input) {
        guard session != nil else { return }
        var outputs: [VerifierSession.Output] = []
        session?.handle(input, at: clock.now(), into: &outputs)
        apply(outputs)
    }

    private func apply(_ outputs: [VerifierSession.Output]) {
        for output in outputs { apply(output) }
        timer.arm(session?.nextDeadline) { [weak self] in await self?.timerFired($0) }
    }

    private func timerFired(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        feed(.tick)
    }

    private func apply(_ output: VerifierSession.Output) {
        let radio = radio
        switch output {
        case .startAdvertising(let advertisement):
            operations.add { await self.advertise(advertisement) }
        case .stopAdvertising: operations.add { await radio.stopAdvertising() }
        case .notify(let link, let uuid, let value):
            // A notification fails when the link is ending, which the radio reports.
            operations.add(notifying: link) { try? await radio.notify(value, of: uuid, on: link, confirmed: false) }
        case .answerRead(let link, let value):
            // A radio that answers reads itself passes none on.
            operations.add(notifying: link) { try? await radio.answerRead(value, on: link) }
        case .disconnect(let link): operations.disconnect(link, on: radio)
        case .event(let event): report(event)
        case .finished(let ending):
            operations.cancelCurrent()
            operations.addBehindDepartures { await self.finish(ending) }
        }
    }

    private var seconds: Double { (clock.now() - .zero).inSeconds }

    private func listen() {
        let events = radio.events
        listening = Task { [weak self] in
            for await event in events { await self?.heard(event) }
            if !Task.isCancelled { await self?.feed(.radioFailed("The radio is gone.")) }
        }
    }

    private func heard(_ event: PeripheralEvent) {
        switch event {
        case .connected(let link, _): feed(.connected(link))
        case .mtu(let link, let mtu): feed(.mtu(link, mtu))
        case .written(let link, let uuid, let value, let isCommand):
            // The UUIDs that a wallet writes to belong to one profile each.
            for profile in configuration.profiles {
                guard let characteristic = profile.characteristic(with: uuid) else { continue }
                return feed(.written(link, characteristic, value, isCommand: isCommand, profile: profile))
            }
        case .read(let link, let uuid, let offset):
            for profile in configuration.profiles {
                guard let characteristic = profile.characteristic(with: uuid) else { continue }
                return feed(.read(link, characteristic, offset: offset))
            }
        case .subscribed: break
        case .disconnected(let link, let reason):
            operations.ended(link)
            feed(.disconnected(link, LinkEndCause(reason)))
        }
    }

    private func advertise(_ advertisement: TuvaliAdvertisement) async {
        do {
            if !publication.isDone {
                let servesRequest = publication.servesRequest
                try await radio.publish(
                    configuration.profiles.map { $0.serviceDefinition(servesRequest: servesRequest) })
                publication.isDone = true
            }
            try await radio.startAdvertising(
                Advertisement(data: advertisement.data, scanResponse: advertisement.scanResponse))
        } catch {
            feed(.radioFailed("\(error)"))
        }
    }

    private func finish(_ ending: SessionEnding) async {
        timer.cancel()
        listening?.cancel()
        if let link = reporter.servedLink {
            let statistics = await radio.statistics(of: link)
            reporter.continuation.yield(.linkReport(reporter.times.report(statistics)))
        }
        if case .failed(let error) = ending {
            reporter.continuation.yield(.error(error))
        } else {
            reporter.continuation.yield(.disconnected(ending))
        }
        reporter.continuation.finish()
        end.come()
    }

    private func report(_ event: VerifierEvent) {
        switch event {
        case .connected: reporter.times.connectedAt = seconds
        case .secureChannelEstablished: reporter.servedLink = session?.servedLink
        case .announced: reporter.times.firstChunkAt = seconds
        case .progress(let progress): guard reporter.admits(progress, at: clock.now()) else { return }
        case .received(_, let summary):
            reporter.times.arrivedAt = seconds
            reporter.times.summary = summary
        case .advertising, .requestRead, .refused, .reported, .status, .left, .linkReport, .error, .disconnected: break
        }
        reporter.continuation.yield(event)
    }
}
