public import Bluetooth
public import CryptoSuite
public import Determinism

/// The verifier's state machine of one hand-over: advertises, receives one payload, and sends the decision.
///
/// A value that never touches the world. Every input is followed by the outputs it causes, in the order in which they
/// must be done; `decide` and `cancel` are what a user does. Exactly one `finished` ends the session, after which every
/// input is without effect. Keys are wiped at that point. Sources: Tuvali documentation (docs.mosip.io, docs.inji.io).
public struct VerifierSession: StateMachine, Sendable {
    /// The content of the verifier's QR code, which announces a request once the verifier holds one.
    public private(set) var uri: TuvaliURI

    private let configuration: VerifierConfiguration
    private var phase: Phase
    private var centrals = ConnectedCentrals()
    private var request = VerifierRequestHolder()
    /// The payload's receiver, kept beside the phase so that chunks do not copy it; set only in the step `receiving`.
    private var receiver: PayloadReceiver?
    private var refusalCount = 0

    /// Makes the verifier session with the given key.
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
        phase = .idle(privateKey: privateKey)
        self.configuration = configuration
    }

    /// The latest time at which the caller gives the input `tick`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? {
        switch phase {
        case .idle, .closed: nil
        case .advertising(let advertising):
            [advertising.deadline, advertising.profileDeadline, centrals.identifyDeadline].compactMap { $0 }.min()
        case .serving(let wallet):
            [wallet.step.deadline, receiver?.nextDeadline, wallet.requests.heldUntil].compactMap { $0 }.min()
        case .decidingAlone(let deadline), .parting(_, let deadline), .closing(_, let deadline): deadline
        }
    }

    /// The link of the wallet that the session serves; nil before one has identified itself, and after it has left.
    public var servedLink: LinkID? {
        if case .serving(let wallet) = phase { wallet.link } else { nil }
    }

    /// The present stage of the verifier session.
    public var stage: Stage { phase.stage }

    /// Handles one input, and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .start: start(at: now, into: &outputs)
        case .connected(let link): connected(link, at: now, into: &outputs)
        case .mtu(let link, let value): mtuChanged(value, of: link, at: now, into: &outputs)
        case .written(let link, let characteristic, let value, let isCommand, let profile):
            let profile = profile ?? configuration.profile
            written(characteristic, value, isCommand: isCommand, of: profile, on: link, at: now, into: &outputs)
        case .read(let link, let characteristic, let offset):
            read(characteristic, from: offset, on: link, at: now, into: &outputs)
        case .disconnected(let link, let end): disconnected(link, end, into: &outputs)
        case .radioFailed(let reason): radioFailed(reason, at: now, into: &outputs)
        case .tick: tick(at: now, into: &outputs)
        case .cancel: close(.cancelled, at: now, into: &outputs)
        }
    }

    /// Sends the wallet the decision about its credential.
    ///
    /// Allowed once, after `received`; also when the wallet has left since, which it then does not learn. The decision
    /// leaves when `commandStatusDelay` has passed since the report; the event `status` says so.
    ///
    /// - Throws: `tuvali.session.misused` at any other time; the session goes on as it was.
    public mutating func decide(
        _ status: VerificationStatus, at now: MonotonicInstant, into outputs: inout [Output]
    ) throws(TuvaliError) {
        if case .decidingAlone = phase {
            outputs.append(.event(.status(status)))
            return finish(.completed(status), into: &outputs)
        }
        guard case .serving(var wallet) = phase, case .delivered(var decision) = wallet.step, decision.owedUntil != nil
        else { throw TuvaliError(.sessionMisused, "A decision can be given once, after a payload was received.") }
        decision.decide(status)
        wallet.step = .delivered(decision)
        advance(decision, of: wallet, at: now, into: &outputs)
    }

    private mutating func advance(
        _ decision: VerificationStatusDelivery, of wallet: ServedWallet, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        phase = .serving(wallet)
        switch decision.action(at: now) {
        case .send(let status):
            phase = .serving(wallet.concluding(status, until: now + configuration.disconnectWait))
            centrals.conclude(wallet, status, into: &outputs)
        case .giveUp: close(.failed(.undecided), at: now, into: &outputs)
        case .conclude(let status): close(.completed(status), at: now, into: &outputs)
        case nil: break
        }
    }

    // MARK: - The request

    /// True when the verifier holds a request, so that the driver must pass on reads of it.
    public var holdsRequest: Bool { request.holdsRequest }

    /// The public keys of both ends, to which an answer is bound; nil before a wallet has identified itself.
    public var channelKeys: SessionPublicKeys? { request.channelKeys }

    /// Stores a request for the wallet; `uri` announces it from now on.
    ///
    /// Allowed before the input `start`.
    ///
    /// - Parameter salt: 16 bytes, fresh for this session.
    /// - Throws: `tuvali.session.misused` at any other time; the session goes on as it was.
    public mutating func hold(_ message: VerifierRequestMessage, salt: [UInt8]) throws(TuvaliError) {
        guard case .idle = phase, salt.count == SealedRequest.saltBytes else {
            throw TuvaliError(.sessionMisused, "A request is given before the session starts, with a salt of 16 bytes.")
        }
        request.hold(message, salt: salt)
        uri = uri.asking()
    }

    private mutating func read(
        _ characteristic: TuvaliCharacteristic, from offset: Int, on link: LinkID, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        guard case .serving(var wallet) = phase, link == wallet.link else {
            return outputs.append(.answerRead(link, []))
        }
        let error = request.answer(
            characteristic, from: offset, of: &wallet, mtu: centrals.mtu(of: link),
            thinkingUntil: now + VerifierConfiguration.consentWait, into: &outputs)
        phase = .serving(wallet)
        if let error { close(.failed(error), at: now, into: &outputs) }
    }

    // MARK: - Advertising and connections

    private mutating func start(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard case .idle(let privateKey) = phase else { return }
        let advertising = AdvertisingState(configuration, privateKey: privateKey, at: now)
        phase = .advertising(advertising)
        advertise(advertising.profile, into: &outputs)
        outputs.append(.event(.advertising(uri)))
    }

    private func advertise(_ profile: WireProfile, into outputs: inout [Output]) {
        outputs.append(.startAdvertising(TuvaliAdvertisement(uri: uri, profile: profile)))
    }

    /// True while another central may connect; advertising pauses while none may.
    private var hasRoom: Bool { centrals.count < VerifierConfiguration.linkLimit }

    private mutating func connected(_ link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]) {
        guard !centrals.links.contains(link) else { return }
        guard case .advertising(let advertising) = phase, hasRoom else {
            outputs.append(.disconnect(link))
            return
        }
        centrals.add(link, profile: advertising.profile, identifyDeadline: now + configuration.identifyWait)
        outputs.append(.event(.connected))
        // A controller stops advertising when it connects; until a wallet has identified itself others may come.
        if hasRoom { advertise(advertising.profile, into: &outputs) }
    }

    private mutating func mtuChanged(
        _ value: Int, of link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        // The chunks of a transfer are cut for the MTU at its beginning.
        guard receiver == nil, centrals.setMTU(value, of: link),
            ChunkLayout.writeBytes(mtu: value) < ChunkLayout.smallestWriteBytes
        else { return }
        let error = TuvaliError.smallMTU(value)
        switch phase {
        case .serving(let wallet): if link == wallet.link { close(.failed(error), at: now, into: &outputs) }
        case .advertising:
            // Without an Identify this may be any device: the link ends, the session does not.
            if centrals.refuse(link, until: now + configuration.disconnectWait, into: &outputs) {
                refuse(error, into: &outputs)
            }
        case .idle, .decidingAlone, .parting, .closing, .closed: break
        }
    }

    /// Accepts the first valid Identify, whose link the session then serves to its end.
    private mutating func identify(
        _ value: [UInt8], of profile: WireProfile, on link: LinkID, privateKey: Secret, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        guard let request = IdentifyRequest(parsing: value) else {
            return refuse(.malformedIdentify(value.count), into: &outputs)
        }
        guard let keys = try? SessionKeys(privateKey: privateKey, peerPublicKey: request.publicKey) else {
            return close(.failed(.lowOrderWalletKey), at: now, into: &outputs)
        }
        centrals.setProfile(profile, of: link)
        self.request.prepare(for: request, keys, verifierKey: uri.key, configuration)
        let key = PayloadReceiver.DecryptionKey(keys: keys, nonce: request.nonce)
        let deadline = now + VerifierConfiguration.consentWait
        phase = .serving(ServedWallet(link: link, step: .awaitingSize(key, until: deadline, isLate: false)))
        outputs.append(.stopAdvertising)
        for other in centrals.links where other != link { outputs.append(.disconnect(other)) }
        outputs.append(.event(.secureChannelEstablished(mtu: centrals.mtu(of: link))))
    }

    private mutating func disconnected(_ link: LinkID, _ end: LinkEndCause, into outputs: inout [Output]) {
        guard centrals.remove(link) else { return }
        switch phase {
        case .advertising(let advertising):
            outputs.append(.event(.left(.beforeIdentify)))
            advertise(advertising.profile, into: &outputs)
        case .serving(let wallet):
            guard link == wallet.link else { return }
            switch wallet.step {
            case .awaitingSize, .receiving: finish(.disconnected(TuvaliError.lostWallet(end)), into: &outputs)
            case .delivered(let decision): left(decision, into: &outputs)
            }
        case .parting(let ending, _), .closing(let ending, _):
            if centrals.isEmpty { finish(ending, into: &outputs) }
        case .idle, .decidingAlone, .closed: break
        }
    }

    /// Continues without the wallet after it left, because a complete payload can be decided without a link.
    private mutating func left(_ decision: VerificationStatusDelivery, into outputs: inout [Output]) {
        if let status = decision.left(into: &outputs) { return finish(.completed(status), into: &outputs) }
        if let deadline = decision.owedUntil { phase = .decidingAlone(until: deadline) }
    }

    /// Ends the session after a radio failure, unless only the decision about a complete payload is missing.
    private mutating func radioFailed(_ reason: String, at now: MonotonicInstant, into outputs: inout [Output]) {
        if case .decidingAlone = phase { return centrals.removeAll() }
        guard case .serving(let wallet) = phase, case .delivered(let decision) = wallet.step, !decision.isSent else {
            return close(.failed(TuvaliError(.verifierRadioFailed, reason)), at: now, into: &outputs)
        }
        centrals.removeAll()
        left(decision, into: &outputs)
    }

    // MARK: - Writes of a wallet

    private mutating func written(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], isCommand: Bool, of profile: WireProfile,
        on link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        switch phase {
        case .advertising(let advertising):
            guard centrals.mayIdentify(link) else { return }
            guard characteristic == .identify else {
                // An Identify that was lost does not come again: with the link ended, its user can scan at once.
                centrals.setProfile(profile, of: link)
                _ = centrals.refuse(link, until: now + configuration.disconnectWait, into: &outputs)
                return refuse(.outOfTurn(characteristic), into: &outputs)
            }
            identify(value, of: profile, on: link, privateKey: advertising.privateKey, at: now, into: &outputs)
        case .serving(let wallet):
            guard link == wallet.link else { return refuse(.foreignWrite(characteristic), into: &outputs) }
            switch characteristic {
            case .responseSize: announced(value, isCommand: isCommand, by: wallet, at: now, into: &outputs)
            case .submitResponse: submitted(value, by: wallet, at: now, into: &outputs)
            case .reportRequest: reportRequested(value, isCommand: isCommand, by: wallet, at: now, into: &outputs)
            case .identify: refuse(.outOfTurn(characteristic), into: &outputs)
            case .requestSize, .request, .reportResponse, .verificationStatus, .disconnect: break
            }
        case .idle, .decidingAlone, .parting, .closing, .closed: break
        }
    }

    private mutating func announced(
        _ value: [UInt8], isCommand: Bool, by wallet: ServedWallet, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        guard case .awaitingSize(let key, _, _) = wallet.step else {
            return refuse(.outOfTurn(.responseSize), into: &outputs)
        }
        let layout: ChunkLayout
        do {
            layout = try ChunkLayout(
                announcedBy: value, mtu: centrals.mtu(of: wallet.link), limit: configuration.maximumSealedBytes)
        } catch {
            return close(.failed(error), at: now, into: &outputs)
        }
        if let unread = request.unread {
            guard !configuration.requiresAnswer else {
                // The links end at once, so that the wallet sends no more of its payload.
                close(.failed(unread), at: now, into: &outputs)
                return endLinks(.failed(unread), at: now, into: &outputs)
            }
            refuse(unread, into: &outputs)
        }
        receiver = PayloadReceiver(
            layout: layout, key: key, isCommand: isCommand, configuration: configuration, at: now)
        var wallet = wallet
        wallet.step = .receiving
        phase = .serving(wallet)
        outputs.append(.event(.announced(sealedBytes: layout.totalBytes, chunkCount: layout.chunkCount)))
    }

    private mutating func submitted(
        _ value: [UInt8], by wallet: ServedWallet, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        switch wallet.step {
        case .receiving: break
        case .awaitingSize(let key, let deadline, let isLate):
            // A length that was lost never comes again; one that is late is still taken.
            if !isLate {
                let deadline = min(deadline, now + VerifierConfiguration.lateSizeWait)
                phase = .serving(wallet.awaitingLateSize(key, until: deadline))
            }
            return refuse(.outOfTurn(.submitResponse), into: &outputs)
        case .delivered: return
        }
        switch receiver?.take(value, at: now) {
        case nil: Self.trapWithoutReceiver()
        case .stored(let progress): if let progress { outputs.append(.event(.progress(progress))) }
        case .known: break
        case .refused(let reason): refuse(TuvaliError(.verifierBadChunk, reason), into: &outputs)
        }
    }

    private static func trapWithoutReceiver() -> Never {
        preconditionFailure("a session that receives has a receiver")
    }

    // MARK: - Reports

    /// Delays the report for a write command, because deployed Android wallets listen only once it was sent.
    private mutating func reportRequested(
        _ value: [UInt8], isCommand: Bool, by wallet: ServedWallet, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        guard value.first == 1 else { return }
        receiver?.reportRequested()
        var wallet = wallet
        wallet.requests.areCommands = isCommand
        guard isCommand, configuration.commandReportDelay > .zero else {
            return answerReportRequest(of: wallet, at: now, into: &outputs)
        }
        wallet.requests.hold(until: now + configuration.commandReportDelay)
        phase = .serving(wallet)
    }

    private mutating func answerReportRequest(
        of wallet: ServedWallet, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        var wallet = wallet
        let isAnswered = wallet.requests.answer(limit: VerifierConfiguration.reportLimit)
        phase = .serving(wallet)
        guard isAnswered else { return close(.failed(.tooManyReports), at: now, into: &outputs) }
        switch wallet.step {
        case .awaitingSize:
            close(.failed(.sizeMissing("A report was asked for, but no length ever arrived.")), at: now, into: &outputs)
        case .receiving:
            guard let answer = receiver?.answerRequest(at: now) else { Self.trapWithoutReceiver() }
            report(answer, to: wallet, at: now, into: &outputs)
        case .delivered(let decision): success(decision, of: wallet, at: now, into: &outputs)
        }
    }

    /// Sends the success report to the wallet.
    private mutating func success(
        _ decision: VerificationStatusDelivery, of wallet: ServedWallet, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        var (wallet, decision) = (wallet, decision)
        decision.reported(at: now, wait: wallet.requests.areCommands ? configuration.commandStatusDelay : .zero)
        wallet.step = .delivered(decision)
        phase = .serving(wallet)
        centrals.notify(.reportResponse, TransferReport.success.bytes, on: wallet.link, into: &outputs)
    }

    private mutating func report(
        _ answer: PayloadReceiver.ReportContent, to wallet: ServedWallet, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        switch answer {
        case .missing(let report, let count):
            centrals.notify(.reportResponse, report.bytes, on: wallet.link, into: &outputs)
            if let count { outputs.append(.event(.reported(missing: count))) }
        case .complete: deliver(to: wallet, at: now, into: &outputs)
        case .tooMuchMissing(let count, let chunkCount):
            close(.failed(.tooMuchMissing(count, of: chunkCount)), at: now, into: &outputs)
        }
    }

    /// Decrypts the payload, and only then reports success.
    private mutating func deliver(
        to wallet: ServedWallet, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard var receiver else { Self.trapWithoutReceiver() }
        self.receiver = nil
        do {
            let (payload, summary) = try receiver.open(limits: VerifierConfiguration.unzipLimits)
            let decision = VerificationStatusDelivery(until: now + configuration.decisionWait)
            success(decision, of: wallet, at: now, into: &outputs)
            outputs.append(.event(.received(payload, summary)))
        } catch {
            close(.failed(TuvaliError(error)), at: now, into: &outputs)
        }
    }

    /// Reports a message that was ignored; after too many, they are only counted.
    private mutating func refuse(_ error: TuvaliError, into outputs: inout [Output]) {
        refusalCount = min(refusalCount + 1, .max - 1)
        if refusalCount <= configuration.refusalNoteLimit { outputs.append(.event(.refused(error))) }
    }

    // MARK: - Deadlines, and every way to the end

    private mutating func tick(at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .idle, .closed: break
        case .advertising(let advertising): tick(advertising, at: now, into: &outputs)
        case .serving(let wallet): tick(wallet, at: now, into: &outputs)
        case .decidingAlone(let deadline): if now >= deadline { close(.failed(.undecided), at: now, into: &outputs) }
        case .parting(let ending, let deadline):
            if now >= deadline { endLinks(ending, at: now, into: &outputs) }
        case .closing(let ending, let deadline): if now >= deadline { finish(ending, into: &outputs) }
        }
    }

    private mutating func tick(
        _ advertising: AdvertisingState, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        // Links that were refused, or whose wallet has not identified itself, end; others may still connect.
        let wasFull = !hasRoom
        for _ in 0..<centrals.endSilent(at: now, into: &outputs) { refuse(.silentDevice, into: &outputs) }
        if wasFull, hasRoom { advertise(advertising.profile, into: &outputs) }
        var advertising = advertising
        if advertising.advance(configuration, at: now) {
            phase = .advertising(advertising)
            if hasRoom { advertise(advertising.profile, into: &outputs) }
        }
        if now >= advertising.deadline { close(.failed(.nobodyCame), at: now, into: &outputs) }
    }

    private mutating func tick(_ wallet: ServedWallet, at now: MonotonicInstant, into outputs: inout [Output]) {
        if let heldUntil = wallet.requests.heldUntil, now >= heldUntil {
            return answerReportRequest(of: wallet, at: now, into: &outputs)
        }
        switch wallet.step {
        case .awaitingSize(_, let deadline, let isLate):
            let error = isLate ? TuvaliError.sizeMissing("Chunks arrived, but no length.") : .stalledWallet
            if now >= deadline { close(.failed(error), at: now, into: &outputs) }
        case .receiving:
            if let answer = receiver?.unsolicitedReport(at: now) {
                report(answer, to: wallet, at: now, into: &outputs)
            }
            if receiver?.hasStalled(at: now) == true { close(.failed(.stalledWallet), at: now, into: &outputs) }
        case .delivered(let decision): advance(decision, of: wallet, at: now, into: &outputs)
        }
    }

    /// Asks every central to disconnect, disconnects it later, and ends the session when none is left.
    private mutating func close(_ ending: SessionEnding, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch phase {
        case .idle: return finish(ending, into: &outputs)
        case .advertising: outputs.append(.stopAdvertising)
        case .serving(let wallet):
            // A decision that waits for its time leaves before the request to disconnect.
            if case .delivered(let decision) = wallet.step, let status = decision.held {
                centrals.conclude(wallet, status, into: &outputs)
            }
        case .decidingAlone: break
        case .parting, .closing, .closed: return
        }
        receiver = nil
        request.drop()
        guard !centrals.isEmpty else { return finish(ending, into: &outputs) }
        phase = .parting(ending, until: now + configuration.disconnectWait)
        for link in centrals.links { centrals.notify(.disconnect, [1], on: link, into: &outputs) }
    }

    private mutating func endLinks(_ ending: SessionEnding, at now: MonotonicInstant, into outputs: inout [Output]) {
        phase = .closing(ending, until: now + configuration.closeWait)
        outputs += centrals.links.map { .disconnect($0) }
    }

    private mutating func finish(_ ending: SessionEnding, into outputs: inout [Output]) {
        phase = .closed
        receiver = nil
        request.drop()
        centrals.removeAll()
        outputs.append(.finished(ending))
    }
}
