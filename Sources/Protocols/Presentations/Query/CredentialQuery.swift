public import Credentials
public import JSON

/// A query for one credential in a presentation request.
public struct CredentialQuery: Hashable, Sendable {
    /// A claim that a query asks for.
    public struct Claim: Hashable, Sendable {
        /// The paths to the claim, of which one must lead to a value.
        public let paths: [ClaimPath]
        /// The rule that the claim's value must meet.
        public let rule: ClaimRule
        /// True when an answer may omit the claim.
        public let isOptional: Bool

        /// Makes a claim of a query from its parts.
        public init(paths: [ClaimPath], rule: ClaimRule = .any, isOptional: Bool = false) {
            self.paths = paths
            self.rule = rule
            self.isOptional = isOptional
        }

        /// The name of the claim for people: its first path.
        public var name: String { paths.first.map { "\($0)" } ?? "" }

        /// Returns true when the claims of a credential have a value that meets this claim.
        public func isMet(by claims: JSONValue) -> Bool {
            paths.contains { $0.values(in: claims).contains(where: rule.admits) }
        }

        /// Returns the first path that leads to admitted values, with these values and their paths; nil for none.
        func place(in claims: JSONValue) -> (path: ClaimPath, values: [(path: [String], value: JSONValue)])? {
            for path in paths {
                let values = path.places(in: claims).filter { rule.admits($0.value) }
                if !values.isEmpty { return (path, values) }
            }
            return nil
        }
    }

    /// The id of the query in its request.
    public let id: String

    /// The accepted formats; empty for all.
    public let formats: [CredentialFormat]

    /// The lists of types, of which the credential must have all of one list; empty for any type.
    public let types: [[String]]

    /// The requested claims; empty for any credential.
    public let claims: [Claim]

    /// The alternative claim lists, the verifier's favourite first; empty asks for all claims.
    ///
    /// They are indexes of `claims`, of which all of one list suffice.
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

    /// Returns the required claims that a credential lacks, of the alternative with the fewest, in the query's order.
    public func missing(in claims: JSONValue) -> [Claim] {
        let missing = alternatives.map { $0.filter { !$0.isOptional && !$0.isMet(by: claims) } }
        return missing.min { $0.count < $1.count } ?? []
    }

    /// Returns the requested claims that an answer with a credential contains.
    ///
    /// They are those of the first alternative that the credential meets.
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
