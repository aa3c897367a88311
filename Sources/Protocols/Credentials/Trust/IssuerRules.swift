/// Whether the key that signed is one of the issuer, and whether the issuer may issue.
public enum IssuerRules {
    /// Throws `credential.iss-mismatch` unless the key belongs to the issuer, or the trust store lets it sign for it.
    public static func check(issuer: String, against key: ResolvedKey) throws(CredentialError) {
        guard issuer == key.controller || key.issuers.contains(issuer) else {
            throw CredentialError(.issMismatch, "The key \(key.identifier) is not one of the issuer \(issuer).")
        }
    }

    /// Throws `credential.trust-issuer` unless the store names the issuer, or its DID method, for one of the types.
    public static func checkTrust(
        issuer: String, types: [String], in store: TrustStore
    ) throws(CredentialError) {
        if let entry = store.issuer(issuer) {
            guard entry.types.isEmpty || types.contains(where: entry.types.contains) else {
                throw CredentialError(.trustIssuer, "The trust store does not let \(issuer) issue this type.")
            }
            return
        }
        let isKeyTrusted = store.keys.contains { $0.issuers.contains(issuer) }
        let isMethodTrusted = store.methods.contains { issuer.hasPrefix($0 + ":") }
        guard isKeyTrusted || isMethodTrusted else {
            throw CredentialError(.trustIssuer, "The trust store does not name the issuer \(issuer).")
        }
    }
}
