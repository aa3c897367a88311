public import CodedErrors

/// A cause that stands in the report of a check, or why a value that a verifier needs could not be made.
///
/// Most are data of a `CredentialReport`: verifying does not throw, its checks carry these codes. The code says how the
/// check ends (`Code.outcome`): failed, or not done.
public struct CredentialError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// Bytes that must be JSON are none.
        case parseJSON = "credential.parse-json"
        /// An object or map has two members of one name.
        case parseDuplicateKey = "credential.parse-duplicate-key"
        /// A part is not written in the base 64, base 58 or multibase that its format asks for.
        case parseBase64 = "credential.parse-base64"
        /// Bytes that must be CBOR are none, or not the CBOR that the format asks for.
        case parseCBOR = "credential.parse-cbor"
        /// A text is not UTF-8.
        case parseUTF8 = "credential.parse-utf-8"
        /// The input is not in a known format of credentials.
        case formatUnknown = "credential.format-unknown"
        /// Bytes follow the end of the credential.
        case parseTrailing = "credential.parse-trailing"
        /// The input is larger than the limit.
        case limitInput = "credential.limit-input"
        /// Values lie deeper in one another than the limit allows.
        case limitDepth = "credential.limit-depth"
        /// There are more contexts, or more of them inside one another, than the limit allows.
        case limitContext = "credential.limit-context"
        /// The document makes more statements than the limit allows.
        case limitQuads = "credential.limit-quads"
        /// Bringing the statements into their canonical order takes more work than the limit allows.
        case limitRDFPoison = "credential.limit-rdf-poison"
        /// There are more disclosures than the limit allows.
        case limitDisclosures = "credential.limit-disclosures"
        /// The chain has more certificates than the limit allows.
        case limitCertificates = "credential.limit-certificates"
        /// There are more proofs, or more credentials in one presentation, than the limit allows.
        case limitProofs = "credential.limit-proofs"
        /// A member that the credential must have is not there.
        case vcMissingMember = "credential.vc-missing-member"
        /// A member of the credential is of another kind or value than its format allows.
        case vcType = "credential.vc-type"
        /// A member is null, which the signature does not cover.
        case vcNullMember = "credential.vc-null-member"
        /// The first context is not the one that the format asks for.
        case vcContextFirst = "credential.vc-context-first"
        /// A context is not pinned.
        case ctxUnpinned = "credential.ctx-unpinned"
        /// A context differs from the one that is pinned under its address.
        case ctxDigest = "credential.ctx-digest"
        /// A member inside the document brings a context of its own that is not pinned.
        case ctxNested = "credential.ctx-nested"
        /// The contexts of the proof are not the first ones of the document.
        case ctxProof = "credential.ctx-proof"
        /// Parts of the document are not covered by the signature.
        case ldTermDropped = "credential.ld-term-dropped"
        /// The document could be arranged otherwise with the same signature.
        case ldPlacement = "credential.ld-placement"
        /// Two names of claims mean the same to the signature, so their values can be swapped unseen.
        case ldLabelAmbiguous = "credential.ld-label-ambiguous"
        /// A context redefines a protected term.
        case ldProtected = "credential.ld-protected"
        /// A context uses a feature of JSON-LD that credentials do not need.
        case ldFeature = "credential.ld-feature"
        /// The proof has a member that its suite does not sign.
        case ldProofUnknownMember = "credential.ld-proof-unknown-member"
        /// The signature covers nothing of the proof's own members.
        case ldProofEmpty = "credential.ld-proof-empty"
        /// The document's contexts give the type of the proof another meaning than its suite.
        case ldProofAmbiguous = "credential.ld-proof-ambiguous"
        /// A proof names a previous proof that is not there, there twice, or itself.
        case ldChainBroken = "credential.ld-chain-broken"
        /// The header says that there is no signature.
        case algNone = "credential.alg-none"
        /// The algorithm is not one for this key or this proof.
        case algMismatch = "credential.alg-mismatch"
        /// The algorithm is none that this program knows.
        case algUnknown = "credential.alg-unknown"
        /// The algorithm or the key is too weak.
        case algWeak = "credential.alg-weak"
        /// The header demands something that is not understood, or demands it wrongly.
        case algCrit = "credential.alg-crit"
        /// The header says wrongly whether its payload is in base 64.
        case algB64 = "credential.alg-b64"
        /// The key that signed is not known.
        case keyUnresolved = "credential.key-unresolved"
        /// A key is not written as its form asks, or is written twice.
        case keyForm = "credential.key-form"
        /// The proof or the key is for another purpose.
        case keyPurpose = "credential.key-purpose"
        /// The issuer's document does not list the key for this purpose.
        case keyNotListed = "credential.key-not-listed"
        /// A key document belongs to another than was asked for.
        case keyController = "credential.key-controller"
        /// A key document holds a private key.
        case keyPrivate = "credential.key-private"
        /// The key was revoked or had expired.
        case keyRevoked = "credential.key-revoked"
        /// A key is not a point of its curve.
        case keyCurve = "credential.key-curve"
        /// The key that signed is not one of the issuer that the credential names.
        case issMismatch = "credential.iss-mismatch"
        /// The trust file does not name the issuer.
        case trustIssuer = "credential.trust-issuer"
        /// The signature is not one of this key over these bytes.
        case sigInvalid = "credential.sig-invalid"
        /// The signature is not written as its algorithm asks.
        case sigForm = "credential.sig-form"
        /// A part of the SD-JWT does not follow its format.
        case sdMalformed = "credential.sd-malformed"
        /// The header does not say that this is an SD-JWT credential.
        case sdTyp = "credential.sd-typ"
        /// The digest algorithm of the disclosures is not known.
        case sdAlg = "credential.sd-alg"
        /// A disclosure is not one that the issuer signed.
        case sdDisclosureUnreferenced = "credential.sd-disclosure-unreferenced"
        /// A disclosure is there twice.
        case sdDisclosureDoubled = "credential.sd-disclosure-doubled"
        /// A digest of a disclosure is there twice.
        case sdDigestDoubled = "credential.sd-digest-doubled"
        /// Two claims at one level have one name.
        case sdNameClash = "credential.sd-name-clash"
        /// A claim has a name that the format reserves.
        case sdReserved = "credential.sd-reserved"
        /// A claim that must be plain came from a disclosure.
        case sdClaimDisclosed = "credential.sd-claim-disclosed"
        /// The credential is of another type than was asked for.
        case sdVct = "credential.sd-vct"
        /// The proof of the holder's key is required and not there.
        case kbMissing = "credential.kb-missing"
        /// The holder's proof could not be checked, because the nonce or the session that it answers is not known here.
        case kbUnchecked = "credential.kb-unchecked"
        /// The token that should prove the holder's key is of another type.
        case kbTyp = "credential.kb-typ"
        /// The holder's proof is for another nonce.
        case kbNonce = "credential.kb-nonce"
        /// The holder's proof is for another verifier.
        case kbAud = "credential.kb-aud"
        /// The holder's proof was not made at this time.
        case kbIat = "credential.kb-iat"
        /// The holder's proof is for another selection of claims.
        case kbHash = "credential.kb-hash"
        /// The holder's proof is signed with another key than the credential names.
        case kbSig = "credential.kb-sig"
        /// The credential names the holder's key twice, or in a form that is not known.
        case kbKey = "credential.kb-key"
        /// The token is not built as its format asks.
        case jwtForm = "credential.jwt-form"
        /// The token is of a type that is not a credential.
        case jwtTyp = "credential.jwt-typ"
        /// A claim of the token and the member of the credential that means the same differ.
        case jwtMapping = "credential.jwt-mapping"
        /// The header names another certificate than the one that signed.
        case jwtX5t = "credential.jwt-x5t"
        /// The mobile document is not built as its format asks.
        case mdForm = "credential.md-form"
        /// The digest algorithm is not one of SHA-256, SHA-384 and SHA-512.
        case mdAlg = "credential.md-alg"
        /// An element is not the one that the issuer signed.
        case mdDigest = "credential.md-digest"
        /// The issuer signed no digest for an element.
        case mdDigestMissing = "credential.md-digest-missing"
        /// An element or its digest is there twice.
        case mdDoubled = "credential.md-doubled"
        /// The document is of another type than was signed or asked for.
        case mdDoctype = "credential.md-doctype"
        /// The document has a version that is not known.
        case mdVersion = "credential.md-version"
        /// The issuing country or state is not that of the certificate.
        case mdCountry = "credential.md-country"
        /// The document was signed at a time when its certificate was not valid.
        case mdSignedTime = "credential.md-signed-time"
        /// The device signed an element that its key is not authorised for.
        case mdKeyAuth = "credential.md-key-auth"
        /// The certificates do not form a chain.
        case x5Chain = "credential.x5-chain"
        /// No root of the trust file ends the chain.
        case x5Anchor = "credential.x5-anchor"
        /// The signer's certificate is signed by its own key alone and not pinned.
        case x5SelfSigned = "credential.x5-self-signed"
        /// A certificate of the chain has expired.
        case x5Expired = "credential.x5-expired"
        /// A certificate of the chain is not valid yet.
        case x5NotYet = "credential.x5-not-yet"
        /// The signer's certificate is for another purpose.
        case x5Eku = "credential.x5-eku"
        /// A certificate's key may not be used for this.
        case x5Ku = "credential.x5-ku"
        /// A certificate that may not issue others has issued one.
        case x5Ca = "credential.x5-ca"
        /// The chain is longer than one of its certificates allows.
        case x5PathLen = "credential.x5-path-len"
        /// A certificate demands something that is not understood.
        case x5Critical = "credential.x5-critical"
        /// The names of two certificates, or of the certificate and the issuer, do not match.
        case x5Name = "credential.x5-name"
        /// A certificate is not signed by the one above it.
        case x5Sig = "credential.x5-sig"
        /// A certificate has a key or signature that is too weak.
        case x5Weak = "credential.x5-weak"
        /// A certificate breaks a rule of its profile.
        case x5Profile = "credential.x5-profile"
        /// A certificate of the chain was revoked.
        case x5Revoked = "credential.x5-revoked"
        /// The credential or its proof has expired.
        case timeExpired = "credential.time-expired"
        /// The credential or its proof is not valid yet.
        case timeFuture = "credential.time-future"
        /// A time is not written as its format asks.
        case timeFormat = "credential.time-format"
        /// A period of validity ends before it begins.
        case timeOrder = "credential.time-order"
        /// The issuer has revoked the credential.
        case stRevoked = "credential.st-revoked"
        /// The issuer has suspended the credential.
        case stSuspended = "credential.st-suspended"
        /// The status list that the credential names is not at hand.
        case stUnknown = "credential.st-unknown"
        /// The status list at hand is too old.
        case stStale = "credential.st-stale"
        /// The status list has no entry for the credential.
        case stRange = "credential.st-range"
        /// The status list is shorter than its format allows.
        case stLength = "credential.st-length"
        /// The status list is for another purpose.
        case stPurpose = "credential.st-purpose"
        /// The status list is another than the credential names.
        case stUri = "credential.st-uri"
        /// The status list is not signed by one who may.
        case stSig = "credential.st-sig"
        /// The status list grows beyond the limit when it is decompressed.
        case stBomb = "credential.st-bomb"
        /// The status list or the reference to it does not follow its format.
        case stForm = "credential.st-form"
        /// The presentation is for another challenge.
        case vpChallenge = "credential.vp-challenge"
        /// The presentation or the token is for another verifier.
        case vpDomain = "credential.vp-domain"
        /// The presentation is not signed by the holder that it names.
        case vpHolder = "credential.vp-holder"
        /// The presenter did not prove to be the one that the credential is about.
        case holderUnbound = "credential.holder-unbound"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for people, with nothing of the claims in it; not for comparison.
    public let reason: String

    /// Where in the input the cause lies; nil where that is not known, or all of it.
    public let location: CheckLocation?

    /// Makes an error with its code, a sentence about the cause and its place.
    public init(_ code: Code, _ reason: String, at location: CheckLocation? = nil) {
        self.code = code
        self.reason = reason
        self.location = location
    }

    /// The code, the sentence and the place.
    public var description: String {
        let place = location.map { " at \($0)" } ?? ""
        return "\(code.rawValue): \(reason)\(place)"
    }
}
