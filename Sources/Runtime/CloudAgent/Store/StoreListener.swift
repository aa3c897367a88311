import Determinism

/// The one listener that is told of what a store's instances did.
final class StoreListener: Sendable {
    // In a struct: a closure that is itself what a generic type holds is wrapped once more whenever it is taken out and
    // put back, and each call goes through all the wrappings.
    private struct Chosen {
        var tell: (@Sendable (StoreNews) -> Void)?
    }

    private let chosen = Lock(Chosen())

    /// Calls `tell` from now on, instead of the listener before.
    func listen(_ tell: @escaping @Sendable (StoreNews) -> Void) {
        chosen.withLock { $0.tell = tell }
    }

    /// Calls the listener, if there is one.
    func tell(_ news: StoreNews) {
        chosen.withLock { $0.tell }?(news)
    }
}
