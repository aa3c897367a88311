import Credentials
import JSON

/// Reads a query in the Digital Credentials Query Language.
///
/// Source: OpenID4VP 1.0, section 6. `trusted_authorities` and `multiple` are hints that an answer may leave aside: the
/// wallet sends one credential for a query, and the verifier judges its issuer.
enum DCQLReader {
    /// The most alternatives in a set, and the most sets.
    static let maximumOptions = 16

    static func queries(_ object: JSONObject) throws(PresentationError) -> [CredentialQuery] {
        guard let entries = object["credentials"]?.array else {
            throw PresentationError(.requestMalformed, "The query has no credentials.")
        }
        var queries: [CredentialQuery] = []
        for entry in entries.prefix(RequestObjectClaims.maximumQueries + 1) { queries.append(try query(entry)) }
        return queries
    }

    private static func query(_ value: JSONValue) throws(PresentationError) -> CredentialQuery {
        guard let object = value.object, let id = object["id"]?.string, isIdentifier(id),
            let format = object["format"]?.string
        else { throw PresentationError(.requestMalformed, "A query has no id or no format.") }
        var claims: [CredentialQuery.Claim] = []
        var names: [String?] = []
        for claim in object["claims"]?.array ?? [] {
            claims.append(try self.claim(claim))
            names.append(claim["id"]?.string)
        }
        let meta = object["meta"]?.object ?? JSONObject()
        let values = meta["vct_values"]?.array?.compactMap(\.string).map { [$0] } ?? []
        let types = meta["type_values"]?.array?.compactMap { $0.array?.compactMap(\.string) } ?? []
        return CredentialQuery(
            id: id, formats: try formats(format), types: values + types, claims: claims,
            claimSets: try claimSets(object["claim_sets"], names))
    }

    /// Reads the alternatives of a query's claims, as indexes of the list of claims.
    private static func claimSets(_ value: JSONValue?, _ names: [String?]) throws(PresentationError) -> [[Int]] {
        var sets: [[Int]] = []
        for list in try lists(value, of: "claim_sets") {
            var set: [Int] = []
            for name in list {
                guard let place = names.firstIndex(of: name) else {
                    throw PresentationError(.requestMalformed, "A set names a claim that is not in the query.")
                }
                set.append(place)
            }
            sets.append(set)
        }
        return sets
    }

    /// Reads the credential sets, of which each required one must be answered; empty asks for every credential.
    static func sets(
        _ object: JSONObject, of queries: [CredentialQuery]
    ) throws(PresentationError) -> [PresentationRequest.CredentialSet] {
        guard let value = object["credential_sets"] else { return [] }
        guard let entries = value.array, (1...maximumOptions).contains(entries.count) else {
            throw PresentationError(.requestMalformed, "The claim credential_sets is not a list of 1 to 16 sets.")
        }
        var sets: [PresentationRequest.CredentialSet] = []
        for entry in entries {
            let options = try lists(entry["options"], of: "options")
            guard !options.isEmpty, options.allSatisfy({ $0.allSatisfy { id in queries.contains { $0.id == id } } })
            else { throw PresentationError(.requestMalformed, "A set names a credential that is not in the query.") }
            sets.append(
                PresentationRequest.CredentialSet(options: options, isRequired: entry["required"]?.bool ?? true))
        }
        return sets
    }

    /// Reads a list of 1 to 16 lists of names; empty when it is absent.
    private static func lists(_ value: JSONValue?, of name: String) throws(PresentationError) -> [[String]] {
        guard let value else { return [] }
        let lists = value.array?.map { $0.array?.compactMap(\.string) ?? [] } ?? []
        guard (1...maximumOptions).contains(lists.count),
            lists.allSatisfy({ (1...RequestObjectClaims.maximumQueries).contains($0.count) })
        else {
            throw PresentationError(.requestMalformed, "The member \(name) is not a list of 1 to 16 lists of names.")
        }
        return lists
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                    || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
    }

    private static func formats(_ name: String) throws(PresentationError) -> [CredentialFormat] {
        switch name {
        case "jwt_vc_json": return [.jwt]
        case "ldp_vc": return [.linkedData]
        case "dc+sd-jwt", "vc+sd-jwt": return [.sdJWT]
        default: throw PresentationError(.requestUnsupported, "The format \(name.prefix(40)) is not supported.")
        }
    }

    private static func claim(_ value: JSONValue) throws(PresentationError) -> CredentialQuery.Claim {
        var steps: [ClaimPath.ClaimPathElement] = []
        for step in value["path"]?.array ?? [] {
            switch step {
            case .string(let name): steps.append(.member(name))
            case .null: steps.append(.all)
            case .number(let number) where number.int.map { $0 >= 0 } ?? false: steps.append(.element(number.int ?? 0))
            default: throw PresentationError(.requestMalformed, "A path has a step of another kind.")
            }
        }
        guard let path = ClaimPath(steps) else {
            throw PresentationError(.requestMalformed, "A path has no steps, or more than 16.")
        }
        let rule: ClaimRule = value["values"]?.array.map(ClaimRule.oneOf) ?? .any
        return CredentialQuery.Claim(paths: [path], rule: rule)
    }
}
