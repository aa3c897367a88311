import CodedErrors
import Determinism
import Dispatch

/// Ends an interrupted run that does not end: a command may stand in a call of the system or in a long computation.
public final class ForcedExit: Sendable {
    /// The time from an interruption to the end of the process, unless the command has extended it.
    public static let usualGrace = Duration.milliseconds(1_900)
    /// The part of the grace period that is left for writing the last event.
    private static let reserve = Duration.milliseconds(200)

    private let grace: Lock<Duration>
    private let end: @Sendable (Int32) -> Void

    /// Makes a forced end, which calls `end` with the exit status of an interruption after the grace period.
    public init(after grace: Duration = usualGrace, _ end: @escaping @Sendable (Int32) -> Void) {
        self.grace = Lock(grace)
        self.end = end
    }

    /// Lets the command take longer to end, such as a server that finishes requests under way.
    package func extend(to grace: Duration) { self.grace.withLock { $0 = max($0, grace) } }

    /// Starts the grace period, after which the process ends.
    ///
    /// - Parameters:
    ///   - isOver: true when the run has ended meanwhile; then nothing happens.
    ///   - report: writes what is the last that the run says; it may block.
    func begin(unless isOver: @escaping @Sendable () -> Bool, report: @escaping @Sendable () -> Void) {
        let start = DispatchTime.now()
        // Queues of their own, because the threads of tasks may all be blocked, and writing may block too.
        call(report, before: Self.reserve, since: start, unless: isOver, on: DispatchQueue(label: "symbolon.report"))
        let end = end
        call(
            { end(ExitClass.interrupted.rawValue) }, before: .zero, since: start, unless: isOver,
            on: DispatchQueue(label: "symbolon.end"))
    }

    /// Calls `action` at `lead` before the end of the grace period, which may be extended meanwhile.
    private func call(
        _ action: @escaping @Sendable () -> Void, before lead: Duration, since start: DispatchTime,
        unless isOver: @escaping @Sendable () -> Bool, on queue: DispatchQueue
    ) {
        let grace = grace.withLock { $0 }
        queue.asyncAfter(deadline: start + max(.zero, grace - lead).interval) {
            guard !isOver() else { return }
            guard self.grace.withLock({ $0 }) == grace else {
                return self.call(action, before: lead, since: start, unless: isOver, on: queue)
            }
            action()
        }
    }
}

extension Duration {
    fileprivate var interval: DispatchTimeInterval { .milliseconds(Int(clamping: wholeNanoseconds / 1_000_000)) }
}
