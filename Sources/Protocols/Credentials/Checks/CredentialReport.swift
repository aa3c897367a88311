public import JSON

/// The answer of a verifier: every check with its outcome, and what follows from them.
public struct CredentialReport: Hashable, Sendable {
    /// The verdict that follows from the checks under the policy.
    public enum CredentialVerdict: String, CaseIterable, Hashable, Sendable {
        /// Every check that the policy requires passed, and no wanted one failed.
        case genuine
        /// A check that the policy requires or wants failed.
        case refused
        /// No such check failed, but one that the policy requires was not done.
        case notChecked = "not-checked"
    }

    /// The answer to who presents the credential.
    public enum HolderBinding: String, CaseIterable, Hashable, Sendable {
        /// The presenter proved, for this verifier and now, to be the holder.
        case proved
        /// There is no proof of the holder, or none that could be checked.
        case notShown = "not-shown"
        /// The proof of the holder is wrong, or one is demanded and missing.
        case refused
    }

    /// The answer to how a credential stands at the time of the request.
    public enum CredentialValidity: String, CaseIterable, Hashable, Sendable {
        /// The time lies in its validity, and its status list, if it names one, says nothing against it.
        case valid
        /// The credential has expired.
        case expired
        /// The credential is not valid yet.
        case notYetValid = "not-yet-valid"
        /// The issuer has suspended the credential.
        case suspended
        /// The issuer has revoked the credential.
        case revoked
        /// Its times or its status could not be read, or it is not known to be of its issuer.
        case notKnown = "not-known"
    }

    /// The format in which the credential was recognised.
    public let format: CredentialFormat
    /// The checks in the order of their kinds.
    public let checks: [CredentialCheck]
    /// The verdict that follows from the checks, and from the credentials inside.
    public let result: CredentialVerdict
    /// The answer to who issued it: genuine where the signature, the issuer and trust in the issuer passed, and so did
    /// everything else that is neither the holder's nor of the time.
    public let issuance: CredentialVerdict
    /// The answer to who presents it; of a presentation, for all credentials inside.
    public let holder: HolderBinding
    /// The answer to how it stands now; of a presentation, the worst of those inside.
    public let standing: CredentialValidity
    /// The statements of the credential; to be relied upon only where `result` is genuine.
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
        self.inner = inner
        result = Self.worst([Self.judge(checks, policy)] + inner.map(\.result))
        if inner.isEmpty {
            issuance = Self.judge(checks, policy) { $0 != .holder && $0 != .status && $0 != .time }
            standing = Self.standing(checks, isIssued: issuance == .genuine)
            holder = Self.holder(checks)
        } else {
            issuance = Self.worst(inner.map(\.issuance))
            let standings = inner.map(\.standing)
            standing = CredentialValidity.allCases.last(where: standings.contains) ?? .notKnown
            // A response with several documents has no holder of its own.
            let isPresentation = checks.contains { $0.kind == .signature }
            let own = isPresentation ? Self.presenter(checks, policy) : .proved
            let holders = [own] + inner.map(\.holder).filter { !isPresentation || $0 == .refused }
            holder = holders.contains(.refused) ? .refused : holders.contains(.notShown) ? .notShown : .proved
        }
        var content = content
        if issuance != .genuine { content.issuerName = nil }
        self.content = content
    }

    /// The check that decides a result other than genuine: the first that failed, or else the first that was not done
    /// although the policy requires it, one with a cause before one that was only not reached; nil when the checks of
    /// this report decide nothing.
    public func decisiveCheck(under policy: VerificationPolicy) -> CredentialCheck? {
        if let failed = checks.first(where: { Self.judge([$0], policy) == .refused }) { return failed }
        let open = checks.filter { Self.judge([$0], policy) == .notChecked }
        return open.first { $0.code != nil } ?? open.first
    }

    private static func worst(_ results: [CredentialVerdict]) -> CredentialVerdict {
        results.contains(.refused) ? .refused : results.contains(.notChecked) ? .notChecked : .genuine
    }

    private static func standing(_ checks: [CredentialCheck], isIssued: Bool) -> CredentialValidity {
        var (isTimeKnown, isStatusOpen) = (false, false)
        var failed: [CredentialError.Code?] = []
        for index in checks.indices {
            switch (checks[index].kind, checks[index].outcome) {
            case (.time, .failed), (.status, .failed): failed.append(checks[index].code)
            case (.time, .passed): isTimeKnown = true
            case (.status, .notDone): if checks[index].code != nil { isStatusOpen = true }
            default: break
            }
        }
        guard failed.isEmpty else {
            let found: [(CredentialError.Code, CredentialValidity)] = [
                (.stRevoked, .revoked), (.stSuspended, .suspended), (.timeExpired, .expired),
                (.timeFuture, .notYetValid),
            ]
            return found.first { failed.contains($0.0) }?.1 ?? .notKnown
        }
        return isTimeKnown && !isStatusOpen && isIssued ? .valid : .notKnown
    }

    private static func holder(_ checks: [CredentialCheck]) -> HolderBinding {
        var (isChecked, isOpen) = (false, false)
        for index in checks.indices where checks[index].kind == .holder {
            switch checks[index].outcome {
            case .failed: return .refused
            case .passed: isChecked = true
            case .notDone: isOpen = true
            }
        }
        return isChecked && !isOpen ? .proved : .notShown
    }

    /// The answer of a presentation, whose signature is the proof of the holder.
    private static func presenter(_ checks: [CredentialCheck], _ policy: VerificationPolicy) -> HolderBinding {
        let own = judge(checks, policy)
        return own == .refused ? .refused : own == .notChecked ? .notShown : holder(checks)
    }

    /// Returns true when a check carries this code, here or in a credential inside.
    public func carries(_ code: CredentialError.Code) -> Bool {
        checks.contains { $0.code == code } || inner.contains { $0.carries(code) }
    }

    private static func judge(
        _ checks: [CredentialCheck], _ policy: VerificationPolicy,
        counting isCounted: (CredentialCheck.Kind) -> Bool = { _ in true }
    ) -> CredentialVerdict {
        var result = CredentialVerdict.genuine
        for index in checks.indices where isCounted(checks[index].kind) {
            switch (checks[index].outcome, policy.demand(on: checks[index].kind)) {
            case (.failed, .required), (.failed, .wanted): return .refused
            case (.failed, .named): return .refused
            case (.notDone, .required): result = .notChecked
            case (.notDone, .named): if checks[index].code != nil { result = .notChecked }
            case (.passed, _), (.notDone, .wanted), (_, .reported): break
            }
        }
        return result
    }
}

/// The statements of a credential about its issuer, its subject and its signatures, for people and for `--explain`.
///
/// Nothing here is checked until the report says so.
public struct CredentialContent: Hashable, Sendable {
    /// One signature of the credential: its key, its algorithm and the part that it covers.
    public struct Signature: Hashable, Sendable {
        /// The identifier of the key: a DID URL, an address, a certificate's subject or a `kid`.
        public let key: String
        /// The name of the signature's algorithm.
        public let algorithm: String
        /// The part of the credential that the signature covers, in words: `the whole token`.
        public let covers: String
        /// True when the signature is one of that key over those bytes.
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

    /// The period of validity that the signed members of the very format state, each end as it is written there: a text
    /// such as `2026-01-15T00:00:00Z`, or seconds since 1970.
    public struct ValidityPeriod: Hashable, Sendable {
        /// The beginning; nil for none that can be read.
        public let from: JSONValue?
        /// The end; nil for none that can be read.
        public let until: JSONValue?

        /// Makes a period of validity.
        public init(from: JSONValue?, until: JSONValue?) {
            self.from = from
            self.until = until
        }
    }

    /// The line of the trust store by which an issuer may issue.
    public enum Authority: Hashable, Sendable {
        /// An entry, or a key, for this issuer.
        case issuer(String)
        /// A root certificate, by the path of its file.
        case root(String)
        /// A list of authorities (VICAL).
        case authorityList
        /// A DID method, whose every DID may issue.
        case method(String)
    }

    /// The issuer that the credential names in the signed member of its format, or the subject of its signer's
    /// certificate.
    public var issuer: String?
    /// The name that the trust store gives the issuer; never one that the credential claims for itself, and nil where
    /// the issuer did not issue it.
    public var issuerName: String?
    /// The line of the trust store that lets the issuer issue this; nil until the check of trust passed.
    public var authority: Authority?
    /// The member `cnf`, which names the key of the holder (RFC 7800); nil for a credential without one.
    public var confirmation: JSONValue?
    /// The holder that a presentation names, or the subject of a credential.
    public var holder: String?
    /// The types: `type` of a W3C credential, `vct` of an SD-JWT VC, the document type of a mobile document.
    public var types: [String] = []
    /// The claims after processing, as far as they could be read.
    public var claims: JSONValue?
    /// The pictures that a mobile document holds as bytes, in its order, at most four; the claims name their sizes.
    public var pictures: [Picture] = []
    /// The period of validity; nil for a credential that was not read.
    public var validity: ValidityPeriod?
    /// The signatures, the issuer's first.
    public var signatures: [Signature] = []
    /// More facts for people, a sentence each: contexts with their digests, labels that no signature protects.
    public var notes: [String] = []

    /// Makes a content that says nothing yet.
    public init() {}
}
