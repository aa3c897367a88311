import Determinism

/// Waits for conditions, which are checked after every event.
final class ConditionWaiters {
    private final class Waiter {
        let deadline: MonotonicInstant
        let condition: () -> Bool
        var continuation: CheckedContinuation<Bool, Never>?
        var isCancelled = false

        init(_ deadline: MonotonicInstant, _ condition: @escaping () -> Bool) {
            self.deadline = deadline
            self.condition = condition
        }
    }

    private let executor: BusExecutor
    private let handle: WeakRadioHandle
    private var waiters: [UInt64: Waiter] = [:]
    private var lastNumber: UInt64 = 0

    /// True once the radio is closed.
    private(set) var isClosed = false

    init(on executor: BusExecutor, _ handle: WeakRadioHandle) {
        self.executor = executor
        self.handle = handle
    }

    /// The present instant.
    var now: MonotonicInstant { BlueZRadio.clock.now() }

    /// Waits until `condition` holds.
    ///
    /// - Returns: False when the deadline came first, the task was cancelled, or the radio was closed.
    func until(
        _ deadline: MonotonicInstant, isolation: isolated any Actor = #isolation, _ condition: @escaping () -> Bool
    ) async -> Bool {
        if condition() { return true }
        lastNumber += 1
        let number = lastNumber
        let waiter = Waiter(deadline, condition)
        waiters[number] = waiter
        let alarm = handle.start(at: deadline) { $0.daemon.waiters.wake() }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            // Captured, so that this runs on the queue too.
            _ = isolation
            return await withCheckedContinuation { continuation in
                waiter.continuation = continuation
                wake()
            }
        } onCancel: { [handle] in
            handle.start { $0.daemon.waiters.cancel(number) }
        }
    }

    /// Waits until the condition holds, with a time from now as the limit.
    func until(_ time: Duration, isolation: isolated any Actor = #isolation, _ condition: @escaping () -> Bool) async
        -> Bool
    {
        await until(now + time, condition)
    }

    /// Waits for a time, or until the radio is closed or the task cancelled.
    func pause(_ time: Duration, isolation: isolated any Actor = #isolation) async {
        _ = await until(time) { self.isClosed }
    }

    /// Checks every awaited condition; called after each event.
    func wake() {
        executor.checkIsolated()
        guard !waiters.isEmpty else { return }
        let now = now
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number], let continuation = waiter.continuation else { continue }
            let isTrue = waiter.condition()
            guard isTrue || waiter.isCancelled || isClosed || waiter.deadline <= now else { continue }
            waiters[number] = nil
            continuation.resume(returning: isTrue)
        }
    }

    /// Ends all waits at the next `wake`.
    func close() { isClosed = true }

    func cancel(_ number: UInt64) {
        waiters[number]?.isCancelled = true
        wake()
    }
}
