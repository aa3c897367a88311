import CryptoSuite

extension MediatorSecret {
    /// Returns true when a store holds the mark of a secret, whichever it is.
    ///
    /// - Throws: what the store throws.
    public static func isMarked(_ store: any MediatorStore) async throws(CloudAgentError) -> Bool {
        try await mark(of: store) != nil
    }

    /// Checks that a store was made with this secret.
    ///
    /// - Throws: `cloud.secret.wrong`, `cloud.store.emptied` for one that was made with none, and what the store
    /// throws.
    public func verify(_ store: any MediatorStore) async throws(CloudAgentError) {
        guard let kept = try await Self.mark(of: store) else {
            throw CloudAgentError(.emptied, "The store is empty, and its secret is there.")
        }
        guard ConstantTime.equals(kept, mark) else {
            throw CloudAgentError(.secretWrong, "The store was made with another secret.")
        }
    }
}
