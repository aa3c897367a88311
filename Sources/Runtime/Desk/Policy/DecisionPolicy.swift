public import Credentials
import JSON

/// The decisions of a desk without a person: rules that accept genuine credentials, and the rule for all others.
///
/// Shape: JSON such as `{"accept": [{"issuers": ["did:web:a.example"], "types": ["FarmerCredential"], "checks":
/// ["status", "holder"]}], "otherwise": "ask"}`. A rule accepts a genuine credential of one of its issuers and one of
/// its types, of which each of its checks passed; what a rule leaves out counts for nothing. Nothing else is ever
/// accepted without a person. An issuer is named by its identifier, or by the path of its root as the trust file writes
/// it, such as `iaca.pem`; a mobile document by its root alone. `otherwise` is `ask` or `reject`; unknown names refuse
/// the file. At most 64 KiB.
public struct DecisionPolicy: Hashable, Sendable {
    /// The decision of the policy about a credential.
    public enum PolicyDecision: String, CaseIterable, Sendable {
        /// The credential is accepted.
        case accept
        /// The credential is rejected.
        case reject
        /// A person decides.
        case ask
    }

    /// The most bytes of a policy file.
    public static let maximumBytes = 64 << 10

    private struct Rule: Hashable, Sendable {
        var issuers: [String]?
        var types: [String]?
        var checks: [CredentialCheck.Kind] = []

        /// True when a credential matches the rule; `presentation` has the checks of the one around it, nil for none.
        func fits(_ report: CredentialReport, in presentation: [CredentialCheck]?) -> Bool {
            let content = report.content
            if let issuers, !issuers.contains(where: { Self.names($0, content) }) { return false }
            // A DID method names no issuer, so a rule without issuers does not accept by it.
            if issuers == nil, case .method? = content.authority { return false }
            let hasType = { (type: String) in content.types.contains { $0.utf8.elementsEqual(type.utf8) } }
            if let types, !types.contains(where: hasType) { return false }
            return checks.allSatisfy { kind in
                let found = Self.checks(of: kind, report.checks, in: presentation)
                return !found.isEmpty && found.allSatisfy { $0.outcome == .passed }
            }
        }

        /// True when a word of a rule is the issuer of a credential: its identifier, or the path of the root above it.
        ///
        /// The subject of a certificate is no name, because another root's signer can have the same.
        private static func names(_ word: String, _ content: CredentialContent) -> Bool {
            if case .root(let path)? = content.authority, !path.isEmpty, path.utf8.elementsEqual(word.utf8) {
                return true
            }
            let isIdentifier = ["did:", "https://", "http://", "urn:"].contains { word.utf8.starts(with: $0.utf8) }
            return isIdentifier && content.issuer?.utf8.elementsEqual(word.utf8) == true
        }

        /// The checks of a kind that must pass, of a credential and of the presentation that it came in.
        ///
        /// The presentation is what proves the holder of a credential in it: what the credential could not say of its
        /// presenter does not count, but what failed does.
        private static func checks(
            of kind: CredentialCheck.Kind, _ own: [CredentialCheck], in presentation: [CredentialCheck]?
        ) -> [CredentialCheck] {
            let own = own.filter { $0.kind == kind }
            guard let presentation else { return own }
            let isProof = kind == .holder
            return presentation.filter { $0.kind == kind } + own.filter { !isProof || $0.outcome == .failed }
        }
    }

    private var rules: [Rule] = []
    private var otherwise = PolicyDecision.ask

    /// The policy without rules: a person decides about everything.
    public init() {}

    /// Reads a policy file.
    ///
    /// - Throws: `desk.policy-malformed`.
    public init(parsing bytes: [UInt8]) throws(StationError) {
        let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 8)
        guard let object = (try? JSONValue(parsing: bytes, limits: limits))?.object else {
            throw Self.error("It is not a JSON object of at most 64 KiB.")
        }
        for member in object {
            switch member.name {
            case "accept":
                guard let list = member.value.array else { throw Self.error("“accept” is not a list.") }
                for entry in list { rules.append(try Self.rule(entry)) }
            case "otherwise":
                guard let word = member.value.string.flatMap(PolicyDecision.init), word != .accept else {
                    throw Self.error("“otherwise” is neither “ask” nor “reject”.")
                }
                otherwise = word
            default: throw Self.error("It knows no “\(DisplayText(member.name, limit: 40).text)”.")
            }
        }
    }

    /// Decides by the reports of the verification.
    ///
    /// All credentials of a payload must be genuine, and each must fit a rule.
    public func outcome(of reports: [CredentialReport]) -> PolicyDecision {
        guard !reports.isEmpty, reports.allSatisfy({ $0.result == .genuine }) else { return otherwise }
        let fit = reports.allSatisfy { report in
            guard !report.inner.isEmpty else { return rules.contains { $0.fits(report, in: nil) } }
            return report.inner.allSatisfy { inner in rules.contains { $0.fits(inner, in: report.checks) } }
        }
        return fit ? .accept : otherwise
    }

    private static func rule(_ value: JSONValue) throws(StationError) -> Rule {
        guard let object = value.object else { throw error("A rule is not an object.") }
        var rule = Rule()
        for member in object {
            guard let list = member.value.array, list.allSatisfy({ $0.string != nil }) else {
                throw error("A member of a rule is not a list of texts.")
            }
            let texts = list.compactMap(\.string)
            switch member.name {
            case "issuers": rule.issuers = texts
            case "types": rule.types = texts
            case "checks":
                for text in texts {
                    guard let kind = CredentialCheck.Kind(rawValue: text) else {
                        throw error("There is no check “\(DisplayText(text, limit: 40).text)”.")
                    }
                    rule.checks.append(kind)
                }
            default: throw error("A rule knows no “\(DisplayText(member.name, limit: 40).text)”.")
            }
        }
        return rule
    }

    private static func error(_ reason: String) -> StationError { StationError(.policyMalformed, reason) }
}
