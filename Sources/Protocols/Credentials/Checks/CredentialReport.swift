public import JSON

/// The result of verifying a credential: every check with its outcome, and the verdict that follows.
public struct CredentialReport: Hashable, Sendable {
    /// The verdict about a credential that follows from its checks and the policy.
    public enum CredentialVerdict: String, CaseIterable, Hashable, Sendable {
        /// Every check that the policy requires passed, and no wanted one failed.
        case genuine
        /// A check that the policy requires or wants failed.
        case refused
        /// No required or wanted check failed, but a required one was not done.
        case notChecked = "not-checked"
    }

    /// The verdict about the holder: who presents the credential.
    public enum HolderBinding: String, CaseIterable, Hashable, Sendable {
        /// The presenter proved to be the holder, for this verifier and now.
        case proved
        /// There is no proof of the holder, or it could not be checked.
        case notShown = "not-shown"
        /// The proof of the holder is wrong, or a required one is missing.
        case refused
    }

    /// The validity of a credential at the time of the request.
    public enum CredentialValidity: String, CaseIterable, Hashable, Sendable {
        /// The time is within the validity, and the status list, if any, has no entry against the credential.
        case valid
        /// The credential has expired.
        case expired
        /// The credential is not valid yet.
        case notYetValid = "not-yet-valid"
        /// The issuer has suspended the credential.
        case suspended
        /// The issuer has revoked the credential.
        case revoked
        /// The times or the status could not be read, or the issuer of the credential is not proven.
        case notKnown = "not-known"
    }

    /// The format in which the credential was recognised.
    public let format: CredentialFormat
    /// The checks of the credential in the order of their kinds.
    public let checks: [CredentialCheck]
    /// The verdict that follows from the checks, and from the credentials inside a presentation.
    public let result: CredentialVerdict
    /// The verdict about the issuance: who issued the credential.
    ///
    /// Genuine where the signature, the issuer and trust in the issuer passed, and so did everything else that is
    /// neither the holder's nor of the time.
    public let issuance: CredentialVerdict
    /// The verdict about the holder; of a presentation, for all credentials inside.
    public let holder: HolderBinding
    /// The validity now; of a presentation, the worst of those inside.
    public let standing: CredentialValidity
    /// The statements of the credential; reliable only when `result` is genuine.
    public let content: CredentialContent
    /// The reports of the credentials inside a presentation.
    public let inner: [CredentialReport]

    /// Makes a report that judges the checks by `policy`.
    ///
    /// A presentation is as good as the worst of it and the credentials inside.
    public init(
        _ format: CredentialFormat, _ list: CredentialCheckList, policy: VerificationPolicy,
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

    /// Returns the check that decides a result other than genuine; nil when the checks of this report decide nothing.
    ///
    /// The first that failed, or else the first that was not done although the policy requires it, one with a cause
    /// before one that was only not reached.
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

    /// Returns the verdict about the holder of a presentation, whose signature is the holder's proof.
    private static func presenter(_ checks: [CredentialCheck], _ policy: VerificationPolicy) -> HolderBinding {
        let own = judge(checks, policy)
        return own == .refused ? .refused : own == .notChecked ? .notShown : holder(checks)
    }

    /// Returns true when a check has this code, here or in a credential inside.
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

/// The content of a credential for people and for `--explain`: issuer, subject, claims and signatures.
///
/// Nothing here is checked until the report says so.
public struct CredentialContent: Hashable, Sendable {
    /// One signature of the credential: its key, its algorithm and the part that it covers.
    public struct Signature: Hashable, Sendable {
        /// The identifier of the signing key: a DID URL, an address, a certificate's subject or a `kid`.
        public let key: String
        /// The name of the signature's algorithm.
        public let algorithm: String
        /// The part of the credential that the signature covers, in words such as `the whole token`.
        public let covers: String
        /// True when the signature verifies with that key over those bytes.
        public let isValid: Bool

        /// Makes the description of a signature from its parts.
        public init(key: String, algorithm: String, covers: String, isValid: Bool) {
            self.key = key
            self.algorithm = algorithm
            self.covers = covers
            self.isValid = isValid
        }
    }

    /// A picture that a mobile document contains as bytes.
    public struct Picture: Hashable, Sendable {
        /// The path of the picture's claim: namespace and element.
        public let path: [String]
        /// The bytes of the picture as received; they begin like a known picture format.
        public let bytes: [UInt8]

        /// Makes the description of a picture.
        public init(path: [String], bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// The period of validity in the signed members of the credential's format.
    ///
    /// Each end is as it is written there: a text such as `2026-01-15T00:00:00Z`, or seconds since 1970.
    public struct ValidityPeriod: Hashable, Sendable {
        /// The beginning of the validity; nil when it is absent or unreadable.
        public let from: JSONValue?
        /// The end of the validity; nil when it is absent or unreadable.
        public let until: JSONValue?

        /// Makes a period of validity from its ends.
        public init(from: JSONValue?, until: JSONValue?) {
            self.from = from
            self.until = until
        }
    }

    /// The entry of the trust store that allows an issuer to issue.
    public enum TrustStoreGrant: Hashable, Sendable {
        /// The entry of an issuer, or of a key for this issuer.
        case issuer(String)
        /// The entry of a root certificate, by the path of its file.
        case root(String)
        /// The entry of a list of authorities (VICAL).
        case authorityList
        /// The entry of a DID method, all of whose DIDs may issue.
        case method(String)
    }

    /// The issuer that the credential names in the signed member of its format.
    ///
    /// For others, the subject of the signer's certificate.
    public var issuer: String?
    /// The name that the trust store gives the issuer; nil where the issuer did not issue the credential.
    ///
    /// Never one that the credential claims for itself.
    public var issuerName: String?
    /// The entry of the trust store that allows this issuance; nil until the check of trust passed.
    public var authority: TrustStoreGrant?
    /// The member `cnf`, with the key of the holder (RFC 7800); nil for a credential without one.
    public var confirmation: JSONValue?
    /// The holder that a presentation names, or the subject of a credential.
    public var holder: String?
    /// The types of the credential: `type` of the W3C, `vct` of an SD-JWT VC, or the document type.
    public var types: [String] = []
    /// The claims of the credential after processing, as far as they could be read.
    public var claims: JSONValue?
    /// The claims of a mobile document that its device signed, and the issuer did not; nil where there are none.
    public var deviceClaims: JSONValue?
    /// The pictures that a mobile document contains as bytes, at most four, in its order; claims have only their sizes.
    public var pictures: [Picture] = []
    /// The period of validity; nil for a credential that could not be read.
    public var validity: ValidityPeriod?
    /// The signatures of the credential, the issuer's first.
    public var signatures: [Signature] = []
    /// Further facts for people, one sentence each: contexts with digests, names that no signature protects.
    public var notes: [String] = []

    /// Makes an empty content.
    public init() {}
}
