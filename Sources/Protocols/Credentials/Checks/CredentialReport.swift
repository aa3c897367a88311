public import JSON

/// The answer of a verifier: every check with its outcome, and what follows from them.
public struct CredentialReport: Hashable, Sendable {
    /// What the checks amount to under the policy.
    public enum Result: String, CaseIterable, Hashable, Sendable {
        /// Every check that the policy requires passed, and no wanted one failed.
        case genuine
        /// A check that the policy requires or wants failed.
        case refused
        /// No such check failed, but one that the policy requires was not done.
        case notChecked = "not-checked"
    }

    /// The format that was recognised.
    public let format: CredentialFormat
    /// The checks in the order of their kinds.
    public let checks: [CredentialCheck]
    /// What follows from the checks, and from the credentials inside.
    public let result: Result
    /// What the credential says; to be relied upon only where `result` is genuine.
    public let content: CredentialContent
    /// The credentials inside a presentation, each with its own checks.
    public let inner: [CredentialReport]

    /// Judges the checks by `policy`.
    ///
    /// A presentation is as good as the worst of it and the credentials inside.
    public init(
        _ format: CredentialFormat, _ list: CheckList, policy: VerificationPolicy,
        content: CredentialContent = CredentialContent(), inner: [CredentialReport] = []
    ) {
        self.format = format
        checks = list.checks(of: format.kinds)
        self.content = content
        self.inner = inner
        let results = [Self.judge(checks, policy)] + inner.map(\.result)
        result = results.contains(.refused) ? .refused : results.contains(.notChecked) ? .notChecked : .genuine
    }

    /// The first check that failed, or else the first one that was not done although the policy requires it; nil when
    /// the credential is genuine.
    public func decisiveCheck(under policy: VerificationPolicy) -> CredentialCheck? {
        let failed = checks.first { $0.outcome == .failed && policy.demand(on: $0.kind) != .reported }
        return failed ?? checks.first { $0.outcome == .notDone && policy.demand(on: $0.kind) == .required }
    }

    /// Whether a check carries this code, here or in a credential inside.
    public func carries(_ code: CredentialError.Code) -> Bool {
        checks.contains { $0.code == code } || inner.contains { $0.carries(code) }
    }

    private static func judge(_ checks: [CredentialCheck], _ policy: VerificationPolicy) -> Result {
        var result = Result.genuine
        for check in checks {
            switch (check.outcome, policy.demand(on: check.kind)) {
            case (.failed, .required), (.failed, .wanted): return .refused
            case (.notDone, .required): result = .notChecked
            case (.passed, _), (.notDone, .wanted), (_, .reported): break
            }
        }
        return result
    }
}

/// What a credential says of its issuer, its subject and its signatures, for people and for `--explain`.
///
/// Nothing here is checked until the report says so.
public struct CredentialContent: Hashable, Sendable {
    /// One signature: what was signed by which key.
    public struct Signature: Hashable, Sendable {
        /// The identifier of the key: a DID URL, an address, a certificate's subject or a `kid`.
        public let key: String
        /// The algorithm's name.
        public let algorithm: String
        /// What the signature covers, in words: `the whole token`.
        public let covers: String
        /// Whether the signature is one of that key over those bytes.
        public let isValid: Bool

        /// Makes the description of a signature.
        public init(key: String, algorithm: String, covers: String, isValid: Bool) {
            self.key = key
            self.algorithm = algorithm
            self.covers = covers
            self.isValid = isValid
        }
    }

    /// A picture that a mobile document holds as bytes.
    public struct Picture: Hashable, Sendable {
        /// The names of its claim, from the outside to the inside: namespace and element.
        public let path: [String]
        /// The bytes as they came; they begin as a picture does.
        public let bytes: [UInt8]

        /// Makes the description of a picture.
        public init(path: [String], bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// The period of validity that a mobile document keeps beside its claims, as it writes it: `2026-01-15T00:00:00Z`.
    public struct Validity: Hashable, Sendable {
        /// The beginning; nil for none that can be read.
        public let from: String?
        /// The end; nil for none that can be read.
        public let until: String?

        /// Makes a period.
        public init(from: String?, until: String?) {
            self.from = from
            self.until = until
        }
    }

    /// The issuer that the credential names.
    public var issuer: String?
    /// The holder that a presentation names, or the subject of a credential.
    public var holder: String?
    /// The types: `type` of a W3C credential, `vct` of an SD-JWT VC, the document type of a mobile document.
    public var types: [String] = []
    /// The claims after processing, as far as they could be read.
    public var claims: JSONValue?
    /// The pictures that a mobile document holds as bytes, in its order, at most four; the claims name their sizes.
    public var pictures: [Picture] = []
    /// The validity of a mobile document; nil for other formats, which keep it in their claims.
    public var validity: Validity?
    /// The signatures, the issuer's first.
    public var signatures: [Signature] = []
    /// More facts, a sentence each: contexts with their digests, labels that no signature protects.
    public var notes: [String] = []

    /// Makes a content that says nothing yet.
    public init() {}
}
