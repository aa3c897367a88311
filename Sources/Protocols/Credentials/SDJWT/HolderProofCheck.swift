import ByteCoding
import CryptoSuite
import JSON

/// Checks the key binding token (`kb+jwt`), by which a holder proves possession of the credential's key.
///
/// Source: RFC 9901, sections 4.3 and 7.3. Every check is of the kind holder.
struct HolderProofCheck {
    private let claims: JSONObject
    private let hash: DisclosureHash
    private let request: VerificationRequest
    private let isInner: Bool

    /// Makes the check from the processed claims and the digest algorithm of the disclosures.
    ///
    /// `isInner` when the credential stands inside a presentation, which then proves the holder.
    init(claims: JSONObject, hash: DisclosureHash, _ request: VerificationRequest, isInner: Bool = false) {
        self.claims = claims
        self.hash = hash
        self.request = request
        self.isInner = isInner
    }

    /// Records the result of checking the holder's token, or that there is none.
    func check(
        _ text: String?, presented: [UInt8], into list: inout CredentialCheckList, _ content: inout CredentialContent
    ) {
        guard let text else {
            return list.recordNoHolder(isBound: claims["cnf"] != nil, isInner: isInner, request.policy)
        }
        list.attempt(
            in: .holder,
            recording: { (list) throws(CredentialError) in
                let token = try CompactJWS(parsing: text.utf8, limits: request.policy.limits)
                let key = try Self.key(of: claims["cnf"], request)
                checkSignature(of: token, key, into: &list, &content)
                let proof = try token.claims(request.policy.limits)
                if token.type != "kb+jwt" {
                    list.fail(.kbTyp, "The token of the holder is not of type kb+jwt.")
                }
                let expected = hash.digest(presented)
                if proof["sd_hash"]?.string != expected {
                    list.fail(.kbHash, "The token of the holder is for another selection of claims.")
                }
                checkTimes(of: proof, into: &list)
                HolderChallengeCheck(
                    nonce: proof["nonce"]?.string, audiences: [proof["aud"]?.string].compactMap { $0 },
                    codes: (.kbNonce, .kbAud)
                ).check(request.policy, into: &list)
            })
    }

    /// Returns the holder's key in a credential's member `cnf` (RFC 7800).
    ///
    /// Throws `credential.kb-key` and the codes of keys.
    static func key(of cnf: JSONValue?, _ request: VerificationRequest) throws(CredentialError) -> ResolvedKey {
        guard let confirmation = cnf?.object else {
            throw CredentialError(.kbKey, "The credential names no key of its holder.")
        }
        switch (confirmation["jwk"], confirmation["kid"]) {
        case (.object(let jwk)?, nil):
            var key = ResolvedKey(
                try VerificationKey(try UncheckedPublicKey(jwk: jwk)), identifier: "cnf.jwk", controller: "cnf")
            try JWKUsageCheck.apply(jwk, to: &key)
            return key
        case (nil, .string(let kid)?):
            let resolver = KeyResolver(request.trust)
            let did = KeyResolver.identifier(of: kid)
            let method = KeyResolver.method(named: kid)
            if did.hasPrefix("did:jwk:") {
                return try resolver.didJWK(method, did, acceptsPadding: request.policy.acceptsFormerSpellings)
            }
            guard did.hasPrefix("did:key:") else {
                throw CredentialError(.kbKey, "The holder's key is named in a way that is not known.")
            }
            return try resolver.key(method, for: .authentication)
        default: throw CredentialError(.kbKey, "The credential does not name exactly one key of its holder.")
        }
    }

    private func checkSignature(
        of token: CompactJWS, _ key: ResolvedKey, into list: inout CredentialCheckList,
        _ content: inout CredentialContent
    ) {
        var isValid = false
        do throws(CredentialError) {
            let algorithm = try token.algorithm()
            try key.checkAlgorithm(algorithm)
            try key.key.verify(token.signature, over: token.signingInput, algorithm: algorithm)
            isValid = true
            list.pass(.holder, "The presenter holds the key that the credential names.")
        } catch {
            let code = error.code == .sigInvalid ? .kbSig : error.code
            list.fail(code, "The token of the holder: \(error.reason)", in: .holder)
        }
        content.signatures.append(
            CredentialContent.Signature(
                key: key.identifier, algorithm: token.header["alg"]?.string ?? "",
                covers: "the presentation with its disclosures, by the holder", isValid: isValid))
    }

    private func checkTimes(of proof: JSONObject, into list: inout CredentialCheckList) {
        list.attempt(in: .holder) { () throws(CredentialError) in
            guard let value = proof["iat"] else {
                throw CredentialError(.kbIat, "The token of the holder does not say when it was made.")
            }
            let made = try CredentialTime.seconds(numeric: value, "The claim iat of the holder's token")
            let age = request.seconds - made
            guard age >= -request.policy.toleranceSeconds, age <= VerificationPolicy.holderProofSeconds else {
                throw CredentialError(.kbIat, "The token of the holder was not made at this time.")
            }
            var period: [String: Double] = [:]
            for name in ["nbf", "exp"] {
                guard let value = proof[name] else { continue }
                period[name] = try CredentialTime.seconds(numeric: value, "The claim \(name) of the holder's token")
            }
            try CredentialTime.check(from: period["nbf"], to: period["exp"], request, "The token of the holder")
        }
    }
}
