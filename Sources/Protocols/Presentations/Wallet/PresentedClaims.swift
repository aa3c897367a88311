public import Credentials
import JSON

/// Claims of a credential that the verifier gets: those that a query asks for, and those that cannot be withheld.
///
/// Of an SD-JWT only the disclosures go that what was asked for needs; credentials of other formats go whole.
public struct PresentedClaims: Sendable {
    /// The credential as it is presented.
    public let credential: HeldCredential
    /// The claims that were asked for and are there, by name: `credentialSubject.ageOver18`.
    public let asked: [String]
    /// The claims about the holder that go although they were not asked for, by name.
    public let unasked: [String]
    /// The claims that stay in the wallet, by name.
    public let withheld: [String]

    /// Selects what answers a query.
    ///
    /// - Parameter request: the settings with which the stored credential was read; it is read again without the
    ///   withheld claims.
    public init(of credential: HeldCredential, for query: CredentialQuery, _ request: VerificationRequest) {
        let places = query.shown(of: credential.claims).compactMap { $0.place(in: credential.claims) }
        let wanted = places.flatMap { $0.values.map(\.path) }
        // Without a key of the holder the subject is what the presenter's proof is compared with.
        let bound = credential.claims["cnf"] == nil && credential.claims["sub"] != nil ? [["sub"]] : []
        let reduced = Self.reduced(credential, to: wanted + bound, request)
        // Where leaving elements out moves those that were asked for, everything goes.
        let presented = reduced.flatMap { query.missing(in: $0.claims).isEmpty ? $0 : nil } ?? credential
        let (all, sent) = (Self.leaves(of: credential.claims), Self.leaves(of: presented.claims))
        let isAsked = { (path: [String]) in wanted.contains { path.starts(with: $0) } }
        self.credential = presented
        asked = places.map { "\($0.path)" }
        let names = Self.names(sent, of: presented.claims)
        let askedNames = Set(Self.names(all.filter(isAsked), of: credential.claims))
        unasked = names.filter { !askedNames.contains($0) }
        let sentNames = Set(names)
        withheld = Self.names(all, of: credential.claims).filter { !sentNames.contains($0) }
    }

    private static func reduced(
        _ credential: HeldCredential, to wanted: [[String]], _ request: VerificationRequest
    ) -> HeldCredential? {
        guard credential.format == .sdJWT,
            let disclosures = PresentableDisclosures(credential.bytes, limits: request.policy.limits)
        else { return nil }
        return HeldCredential(name: credential.name, bytes: disclosures.presenting(wanted), request)
    }

    /// Members that are about the credential, not about its holder.
    private static let frame: Set<String> = [
        "iss", "iat", "nbf", "exp", "jti", "cnf", "vct", "vct#integrity", "status", "@context", "type", "issuer",
        "proof",
        "id", "validFrom", "validUntil", "issuanceDate", "expirationDate", "credentialStatus", "credentialSchema",
    ]

    /// The ways to all values about the holder that hold no others.
    private static func leaves(of claims: JSONValue) -> [[String]] {
        var leaves: [[String]] = []
        func add(_ value: JSONValue, _ path: [String]) {
            if let object = value.object {
                let isOuter = path.isEmpty || path == ["credentialSubject"]
                for member in object where !(isOuter && frame.contains(member.name)) {
                    add(member.value, path + [member.name])
                }
            } else if let array = value.array {
                for (index, element) in array.enumerated() { add(element, path + [String(index)]) }
            } else {
                leaves.append(path)
            }
        }
        add(claims, [])
        return leaves
    }

    /// The names of values, each once: those of the members on the way, without the indices of elements.
    private static func names(_ leaves: [[String]], of claims: JSONValue) -> [String] {
        var (names, seen): ([String], Set<String>) = ([], [])
        for path in leaves {
            var (value, members): (JSONValue?, [String]) = (claims, [])
            for step in path {
                if let object = value?.object {
                    members.append(step)
                    value = object[step]
                } else {
                    value = value?.array.flatMap { array in Int(step).map { array[$0] } }
                }
            }
            let name = members.joined(separator: ".")
            if seen.insert(name).inserted { names.append(name) }
        }
        return names
    }
}
