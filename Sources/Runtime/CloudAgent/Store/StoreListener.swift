import Determinism

/// Who is told of what a store's instances did; one at most.
final class StoreListener: Sendable {
    // In a struct: a closure that is itself what a generic type holds is wrapped once more whenever it is taken out and
    // put back, and each call goes through all the wrappings.
    private struct Chosen {
        var tell: (@Sendable (StoreNews) -> Void)?
    }

    private let chosen = Lock(Chosen())

    /// Has `tell` told from now on, and nobody else.
    func listen(_ tell: @escaping @Sendable (StoreNews) -> Void) {
        chosen.withLock { $0.tell = tell }
    }

    /// Tells whoever listens.
    func tell(_ news: StoreNews) {
        chosen.withLock { $0.tell }?(news)
    }
}
