extension CredentialErrorCode {
    /// The kind of check that usually finds this cause.
    public var kind: CredentialCheck.Kind {
        switch self {
        case .formatUnknown, .parseJSON, .parseDuplicateKey, .parseBase64, .parseCBOR, .parseUTF8, .parseTrailing,
            .limitInput, .limitDepth, .codeForeign, .codeLimitText, .codeLimitSize, .codeLimitClaims, .codeBase45,
            .codeCompression, .codeContent, .codeNotJSON, .codeEncrypted, .codeAadhaar, .codeHealthCard:
            .parse
        case .limitProofs, .vcMissingMember, .vcType, .vcContextFirst, .sdMalformed, .jwtForm, .jwtMapping, .mdForm,
            .mdVersion:
            .form
        case .limitContext, .ctxUnpinned, .ctxDigest, .ctxNested, .ctxProof, .ldProtected, .ldFeature:
            .contexts
        case .limitQuads, .limitRDFPoison, .vcNullMember, .ldTermDropped, .ldPlacement, .ldProofUnknownMember,
            .ldProofEmpty, .ldProofAmbiguous:
            .coverage
        case .ldLabelAmbiguous:
            .labels
        case .algNone, .algMismatch, .algUnknown, .algWeak, .algCrit, .algB64:
            .algorithm
        case .keyUnresolved, .keyForm, .keyController, .keyPrivate, .keyRevoked, .keyCurve:
            .key
        case .keyPurpose, .keyNotListed:
            .keyPurpose
        case .issMismatch, .mdCountry:
            .issuer
        case .trustIssuer:
            .trust
        case .ldChainBroken, .sigInvalid, .sigForm:
            .signature
        case .limitDisclosures, .sdAlg, .sdDisclosureUnreferenced, .sdDisclosureDoubled, .sdDigestDoubled,
            .sdNameClash, .sdReserved, .sdClaimDisclosed, .mdAlg, .mdDigest, .mdDigestMissing, .mdDoubled:
            .digests
        case .sdTyp, .sdVct, .jwtTyp, .mdDoctype:
            .type
        case .mdSignedTime, .timeExpired, .timeFuture, .timeFormat, .timeOrder:
            .time
        case .limitCertificates, .jwtX5t, .x5Chain, .x5Anchor, .x5SelfSigned, .x5Expired, .x5NotYet, .x5Eku, .x5Ku,
            .x5Ca, .x5PathLen, .x5Critical, .x5Name, .x5Sig, .x5Weak, .x5Profile, .x5Revoked:
            .chain
        case .stRevoked, .stSuspended, .stUnknown, .stStale, .stRange, .stLength, .stPurpose, .stUri, .stSig,
            .stBomb, .stForm:
            .status
        case .kbMissing, .kbUnchecked, .kbTyp, .kbNonce, .kbAud, .kbIat, .kbHash, .kbSig, .kbKey, .mdKeyAuth,
            .vpChallenge,
            .vpDomain, .vpHolder, .holderUnbound:
            .holder
        }
    }
}
