import Credentials
import JSON

/// Reads a presentation definition.
///
/// Source: DIF Presentation Exchange 2.0, section 5. Paths are members, elements and `[*]`; filters are `const`,
/// `enum`, `minimum`, `maximum`, `type`, `contains` and patterns as `TextPattern` reads them. What is not supported is
/// refused, so that no rule is passed over.
enum PresentationDefinitionReader {
    /// The deepest nesting of filters in a filter.
    static let maximumNesting = 3

    static func queries(_ object: JSONObject) throws(PresentationError) -> [CredentialQuery] {
        guard object["submission_requirements"] == nil else {
            throw PresentationError(.requestUnsupported, "Requirements of submissions are not supported.")
        }
        guard let descriptors = object["input_descriptors"]?.array else {
            throw PresentationError(.requestMalformed, "The definition has no input descriptors.")
        }
        var queries: [CredentialQuery] = []
        for descriptor in descriptors.prefix(RequestObjectClaims.maximumQueries + 1) {
            guard let id = descriptor["id"]?.string, (1...64).contains(id.utf8.count) else {
                throw PresentationError(.requestMalformed, "An input descriptor has no id of 1 to 64 bytes.")
            }
            var claims: [CredentialQuery.Claim] = []
            try checkDirectives(descriptor["constraints"]?.object ?? JSONObject())
            for field in descriptor["constraints"]?["fields"]?.array ?? [] { claims.append(try claim(field)) }
            queries.append(
                CredentialQuery(
                    id: id, formats: try formats(descriptor["format"] ?? object["format"]), types: [], claims: claims))
        }
        return queries
    }

    /// Throws for demands beside the fields, since most formats are sent whole and cannot limit disclosure.
    private static func checkDirectives(_ constraints: JSONObject) throws(PresentationError) {
        for member in constraints.members where member.name != "fields" {
            let isDemand = member.value.string == "required" || member.value.array?.isEmpty == false
            guard !isDemand else {
                throw PresentationError(
                    .requestUnsupported, "The demand \(member.name.prefix(40)) of a definition is not supported.")
            }
        }
    }

    private static func formats(_ value: JSONValue?) throws(PresentationError) -> [CredentialFormat] {
        guard let value else { return [] }
        let names = value.object?.members.map(\.name) ?? []
        var formats: [CredentialFormat] = []
        for name in names {
            switch name {
            case "jwt_vc", "jwt_vc_json", "jwt_vp": formats.append(.jwt)
            case "ldp_vc", "ldp_vp": formats.append(.linkedData)
            case "dc+sd-jwt", "vc+sd-jwt": formats.append(.sdJWT)
            default: break
            }
        }
        guard !formats.isEmpty else {
            throw PresentationError(.requestUnsupported, "The definition takes no format that is supported.")
        }
        return formats
    }

    private static func claim(_ field: JSONValue) throws(PresentationError) -> CredentialQuery.Claim {
        var paths: [ClaimPath] = []
        for value in field["path"]?.array ?? [] {
            guard paths.count < 16, let text = value.string, let path = path(text) else {
                throw PresentationError(.requestUnsupported, "A path is of a form that is not supported.")
            }
            paths.append(path)
            // The claims of a JWT are read without the member vc that they were in before version 2.0.
            if path.steps.first == .member("vc"), let inner = ClaimPath(Array(path.steps.dropFirst())) {
                paths.append(inner)
            }
        }
        guard !paths.isEmpty else { throw PresentationError(.requestMalformed, "A field has no path.") }
        let rule: ClaimRule = if let filter = field["filter"] { try self.rule(filter, depth: 0) } else { .any }
        return CredentialQuery.Claim(paths: paths, rule: rule, isOptional: field["optional"]?.bool ?? false)
    }

    /// Reads a path of the forms `$.a.b`, `$['a']`, `$.a[0]` and `$.a[*]`; nil for any other.
    static func path(_ text: String) -> ClaimPath? {
        guard text.utf8.count <= 256, text.hasPrefix("$") else { return nil }
        var rest = text.unicodeScalars.dropFirst()
        var steps: [ClaimPath.ClaimPathElement] = []
        while let first = rest.popFirst() {
            if first == "." {
                let name = rest.prefix { $0 != "." && $0 != "[" }
                guard !name.isEmpty, String(name) != "*" else { return nil }
                steps.append(.member(String(name)))
                rest = rest.dropFirst(name.count)
            } else if first == "[", let end = rest.firstIndex(where: { $0 == "]" }) {
                guard let step = bracketed(Substring(rest[..<end])) else { return nil }
                steps.append(step)
                rest = rest[rest.index(after: end)...]
            } else {
                return nil
            }
        }
        return ClaimPath(steps)
    }

    private static func bracketed(_ text: Substring) -> ClaimPath.ClaimPathElement? {
        if text == "*" { return .all }
        if let index = Int(text), index >= 0 { return .element(index) }
        let signs = text.unicodeScalars
        guard signs.count > 2, let quote = signs.first, quote == "'" || quote == "\"", signs.last == quote else {
            return nil
        }
        return .member(String(signs.dropFirst().dropLast()))
    }

    private static func rule(_ filter: JSONValue, depth: Int) throws(PresentationError) -> ClaimRule {
        guard let members = filter.object?.members else {
            throw PresentationError(.requestMalformed, "A filter is not an object.")
        }
        guard depth <= maximumNesting else {
            throw PresentationError(
                .requestUnsupported, "More than \(maximumNesting) filters are nested in a filter.")
        }
        var rules: [ClaimRule] = []
        for member in members {
            switch (member.name, member.value) {
            case ("const", let value): rules.append(.oneOf([value]))
            case ("enum", .array(let values)): rules.append(.oneOf(values))
            case ("type", .string(let kind)): rules.append(.kind(kind))
            case ("minimum", .number(let number)): rules.append(.number(minimum: number.double, maximum: nil))
            case ("maximum", .number(let number)): rules.append(.number(minimum: nil, maximum: number.double))
            case ("pattern", .string(let text)):
                guard let pattern = TextPattern(text) else {
                    throw PresentationError(.requestUnsupported, "The pattern of a filter is not supported.")
                }
                rules.append(.matches(pattern))
            case ("contains", let value): rules.append(.contains(try rule(value, depth: depth + 1)))
            default:
                throw PresentationError(
                    .requestUnsupported, "The filter \(member.name.prefix(40)) is not supported.")
            }
        }
        return .all(rules)
    }
}
