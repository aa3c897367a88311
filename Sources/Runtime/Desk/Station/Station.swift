import Codes
public import Credentials
public import Determinism
public import JSON
import MobileDocuments
import Presentations
import QRCode
import Radio
public import Tuvali
import TuvaliHandover

/// The driver of one station: runs sessions on radios, judges payloads, and holds each one until it is erased.
///
/// A driver without decisions around `StationCore`. What a page shows is pulled with `snapshot`, after each `changes`.
public actor Station {
    /// The content of the desk's page: state, code and credential.
    public struct Snapshot: Sendable {
        /// The state of the station.
        public let state: StationState
        /// The code's modules as the path of an SVG, with its side; nil while there is no code.
        public let symbol: (path: String, size: Int)?
        /// The credential that is held, the number of its session, and the seconds until it is erased; nil for none.
        public let credential: (session: Int, json: JSONValue, seconds: Int)?
        /// The phone that is read, with the seconds in which its person decides; nil for none.
        public let phone: (state: PhoneReadingState, seconds: Int?)?
    }

    /// The payload that arrived from a wallet, until it is erased.
    private struct ArrivedPayload {
        let bytes: [UInt8]
        let keys: SessionPublicKeys?
        var view: CredentialView?
    }

    /// The credentials of codes, until they are erased.
    private struct HeldCodes {
        var shown: (session: Int, view: CredentialView)?
        var shownCount = 0
        /// The codes that wait, the first one first.
        var waiting: [CredentialView] = []
    }

    /// The clocks, the randomness, the radios, the list and the log that a station uses.
    struct StationDependencies: Sendable {
        let clock: any MonotonicClock
        let wallTime: @Sendable () -> WallTime
        let makeRandom: @Sendable () -> any RandomSource
        let openRadio: @Sendable () async throws -> StationRadio
        let list: DayDecisionList?
        let report: @Sendable (StationReport) -> Void
    }

    /// The session that is under way, and what has come of it.
    private struct HandOverInProgress {
        var verifier: Verifier?
        var asked: StationRequest.SessionRequest?
        var keys: SessionPublicKeys?
        var arrival: ArrivedPayload?
        /// The reason why the present payload is rejected without a verdict; nil for one that is judged.
        var unusable: StationError?
    }

    /// The consumers of `changes`.
    private struct ChangeSubscribers {
        private var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
        private var next = 0

        /// Adds a consumer, and returns its number.
        mutating func add(_ continuation: AsyncStream<Void>.Continuation) -> Int {
            defer { next += 1 }
            continuations[next] = continuation
            return next
        }

        mutating func remove(_ number: Int) { continuations[number] = nil }

        func yield() { for continuation in continuations.values { continuation.yield() } }

        mutating func finish() {
            for continuation in continuations.values { continuation.finish() }
            continuations = [:]
        }
    }

    /// The end of the station, and the caller of `run` that waits for it.
    private struct StationShutdown {
        private(set) var hasCome = false
        var waiter: CheckedContinuation<Void, Never>?

        mutating func come() {
            hasCome = true
            waiter?.resume()
            waiter = nil
        }
    }

    /// The number of the station, from 1.
    public nonisolated let number: Int
    /// The settings that the station works with.
    public nonisolated let settings: StationSettings

    private let surroundings: StationDependencies
    private var core: StationCore
    private lazy var phones = PhoneReadingQueue(settings, surroundings) { [weak self] in await self?.take($0) }
    private var phone: PhoneReadingState?
    private var timer: DeadlineTimer
    private var session = HandOverInProgress()
    private var codes = HeldCodes()
    private var symbol: (text: String, path: String, size: Int)?
    private var watchers = ChangeSubscribers()
    private var end = StationShutdown()

    /// Makes a station that does not run yet.
    ///
    /// - Parameters:
    ///   - list: where decisions are kept; nil: nowhere.
    ///   - report: called with each event for a log; it holds nothing of a credential.
    ///   - openRadio: opens a radio for one session; throws `StationError` or `RadioError`.
    public init(
        number: Int, _ settings: StationSettings, list: DayDecisionList? = nil,
        clock: any MonotonicClock = SystemMonotonicClock(),
        wallTime: @escaping @Sendable () -> WallTime, makeRandom: @escaping @Sendable () -> any RandomSource,
        report: @escaping @Sendable (StationReport) -> Void = { _ in },
        openRadio: @escaping @Sendable () async throws -> StationRadio
    ) {
        precondition(!settings.requests.isEmpty, "a station asks for something, if only for anything")
        self.number = number
        self.settings = settings
        surroundings = StationDependencies(
            clock: clock, wallTime: wallTime, makeRandom: makeRandom, openRadio: openRadio, list: list, report: report)
        core = StationCore(times: settings.times, requestCount: settings.requests.count)
        timer = DeadlineTimer(clock: clock)
    }

    /// True when decisions are kept in a list.
    public nonisolated var keepsList: Bool { surroundings.list != nil }

    /// The list of decisions; nil where there is none.
    public nonisolated var dayList: DayDecisionList? { surroundings.list }

    private func report(_ event: StationReport) { surroundings.report(event) }

    /// Runs the station until the task is cancelled; returns when its last session has ended.
    public func run() async {
        feed(.start)
        let watching = Task { await self.watchTime() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if end.hasCome { continuation.resume() } else { end.waiter = continuation }
            }
        } onCancel: {
            Task { await self.feed(.stop) }
        }
        watching.cancel()
        await phones.stop()
        watchers.finish()
    }

    /// Carries out an action of the operator: `accept`, `reject`, `erase`, `renew` or `ask`.
    public func operate(_ input: StationCore.Input) {
        switch input {
        case .accept, .reject, .erase, .renew, .ask: feed(input)
        case .start, .opened, .couldNotOpen, .event, .arrived, .judged, .unusable, .codeJudged, .phoneCode,
            .phoneFailed, .standing, .kept, .stop, .tick:
            break
        }
    }

    /// Yields after each change, and once at the beginning; ends with the station.
    ///
    /// Changes that were not looked at are one.
    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = watchers.add(continuation)
        continuation.onTermination = { [weak self] _ in Task { await self?.forget(watcher: number) } }
        continuation.yield()
        if end.hasCome { continuation.finish() }
        return stream
    }

    /// Returns the present content of the desk's page.
    public func snapshot() -> Snapshot {
        let state = core.state
        let seconds = core.secondsShown(at: surroundings.clock.now())
        let credential = state.shown.flatMap { shown in
            self.view(of: shown.session).map { (shown.session, $0.json, seconds) }
        }
        let now = surroundings.clock.now()
        return Snapshot(
            state: state, symbol: state.code.flatMap(symbol(of:)), credential: credential,
            phone: phone.map { ($0, $0.seconds(at: now)) })
    }

    private func view(of session: Int) -> CredentialView? {
        session < 0 ? codes.shown?.view : self.session.arrival?.view
    }

    private func forget(watcher: Int) { watchers.remove(watcher) }

    private func symbol(of code: TuvaliURI) -> (path: String, size: Int)? {
        if let symbol, symbol.text == code.text { return (symbol.path, symbol.size) }
        guard let modules = try? QRCode(code.text) else { return nil }
        symbol = (code.text, modules.path, modules.size)
        return (modules.path, modules.size)
    }

    // MARK: - The core

    private func feed(_ input: StationCore.Input) {
        var outputs: [StationCore.Output] = []
        core.handle(input, at: surroundings.clock.now(), into: &outputs)
        for output in outputs { apply(output) }
        timer.arm(core.nextDeadline) { [weak self] in await self?.timerFired($0) }
    }

    private func timerFired(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        feed(.tick)
    }

    private func apply(_ output: StationCore.Output) {
        switch output {
        case .openSession(let session, let request):
            // Dates are looked at before each session.
            Task {
                self.feed(.standing(self.settings.standing(at: self.surroundings.wallTime())))
                await self.serve(session, self.settings.requests[request])
            }
        case .end:
            let verifier = session.verifier
            Task { await verifier?.disconnect() }
        case .undecided:
            report(.ended(station: number, session: core.state.session, StationError(.decisionLate)))
        case .judge: judge()
        case .decide(let status):
            let verifier = session.verifier
            // A session that has ended takes no decision, which its last event says.
            Task { try? await verifier?.decide(status) }
            report(.decided(station: number, session: core.state.session, status, session.unusable))
        case .record(let status): record(status)
        case .erase: session.arrival = nil
        case .showCode:
            // The core numbers the codes that it shows in the same way.
            codes.shownCount += 1
            let view = codes.waiting.removeFirst()
            codes.shown = (-codes.shownCount, view)
            report(.judged(station: number, session: -codes.shownCount, view.result, code: view.summary.code))
        case .eraseCode: codes.shown = nil
        case .refuseCode: codes.waiting.removeLast()
        case .dropCodes: codes.waiting = []
        case .changed: watchers.yield()
        case .stopped:
            timer.cancel()
            end.come()
        }
    }

    /// Reads the clock twice a minute, and erases old entries of the list every hour.
    private func watchTime() async {
        var count = 0
        while !Task.isCancelled {
            feed(.standing(settings.standing(at: surroundings.wallTime())))
            if count.isMultiple(of: 120), let list = dayList {
                await kept { () throws(StationError) in try await list.eraseExpired() }
            }
            count += 1
            do { try await surroundings.clock.wait(until: surroundings.clock.now() + .seconds(30)) } catch { return }
        }
    }

    // MARK: - Sessions

    private func serve(_ session: Int, _ request: StationRequest) async {
        self.session.keys = nil
        self.session.unusable = nil
        let radio: StationRadio
        let verifier: Verifier
        do {
            self.session.asked = try request.begin()
            radio = try await surroundings.openRadio()
            verifier = Verifier(
                radio: radio.radio, configuration: settings.session, clock: surroundings.clock,
                random: surroundings.makeRandom())
        } catch {
            return feed(.couldNotOpen(Self.error(error)))
        }
        let asked = self.session.asked
        self.session.verifier = verifier
        var last: VerifierEvent?
        do {
            let uri = try await verifier.start(name: settings.name) { (key) throws(TuvaliError) in
                try asked?.message(key)
            }
            report(.waiting(station: number, session: session, uri))
            feed(.opened(uri))
            last = await follow(verifier)
        } catch {
            await radio.close()
            return feed(.couldNotOpen(Self.error(error)))
        }
        self.session.verifier = nil
        await radio.close()
        let event = last ?? .error(TuvaliError(.sessionInternal, "The session ended without a last event."))
        if let error = Self.failure(event) { report(.ended(station: number, session: session, error)) }
        feed(.event(event))
    }

    /// Handles the events of a session until its last one, which is returned.
    private func follow(_ verifier: Verifier) async -> VerifierEvent? {
        for await event in verifier.events {
            switch event {
            case .received(let bytes, let summary):
                session.arrival = ArrivedPayload(bytes: bytes, keys: session.keys)
                report(.arrived(station: number, session: core.state.session, bytes: summary.payloadBytes))
                feed(.arrived)
            case .requestRead(let keys): session.keys = keys
            case .error, .disconnected: return event
            default: feed(.event(event))
            }
        }
        return nil
    }

    private static func failure(_ event: VerifierEvent) -> StationError? {
        switch event {
        case .error(let error): StationError(error)
        case .disconnected(let ending): ending.error.flatMap { StationError($0) }
        default: nil
        }
    }

    static func error(_ error: any Error) -> StationError {
        switch error {
        case let error as StationError: error
        case let error as RadioError: StationError(error)
        case let error as TuvaliError: StationError(error) ?? StationError(.internal, error.reason)
        default: StationError(.internal, "\(type(of: error))")
        }
    }

    // MARK: - What arrived

    private func judge() {
        guard let arrival = session.arrival else { return rejectUnjudged(StationError(.payloadUnreadable)) }
        let judging = PayloadVerification(settings: settings, asked: session.asked, time: surroundings.wallTime())
        Task {
            let bytes = arrival.bytes
            let keys = arrival.keys
            let result = await Task.detached { judging.judge(bytes, keys) }.value
            self.judged(result)
        }
    }

    private func judged(_ result: Result<(CredentialView, DecisionPolicy.PolicyDecision), StationError>) {
        switch result {
        case .failure(let error): rejectUnjudged(error)
        case .success(let (view, rule)):
            guard session.arrival != nil else { return }
            session.arrival?.view = view
            report(.judged(station: number, session: core.state.session, view.result, code: view.summary.code))
            feed(.judged(CredentialJudgement(view.result, rule: rule)))
        }
    }

    private func rejectUnjudged(_ error: StationError) {
        session.unusable = error
        feed(.unusable(error))
    }

    private func record(_ status: VerificationStatus) {
        // While a code is shown, no decision about a wallet's credential is made.
        if let code = codes.shown { report(.decided(station: number, session: code.session, status, nil)) }
        guard let list = dayList, let view = codes.shown?.view ?? session.arrival?.view else { return }
        let entry = DayDecisionList.DayListEntry(
            time: Int(surroundings.wallTime().millisecondsSinceEpoch), station: number, result: view.result.rawValue,
            isAccepted: status == .accepted, summary: view.summary)
        Task { await self.kept { () throws(StationError) in try await list.add(entry) } }
    }

    // MARK: - Codes

    /// Verifies the text or bytes of a code, and shows the credential in it, now or when it is its turn.
    ///
    /// Returns what the code is when it holds no credential; nil for one that is shown or waits.
    func take(code bytes: [UInt8]) async -> ScannedCode? {
        let verification = CodeVerification(settings: settings, time: surroundings.wallTime())
        guard let (view, rule) = await Task.detached(operation: { verification.judge(bytes) }).value else {
            let code = ScannedCode(String(decoding: bytes, as: UTF8.self), own: core.state.code)
            guard code.kind == .mobileDocument, let request = settings.requests[core.state.request].phone else {
                return code
            }
            feed(.phoneCode)
            await phones.take(bytes, request)
            return nil
        }
        take(view, rule: rule)
        return nil
    }

    private func take(_ output: PhoneReadingQueue.Output) {
        switch output {
        case .state(let state):
            phone = state
            watchers.yield()
        case .answered(let reading):
            // The documents of a phone are shown as those of a code.
            let view = CredentialView(
                [reading.report], origin: .phone(reading), policy: settings.policy, bytes: [])
            take(view, rule: settings.decisions.outcome(of: [reading.report]))
        case .failed(let error): feed(.phoneFailed(error))
        }
    }

    /// Shows a credential that came beside the wallets, now or when it is its turn.
    private func take(_ view: CredentialView, rule: DecisionPolicy.PolicyDecision) {
        codes.waiting.append(view)
        feed(.codeJudged(CredentialJudgement(view.result, rule: rule)))
    }

    /// Takes a code that a keyboard scanner typed, or a person pasted, in whatever layout of the keyboard.
    func take(typed text: String) async -> ScannedCode? {
        switch await Task.detached(operation: { KeyboardLayout.undo(text) }).value {
        case .asTyped: await take(code: Array(text.utf8))
        case .undone(let text, _): await take(code: Array(text.utf8))
        case .otherLayout: .otherLayout
        }
    }

    private func kept(_ work: () async throws(StationError) -> some Any) async {
        do throws(StationError) {
            _ = try await work()
            feed(.kept(nil))
        } catch { feed(.kept(error)) }
    }
}

/// Judges a payload, away from the station's own work.
struct PayloadVerification: Sendable {
    let settings: StationSettings
    let asked: StationRequest.SessionRequest?
    let time: WallTime

    func judge(
        _ bytes: [UInt8], _ keys: SessionPublicKeys?
    ) -> Result<(CredentialView, DecisionPolicy.PolicyDecision), StationError> {
        let request = VerificationRequest(policy: settings.policy, trust: settings.trust, at: time)
        let reports: [CredentialReport]
        var answers: [PresentationAnswerChecker.AnsweredClaim] = []
        var unbound: UnboundCredential?
        if let asked {
            do {
                switch try asked.check(bytes, keys, time) {
                case .presented(let presented):
                    reports = presented.map(\.report)
                    answers = presented.flatMap(\.answers)
                case .unbound(let credential):
                    reports = [credential.report]
                    answers = credential.answers
                    unbound = credential
                case .refused: return .failure(StationError(.declined))
                }
            } catch {
                return .failure(StationError(.answerUnusable))
            }
        } else {
            reports = [CredentialVerifier(request).verify(bytes)]
        }
        guard !reports.isEmpty else { return .failure(StationError(.answerUnusable)) }
        let view = CredentialView(
            reports, answers: answers, unbound: unbound,
            origin: .wallet(members: CodeVerifier(request).members(of: reports)), policy: settings.policy, bytes: bytes)
        let rule = settings.decisions.outcome(of: reports)
        // Without what was asked for, a credential of a wallet that did not read the request is a person's to decide.
        let isShort = unbound.map { !$0.isComplete } ?? false
        return .success((view, rule == .accept && isShort ? .ask : rule))
    }
}

/// An event of a station for a log; nothing of a credential is in it.
public enum StationReport: Hashable, Sendable {
    /// The station shows a code.
    case waiting(station: Int, session: Int, TuvaliURI)
    /// A payload arrived whole.
    case arrived(station: Int, session: Int, bytes: Int)
    /// The payload was judged; with the code that decided against it.
    case judged(station: Int, session: Int, CredentialReport.CredentialVerdict, code: String?)
    /// The wallet gets the decision; the error is why it is rejected without a verdict, nil otherwise.
    case decided(station: Int, session: Int, VerificationStatus, StationError?)
    /// A session ended before its decision.
    case ended(station: Int, session: Int, StationError)
}

extension QRCode {
    /// The dark modules as the path of an SVG, in units of one module: a rectangle for each run.
    var path: String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                let start = column
                while column < size, self[row, column] { column += 1 }
                if column > start { path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z" }
                column += 1
            }
        }
        return path
    }
}
