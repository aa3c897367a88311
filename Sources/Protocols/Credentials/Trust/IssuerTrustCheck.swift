import JSON

/// Checks that the signing key belongs to the issuer, and that the issuer is trusted.
public enum IssuerTrustCheck {
    /// Throws `credential.iss-mismatch` unless the key belongs to the issuer or may sign for it.
    ///
    /// The trust store lets it by a key entry, or by a document of the issuer that lists the key for issuing.
    ///
    /// Throws `credential.x5-anchor` for the key of a certificate that a root for the issuer could still vouch for, and
    /// `credential.key-unresolved` for a key that holds itself, while the keys of the issuer are not known.
    public static func check(
        issuer: String, against key: ResolvedKey, in store: TrustStore
    ) throws(CredentialError) {
        guard !issuer.isExactly(key.controller), !key.issuers.containsExactly(issuer) else { return }
        let isPinned = store.keys.contains { pin in
            pin.issuers.containsExactly(issuer)
                && (pin.address.isExactly(key.identifier) || pin.address.isExactly(key.controller))
        }
        guard !isPinned, !isListed(key, in: store.issuer(issuer)?.document) else { return }
        guard !key.couldBeVouchedFor else {
            throw CredentialError(.x5Anchor, "No root of the trust file vouches for the issuer \(issuer).")
        }
        guard isDecided(issuer, key, in: store) else {
            throw CredentialError(
                .keyUnresolved, "The trust file does not say that \(key.controller) is a key of \(issuer).")
        }
        throw CredentialError(.issMismatch, "The key \(key.identifier) is not one of the issuer \(issuer).")
    }

    /// Returns false when an issuer without known keys may list a key that is its own identifier, such as a did:key.
    private static func isDecided(_ issuer: String, _ key: ResolvedKey, in store: TrustStore) -> Bool {
        guard KeyResolver.holdsKey(key.controller), !KeyResolver.holdsKey(issuer) else { return true }
        if let entry = store.issuer(issuer), entry.document != nil || entry.pemKey != nil { return true }
        return store.keys.contains { pin in
            pin.issuers.containsExactly(issuer) || pin.address.isExactly(key.identifier)
                || pin.address.isExactly(key.controller)
        }
    }

    /// Returns true when a document lists a key that is its own identifier, such as a did:key, for issuing.
    ///
    /// W3C Controlled Identifiers 1.0, section 2.3.1: the method stands there by its identifier, or whole.
    private static func isListed(_ key: ResolvedKey, in document: JSONValue?) -> Bool {
        guard KeyResolver.holdsKey(key.controller), let document else { return false }
        let methods = document[KeyPurpose.assertionMethod.rawValue]?.array ?? []
        return methods.contains { method in
            guard let name = method.string ?? method["id"]?.string else { return false }
            return name.isExactly(key.identifier)
        }
    }

    /// Records that the trust store allows the issuer to issue all of the types, and which entry does.
    ///
    /// Records `credential.trust-issuer` unless the store names the issuer with these types, a key for it, or its DID
    /// method.
    static func checkTrust(
        issuer: String, types: [String], in store: TrustStore, into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) {
        list.attempt(
            recording: { (list) throws(CredentialError) in
                if let entry = store.issuer(issuer) {
                    try check(types, areOf: entry.types, issuer: issuer)
                    content.authority = .issuer(issuer)
                    content.issuerName = entry.name
                    return list.pass(.trust, "The trust file names the issuer.")
                }
                if store.keys.contains(where: { $0.issuers.containsExactly(issuer) }) {
                    content.authority = .issuer(issuer)
                    return list.pass(.trust, "The trust file names a key for the issuer.")
                }
                guard let method = store.methods.first(where: { issuer.utf8.starts(with: ($0 + ":").utf8) }) else {
                    throw CredentialError(.trustIssuer, "The trust file does not name the issuer \(issuer).")
                }
                content.authority = .method(method)
                list.pass(.trust, "The trust file lets everyone with a \(method) issue anything.")
            })
    }

    /// Throws `credential.trust-issuer` unless each type is allowed; an empty list allows all.
    ///
    /// The type that every W3C credential has says nothing, and is allowed where another one is.
    static func check(
        _ types: [String], areOf allowed: [String], issuer: String
    ) throws(CredentialError) {
        guard !allowed.isEmpty else { return }
        let meaningful = types.filter { !$0.isExactly("VerifiableCredential") }
        guard let first = types.first else {
            throw CredentialError(
                .trustIssuer, "The trust file lets \(issuer) issue some types only, and the credential names none.")
        }
        let forbidden =
            meaningful.isEmpty
            ? (allowed.containsExactly(first) ? nil : first)
            : meaningful.first { !allowed.containsExactly($0) }
        guard let forbidden else { return }
        throw CredentialError(.trustIssuer, "The trust file does not let \(issuer) issue the type \(forbidden).")
    }
}
