public import Credentials
import JSON

/// The claims of a credential that the verifier gets: the requested ones, and those that cannot be withheld.
///
/// Of an SD-JWT only the disclosures go that what was asked for needs; credentials of other formats go whole.
public struct PresentedClaims: Sendable {
    /// The credential as it is presented.
    public let credential: HeldCredential
    /// The names of the requested claims that the credential has, such as `credentialSubject.ageOver18`.
    public let asked: [String]
    /// The names of claims about the holder that are sent without being requested.
    public let unasked: [String]
    /// The names of the claims that are not sent.
    public let withheld: [String]

    /// Selects the claims of a credential that answer a query.
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

    /// The names of members about the credential, not about its holder.
    private static let frame: Set<String> = [
        "iss", "iat", "nbf", "exp", "jti", "cnf", "vct", "vct#integrity", "status", "@context", "type", "issuer",
        "proof",
        "id", "validFrom", "validUntil", "issuanceDate", "expirationDate", "credentialStatus", "credentialSchema",
    ]

    /// Returns the paths to all innermost values about the holder.
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

    /// Returns the names of values, each once: the members on their paths, without indices of elements.
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
