/// A key found in the trust store or in an identifier, with its properties.
public struct ResolvedKey: Hashable, Sendable {
    /// The public key that verifies signatures.
    public let key: VerificationKey
    /// The identifier of the key: a DID URL, an address, or the `kid` of a key set.
    public let identifier: String
    /// The DID or address to which the key belongs.
    public let controller: String
    /// The issuers beside its controller that the key may sign for, as the trust store lists them.
    public var issuers: [String] = []
    /// The type of the verification method, such as `Ed25519VerificationKey2020`; nil when the form has none.
    public var methodType: String?
    /// The only algorithm that the key document allows; nil when it allows all.
    public var onlyAlgorithm: String?
    /// The roots of the trust store above the key's certificate; empty without a valid chain.
    var roots: [TrustedRoot] = []
    /// True for a certificate's key without a named issuer, for which a root of the issuer could still vouch.
    var couldBeVouchedFor = false
    /// True when the key's certificate leads to a root of the trust store.
    public var isVouchedFor: Bool { !roots.isEmpty }
    /// The time at which the key was revoked or expired, in seconds since 1970; nil when it was not.
    public var endsAt: Double?

    /// Makes a resolved key from the parts that every key has.
    public init(_ key: VerificationKey, identifier: String, controller: String) {
        self.key = key
        self.identifier = identifier
        self.controller = controller
    }

    /// Throws `credential.key-revoked` if the key had ended at one of the times, in seconds since 1970.
    public func checkPeriod(at times: [Double]) throws(CredentialError) {
        guard let endsAt, times.contains(where: { $0 >= endsAt }) else { return }
        throw CredentialError(.keyRevoked, "The key \(identifier) was revoked or had expired.")
    }

    /// Records that a root above the key allows its issuer to issue all of the types, and which root.
    ///
    /// An entry of the issuer restricts the types too. Records `credential.trust-issuer` otherwise.
    func checkRoots(
        issuer: String?, types: [String], in store: TrustStore, into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) {
        let name = issuer ?? controller
        list.attempt(
            recording: { (list) throws(CredentialError) in
                let entry = issuer.flatMap(store.issuer)
                try IssuerTrustCheck.check(types, areOf: entry?.types ?? [], issuer: name)
                let fitting = roots.first { root in
                    guard case .tokens(_, let allowed) = root.purpose else { return false }
                    return (try? IssuerTrustCheck.check(types, areOf: allowed, issuer: name)) != nil
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

/// The purpose for which a key is allowed to sign.
public enum KeyPurpose: String, CaseIterable, Hashable, Sendable {
    /// The key may sign credentials.
    case assertionMethod
    /// The key may sign presentations, or the proof of a holder.
    case authentication
}
