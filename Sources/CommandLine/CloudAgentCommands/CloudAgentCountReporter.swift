import CloudAgent
import CodedErrors
import CommandProgram
import Determinism
import Terminal

/// Reports the counts of a cloud agent periodically: numbers alone, nothing of keys, clients or messages.
final class CloudAgentCountReporter: Sendable {
    /// The interval at which failures of the store are polled; they are reported at once.
    private static let look = Duration.seconds(5)

    private let server: CloudAgentServer
    private let reporter: Reporter
    private let clock: any MonotonicClock
    private let reported = Lock(MediatorCounts())

    init(_ server: CloudAgentServer, _ context: CommandContext) {
        self.server = server
        reporter = context.reporter
        clock = context.environment.clock
    }

    /// Runs until it is cancelled.
    func follow(every interval: Duration) async {
        var next = clock.now() + interval
        while !Task.isCancelled {
            do { try await clock.wait(until: min(next, clock.now() + Self.look)) } catch { return }
            let isTime = clock.now() >= next
            if isTime { next = clock.now() + interval }
            let failures = reported.withLock { $0.storeFailures }
            if isTime || server.counts.storeFailures > failures { report() }
        }
    }

    /// Reports the counts since the last report, unless all are zero.
    func report() {
        let counts = server.counts
        let before = reported.withLock { reported in
            defer { reported = counts }
            return reported
        }
        guard counts != before else { return }
        let changes = MediatorMetric.all.map { figure in
            (
                figure: figure,
                value: figure.isCount ? figure.value(of: counts) - figure.value(of: before) : figure.value(of: counts)
            )
        }
        reporter.event(.cloudAgentCounts, changes.map { .init($0.figure.name, .integer($0.value)) })
        let words = changes.filter { $0.value != 0 }.map { "\(NumberText.count($0.value)) \($0.figure.words)" }
        if !words.isEmpty { reporter.console.say("Since then: \(words.joined(separator: ", ")).") }
        if counts.storeFailures > before.storeFailures, let error = server.lastStoreFailure {
            let step = error.code.explanation.nextStep
            reporter.console.say("The store failed: \(TerminalText.sanitised("\(error)", limit: 300)) \(step)")
        }
    }
}
