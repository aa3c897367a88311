/// A key that the trust store or the identifier holds, with what is known of it.
public struct ResolvedKey: Hashable, Sendable {
    /// The key that verifies signatures.
    public let key: VerificationKey
    /// The identifier by which it was found: a DID URL, an address, or the `kid` of a key set.
    public let identifier: String
    /// The DID or address to which the key belongs.
    public let controller: String
    /// The issuers that the key may sign for beside its controller, as the trust store names them.
    public var issuers: [String] = []
    /// The type of the verification method, such as `Ed25519VerificationKey2020`; nil where the form has none.
    public var methodType: String?
    /// The algorithm that the key document allows alone; nil where it allows all that fit.
    public var onlyAlgorithm: String?
    /// The roots of the trust store above the certificate that holds the key; empty for a key without a good chain.
    var roots: [TrustedRoot] = []
    /// True for the key of a certificate that names no issuer, and that a root for the issuer could still vouch for.
    var couldBeVouchedFor = false
    /// True when a certificate under a root of the trust store holds the key.
    public var isVouchedFor: Bool { !roots.isEmpty }
    /// The time at which the key was revoked or expired, in seconds since 1970; nil when it was not.
    public var endsAt: Double?

    /// Makes a key from the parts that every key has.
    public init(_ key: VerificationKey, identifier: String, controller: String) {
        self.key = key
        self.identifier = identifier
        self.controller = controller
    }

    /// Throws `credential.key-revoked` when the key had ended at one of the times, given in seconds since 1970.
    public func checkPeriod(at times: [Double]) throws(CredentialError) {
        guard let endsAt, times.contains(where: { $0 >= endsAt }) else { return }
        throw CredentialError(.keyRevoked, "The key \(identifier) was revoked or had expired.")
    }

    /// Records that one of the roots above the key lets its issuer issue all of the types, and notes which.
    ///
    /// An entry of the issuer restricts the types too. Records `credential.trust-issuer` otherwise.
    func checkRoots(
        issuer: String?, types: [String], in store: TrustStore, into list: inout CheckList,
        _ content: inout CredentialContent
    ) {
        let name = issuer ?? controller
        list.attempt(
            recording: { (list) throws(CredentialError) in
                let entry = issuer.flatMap(store.issuer)
                try IssuerRules.check(types, areOf: entry?.types ?? [], issuer: name)
                let fitting = roots.first { root in
                    guard case .tokens(_, let allowed) = root.purpose else { return false }
                    return (try? IssuerRules.check(types, areOf: allowed, issuer: name)) != nil
                }
                guard let root = fitting else {
                    throw CredentialError(.trustIssuer, "The root above \(name) is not one for this type.")
                }
                content.authority = entry == nil ? .root(root.path ?? "") : .issuer(name)
                content.issuerName = entry?.name ?? root.name
                list.pass(.trust, "A root of the trust file vouches for the issuer.")
            })
    }

    /// Throws `credential.alg-mismatch` unless the key and its document allow the algorithm.
    public func checkAlgorithm(_ algorithm: SignatureAlgorithm) throws(CredentialError) {
        guard key.algorithms.contains(algorithm) else {
            throw CredentialError(
                .algMismatch, "\(algorithm.rawValue) is not an algorithm of a key of kind \(key.kind).")
        }
        guard let onlyAlgorithm else { return }
        let isEdwards = algorithm == .edDSA || algorithm == .ed25519
        let names = isEdwards ? ["EdDSA", "Ed25519"] : [algorithm.rawValue]
        guard names.contains(onlyAlgorithm) else {
            throw CredentialError(.algMismatch, "The key is for \(onlyAlgorithm) alone.")
        }
    }
}

/// The purpose for which a key signs.
public enum KeyPurpose: String, CaseIterable, Hashable, Sendable {
    /// The key signs credentials.
    case assertionMethod
    /// The key signs presentations, or the proof of a holder.
    case authentication
}
