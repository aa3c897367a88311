import Credentials
import JSON

/// Reads a query in the Digital Credentials Query Language.
///
/// Source: OpenID4VP 1.0, section 6. `credential_sets` and `claim_sets` are refused as not supported.
enum DCQLReader {
    static func queries(_ object: JSONObject) throws(PresentationError) -> [CredentialQuery] {
        guard object["credential_sets"] == nil else {
            throw PresentationError(.requestUnsupported, "Sets of credentials are not supported.")
        }
        guard let entries = object["credentials"]?.array else {
            throw PresentationError(.requestMalformed, "The query has no credentials.")
        }
        var queries: [CredentialQuery] = []
        for entry in entries.prefix(RequestClaims.maximumQueries + 1) { queries.append(try query(entry)) }
        return queries
    }

    private static func query(_ value: JSONValue) throws(PresentationError) -> CredentialQuery {
        guard let object = value.object, let id = object["id"]?.string, isIdentifier(id),
            let format = object["format"]?.string
        else { throw PresentationError(.requestMalformed, "A query has no id or no format.") }
        guard object["claim_sets"] == nil else {
            throw PresentationError(.requestUnsupported, "Sets of claims are not supported.")
        }
        var claims: [CredentialQuery.Claim] = []
        for claim in object["claims"]?.array ?? [] { claims.append(try self.claim(claim)) }
        let meta = object["meta"]?.object ?? JSONObject()
        let values = meta["vct_values"]?.array?.compactMap(\.string).map { [$0] } ?? []
        let types = meta["type_values"]?.array?.compactMap { $0.array?.compactMap(\.string) } ?? []
        return CredentialQuery(id: id, formats: try formats(format), types: values + types, claims: claims)
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
        var steps: [ClaimPath.Step] = []
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
