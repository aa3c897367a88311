/// What this instance holds of accounts in a store that several instances share, so that one at a time does it.
///
/// In a store of one instance it holds everything.
struct AccountHolds: Sendable {
    let context: MediatorContext
    let store: any MediatorStore

    /// The instance that tells the client of an account of mail; nil for none, and in a store of one instance.
    func liveHolder(of account: Int64) async throws(CloudAgentError) -> Int64? {
        guard store.isShared else { return nil }
        let now = context.wallTime()
        return try await store.read { try $0.instances.holder(of: .live, of: account, at: now) }
    }

    /// Takes a hold; false when another instance has it.
    func take(_ hold: StoreHold, of account: Int64) async throws(CloudAgentError) -> Bool {
        guard store.isShared else { return true }
        let (instance, now) = (context.instance, context.wallTime())
        return try await store.write { try $0.instances.take(hold, of: account, by: instance, at: now) }
    }

    /// Takes a hold; false when another instance has it, or tells the client of mail.
    func takeUnlessLiveElsewhere(_ hold: StoreHold, of account: Int64) async throws(CloudAgentError) -> Bool {
        if let holder = try await liveHolder(of: account), holder != context.instance { return false }
        return try await take(hold, of: account)
    }

    /// Frees a hold.
    func free(_ hold: StoreHold, of account: Int64) async throws(CloudAgentError) {
        guard store.isShared else { return }
        let instance = context.instance
        try await store.write { try $0.instances.free(hold, of: account, by: instance) }
    }
}
