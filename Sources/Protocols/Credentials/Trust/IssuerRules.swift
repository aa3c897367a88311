/// Whether the key that signed is one of the issuer, and whether the issuer may issue.
public enum IssuerRules {
    /// Throws `credential.iss-mismatch` unless the key belongs to the issuer, or the trust store lets it sign for it.
    public static func check(issuer: String, against key: ResolvedKey) throws(CredentialError) {
        guard issuer.isExactly(key.controller) || key.issuers.containsExactly(issuer) else {
            throw CredentialError(.issMismatch, "The key \(key.identifier) is not one of the issuer \(issuer).")
        }
    }

    /// Throws `credential.trust-issuer` unless the store names the issuer, or its DID method, for one of the types.
    public static func checkTrust(
        issuer: String, types: [String], in store: TrustStore
    ) throws(CredentialError) {
        if let entry = store.issuer(issuer) {
            guard entry.types.isEmpty || types.contains(where: entry.types.containsExactly) else {
                throw CredentialError(.trustIssuer, "The trust store does not let \(issuer) issue this type.")
            }
            return
        }
        let isKeyTrusted = store.keys.contains { $0.issuers.containsExactly(issuer) }
        let isMethodTrusted = store.methods.contains { issuer.utf8.starts(with: ($0 + ":").utf8) }
        guard isKeyTrusted || isMethodTrusted else {
            throw CredentialError(.trustIssuer, "The trust store does not name the issuer \(issuer).")
        }
    }
}
