import Determinism

/// The one listener to the news of a store's instances.
final class StoreNotificationHandler: Sendable {
    // A struct around the closure: a closure that is itself the value of a generic type is wrapped once more whenever
    // it is taken out and put back, and each call goes through all the wrappings.
    private struct NotificationCallback {
        var notify: (@Sendable (StoreNotification) -> Void)?
    }

    private let chosen = Lock(NotificationCallback())

    /// Calls `notify` from now on, instead of the previous listener.
    func listen(_ notify: @escaping @Sendable (StoreNotification) -> Void) {
        chosen.withLock { $0.notify = notify }
    }

    /// Calls the listener, if there is one.
    func notify(_ news: StoreNotification) {
        chosen.withLock { $0.notify }?(news)
    }
}
