/// The holds of this instance on accounts in a store that several instances share, so that only one at a time serves an
/// account.
///
/// In a store of one instance every hold is granted.
struct InstanceAccountHolds: Sendable {
    let context: MediatorContext
    let store: any MediatorStore

    /// The instance that has the live client of an account; nil for none, and in a store of one instance.
    func liveHolder(of account: Int64) async throws(CloudAgentError) -> Int64? {
        guard store.isShared else { return nil }
        let now = context.wallTime()
        return try await store.read { try $0.instances.holder(of: .live, of: account, at: now) }
    }

    /// Takes a hold on an account for a task of this instance; false when another instance has it.
    func take(_ hold: ExclusiveAccountTask, of account: Int64) async throws(CloudAgentError) -> Bool {
        guard store.isShared else { return true }
        let (instance, now) = (context.instance, context.wallTime())
        return try await store.write { try $0.instances.take(hold, of: account, by: instance, at: now) }
    }

    /// Takes a hold; false when another instance has it, or has the live client.
    func takeUnlessLiveElsewhere(_ hold: ExclusiveAccountTask, of account: Int64) async throws(CloudAgentError) -> Bool
    {
        if let holder = try await liveHolder(of: account), holder != context.instance { return false }
        return try await take(hold, of: account)
    }

    /// Frees a hold, so that another instance can take it.
    func free(_ hold: ExclusiveAccountTask, of account: Int64) async throws(CloudAgentError) {
        guard store.isShared else { return }
        let instance = context.instance
        try await store.write { try $0.instances.free(hold, of: account, by: instance) }
    }
}
