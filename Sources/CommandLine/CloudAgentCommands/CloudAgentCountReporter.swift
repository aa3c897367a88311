import CloudAgent
import CodedErrors
import CommandProgram
import Determinism
import Terminal

/// Writes a cloud agent's counts and the failures of its store to the log: numbers and causes alone, nothing of keys,
/// clients or messages.
final class CloudAgentCountReporter: Sendable {
    private struct GuardedState {
        var reported = MediatorCounts()
        var time: MonotonicInstant
        var outages = StoreOutageLog()
        var returns = 0
        var replication: StoreReplication?
    }

    private let server: CloudAgentServer
    private let location: CloudAgentLocation
    private let reporter: EventReporter
    private let clock: any MonotonicClock
    private let state: Lock<GuardedState>

    init(_ server: CloudAgentServer, location: CloudAgentLocation, context: CommandContext) {
        self.server = server
        self.location = location
        reporter = context.reporter
        clock = context.environment.clock
        state = Lock(GuardedState(time: clock.now()))
    }

    /// Checks the store every second and reports the counts every `interval`, until the task is cancelled.
    func follow(every interval: Duration) async {
        var next = clock.now() + interval
        while !Task.isCancelled {
            do { try await clock.wait(until: min(next, clock.now() + StoreOutageLog.interval)) } catch { return }
            lookAtStore()
            guard clock.now() >= next else { continue }
            next = clock.now() + interval
            report()
        }
    }

    /// Logs a new cause of failures, or that the store works again.
    private func lookAtStore() {
        let answers = server.storeAnswers
        let (counts, failure, now) = (server.counts, server.lastStoreFailure, clock.now())
        let isBack = state.withLock { state in
            defer { state.returns = counts.storeReturns }
            return counts.storeReturns > state.returns
        }
        if isBack, let loss = server.lastStoreLoss { report(loss) }
        switch state.withLock({ $0.outages.look(counts, failure: failure, answers: answers, at: now) }) {
        case .failing(let error):
            event(code: error.code.rawValue, reason: error.reason)
            reporter.log(
                .error,
                "The store fails (\(error.code.rawValue)): \(error.code.explanation.meaning) "
                    + "\(TerminalText.sanitised(error.reason, limit: CloudAgentError.shownCharacters)) \(location.nextStep(for: error.code))"
            )
        case .recovered(let time, let failures, let deferred):
            event(seconds: time.inSeconds, failures: failures, deferred: deferred)
            let duration = time < .seconds(1) ? "less than a second" : NumberText.seconds(time.inSeconds)
            reporter.log(
                .info,
                "The store works again. It failed for \(duration): "
                    + "\(NumberText.count(failures)) failures, \(NumberText.count(deferred)) envelopes put off."
                    + (changeOfReplication().map { " \($0)" } ?? ""))
        case nil:
            // During an outage the line that ends it says so.
            guard !state.withLock({ $0.outages.isFailing }), let words = changeOfReplication() else { return }
            reporter.log(.info, words)
        }
    }

    /// Returns a sentence about a change of the database's kind of replication; nil when there is none.
    private func changeOfReplication() -> String? {
        guard let kind = server.storeReplication else { return nil }
        let before = state.withLock { state in
            defer { state.replication = kind }
            return state.replication
        }
        guard let before, before != kind else { return nil }
        return "The database's replication is \(kind.rawValue) now; it was \(before.rawValue)."
    }

    private func report(_ loss: StoreDataLoss) {
        reporter.event(
            .cloudAgentStoreWentBack,
            [
                .init("steps", .integer(loss.steps.map { Int(clamping: $0) })),
                .init("age", .number(loss.age.inSeconds, places: 3)),
                .init("timelineBefore", .integer(loss.timelineBefore.map { Int(clamping: $0) })),
                .init("timelineAfter", .integer(loss.timelineAfter.map { Int(clamping: $0) })),
            ])
        let gone =
            loss.steps.map { "up to \(NumberText.count(Int(clamping: $0))) transactions that were answered are gone" }
            ?? "it is another store than before"
        let timelines = [loss.timelineBefore, loss.timelineAfter].compactMap { $0.map { "\($0)" } }.joined(
            separator: ", now ")
        reporter.log(
            .error,
            "The store went back: \(gone). Its last state was seen \(NumberText.seconds(loss.age.inSeconds)) before"
                + (timelines.isEmpty ? "." : ", on the timeline \(timelines).")
                + " Clients are served from what is there; senders were told that the rest was taken. Keep a copy of the"
                + " former primary's data before it becomes a standby; symbolon agent status --seen ends this report.")
    }

    private func event(
        code: String? = nil, reason: String? = nil, seconds: Double? = nil, failures: Int? = nil, deferred: Int? = nil
    ) {
        reporter.event(
            .cloudAgentStore,
            [
                .init("isFailing", .bool(code != nil)), .init("code", .string(code)), .init("reason", .string(reason)),
                .init("seconds", .number(seconds, places: 3)),
                .init("failures", .integer(failures)), .init("deferred", .integer(deferred)),
            ])
    }

    /// Reports the counts since the last report, unless all are zero.
    func report() {
        let (counts, now) = (server.counts, clock.now())
        let (before, since) = state.withLock { state in
            defer { (state.reported, state.time) = (counts, now) }
            return (state.reported, state.time)
        }
        guard counts != before else { return }
        let changes = MediatorMetric.all.map { figure in
            (
                figure: figure,
                value: figure.isCount ? figure.value(of: counts) - figure.value(of: before) : figure.value(of: counts)
            )
        }
        reporter.event(.cloudAgentCounts, changes.map { .init($0.figure.name, .integer($0.value)) })
        let words = changes.filter { $0.value != 0 }.map { $0.figure.text($0.value) }
        guard !words.isEmpty else { return }
        reporter.log(
            .info, "In the last \(NumberText.seconds((now - since).inSeconds)): \(words.joined(separator: ", ")).")
    }
}

extension MediatorMetric {
    /// Formats a value of the metric with its words, and bytes in their unit.
    fileprivate func text(_ value: Int) -> String {
        isBytes ? "\(NumberText.bytes(value)) received" : "\(NumberText.count(value)) \(words)"
    }
}
