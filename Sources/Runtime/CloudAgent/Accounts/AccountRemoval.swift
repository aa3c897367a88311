import Determinism

/// Removes everything in memory about an account: keys, back-off, connections, delivery and wake-ups.
struct AccountRemoval: Sendable {
    let keyCache: KeyCache
    let redelivery: Lock<RedeliveryBackoff>
    let live: LiveChannels
    let delivery: EndpointDelivery
    let notifier: WebhookNotifier?

    /// Drops everything in memory about a closed account, and closes its connections.
    func drop(_ account: Int64) async {
        keyCache.forget(account)
        redelivery.withLock { $0.succeeded(account) }
        live.close(account, reason: "The account is closed.")
        await delivery.forget(account)
        await notifier?.forget(account)
    }
}
