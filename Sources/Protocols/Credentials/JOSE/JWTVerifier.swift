import JSON

/// Verifies a W3C credential or presentation that is a JSON Web Token.
///
/// Source: W3C VCDM 1.1, section 6.3.1 (`typ` JWT, claim `vc` or `vp`); Securing Verifiable Credentials using JOSE and
/// COSE (`vc+jwt`, `vp+jwt`, where the payload is the credential).
public struct JWTVerifier: Sendable {
    private let request: VerificationRequest
    private let isInner: Bool

    /// Makes a verifier; one inside a presentation refuses presentations.
    init(_ request: VerificationRequest, isInner: Bool = false) {
        self.request = request
        self.isInner = isInner
    }

    /// Makes a verifier of W3C tokens for a request.
    public init(_ request: VerificationRequest) { self.init(request, isInner: false) }

    /// The shape of a token: its kind, version and content.
    struct TokenShape {
        let version: W3CMemberChecks.Version
        let isPresentation: Bool
        /// The credential or presentation in the token.
        let object: JSONObject
    }

    /// Verifies a token in three parts; errors are in the report, never thrown.
    public func verify(_ bytes: [UInt8]) -> CredentialReport {
        var list = CredentialCheckList()
        var content = CredentialContent()
        let parsed = list.attempt { () throws(CredentialError) -> (CompactJWS, JSONObject) in
            let token = try CompactJWS(parsing: bytes, limits: request.policy.limits)
            return (token, try token.claims(request.policy.limits))
        }
        guard let (token, claims) = parsed else { return report(list, content) }
        list.pass(.parse, "The token and its parts are well formed.")
        let found = list.attempt { () throws(CredentialError) in try shape(of: token, claims) }
        guard let shape = found else {
            // Without a shape nothing is known of the claims; whether the token is signed at all still can be said.
            _ = list.attempt { () throws(CredentialError) in try token.algorithm() }
            return report(list, content)
        }
        if shape.isPresentation {
            let inner = PresentationTokenCheck(token, claims: claims, shape: shape, request: request).check(
                into: &list, &content)
            return report(list, content, inner: inner)
        }
        check(token, claims, shape, into: &list, &content)
        list.recordNoHolder(isBound: content.confirmation != nil, isInner: isInner, request.policy)
        return report(list, content)
    }

    private func report(
        _ list: CredentialCheckList, _ content: CredentialContent, inner: [CredentialReport] = []
    ) -> CredentialReport {
        CredentialReport(.jwt, list, policy: request.policy, content: content, inner: inner)
    }

    /// Records every check of a credential except that of its holder.
    func check(
        _ token: CompactJWS, _ claims: JSONObject, _ shape: TokenShape, into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) {
        let members = W3CMemberChecks(object: TokenClaimComparison.rebuilt(claims, shape))
        let isMapped: Void? = list.attempt { () throws(CredentialError) in
            try TokenClaimComparison.check(claims, against: shape)
        }
        let outside: Set<String> = isMapped != nil && claims["nbf"] != nil ? ["issuanceDate"] : []
        members.check(shape.version, isPresentation: false, outside: outside, into: &list)
        members.checkType(request.policy, into: &list)
        content.issuer = members.issuer
        content.types = members.types
        content.holder = members.subjects.first
        content.claims = .object(members.object)
        // The contexts matter to readers of the claims, not to the signature, which covers the JSON.
        content.notes.append("The contexts were not looked at, because the signature covers the JSON.")
        let claim = TokenSignatureCheck.SignatureClaims(
            issuer: members.issuer, types: members.types, purpose: .assertionMethod,
            signedAt: claims["iat"]?.number?.double)
        let key = TokenSignatureCheck(token, claim: claim, request: request).check(into: &list, &content)
        TokenTimeChecks.check(claims, request, into: &list)
        members.checkTimes(request, into: &list)
        members.checkContexts(request, into: &list)
        checkStatus(claims, members, key, into: &list)
        checkAudience(claims, into: &list)
        content.confirmation = claims["cnf"] ?? members.object["cnf"]
        content.validity = members.validity ?? TokenTimeChecks.validity(claims)
    }

    /// Checks the status, which a token may state like W3C credentials, like tokens, or in both ways.
    private func checkStatus(
        _ claims: JSONObject, _ members: W3CMemberChecks, _ key: ResolvedKey?, into list: inout CredentialCheckList
    ) {
        let entry = members.object["credentialStatus"]
        if entry != nil || claims["status"] == nil {
            CredentialStatusCheck(request).check(credentialStatus: entry, issuer: members.issuer, into: &list)
        }
        if claims["status"] != nil {
            let signer = CredentialSigner(identifiers: [members.issuer].compactMap { $0 }, key: key)
            CredentialStatusCheck(request).check(claims: claims, signer: signer, into: &list)
        }
    }

    /// Records an error when the token names audiences without this verifier (RFC 7519, section 4.1.3).
    private func checkAudience(_ claims: JSONObject, into list: inout CredentialCheckList) {
        guard let audience = request.policy.audience, let given = claims["aud"] else { return }
        guard !W3CMemberChecks.texts(given).containsExactly(audience) else { return }
        list.fail(.vpDomain, "The token is for another verifier.", at: .pointer("/aud"))
    }

    /// Returns the shape of the token.
    ///
    /// Throws `credential.jwt-typ` for a type that is none of a credential or presentation, and `credential.jwt-form`
    /// when the claims are not those of the type.
    private func shape(of token: CompactJWS, _ claims: JSONObject) throws(CredentialError) -> TokenShape {
        let types = W3CMemberChecks(object: claims).types
        switch token.type {
        case "vc+jwt", "vc+ld+jwt":
            guard claims["vc"] == nil, claims["vp"] == nil else {
                throw CredentialError(.jwtForm, "A token of this type has no claim vc or vp.")
            }
            guard !types.contains("VerifiablePresentation") else {
                throw CredentialError(.jwtTyp, "A token for credentials holds a presentation.")
            }
            return TokenShape(version: .two, isPresentation: false, object: claims)
        case "vp+jwt", "vp+ld+jwt":
            guard !isInner, types.contains("VerifiablePresentation") else {
                throw CredentialError(.jwtTyp, "A token for presentations holds none, or stands inside another.")
            }
            guard claims["vc"] == nil, claims["vp"] == nil else {
                throw CredentialError(.jwtForm, "A token of this type has no claim vc or vp.")
            }
            return TokenShape(version: .two, isPresentation: true, object: claims)
        case "JWT",
            nil where token.header["typ"] == nil:
            return try formerShape(of: token, claims)
        default:
            throw CredentialError(.jwtTyp, "The token is of a type that is not a credential.")
        }
    }

    private func formerShape(of token: CompactJWS, _ claims: JSONObject) throws(CredentialError) -> TokenShape {
        switch (claims["vc"], claims["vp"]) {
        case (.object(let object)?, nil): return TokenShape(version: .one, isPresentation: false, object: object)
        case (nil, .object(let object)?):
            guard !isInner else {
                throw CredentialError(.jwtTyp, "A presentation stands inside another.")
            }
            return TokenShape(version: .one, isPresentation: true, object: object)
        default:
            guard token.type != nil || claims["@context"] == nil else {
                throw CredentialError(.jwtTyp, "A credential without the claim vc says its type in the header.")
            }
            throw CredentialError(.jwtForm, "The token has not exactly one of the claims vc and vp.")
        }
    }
}
