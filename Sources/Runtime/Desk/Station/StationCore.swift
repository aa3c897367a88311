public import Determinism
public import Tuvali

/// The decisions of one station of a verifier desk: it shows a code, takes a credential, waits for the decision, and
/// forgets the credential in time.
///
/// One session at a time; the next one is opened when the last one has ended. The payload is not here: the driver holds
/// it until `erase`. The credential of a code stands beside the session: what comes first is shown, the other waits.
public struct StationCore: StateMachine, Sendable {
    /// An event that the station reacts to.
    public enum Input: Hashable, Sendable {
        /// The station begins.
        case start
        /// The session that was to be opened advertises, with this code.
        case opened(TuvaliURI)
        /// The session could not be opened.
        case couldNotOpen(StationError)
        /// An event of the session, but `received`.
        case event(VerifierEvent)
        /// A payload arrived whole.
        case arrived
        /// The payload that arrived was judged.
        case judged(CredentialJudgement)
        /// The payload that arrived cannot be judged; it is rejected.
        case unusable(StationError)
        /// A code was given that holds a credential, and the credential was judged.
        case codeJudged(CredentialJudgement)
        /// The code of a phone was given.
        case phoneCode
        /// A phone could not be read.
        case phoneFailed(StationError)
        /// The operator accepts the credential of a session; codes have numbers below zero.
        case accept(session: Int)
        /// The operator rejects the credential of a session; codes have numbers below zero.
        case reject(session: Int)
        /// The operator erases the credential that is held.
        case erase
        /// The operator wants another code.
        case renew
        /// The operator chooses another request, by its index.
        case ask(Int)
        /// The problems that hinder the desk's work have changed to these.
        case standing([StationError.Code])
        /// The decision was written into the day's list, or could not be, with the error.
        case kept(StationError?)
        /// The station ends.
        case stop
        /// A deadline has passed.
        case tick
    }

    /// An action for the driver of the station.
    public enum Output: Hashable, Sendable {
        /// Open a session, with a request.
        case openSession(session: Int, request: Int)
        /// End the session; its last event follows.
        case end
        /// Say that no decision came in its time; the session ends next.
        case undecided
        /// Judge the payload that arrived.
        case judge
        /// Tell the wallet the decision.
        case decide(VerificationStatus)
        /// Enter the decision into the day's list, where there is one.
        case record(VerificationStatus)
        /// Forget the credential that came from a wallet.
        case erase
        /// Show the credential of the code that waits longest.
        case showCode
        /// Forget the credential of the code that is shown.
        case eraseCode
        /// Forget the code that was judged last, because too many wait or the station ends.
        case refuseCode
        /// Forget the codes that wait.
        case dropCodes
        /// The state has changed.
        case changed
        /// The station has ended.
        case stopped
    }

    private enum Phase: Sendable {
        /// The station has not started, or has stopped.
        case stopped
        /// A session is being opened: `opened` or `couldNotOpen` follows.
        case opening
        /// The radio could not be used.
        case resting(until: MonotonicInstant)
        /// The code is shown, and no wallet has used it.
        case waiting(TuvaliURI, until: MonotonicInstant)
        /// A wallet has identified itself.
        case connected
        /// Chunks are arriving.
        case receiving(TransferProgress)
        /// The payload is whole, and waits until the operator has decided about a code.
        case queued
        /// The payload is whole: `judged` or `unusable` follows.
        case judging
        /// The operator owes the decision.
        case deciding
        /// The decision was given, or the session is to end: its last event follows.
        case closing
    }

    /// The counts of one session, which begin again with the next.
    private struct SessionCounters: Sendable {
        var number = 0
        var reports = 0
        /// The connected devices that have not identified themselves.
        var unidentified = 0
        /// True while an expired code stays valid for a device that is connected.
        var isInGrace = false

        mutating func beginNext() { self = SessionCounters(number: number + 1) }
    }

    /// The credential that the page shows until it is erased.
    private struct DisplayedCredential: Sendable {
        var shown: StationState.JudgedCredential?
        var until: MonotonicInstant?

        /// True for the credential of a code.
        var isCode: Bool { shown.map { $0.session < 0 } ?? false }
        /// True while the operator owes the decision about a code.
        var isUndecidedCode: Bool { isCode && shown?.decision == nil }
    }

    /// The codes that wait, the first one first, and the number of those that were shown.
    private struct Codes: Sendable {
        var waiting: [CredentialJudgement] = []
        var shownCount = 0
    }

    /// The notice on the page.
    private struct PageNotice: Sendable {
        private(set) var code: StationError.Code?
        /// The number of notices so far; it tells the page that the same notice was shown again.
        private(set) var number = 0
        /// The time at which the notice disappears; nil for one that stays until it is replaced or dropped.
        var until: MonotonicInstant?

        mutating func show(_ code: StationError.Code, at now: MonotonicInstant) {
            self.code = code
            number += 1
            until = now + StationTimes.noticeFor
        }

        mutating func drop() {
            code = nil
            until = nil
        }
    }

    /// The most codes that wait: as many as are read in one picture.
    static let maximumWaitingCodes = 16

    private let times: StationTimes
    private let requestCount: Int
    private var phase = Phase.stopped
    private var session = SessionCounters()
    private var request = 0
    private var rest: Duration
    private var isStopping = false
    private var held = DisplayedCredential()
    private var codes = Codes()
    private var notice = PageNotice()
    private var standing: [StationError.Code] = []
    private var counts = StationCounts()

    /// Makes a station that has not started.
    ///
    /// - Parameter requestCount: how many things can be asked for; at least 1.
    public init(times: StationTimes = StationTimes(), requestCount: Int = 1) {
        precondition(requestCount > 0, "a station asks for something, if only for anything")
        self.times = times
        self.requestCount = requestCount
        rest = StationTimes.firstRest
    }

    /// The time at which `tick` is wanted next; nil for never.
    public var nextDeadline: MonotonicInstant? {
        var deadlines = [held.until, notice.until].compactMap(\.self)
        switch phase {
        case .resting(let until), .waiting(_, let until): deadlines.append(until)
        case .stopped, .opening, .connected, .receiving, .queued, .judging, .deciding, .closing: break
        }
        return deadlines.min()
    }

    /// The state for the page.
    public var state: StationState {
        var code: TuvaliURI?
        var progress: TransferProgress?
        if case .waiting(let uri, _) = phase { code = uri }
        if case .receiving(let current) = phase { progress = current }
        var waiting = codes.waiting.count
        if case .queued = phase { waiting += 1 }
        return StationState(
            step: step, session: session.number, code: code, progress: progress, request: request, shown: held.shown,
            waiting: waiting, notice: notice.code, noticeNumber: notice.number, standing: standing, counts: counts)
    }

    private var step: StationState.StationHandOverStep {
        switch phase {
        case .stopped: .stopped
        case .opening: .opening
        case .resting: .resting
        case .waiting: .waiting
        case .connected: .connected
        case .receiving: .receiving
        case .queued, .judging: .judging
        case .deciding: .deciding
        case .closing: .closing
        }
    }

    /// Handles an input and appends the actions for the driver.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .start:
            guard case .stopped = phase, !isStopping else { return }
            open(&outputs)
        case .opened(let uri): opened(uri, at: now, &outputs)
        case .couldNotOpen(let error): couldNotOpen(error, at: now, &outputs)
        case .event(let event): take(event, at: now, &outputs)
        case .arrived: arrived(at: now, &outputs)
        case .judged(let judgement): judged(judgement, at: now, &outputs)
        case .unusable(let error):
            guard case .judging = phase else { return }
            notice.show(error.code, at: now)
            decide(.rejected, &outputs)
            erase(&outputs)
        case .codeJudged(let judgement): codeJudged(judgement, at: now, &outputs)
        case .phoneCode:
            // A notice about the phone before is not about this one; one about what hinders the desk stays.
            guard notice.until != nil else { return }
            notice.drop()
            outputs.append(.changed)
        case .phoneFailed(let error): note(error.code, at: now, &outputs)
        case .accept(let number): conclude(.accepted, of: number, at: now, &outputs)
        case .reject(let number): conclude(.rejected, of: number, at: now, &outputs)
        case .erase: eraseByHand(at: now, &outputs)
        case .renew:
            guard case .waiting = phase else { return }
            end(&outputs)
        case .ask(let index): ask(index, &outputs)
        case .standing(let codes): stands(codes, &outputs)
        case .kept(let error): kept(error, &outputs)
        case .stop: stop(&outputs)
        case .tick: tick(at: now, &outputs)
        }
    }

    // MARK: - Sessions

    private mutating func open(_ outputs: inout [Output]) {
        session.beginNext()
        phase = .opening
        outputs += [.openSession(session: session.number, request: request), .changed]
    }

    private mutating func opened(_ uri: TuvaliURI, at now: MonotonicInstant, _ outputs: inout [Output]) {
        guard case .opening = phase else { return }
        rest = StationTimes.firstRest
        phase = .waiting(uri, until: now + StationTimes.codeLifetime)
        if notice.code == .noRadio || notice.code == .noPermission { notice.drop() }
        outputs.append(.changed)
        if isStopping { end(&outputs) }
    }

    private mutating func couldNotOpen(_ error: StationError, at now: MonotonicInstant, _ outputs: inout [Output]) {
        guard case .opening = phase else { return }
        guard !isStopping else { return finish(&outputs) }
        restAfter(error, at: now, &outputs)
    }

    private mutating func restAfter(_ error: StationError, at now: MonotonicInstant, _ outputs: inout [Output]) {
        notice.show(error.code, at: now)
        // It stands until the radio is back.
        notice.until = nil
        phase = .resting(until: now + rest)
        rest = min(rest * 2, StationTimes.longestRest)
        outputs.append(.changed)
        showNext(at: now, &outputs)
    }

    private mutating func end(_ outputs: inout [Output]) {
        phase = .closing
        outputs += [.end, .changed]
    }

    private mutating func ended(_ error: TuvaliError?, at now: MonotonicInstant, _ outputs: inout [Output]) {
        let cause = error.flatMap { StationError($0) }
        if let cause { notice.show(cause.code, at: now) }
        switch phase {
        case .connected, .receiving: counts.failed += 1
        case .queued:
            counts.failed += 1
            outputs.append(.erase)
        case .judging, .deciding:
            counts.failed += 1
            erase(&outputs)
        case .waiting, .closing, .stopped, .opening, .resting: break
        }
        if isStopping { return finish(&outputs) }
        if let cause, cause.code == .noRadio { return restAfter(cause, at: now, &outputs) }
        open(&outputs)
        showNext(at: now, &outputs)
    }

    private mutating func stop(_ outputs: inout [Output]) {
        guard !isStopping else { return }
        isStopping = true
        if !codes.waiting.isEmpty { outputs.append(.dropCodes) }
        codes.waiting = []
        erase(&outputs)
        switch phase {
        case .stopped, .resting: finish(&outputs)
        case .opening, .closing: break
        case .queued:
            outputs.append(.erase)
            end(&outputs)
        case .waiting, .connected, .receiving, .judging, .deciding: end(&outputs)
        }
    }

    private mutating func finish(_ outputs: inout [Output]) {
        phase = .stopped
        outputs += [.changed, .stopped]
    }

    // MARK: - Events of the session

    private mutating func take(_ event: VerifierEvent, at now: MonotonicInstant, _ outputs: inout [Output]) {
        switch event {
        case .connected: deviceConnected(at: now, &outputs)
        case .secureChannelEstablished:
            guard case .waiting = phase else { return }
            // The previous credential is forgotten when the next one comes.
            if !held.isUndecidedCode { erase(&outputs) }
            notice.drop()
            phase = .connected
            outputs.append(.changed)
        case .announced(let sealedBytes, _):
            guard case .connected = phase else { return }
            phase = .receiving(TransferProgress(bytes: 0, totalBytes: sealedBytes))
            outputs.append(.changed)
        case .progress(let progress):
            guard case .receiving = phase else { return }
            phase = .receiving(progress)
            outputs.append(.changed)
        case .reported(let missing):
            guard case .receiving = phase, missing > 0 else { return }
            session.reports += 1
            if session.reports == 2 { note(.linkWeak, at: now, &outputs) }
        case .refused(let error): refused(error, at: now, &outputs)
        case .left(let departure): left(departure, at: now, &outputs)
        case .error(let error): ended(error, at: now, &outputs)
        case .disconnected(let ending): ended(ending.error, at: now, &outputs)
        case .advertising, .requestRead, .received, .status, .linkReport: break
        }
    }

    private mutating func deviceConnected(at now: MonotonicInstant, _ outputs: inout [Output]) {
        session.unidentified += 1
        guard session.unidentified == 2, case .waiting = phase else { return }
        note(.severalWallets, at: now, &outputs)
    }

    private mutating func refused(_ error: TuvaliError, at now: MonotonicInstant, _ outputs: inout [Output]) {
        guard let code = StationError(error)?.code else { return }
        switch code {
        case .severalWallets, .wrongCode, .linkWeak: note(code, at: now, &outputs)
        // A device that breaks the rules of the session loses its link, and the session goes on.
        case .noRadio, .noPermission, .simulatedRadio, .walletLeft, .tooManyRetries, .diskFull, .listFailed,
            .clockNotSet, .trustOutdated, .payloadUnreadable, .answerUnusable, .requestUnread, .declined,
            .decisionLate, .policyMalformed, .phoneCode, .phoneNotFound, .phoneBroken, .phoneDeclined, .phoneFaulty,
            .internal:
            break
        }
    }

    private mutating func left(
        _ departure: WalletDisconnection, at now: MonotonicInstant, _ outputs: inout [Output]
    ) {
        switch departure {
        case .beforeIdentify:
            session.unidentified = max(0, session.unidentified - 1)
            if session.isInGrace, session.unidentified == 0, case .waiting = phase { end(&outputs) }
        case .beforeDecision: note(.walletLeft, at: now, &outputs)
        }
    }

    // MARK: - The credential

    /// The seconds until a held credential is erased, rounded up; 0 for none.
    func secondsShown(at now: MonotonicInstant) -> Int {
        guard let shownUntil = held.until, shownUntil > now else { return 0 }
        let (seconds, attoseconds) = (shownUntil - now).components
        return Int(seconds) + (attoseconds > 0 ? 1 : 0)
    }

    private mutating func arrived(at now: MonotonicInstant, _ outputs: inout [Output]) {
        switch phase {
        case .connected, .receiving: break
        case .stopped, .opening, .resting, .waiting, .queued, .judging, .deciding, .closing: return
        }
        notice.drop()
        if held.isUndecidedCode {
            phase = .queued
            outputs.append(.changed)
        } else {
            judge(at: now, &outputs)
        }
    }

    private mutating func judge(at now: MonotonicInstant, _ outputs: inout [Output]) {
        erase(&outputs)
        held.until = now + times.shownFor
        phase = .judging
        outputs += [.judge, .changed]
    }

    private mutating func judged(
        _ judgement: CredentialJudgement, at now: MonotonicInstant, _ outputs: inout [Output]
    ) {
        guard case .judging = phase else { return }
        counts.count(judgement.result)
        held.shown = StationState.JudgedCredential(session: session.number, judgement: judgement, decision: nil)
        phase = .deciding
        applyRule(judgement.rule, at: now, &outputs)
    }

    /// Decides about the credential that is shown, where the policy does.
    private mutating func applyRule(
        _ rule: DecisionPolicy.PolicyDecision, at now: MonotonicInstant, _ outputs: inout [Output]
    ) {
        guard let number = held.shown?.session else { return }
        switch rule {
        case .accept where !standing.contains(where: { $0 == .clockNotSet || $0 == .trustOutdated }):
            conclude(.accepted, of: number, at: now, &outputs)
        case .reject: conclude(.rejected, of: number, at: now, &outputs)
        case .accept, .ask: outputs.append(.changed)
        }
    }

    private mutating func conclude(
        _ status: VerificationStatus, of number: Int, at now: MonotonicInstant, _ outputs: inout [Output]
    ) {
        guard let shown = held.shown, shown.session == number, shown.decision == nil else { return }
        held.shown?.decision = status
        switch status {
        case .accepted: counts.accepted += 1
        case .rejected: counts.rejected += 1
        }
        outputs.append(.record(status))
        guard held.isCode else { return decide(status, &outputs) }
        outputs.append(.changed)
        showNext(at: now, &outputs)
    }

    private mutating func decide(_ status: VerificationStatus, _ outputs: inout [Output]) {
        phase = .closing
        outputs += [.decide(status), .changed]
    }

    /// Erases the credential at the operator's request; one that is not decided about is rejected.
    private mutating func eraseByHand(at now: MonotonicInstant, _ outputs: inout [Output]) {
        if case .judging = phase { return }
        let number = held.shown?.session
        if let number { conclude(.rejected, of: number, at: now, &outputs) }
        // The one that waited takes the place of the one that is erased.
        if held.shown?.session == number { erase(&outputs) }
    }

    private mutating func erase(_ outputs: inout [Output]) {
        guard held.until != nil else { return }
        let isCode = held.isCode
        held.shown = nil
        held.until = nil
        outputs += [isCode ? .eraseCode : .erase, .changed]
    }

    // MARK: - Codes

    private mutating func codeJudged(
        _ judgement: CredentialJudgement, at now: MonotonicInstant, _ outputs: inout [Output]
    ) {
        if case .stopped = phase { return outputs.append(.refuseCode) }
        guard !isStopping, codes.waiting.count < Self.maximumWaitingCodes else { return outputs.append(.refuseCode) }
        codes.waiting.append(judgement)
        outputs.append(.changed)
        showNext(at: now, &outputs)
    }

    /// Shows what waits, a wallet's credential before a code, unless something is shown that is not decided about.
    private mutating func showNext(at now: MonotonicInstant, _ outputs: inout [Output]) {
        guard !held.isUndecidedCode else { return }
        switch phase {
        case .queued: return judge(at: now, &outputs)
        case .stopped, .receiving, .judging, .deciding, .closing: return
        case .opening, .resting, .waiting, .connected: break
        }
        guard !isStopping, !codes.waiting.isEmpty else { return }
        erase(&outputs)
        let judgement = codes.waiting.removeFirst()
        codes.shownCount += 1
        counts.count(judgement.result)
        held.shown = StationState.JudgedCredential(session: -codes.shownCount, judgement: judgement, decision: nil)
        held.until = now + times.shownFor
        outputs.append(.showCode)
        applyRule(judgement.rule, at: now, &outputs)
    }

    // MARK: - Notices and time

    private mutating func note(_ code: StationError.Code, at now: MonotonicInstant, _ outputs: inout [Output]) {
        notice.show(code, at: now)
        outputs.append(.changed)
    }

    /// Records the problems that hinder the desk's work, except those of the day's list.
    private mutating func stands(_ codes: [StationError.Code], _ outputs: inout [Output]) {
        let before = standing
        standing = codes + standing.filter { $0 == .diskFull || $0 == .listFailed }
        if standing != before { outputs.append(.changed) }
    }

    private mutating func kept(_ error: StationError?, _ outputs: inout [Output]) {
        let before = standing
        standing.removeAll { $0 == .diskFull || $0 == .listFailed }
        if let error { standing.append(error.code) }
        if standing != before { outputs.append(.changed) }
    }

    private mutating func ask(_ index: Int, _ outputs: inout [Output]) {
        guard (0..<requestCount).contains(index), index != request else { return }
        request = index
        if case .waiting = phase { return end(&outputs) }
        outputs.append(.changed)
    }

    private mutating func tick(at now: MonotonicInstant, _ outputs: inout [Output]) {
        if let until = notice.until, now >= until {
            notice.drop()
            outputs.append(.changed)
        }
        if let until = held.until, now >= until { timePassed(at: now, &outputs) }
        switch phase {
        case .resting(let until) where now >= until: open(&outputs)
        case .waiting(let uri, let until) where now >= until:
            guard session.unidentified > 0, !session.isInGrace else { return end(&outputs) }
            session.isInGrace = true
            phase = .waiting(uri, until: now + StationTimes.codeGrace)
        case .stopped, .opening, .resting, .waiting, .connected, .receiving, .queued, .judging, .deciding, .closing:
            break
        }
    }

    /// Handles the end of the time of a held credential; without a decision its session ends.
    private mutating func timePassed(at now: MonotonicInstant, _ outputs: inout [Output]) {
        guard !held.isCode else {
            if held.isUndecidedCode { counts.failed += 1 }
            erase(&outputs)
            return showNext(at: now, &outputs)
        }
        switch phase {
        case .judging, .deciding:
            counts.failed += 1
            notice.show(.decisionLate, at: now)
            outputs.append(.undecided)
            end(&outputs)
        case .stopped, .opening, .resting, .waiting, .connected, .receiving, .queued, .closing: break
        }
        erase(&outputs)
    }
}
