import JSON

/// Checks a presentation in a token: the holder's signature, and each credential inside.
struct PresentationTokenCheck {
    private let token: CompactJWS
    private let claims: JSONObject
    private let shape: JWTVerifier.TokenShape
    private let request: VerificationRequest

    init(
        _ token: CompactJWS, claims: JSONObject, shape: JWTVerifier.TokenShape, request: VerificationRequest
    ) {
        self.token = token
        self.claims = claims
        self.shape = shape
        self.request = request
    }

    /// Records every check of the presentation, and returns the reports of the credentials inside.
    func check(into list: inout CredentialCheckList, _ content: inout CredentialContent) -> [CredentialReport] {
        let members = W3CMemberChecks(object: TokenClaimComparison.rebuilt(claims, shape))
        list.attempt { () throws(CredentialError) in try TokenClaimComparison.check(claims, against: shape) }
        members.check(shape.version, isPresentation: true, into: &list)
        list.pass(.type, "The token is a presentation.")
        list.exclude(.trust)
        list.exclude(.status)
        content.types = members.types
        content.holder = members.holder ?? claims["iss"]?.string
        content.claims = .object(members.object)
        let claim = TokenSignatureCheck.SignatureClaims(
            issuer: content.holder, types: [], purpose: .authentication, signedAt: claims["iat"]?.number?.double)
        let key = TokenSignatureCheck(token, claim: claim, request: request).check(into: &list, &content)
        if content.holder == nil { list.exclude(.issuer) }
        TokenTimeChecks.check(claims, request, into: &list)
        checkChallenge(into: &list)
        let presented = PresentedCredentials(request)
        let inner = presented.reports(of: members.object, into: &list)
        if let key { presented.checkHolder(key, of: inner, into: &list) }
        return inner
    }

    /// Records whether the presentation was made for this verifier and now.
    ///
    /// A nonce alone does not say when the holder answered it.
    private func checkChallenge(into list: inout CredentialCheckList) {
        let policy = request.policy
        HolderChallengeCheck(
            nonce: claims["nonce"]?.string ?? claims["challenge"]?.string,
            audiences: W3CMemberChecks.texts(claims["aud"]),
            codes: (.vpChallenge, .vpDomain)
        ).check(policy, into: &list)
        guard policy.nonce != nil, let made = claims["iat"]?.number?.double,
            request.seconds - made > VerificationPolicy.holderProofSeconds + policy.toleranceSeconds
        else { return }
        list.fail(.kbIat, "The presentation was not made at this time.", at: .pointer("/iat"))
    }
}
