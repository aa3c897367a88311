public import Credentials
public import JSON

/// One credential that a request asks for.
public struct CredentialQuery: Hashable, Sendable {
    /// One claim that is asked for.
    public struct Claim: Hashable, Sendable {
        /// The ways of which one must lead to a value.
        public let paths: [ClaimPath]
        /// The rule that the value must meet.
        public let rule: ClaimRule
        /// True when an answer may omit the claim.
        public let isOptional: Bool

        /// Makes a claim that a request asks for.
        public init(paths: [ClaimPath], rule: ClaimRule = .any, isOptional: Bool = false) {
            self.paths = paths
            self.rule = rule
            self.isOptional = isOptional
        }

        /// The name for people: the first path.
        public var name: String { paths.first.map { "\($0)" } ?? "" }

        /// Returns true when the claims of a credential have a value that meets this claim.
        public func isMet(by claims: JSONValue) -> Bool {
            paths.contains { $0.values(in: claims).contains(where: rule.admits) }
        }

        /// The first path that leads to admitted values, with these values and the ways to them; nil for none.
        func place(in claims: JSONValue) -> (path: ClaimPath, values: [(path: [String], value: JSONValue)])? {
            for path in paths {
                let values = path.places(in: claims).filter { rule.admits($0.value) }
                if !values.isEmpty { return (path, values) }
            }
            return nil
        }
    }

    /// The name of the query inside its request.
    public let id: String

    /// The formats that are taken; empty for all.
    public let formats: [CredentialFormat]

    /// The types of which the credential must have all of one list; empty for any type.
    public let types: [[String]]

    /// The claims that are asked for; empty asks for any credential.
    public let claims: [Claim]

    /// Alternatives, the verifier's favourite first: places in `claims`, of which all of one list suffice; empty asks
    /// for all claims.
    public let claimSets: [[Int]]

    /// Makes a query for one credential.
    public init(
        id: String, formats: [CredentialFormat], types: [[String]], claims: [Claim], claimSets: [[Int]] = []
    ) {
        self.id = id
        self.formats = formats
        self.types = types
        self.claims = claims
        self.claimSets = claimSets
    }

    /// The claims that are required and that a credential does not hold, in the order of the query: the alternative
    /// that lacks the fewest.
    public func missing(in claims: JSONValue) -> [Claim] {
        let missing = alternatives.map { $0.filter { !$0.isOptional && !$0.isMet(by: claims) } }
        return missing.min { $0.count < $1.count } ?? []
    }

    /// The claims that an answer with a credential shows: those that were asked for and are there, of the first
    /// alternative that the credential has.
    public func shown(of claims: JSONValue) -> [Claim] {
        let whole = alternatives.first { $0.allSatisfy { $0.isOptional || $0.isMet(by: claims) } }
        return (whole ?? self.claims).filter { $0.isMet(by: claims) }
    }

    private var alternatives: [[Claim]] {
        claimSets.isEmpty ? [claims] : claimSets.map { $0.map { claims[$0] } }
    }

    /// Returns true when the query asks for credentials of this format and these types.
    public func takes(_ format: CredentialFormat, types: [String]) -> Bool {
        guard formats.isEmpty || formats.contains(format) else { return false }
        return self.types.isEmpty || self.types.contains { $0.allSatisfy(types.contains) }
    }
}

/// A rule that the value of a claim must meet.
public indirect enum ClaimRule: Hashable, Sendable {
    /// The rule admits any value.
    case any
    /// The rule admits one of these values.
    case oneOf([JSONValue])
    /// The rule admits a number in a range; nil: without that end.
    case number(minimum: Double?, maximum: Double?)
    /// The rule admits a value of a kind: `string`, `number`, `integer`, `boolean`, `object`, `array`.
    case kind(String)
    /// The rule admits a text that the pattern is found in.
    case matches(TextPattern)
    /// The rule admits an array with an element that the inner rule admits.
    case contains(ClaimRule)
    /// The rule admits a value that meets all of these rules.
    case all([ClaimRule])

    /// Returns true when the rule admits the value.
    public func admits(_ value: JSONValue) -> Bool {
        switch self {
        case .any: true
        case .oneOf(let values): values.contains(value)
        case .number(let minimum, let maximum):
            value.number?.double.map { $0 >= minimum ?? -.infinity && $0 <= maximum ?? .infinity } ?? false
        case .kind(let kind): Self.isOf(kind, value)
        case .matches(let pattern): value.string.map(pattern.isFound) ?? false
        case .contains(let rule): value.array?.contains(where: rule.admits) ?? false
        case .all(let rules): rules.allSatisfy { $0.admits(value) }
        }
    }

    private static func isOf(_ kind: String, _ value: JSONValue) -> Bool {
        switch kind {
        case "string": value.string != nil
        case "number": value.number != nil
        case "integer": value.int != nil
        case "boolean": value.bool != nil
        case "object": value.object != nil
        case "array": value.array != nil
        default: false
        }
    }
}
