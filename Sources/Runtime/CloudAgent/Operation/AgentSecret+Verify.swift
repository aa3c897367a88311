import CryptoSuite

extension AgentSecret {
    /// Checks that a store was made with this secret, without marking one that has no mark yet.
    ///
    /// - Throws: `cloud.secret.wrong`, and what the store throws.
    public func verify(_ store: any AgentStore) async throws(CloudAgentError) {
        guard let kept = try await store.setting("secret") else { return }
        guard ConstantTime.equals(kept, mark) else {
            throw CloudAgentError(.secretWrong, "The store was made with another secret.")
        }
    }
}
