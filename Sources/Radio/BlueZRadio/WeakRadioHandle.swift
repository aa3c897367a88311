import Determinism

/// A weak handle by which watches, timers, cancellations and tasks reach their radio from outside its queue.
///
/// The parts of a radio are state of its actor, run on its queue, and cannot be captured by what may run elsewhere; the
/// radio can. It does not keep the radio alive.
final class WeakRadioHandle: Sendable {
    private struct Target {
        weak var radio: BlueZRadio?
    }

    private let target = Lock(Target())

    private var radio: BlueZRadio? { target.withLock { $0.radio } }

    /// Sets the radio that the handle refers to; called once, when all its parts are made.
    func set(_ radio: BlueZRadio) { target.withLock { $0.radio = radio } }

    /// Runs `body` at once; the caller is on the radio's queue.
    func onQueue(_ body: @Sendable (isolated BlueZRadio) -> Void) { radio?.assumeIsolated { body($0) } }

    /// Runs `body` as a task on the radio's queue.
    @discardableResult
    func start(_ body: @escaping @Sendable (isolated BlueZRadio) async -> Void) -> Task<Void, Never> {
        Task { if let radio = self.radio { await body(radio) } }
    }

    /// Runs `body` on the radio's queue at `deadline`, unless the task is cancelled before.
    @discardableResult
    func start(
        at deadline: MonotonicInstant, _ body: @escaping @Sendable (isolated BlueZRadio) async -> Void
    ) -> Task<Void, Never> {
        Task {
            try? await BlueZRadio.clock.wait(until: deadline)
            if !Task.isCancelled, let radio = self.radio { await body(radio) }
        }
    }
}
