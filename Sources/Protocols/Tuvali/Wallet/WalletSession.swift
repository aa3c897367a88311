public import Bluetooth
public import CryptoSuite
public import Determinism

/// The wallet of one hand-over: finds the verifier that a QR code names, connects, seals one payload and sends it.
///
/// A value that never touches the world. Every input is followed by the outputs it causes, in the order in which they must
/// be done; `send` and `cancel` are what a user does. Exactly one `finished` ends the session, after which every input is
/// without effect. Keys are wiped at that point. Sources: Tuvali documentation (docs.mosip.io, docs.inji.io).
public struct WalletSession: Sendable {
    /// What happened.
    public enum Input: Hashable, Sendable {
        /// Begin.
        case start
        /// An advertisement or a scan response was heard.
        case heard(AdvertisementReport)
        /// The connection asked for is up.
        case connected
        /// The connection asked for did not come about.
        case connectFailed
        /// The ATT MTU in force, after an exchange or by the other side's doing.
        case mtu(Int)
        /// The exchange asked for was refused or failed.
        case mtuFailed
        /// The service's characteristics.
        case discovered([BluetoothUUID])
        /// The service is not there, or could not be looked at.
        case discoveryFailed
        /// Values of the pushed characteristics will be delivered, as far as the radio can tell.
        case subscribed
        /// A write was answered, or taken by the host's queue when it was a command.
        case written(TuvaliCharacteristic)
        /// A write failed and the link is still up.
        case writeFailed(TuvaliCharacteristic)
        /// The verifier pushed a value.
        case received(TuvaliCharacteristic, [UInt8])
        /// The link is down.
        case disconnected(LinkEnd)
        /// The radio cannot go on.
        case radioFailed(String)
        /// Time has passed; whoever keeps the clock says so no later than at `nextDeadline`.
        case tick
        /// The user gave up.
        case cancel
    }

    /// What to do.
    public enum Output: Hashable, Sendable {
        /// Scan for advertisers of these services.
        case startScanning([BluetoothUUID])
        /// Stop scanning.
        case stopScanning
        /// Connect to this advertiser within this time.
        case connect(DeviceAddress, timeout: Duration)
        /// Exchange the ATT MTU, wishing for this.
        case exchangeMTU(Int)
        /// Find the primary service and its characteristics.
        case discover(service: BluetoothUUID)
        /// Ask for the values of these characteristics; a missing descriptor is no failure.
        case subscribe([BluetoothUUID])
        /// Write a value. The driver answers `written` or `writeFailed` before it takes the next output.
        case write(TuvaliCharacteristic, BluetoothUUID, [UInt8], withResponse: Bool)
        /// End the link, or give up connecting.
        case disconnect
        /// Something worth telling the user or the log.
        case note(Note)
        /// The session is over; nothing follows.
        case finished(SessionEnding)
    }

    /// Something worth telling.
    public enum Note: Hashable, Sendable {
        /// The verifier was found; a connection is attempted.
        case found(DeviceAddress, WireProfile)
        /// A verifier was heard whose key is not the one of the QR code.
        case heardOther(DeviceAddress)
        /// The connection broke before anything was said and is tried again.
        case reconnecting(attempt: Int)
        /// The link is ready.
        case connected(mtu: Int, profile: WireProfile)
        /// The verifier has our key; a payload may be sent.
        case secureChannelEstablished
        /// Chunks are going out.
        case progress(TransferProgress)
        /// Missing chunks are sent again, for the nth time.
        case failureFrame(number: Int, missing: Int)
        /// The verifier reported that everything arrived.
        case sent(TransferSummary)
        /// The verifier decided.
        case status(VerificationStatus)
    }

    /// The verifier.
    public let uri: TuvaliURI

    /// When `tick` is due at the latest; nil when nothing is waited for.
    public private(set) var nextDeadline: MonotonicInstant?

    let configuration: WalletConfiguration
    let identify: IdentifyRequest
    var keys: SessionKeys?
    var phase = Phase.idle
    var sightings: Sightings
    var profile = WireProfile.tuvali05
    var mtu = 23
    var connectAttempt = 0
    /// Why the last connection broke before the wallet identified itself.
    var setupError: TuvaliError?
    var transfer: OutgoingTransfer?
    var earlyStatus: VerificationStatus?

    /// Makes the wallet of one session.
    ///
    /// - Parameters:
    ///   - privateKey: 32 bytes, fresh for this session.
    ///   - nonce: 12 bytes, fresh for this session.
    /// - Throws: `tuvali.wallet.low-order-key` when the verifier's key is one that gives everybody the same secret.
    public init(
        uri: TuvaliURI, privateKey: Secret, nonce: [UInt8], configuration: WalletConfiguration = WalletConfiguration()
    ) throws(TuvaliError) {
        precondition(nonce.count == IdentifyRequest.nonceBytes, "a nonce has 12 bytes")
        do {
            keys = try SessionKeys(privateKey: privateKey, peerPublicKey: uri.key)
            identify = IdentifyRequest(nonce: nonce, publicKey: try X25519.publicKey(for: privateKey))
        } catch {
            throw TuvaliError(.walletLowOrderKey, "The key in the QR code gives no secret: it is not a verifier's.")
        }
        self.uri = uri
        self.configuration = configuration
        sightings = Sightings(uri: uri, profiles: configuration.profiles, limit: configuration.sightingLimit)
    }

    /// Makes the wallet of one session with fresh keys.
    ///
    /// - Throws: `tuvali.wallet.low-order-key`.
    public init(
        uri: TuvaliURI, random: inout some RandomSource, configuration: WalletConfiguration = WalletConfiguration()
    ) throws(TuvaliError) {
        try self.init(
            uri: uri, privateKey: X25519.makePrivateKey(from: &random),
            nonce: random.bytes(count: IdentifyRequest.nonceBytes), configuration: configuration)
    }

    /// Whether `finished` has been said.
    public var isFinished: Bool {
        if case .closed = phase { true } else { false }
    }

    /// Whether a payload may be sent now.
    public var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    /// Takes what happened and appends what to do.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .start: start(at: now, into: &outputs)
        case .heard(let report): heard(report, at: now, into: &outputs)
        case .connected: connected(at: now, into: &outputs)
        case .connectFailed: connectFailed(at: now, into: &outputs)
        case .mtu(let value): mtuChanged(value, at: now, into: &outputs)
        case .mtuFailed: mtuFailed(at: now, into: &outputs)
        case .discovered(let uuids): discovered(uuids, at: now, into: &outputs)
        case .discoveryFailed: discoveryFailed(at: now, into: &outputs)
        case .subscribed: subscribed(at: now, into: &outputs)
        case .written(let characteristic): written(characteristic, at: now, into: &outputs)
        case .writeFailed(let characteristic): writeFailed(characteristic, at: now, into: &outputs)
        case .received(let characteristic, let value): received(characteristic, value, at: now, into: &outputs)
        case .disconnected(let end): disconnected(end, at: now, into: &outputs)
        case .radioFailed(let reason):
            fail(TuvaliError(.walletRadioFailed, reason), at: now, into: &outputs)
        case .tick: tick(at: now, into: &outputs)
        case .cancel: close(.cancelled, at: now, into: &outputs)
        }
    }

    /// Takes what happened and returns what to do, for tests that read as scripts.
    public mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Output] {
        var outputs: [Output] = []
        handle(input, at: now, into: &outputs)
        return outputs
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
        guard case .ready = phase, let keys else {
            throw TuvaliError(.sessionMisused, "A payload can be sent once, when the secure channel is established.")
        }
        guard !payload.isEmpty else { throw TuvaliError(.sessionMisused, "The payload is empty.") }
        let sealed = try SealedPayload.seal(payload, key: keys.verifier, nonce: identify.nonce)
        guard let layout = ChunkLayout(totalBytes: sealed.count, mtu: mtu) else {
            throw TuvaliError(
                .walletPayloadTooLarge,
                "The payload makes \(sealed.count) bytes, more than 32,767 chunks over this link.")
        }
        transfer = OutgoingTransfer(chunker: Chunker(sealed: sealed, layout: layout), payloadBytes: payload.count)
        self.keys = nil
        announce(sealed.count, at: now, into: &outputs)
    }

    mutating func enter(_ phase: Phase, until deadline: MonotonicInstant?) {
        self.phase = phase
        nextDeadline = deadline
    }

    mutating func extend(to deadline: MonotonicInstant) {
        nextDeadline = deadline
    }
}
