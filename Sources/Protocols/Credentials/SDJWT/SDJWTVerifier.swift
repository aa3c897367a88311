import JSON

/// Verifies an SD-JWT VC, compact or in JSON, with or without the holder's proof.
///
/// Source: RFC 9901, section 7; draft-ietf-oauth-sd-jwt-vc, section 2.4.
public struct SDJWTVerifier: Sendable {
    private let request: VerificationRequest
    private let isInner: Bool

    /// Makes a verifier of SD-JWT VCs for a request.
    public init(_ request: VerificationRequest) { self.init(request, isInner: false) }

    /// Makes a verifier; inside a presentation, the presentation proves the holder.
    init(_ request: VerificationRequest, isInner: Bool) {
        self.request = request
        self.isInner = isInner
    }

    /// Verifies an SD-JWT; errors are in the report, never thrown.
    public func verify(_ bytes: [UInt8]) -> CredentialReport {
        var list = CredentialCheckList()
        let parsed = list.attempt { () throws(CredentialError) in
            try SDJWTParts(parsing: bytes, limits: request.policy.limits)
        }
        guard let parts = parsed, let first = parts.tokens.first else { return report(list, CredentialContent()) }
        let payload = list.attempt { () throws(CredentialError) in try first.claims(request.policy.limits) }
        guard let claims = payload else { return report(list, CredentialContent()) }
        list.pass(.parse, "The token and its parts are well formed.")
        if claims["vct"] == nil, claims["@context"] != nil {
            return verify(first, dataModel: claims, parts, list)
        }
        // All tokens of the JSON form have one payload, and one signature must be good.
        var outcomes: [(CredentialCheckList, CredentialContent)] = []
        for token in parts.tokens {
            var (list, content) = (list, CredentialContent())
            verify(token, claims, parts, into: &list, &content)
            outcomes.append((list, content))
        }
        let reports = outcomes.map { report($0.0, $0.1) }
        return reports.first { $0.result == .genuine } ?? reports.first ?? report(list, CredentialContent())
    }

    private func report(_ list: CredentialCheckList, _ content: CredentialContent) -> CredentialReport {
        CredentialReport(.sdJWT, list, policy: request.policy, content: content)
    }

    private func verify(
        _ token: CompactJWS, _ claims: JSONObject, _ parts: SDJWTParts, into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) {
        list.pass(.form, "The credential has all its parts.")
        checkType(of: token, claims, into: &list)
        content.issuer = claims["iss"]?.string
        content.types = claims["vct"]?.string.map { [$0] } ?? []
        let claim = TokenSignatureCheck.SignatureClaims(
            issuer: issuer(of: claims, into: &list), types: content.types, purpose: .assertionMethod,
            signedAt: claims["iat"]?.number?.double)
        let key = TokenSignatureCheck(token, claim: claim, request: request).check(into: &list, &content)
        guard let (filled, hash) = fill(claims, parts, into: &list) else { return }
        content.claims = .object(filled)
        content.holder = filled["sub"]?.string
        checkCredentialType(filled, into: &list)
        TokenTimeChecks.check(filled, request, into: &list)
        let signer = CredentialSigner(identifiers: [claim.issuer].compactMap { $0 }, key: key)
        CredentialStatusCheck(request).check(claims: filled, signer: signer, into: &list)
        content.confirmation = filled["cnf"]
        content.validity = TokenTimeChecks.validity(filled)
        HolderProofCheck(claims: filled, hash: hash, request, isInner: isInner)
            .check(parts.holderToken, presented: parts.presented, into: &list, &content)
    }

    /// Verifies a credential or presentation of the W3C's data model that is an SD-JWT, with one signature.
    ///
    /// Source: Securing Verifiable Credentials using JOSE and COSE, section 3.2 (`vc+sd-jwt`, `vp+sd-jwt`).
    private func verify(
        _ token: CompactJWS, dataModel claims: JSONObject, _ parts: SDJWTParts, _ start: CredentialCheckList
    ) -> CredentialReport {
        var (list, content) = (start, CredentialContent())
        let types = W3CMemberChecks(object: claims).types
        let isPresentation = types.contains("VerifiablePresentation")
        guard !isPresentation || !isInner, token.type == (isPresentation ? "vp+sd-jwt" : "vc+sd-jwt"),
            parts.tokens.count == 1
        else {
            list.fail(.sdTyp, "The header's type is not that of a credential or presentation of the W3C as SD-JWT.")
            return report(list, content)
        }
        guard let (filled, hash) = fill(claims, parts, into: &list) else { return report(list, content) }
        let shape = JWTVerifier.TokenShape(version: .two, isPresentation: isPresentation, object: filled)
        if isPresentation {
            let inner = PresentationTokenCheck(token, claims: filled, shape: shape, request: request).check(
                into: &list, &content)
            return CredentialReport(.sdJWT, list, policy: request.policy, content: content, inner: inner)
        }
        JWTVerifier(request, isInner: isInner).check(token, filled, shape, into: &list, &content)
        HolderProofCheck(claims: filled, hash: hash, request, isInner: isInner)
            .check(parts.holderToken, presented: parts.presented, into: &list, &content)
        return report(list, content)
    }

    private func issuer(of claims: JSONObject, into list: inout CredentialCheckList) -> String? {
        guard let value = claims["iss"] else { return nil }
        if value.string == nil { list.fail(.vcType, "The claim iss is not text.") }
        return value.string
    }

    private func checkType(of token: CompactJWS, _ claims: JSONObject, into list: inout CredentialCheckList) {
        let isFormer = token.type == "vc+sd-jwt" && request.policy.acceptsFormerSpellings
        if token.type == "dc+sd-jwt" || isFormer {
            list.pass(.type, "The header says that this is an SD-JWT credential.")
        } else {
            list.fail(.sdTyp, "The header's type is not dc+sd-jwt.")
        }
    }

    private func checkCredentialType(_ claims: JSONObject, into list: inout CredentialCheckList) {
        guard let value = claims["vct"] else {
            return list.fail(.vcMissingMember, "The credential does not say its type in vct.")
        }
        guard let type = value.string, !type.isEmpty else {
            return list.fail(.vcType, "The claim vct is not text.")
        }
        guard request.policy.types.isEmpty || request.policy.types.containsExactly(type) else {
            return list.fail(.sdVct, "The credential is not of the type that was asked for.")
        }
    }

    /// The claims that an issuer must not make disclosable (draft-ietf-oauth-sd-jwt-vc, section 2.2.2.3).
    private static let plainClaims: Set<String> = [
        "iss", "nbf", "exp", "cnf", "vct", "vct#integrity", "aka_vcts", "status",
    ]

    private func fill(
        _ claims: JSONObject, _ parts: SDJWTParts, into list: inout CredentialCheckList
    ) -> (JSONObject, DisclosureHash)? {
        let result = list.attempt { () throws(CredentialError) -> (JSONObject, DisclosureHash, [String]) in
            let hash = try DisclosureHash(of: claims)
            var disclosed = try DisclosureInsertion(parts.disclosures, hash: hash, limits: request.policy.limits)
            let filled = try disclosed.fill(claims)
            return (filled, hash, disclosed.disclosedNames)
        }
        guard let (filled, hash, names) = result else { return nil }
        if let name = names.first(where: Self.plainClaims.contains) {
            list.fail(.sdClaimDisclosed, "The claim \(name) came from a disclosure.", at: .pointer("").appending(name))
        } else {
            list.pass(.digests, "Each of the \(parts.disclosures.count) disclosures is one that the issuer signed.")
        }
        return (filled, hash)
    }
}
