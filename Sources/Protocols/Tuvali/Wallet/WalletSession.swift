import Bluetooth
public import CryptoSuite
public import Determinism

/// The wallet of one hand-over: finds the verifier that a QR code names, connects, seals one payload and sends it.
///
/// A value that never touches the world. Every input is followed by the outputs it causes, in the order in which they
/// must be done; `send` and `cancel` are what a user does. Exactly one `finished` ends the session, after which every
/// input is without effect. Keys are wiped at that point. Sources: Tuvali documentation (docs.mosip.io, docs.inji.io).
public struct WalletSession: StateMachine, Sendable {
    /// The phase of the session; each case holds the values that exist only in it.
    private enum Phase: Sendable {
        /// The session waits for the input `start`.
        case idle(SessionKeys)
        /// The wallet scans for the verifier of the QR code.
        case scanning(SessionKeys, until: MonotonicInstant)
        /// The wallet has requested a connection to a verifier of this profile.
        case connecting(SessionKeys, WireProfile, until: MonotonicInstant)
        /// The link is up and is being prepared.
        case settingUp(SessionKeys, WalletLinkSetup)
        /// The verifier has the wallet's key, and the wallet reads the verifier's request.
        case readingRequest(SessionKeys, VerifierLinkState, VerifierRequestReader)
        /// The verifier has the wallet's key; the wallet waits for the payload from its user.
        case ready(SessionKeys, VerifierLinkState, until: MonotonicInstant)
        /// The payload is being sent, or the decision about it is pending; `sender` is set.
        case sending
        /// The link is going down; the session then ends with this ending.
        case closing(SessionEnding, until: MonotonicInstant)
        /// The session has ended.
        case closed
    }

    /// The verifier that the QR code names.
    public let uri: TuvaliURI

    private let configuration: WalletConfiguration
    private let identify: IdentifyRequest
    private var phase: Phase
    /// The search for the verifier, kept beside the phase so that advertisement reports do not copy it.
    private var search: VerifierSearch
    /// The payload's sender, kept beside the phase so that chunks do not copy the payload; there exactly while sending.
    private var sender: PayloadSender?

    /// Makes the wallet session with the given keys.
    ///
    /// - Parameters:
    ///   - privateKey: 32 bytes, fresh for this session.
    ///   - nonce: 12 bytes, fresh for this session.
    /// - Throws: `tuvali.wallet.low-order-key` when the verifier's key gives every wallet the same secret.
    public init(
        uri: TuvaliURI, privateKey: Secret, nonce: [UInt8], configuration: WalletConfiguration = WalletConfiguration()
    ) throws(TuvaliError) {
        precondition(nonce.count == IdentifyRequest.nonceBytes, "a nonce has 12 bytes")
        do {
            phase = .idle(try SessionKeys(privateKey: privateKey, peerPublicKey: uri.key))
            identify = IdentifyRequest(nonce: nonce, publicKey: try X25519.publicKey(for: privateKey))
        } catch {
            throw TuvaliError(.walletLowOrderKey, "The key in the QR code gives no secret: it is not a verifier's.")
        }
        self.uri = uri
        self.configuration = configuration
        search = VerifierSearch(uri: uri, configuration: configuration)
    }

    /// Makes the wallet session with fresh keys.
    ///
    /// - Throws: `tuvali.wallet.low-order-key`.
    public init(
        uri: TuvaliURI, random: inout some RandomSource, configuration: WalletConfiguration = WalletConfiguration()
    ) throws(TuvaliError) {
        try self.init(
            uri: uri, privateKey: X25519.makePrivateKey(from: &random),
            nonce: random.bytes(count: IdentifyRequest.nonceBytes), configuration: configuration)
    }

    /// The latest time at which the caller gives the input `tick`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? {
        switch phase {
        case .idle, .closed: nil
        case .scanning(_, let deadline): min(deadline, search.deadline ?? deadline)
        case .connecting(_, _, let deadline), .closing(_, let deadline): deadline
        case .ready(_, let channel, let deadline): min(deadline, channel.unansweredUntil ?? deadline)
        case .settingUp(_, let setup): setup.deadline
        case .readingRequest(_, _, let reader): reader.deadline
        case .sending: sender.map { min($0.deadline, $0.unansweredUntil ?? $0.deadline) }
        }
    }

    /// The present stage of the wallet session.
    public var stage: Stage {
        switch phase {
        case .idle: .idle
        case .scanning: .scanning
        case .connecting: .connecting
        case .settingUp(_, let setup): setup.stage
        case .readingRequest(_, _, let reader): reader.stage
        case .ready: .ready
        case .sending: sendingStage
        case .closing: .closing
        case .closed: .closed
        }
    }

    private var sendingStage: Stage {
        guard let sender else { preconditionFailure("a session that sends has a sender") }
        return sender.stage
    }

    /// Handles one input, and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .start:
            if case .idle(let keys) = phase { scan(keys, at: now, into: &outputs) }
        case .heard(let report): heard(report, at: now, into: &outputs)
        case .connected: connected(at: now, into: &outputs)
        case .connectFailed: connectFailed(at: now, into: &outputs)
        case .mtu(let value): mtuChanged(value, at: now, into: &outputs)
        // The system may have exchanged it before we asked.
        case .mtuFailed(let value) where value > ATTPDU.minimumMTU: mtuChanged(value, at: now, into: &outputs)
        case .mtuFailed: setUp(at: now, into: &outputs) { $0.mtuFailed(at: now, into: &$1) }
        case .discovered(let uuids): setUp(at: now, into: &outputs) { $0.discovered(uuids, at: now, into: &$1) }
        case .discoveryFailed: setUp(at: now, into: &outputs) { setup, _ in setup.discoveryFailed(at: now) }
        // A verifier without descriptors, or one that refuses them, sends its notifications all the same.
        case .subscribed: setUp(at: now, into: &outputs) { $0.subscribed(at: now, into: &$1) }
        case .written(let characteristic): written(characteristic, at: now, into: &outputs)
        case .writeFailed(let characteristic): writeFailed(characteristic, at: now, into: &outputs)
        case .valueRead(let characteristic, let value):
            if characteristic == .requestSize { unansweredUntil = nil }
            readRequest(at: now, into: &outputs) { $0.valueRead(characteristic, value, at: now, into: &$1) }
        case .readFailed(let characteristic): readFailed(characteristic, at: now, into: &outputs)
        case .received(let characteristic, let value): received(characteristic, value, at: now, into: &outputs)
        case .disconnected(let end): disconnected(end, at: now, into: &outputs)
        case .radioFailed(let reason):
            close(.failed(TuvaliError(.walletRadioFailed, reason)), at: now, into: &outputs)
        case .tick: tick(at: now, into: &outputs)
        case .cancel: close(.cancelled, at: now, into: &outputs)
        }
    }

    /// Seals a payload and begins to send it.
    ///
    /// Allowed once, when the secure channel is established.
    ///
    /// - Throws: `tuvali.session.misused` at any other time or when the payload is empty,
    ///   `tuvali.wallet.payload-too-large` when it makes more than 32,767 chunks; the session goes on as it was.
    public mutating func send(
        _ payload: [UInt8], at now: MonotonicInstant, into outputs: inout [Output]
    ) throws(TuvaliError) {
        guard case .ready(let keys, let channel, _) = phase else {
            throw TuvaliError(.sessionMisused, "A payload can be sent once, when the secure channel is established.")
        }
        guard !payload.isEmpty else { throw TuvaliError(.sessionMisused, "The payload is empty.") }
        let sealed = try SealedPayload.seal(payload, key: keys.verifier, nonce: identify.nonce)
        guard let layout = ChunkLayout(totalBytes: sealed.count, mtu: channel.mtu) else {
            throw TuvaliError(
                .walletPayloadTooLarge,
                "The payload makes \(sealed.count) bytes, more than 32,767 chunks over this link.")
        }
        let transfer = OutgoingTransfer(
            chunker: PayloadChunker(sealed: sealed, layout: layout), payloadBytes: payload.count)
        sender = PayloadSender(transfer, over: channel, configuration, at: now, into: &outputs)
        phase = .sending
    }

    // MARK: - Finding the verifier and connecting

    /// The extra time after the radio's own deadline for a connection before the wallet stops waiting.
    ///
    /// A radio that answers late lets the wallet try again, one that never does ends the session: a machine that is
    /// merely busy, or takes a while to withdraw a request, is not to end one.
    static let connectGrace = Duration.seconds(10)

    private mutating func scan(_ keys: SessionKeys, at now: MonotonicInstant, into outputs: inout [Output]) {
        phase = .scanning(keys, until: now + configuration.scanWait)
        outputs.append(.startScanning(configuration.profiles.flatMap { [$0.service, $0.scanResponseService] }))
    }

    private mutating func heard(
        _ report: AdvertisementReport, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard case .scanning = phase else { return }
        react(to: search.take(report, at: now), at: now, into: &outputs)
    }

    private mutating func react(
        to verdict: AdvertisementMatcher.AdvertisementMatch, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard case .scanning(let keys, _) = phase else { return }
        switch verdict {
        case .nothing: break
        case .other(let address): outputs.append(.event(.heardOther(address)))
        case .match(let address, let profile):
            let deadline = now + configuration.connectWait + Self.connectGrace
            phase = .connecting(keys, profile, until: deadline)
            outputs += [
                .stopScanning, .event(.found(address, profile)), .connect(address, timeout: configuration.connectWait),
            ]
        }
    }

    private mutating func connected(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .connecting(let keys, let profile, _) = phase else { return }
        let setup = WalletLinkSetup(profile: profile, identify: identify, configuration: configuration, at: now)
        phase = .settingUp(keys, setup)
        setUp(at: now, into: &outputs) { $0.begin(at: now, into: &$1) }
    }

    private mutating func connectFailed(at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .connecting(let keys, _, _):
            let error = TuvaliError(
                .walletConnectFailed, "The verifier was heard but could not be connected to.")
            tryAgain(keys, or: error, at: now, into: &outputs)
        case .closing(let ending, _): finish(ending, into: &outputs)
        case .idle, .scanning, .settingUp, .readingRequest, .ready, .sending, .closed: break
        }
    }

    /// Scans again while attempts are left; the wallet has sent nothing to the verifier yet.
    private mutating func tryAgain(
        _ keys: SessionKeys, or error: TuvaliError, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let attempt = search.nextAttempt(after: error) else { return finish(.failed(error), into: &outputs) }
        outputs.append(.event(.reconnecting(attempt: attempt)))
        scan(keys, at: now, into: &outputs)
    }

    // MARK: - Setting the channel up

    /// Passes an input to the channel setup; in any other phase the input has no effect.
    private mutating func setUp(
        at now: MonotonicInstant, into outputs: inout [Output],
        _ take: (inout WalletLinkSetup, inout [Output]) -> WalletLinkSetup.Result
    ) {
        guard case .settingUp(let keys, var setup) = phase else { return }
        let result = take(&setup, &outputs)
        phase = .settingUp(keys, setup)
        switch result {
        case .underWay: break
        case .ready: channelSetUp(keys, setup, at: now, into: &outputs)
        case .failed(let error): close(.failed(error), at: now, into: &outputs)
        }
    }

    private mutating func mtuChanged(_ value: Int, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .settingUp: setUp(at: now, into: &outputs) { $0.mtuChanged(value, at: now, into: &$1) }
        case .ready(let keys, var channel, let deadline):
            channel.mtu = value
            phase = .ready(keys, channel, until: deadline)
            if !channel.isWideEnough { close(.failed(channel.narrowed), at: now, into: &outputs) }
        case .readingRequest(let keys, var channel, let reader):
            channel.mtu = value
            phase = .readingRequest(keys, channel, reader)
            if !channel.isWideEnough { close(.failed(channel.narrowed), at: now, into: &outputs) }
        case .idle, .scanning, .connecting, .sending, .closing, .closed: break
        }
    }

    // MARK: - The verifier's request

    /// The public keys of both ends, to which an answer is bound.
    public var channelKeys: SessionPublicKeys { SessionPublicKeys(verifier: uri.key, wallet: identify.publicKey) }

    /// Reads the verifier's request after the channel setup, or lets the user send.
    private mutating func channelSetUp(
        _ keys: SessionKeys, _ setup: WalletLinkSetup, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard configuration.readsRequest || uri.asks else {
            return becomeReady(keys, setup.channel, at: now, into: &outputs)
        }
        let context = SealedRequest.SealingContext(walletKey: keys.wallet, identify: identify, verifierKey: uri.key)
        let reader = VerifierRequestReader(
            over: setup.channel, for: context, isRequired: uri.asks && !configuration.acceptsMissingRequest,
            configuration, at: now)
        phase = .readingRequest(keys, setup.channel, reader)
        readRequest(at: now, into: &outputs) { $0.begin(isOffered: setup.offersRequest, into: &$1) }
    }

    private mutating func becomeReady(
        _ keys: SessionKeys, _ channel: VerifierLinkState, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        phase = .ready(keys, channel, until: now + WalletConfiguration.consentWait)
        outputs.append(.event(.secureChannelEstablished))
    }

    /// Passes an input to the request reader; in any other phase the input has no effect.
    private mutating func readRequest(
        at now: MonotonicInstant, into outputs: inout [Output],
        _ take: (inout VerifierRequestReader, inout [Output]) -> VerifierRequestReader.Result
    ) {
        guard case .readingRequest(let keys, var channel, var reader) = phase else { return }
        let result = take(&reader, &outputs)
        phase = .readingRequest(keys, channel, reader)
        switch result {
        case .underWay: return
        case .failed(let error): return close(.failed(error), at: now, into: &outputs)
        case .none: break
        case .unanswered(let end): channel.unansweredUntil = end
        case .read(let request): outputs.append(.event(.requested(request, channelKeys)))
        }
        becomeReady(keys, channel, at: now, into: &outputs)
    }

    private mutating func readFailed(
        _ characteristic: TuvaliCharacteristic, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        if let end = unansweredUntil, now >= end {
            return close(.failed(.unansweredRequest), at: now, into: &outputs)
        }
        if characteristic == .requestSize { unansweredUntil = nil }
        readRequest(at: now, into: &outputs) { reader, _ in reader.readFailed(characteristic) }
    }

    /// The time at which ATT's time-out for the answer to REQUEST_SIZE ends; nil while none is overdue.
    private var unansweredUntil: MonotonicInstant? {
        get { if case .ready(_, let channel, _) = phase { channel.unansweredUntil } else { sender?.unansweredUntil } }
        set {
            sender?.unansweredUntil = newValue
            guard case .ready(let keys, var channel, let deadline) = phase else { return }
            channel.unansweredUntil = newValue
            phase = .ready(keys, channel, until: deadline)
        }
    }

    // MARK: - Sending

    /// Passes an input to the payload sender; in any other phase the input has no effect.
    private mutating func advance(
        at now: MonotonicInstant, into outputs: inout [Output],
        _ take: (inout PayloadSender, inout [Output]) -> PayloadSender.Result
    ) {
        guard var sender else { return }
        let result = take(&sender, &outputs)
        self.sender = sender
        switch result {
        case .underWay: break
        case .decided(let status): close(.completed(status), at: now, into: &outputs)
        case .failed(let error): close(.failed(error), at: now, into: &outputs)
        }
    }

    private mutating func written(
        _ characteristic: TuvaliCharacteristic, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        // Changed in place, because this comes with each chunk.
        if sender?.written(characteristic, configuration, at: now, into: &outputs) == nil {
            setUp(at: now, into: &outputs) { setup, _ in setup.written(characteristic) }
        }
    }

    private mutating func writeFailed(
        _ characteristic: TuvaliCharacteristic, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        setUp(at: now, into: &outputs) { setup, _ in setup.writeFailed(characteristic) }
        advance(at: now, into: &outputs) { sender, _ in sender.writeFailed(characteristic, at: now) }
    }

    private mutating func received(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        let configuration = configuration
        switch characteristic {
        case .reportResponse:
            advance(at: now, into: &outputs) { $0.receivedReport(value, configuration, at: now, into: &$1) }
        case .verificationStatus:
            guard let status = VerificationStatus(parsing: value) else { return }
            advance(at: now, into: &outputs) { $0.receivedStatus(status, into: &$1) }
        case .disconnect:
            guard value.first == 1 else { return }
            let error =
                awaitsDecision
                ? Self.undecided : TuvaliError(.peerDisconnected, "The verifier ended the session.")
            close(.disconnected(error), at: now, into: &outputs)
        case .identify, .requestSize, .request, .responseSize, .submitResponse, .reportRequest: break
        }
    }

    // MARK: - Deadlines, and every way to the end

    private mutating func tick(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let deadline = nextDeadline, now >= deadline else { return }
        if let end = unansweredUntil, now >= end {
            return close(.failed(.unansweredRequest), at: now, into: &outputs)
        }
        let configuration = configuration
        switch phase {
        case .idle, .closed: preconditionFailure("a phase without a deadline waits for nothing")
        case .scanning:
            guard search.deadline == nil else { return react(to: search.takeCandidate(), at: now, into: &outputs) }
            close(.failed(search.failure), at: now, into: &outputs)
        case .connecting:
            let error = TuvaliError(.walletConnectFailed, "The connection did not come up.")
            close(.failed(error), at: now, into: &outputs)
        case .settingUp: setUp(at: now, into: &outputs) { $0.deadlinePassed(at: now, into: &$1) }
        case .readingRequest: readRequest(at: now, into: &outputs) { reader, _ in reader.deadlinePassed() }
        case .ready:
            let error = TuvaliError(.walletConsentTimeout, "Nothing was sent in time after the channel was ready.")
            close(.failed(error), at: now, into: &outputs)
        case .sending: advance(at: now, into: &outputs) { $0.deadlinePassed(configuration, at: now, into: &$1) }
        case .closing(let ending, _): finish(ending, into: &outputs)
        }
    }

    private var awaitsDecision: Bool {
        sender?.awaitsDecision ?? false
    }

    private mutating func disconnected(_ end: LinkEndCause, at now: MonotonicInstant, into outputs: inout [Output]) {
        if let end = unansweredUntil, now >= end { return finish(.failed(.unansweredRequest), into: &outputs) }
        switch phase {
        case .idle, .scanning, .closed: break
        case .connecting(let keys, _, _): tryAgain(keys, or: Self.lost(end), at: now, into: &outputs)
        case .settingUp(let keys, let setup):
            guard setup.hasIdentified else { return tryAgain(keys, or: Self.lost(end), at: now, into: &outputs) }
            finish(.disconnected(Self.lost(end)), into: &outputs)
        case .readingRequest, .ready: finish(.disconnected(Self.lost(end)), into: &outputs)
        case .sending: finish(.disconnected(awaitsDecision ? Self.undecided : Self.lost(end)), into: &outputs)
        case .closing(let ending, _): finish(ending, into: &outputs)
        }
    }

    private static let undecided = TuvaliError(
        .walletDecisionUnknown, "Everything arrived, but the link ended before the verifier said its decision.")

    private static func lost(_ end: LinkEndCause) -> TuvaliError {
        switch end {
        case .peer: TuvaliError(.peerDisconnected, "The verifier disconnected.")
        case .lost, .local: TuvaliError(.linkLost, "The link to the verifier was lost.")
        }
    }

    /// Disconnects if there may be a link, and ends the session when it is down.
    private mutating func close(_ ending: SessionEnding, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .closing, .closed: break
        case .idle: finish(ending, into: &outputs)
        case .scanning:
            outputs.append(.stopScanning)
            finish(ending, into: &outputs)
        case .connecting, .settingUp, .readingRequest, .ready, .sending:
            phase = .closing(ending, until: now + configuration.closeWait)
            sender = nil
            outputs.append(.disconnect)
        }
    }

    private mutating func finish(_ ending: SessionEnding, into outputs: inout [Output]) {
        phase = .closed
        sender = nil
        outputs.append(.finished(ending))
    }
}
