public import Bluetooth
public import CryptoSuite
public import Determinism

/// The verifier of one hand-over: advertises its key, takes one sealed payload from one wallet, says what it thinks of it.
///
/// A value that never touches the world. Every input is followed by the outputs it causes, in the order in which they must
/// be done; `decide` and `cancel` are what a user does. Exactly one `finished` ends the session, after which every input
/// is without effect. Keys are wiped at that point. Sources: Tuvali documentation (docs.mosip.io, docs.inji.io).
public struct VerifierSession: Sendable {
    /// What happened.
    public enum Input: Hashable, Sendable {
        /// Begin.
        case start
        /// A central connected; its ATT MTU is 23.
        case connected(LinkID)
        /// The ATT MTU of a link is now this.
        case mtu(LinkID, Int)
        /// A central wrote a characteristic of the service; `isCommand` when without response.
        ///
        /// `profile` is the one whose service it belongs to; nil: the first that is served.
        case written(LinkID, TuvaliCharacteristic, [UInt8], isCommand: Bool = false, profile: WireProfile? = nil)
        /// A link is down.
        case disconnected(LinkID, LinkEnd)
        /// The radio cannot go on.
        case radioFailed(String)
        /// Time has passed; whoever keeps the clock says so no later than at `nextDeadline`.
        case tick
        /// The user gave up.
        case cancel
    }

    /// What to do.
    public enum Output: Hashable, Sendable {
        /// Publish the service of the profile and advertise, or go on advertising after a connection stopped it.
        case startAdvertising(TuvaliAdvertisement, WireProfile)
        /// Stop advertising.
        case stopAdvertising
        /// Push a value as a notification, whether or not the central subscribed.
        case notify(LinkID, TuvaliCharacteristic, BluetoothUUID, [UInt8])
        /// End a link.
        case disconnect(LinkID)
        /// Something worth telling the user or the log.
        case note(Note)
        /// The session is over; nothing follows.
        case finished(SessionEnding)
    }

    /// Something worth telling.
    public enum Note: Hashable, Sendable {
        /// The verifier can be found.
        case advertising(TuvaliURI)
        /// A central connected.
        case connected(LinkID)
        /// A wallet identified itself; the session is bound to its link.
        case secureChannelEstablished(LinkID, mtu: Int)
        /// A message was refused; the session goes on.
        case refused(TuvaliError)
        /// The wallet announced its payload.
        case announced(sealedBytes: Int, chunkCount: Int)
        /// Chunks are coming in; told in steps of a sixty-fourth of the whole, and at the end.
        case progress(TransferProgress)
        /// The wallet was told what is missing.
        case reported(missing: Int)
        /// The payload is complete, authentic and unzipped; a decision is owed.
        case received([UInt8], TransferSummary)
        /// The decision is on its way.
        case status(VerificationStatus)
        /// A device disconnected and the session goes on.
        case left(LinkID, WalletDeparture)
    }

    /// What the QR code shows.
    public let uri: TuvaliURI

    let configuration: VerifierConfiguration
    var privateKey: Secret?
    var keys: SessionKeys?
    var nonce: [UInt8] = []
    var phase = Phase.idle
    var phaseDeadline: MonotonicInstant?
    var links: [Connection] = []
    var assembler: Assembler?
    var transferDeadline: MonotonicInstant?
    var toldBytes = 0
    var repeatedChunkCount = 0
    var reportCount = 0
    var failureFrameCount = 0
    var unsolicitedReports = UnsolicitedReports(limit: 0, wait: .zero)
    /// Whether chunks came before the length.
    var isSizeLate = false
    /// When a report request that came as a command is answered.
    var heldReportDeadline: MonotonicInstant?
    var refusalCount = 0
    /// What is advertised at present, and what the session speaks once a wallet has identified itself.
    var profile: WireProfile
    /// When the next profile is advertised; nil where there is one.
    var profileDeadline: MonotonicInstant?

    /// Makes the verifier of one session.
    ///
    /// - Parameters:
    ///   - name: 1 to 14 UTF-8 bytes; shown by the wallet and put on the air.
    ///   - privateKey: 32 bytes, fresh for this session.
    /// - Throws: `tuvali.uri.missing-name`, `tuvali.uri.bad-name`, `tuvali.session.internal`.
    public init(
        name: String, privateKey: Secret, configuration: VerifierConfiguration = VerifierConfiguration()
    ) throws(TuvaliError) {
        let publicKey: [UInt8]
        do {
            publicKey = try X25519.publicKey(for: privateKey)
        } catch {
            throw TuvaliError(.sessionInternal, "The session key is not usable.")
        }
        uri = try TuvaliURI(name: name, key: publicKey)
        self.privateKey = privateKey
        self.configuration = configuration
        profile = configuration.profile
    }

    /// Makes the verifier of one session with a fresh key.
    ///
    /// - Throws: `tuvali.uri.missing-name`, `tuvali.uri.bad-name`, `tuvali.session.internal`.
    public init(
        name: String, random: inout some RandomSource, configuration: VerifierConfiguration = VerifierConfiguration()
    ) throws(TuvaliError) {
        try self.init(name: name, privateKey: X25519.makePrivateKey(from: &random), configuration: configuration)
    }

    /// When `tick` is due at the latest; nil when nothing is waited for.
    public var nextDeadline: MonotonicInstant? {
        var deadline = phaseDeadline
        if let heldReportDeadline { deadline = min(deadline ?? heldReportDeadline, heldReportDeadline) }
        if let transferDeadline { deadline = min(deadline ?? transferDeadline, transferDeadline) }
        if case .receiving = phase, let silent = unsolicitedReports.deadline {
            deadline = min(deadline ?? silent, silent)
        }
        guard case .advertising = phase else { return deadline }
        if let profileDeadline { deadline = min(deadline ?? profileDeadline, profileDeadline) }
        for link in links { deadline = min(deadline ?? link.identifyDeadline, link.identifyDeadline) }
        return deadline
    }

    /// Whether `finished` has been said.
    public var isFinished: Bool {
        if case .closed = phase { true } else { false }
    }

    /// Whether a decision is owed.
    public var isDeciding: Bool {
        if case .deciding = phase { true } else { false }
    }

    /// Takes what happened and appends what to do.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .start: start(at: now, into: &outputs)
        case .connected(let link): connected(link, at: now, into: &outputs)
        case .mtu(let link, let value): mtuChanged(value, of: link, at: now, into: &outputs)
        case .written(let link, let characteristic, let value, let isCommand, let profile):
            let profile = profile ?? configuration.profile
            written(characteristic, value, isCommand: isCommand, of: profile, on: link, at: now, into: &outputs)
        case .disconnected(let link, let end): disconnected(link, end, at: now, into: &outputs)
        case .radioFailed(let reason): radioFailed(reason, at: now, into: &outputs)
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

    /// Tells the wallet what became of its credential.
    ///
    /// Allowed once, after `received`; also when the wallet has left since, which it then does not learn.
    ///
    /// - Throws: `tuvali.session.misused` at any other time; the session goes on as it was.
    public mutating func decide(
        _ status: VerificationStatus, at now: MonotonicInstant, into outputs: inout [Output]
    ) throws(TuvaliError) {
        guard case .deciding(let link) = phase else {
            throw TuvaliError(.sessionMisused, "A decision can be given once, after a payload was received.")
        }
        guard let link else {
            outputs.append(.note(.status(status)))
            return finish(.completed(status), into: &outputs)
        }
        enter(.concluding(link, status), until: now + configuration.goodbyeWait)
        notify(.verificationStatus, [status.rawValue], on: link, into: &outputs)
        outputs.append(.note(.status(status)))
    }

    mutating func enter(_ phase: Phase, until deadline: MonotonicInstant?) {
        self.phase = phase
        phaseDeadline = deadline
    }

    func notify(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], on link: LinkID, into outputs: inout [Output]
    ) {
        let spoken = links.first { $0.link == link }?.profile ?? profile
        outputs.append(.notify(link, characteristic, spoken.uuid(of: characteristic), value))
    }
}
