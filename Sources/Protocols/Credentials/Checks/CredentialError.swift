@_exported public import CodedErrors

/// A cause that stands in the report of a check, or why a value that a verifier needs could not be made.
///
/// Most are data of a `CredentialReport`: verifying does not throw, its checks carry these codes. The code says how the
/// check ends (`Code.outcome`): failed, or not done.
public typealias CredentialError = CodedFailure<CredentialErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum CredentialErrorCode: String, CaseIterable, Sendable {
    /// The place of the cause in the input.
    public typealias Detail = CheckLocation

    case parseJSON = "credential.parse-json"
    case parseDuplicateKey = "credential.parse-duplicate-key"
    case parseBase64 = "credential.parse-base64"
    case parseCBOR = "credential.parse-cbor"
    case parseUTF8 = "credential.parse-utf-8"
    case formatUnknown = "credential.format-unknown"
    case parseTrailing = "credential.parse-trailing"
    case limitInput = "credential.limit-input"
    case limitDepth = "credential.limit-depth"
    case limitContext = "credential.limit-context"
    case limitQuads = "credential.limit-quads"
    case limitRDFPoison = "credential.limit-rdf-poison"
    case limitDisclosures = "credential.limit-disclosures"
    case limitCertificates = "credential.limit-certificates"
    case limitProofs = "credential.limit-proofs"
    case vcMissingMember = "credential.vc-missing-member"
    case vcType = "credential.vc-type"
    case vcNullMember = "credential.vc-null-member"
    case vcContextFirst = "credential.vc-context-first"
    case ctxUnpinned = "credential.ctx-unpinned"
    case ctxDigest = "credential.ctx-digest"
    case ctxNested = "credential.ctx-nested"
    case ctxProof = "credential.ctx-proof"
    case ldTermDropped = "credential.ld-term-dropped"
    case ldPlacement = "credential.ld-placement"
    case ldLabelAmbiguous = "credential.ld-label-ambiguous"
    case ldProtected = "credential.ld-protected"
    case ldFeature = "credential.ld-feature"
    case ldProofUnknownMember = "credential.ld-proof-unknown-member"
    case ldProofEmpty = "credential.ld-proof-empty"
    case ldProofAmbiguous = "credential.ld-proof-ambiguous"
    case ldChainBroken = "credential.ld-chain-broken"
    case algNone = "credential.alg-none"
    case algMismatch = "credential.alg-mismatch"
    case algUnknown = "credential.alg-unknown"
    case algWeak = "credential.alg-weak"
    case algCrit = "credential.alg-crit"
    case algB64 = "credential.alg-b64"
    case keyUnresolved = "credential.key-unresolved"
    case keyForm = "credential.key-form"
    case keyPurpose = "credential.key-purpose"
    case keyNotListed = "credential.key-not-listed"
    case keyController = "credential.key-controller"
    case keyPrivate = "credential.key-private"
    case keyRevoked = "credential.key-revoked"
    case keyCurve = "credential.key-curve"
    case issMismatch = "credential.iss-mismatch"
    case trustIssuer = "credential.trust-issuer"
    case sigInvalid = "credential.sig-invalid"
    case sigForm = "credential.sig-form"
    case sdMalformed = "credential.sd-malformed"
    case sdTyp = "credential.sd-typ"
    case sdAlg = "credential.sd-alg"
    case sdDisclosureUnreferenced = "credential.sd-disclosure-unreferenced"
    case sdDisclosureDoubled = "credential.sd-disclosure-doubled"
    case sdDigestDoubled = "credential.sd-digest-doubled"
    case sdNameClash = "credential.sd-name-clash"
    case sdReserved = "credential.sd-reserved"
    case sdClaimDisclosed = "credential.sd-claim-disclosed"
    case sdVct = "credential.sd-vct"
    case kbMissing = "credential.kb-missing"
    case kbUnchecked = "credential.kb-unchecked"
    case kbTyp = "credential.kb-typ"
    case kbNonce = "credential.kb-nonce"
    case kbAud = "credential.kb-aud"
    case kbIat = "credential.kb-iat"
    case kbHash = "credential.kb-hash"
    case kbSig = "credential.kb-sig"
    case kbKey = "credential.kb-key"
    case jwtForm = "credential.jwt-form"
    case jwtTyp = "credential.jwt-typ"
    case jwtMapping = "credential.jwt-mapping"
    case jwtX5t = "credential.jwt-x5t"
    case mdForm = "credential.md-form"
    case mdAlg = "credential.md-alg"
    case mdDigest = "credential.md-digest"
    case mdDigestMissing = "credential.md-digest-missing"
    case mdDoubled = "credential.md-doubled"
    case mdDoctype = "credential.md-doctype"
    case mdVersion = "credential.md-version"
    case mdCountry = "credential.md-country"
    case mdSignedTime = "credential.md-signed-time"
    case mdKeyAuth = "credential.md-key-auth"
    case x5Chain = "credential.x5-chain"
    case x5Anchor = "credential.x5-anchor"
    case x5SelfSigned = "credential.x5-self-signed"
    case x5Expired = "credential.x5-expired"
    case x5NotYet = "credential.x5-not-yet"
    case x5Eku = "credential.x5-eku"
    case x5Ku = "credential.x5-ku"
    case x5Ca = "credential.x5-ca"
    case x5PathLen = "credential.x5-path-len"
    case x5Critical = "credential.x5-critical"
    case x5Name = "credential.x5-name"
    case x5Sig = "credential.x5-sig"
    case x5Weak = "credential.x5-weak"
    case x5Profile = "credential.x5-profile"
    case x5Revoked = "credential.x5-revoked"
    case timeExpired = "credential.time-expired"
    case timeFuture = "credential.time-future"
    case timeFormat = "credential.time-format"
    case timeOrder = "credential.time-order"
    case stRevoked = "credential.st-revoked"
    case stSuspended = "credential.st-suspended"
    case stUnknown = "credential.st-unknown"
    case stStale = "credential.st-stale"
    case stRange = "credential.st-range"
    case stLength = "credential.st-length"
    case stPurpose = "credential.st-purpose"
    case stUri = "credential.st-uri"
    case stSig = "credential.st-sig"
    case stBomb = "credential.st-bomb"
    case stForm = "credential.st-form"
    case vpChallenge = "credential.vp-challenge"
    case vpDomain = "credential.vp-domain"
    case vpHolder = "credential.vp-holder"
    case holderUnbound = "credential.holder-unbound"
}

extension CredentialErrorCode {
    /// The place of the cause.
    public static func place(of detail: CheckLocation) -> String? { "\(detail)" }
}

extension CredentialError {
    /// The place of the cause in the input; nil where that is not known, or all of it.
    public var location: CheckLocation? { detail }

    /// Makes an error with its code, a sentence without anything of the claims, and the place of the cause.
    public init(_ code: Code, _ reason: String, at location: CheckLocation?) {
        self.init(code, reason, detail: location)
    }
}
