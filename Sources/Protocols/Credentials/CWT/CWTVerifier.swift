import ByteCoding
import CBOR
import COSE
import CryptoSuite
import JSON

/// Verifies a CBOR Web Token with one signature (RFC 8392).
///
/// Tag 18 is demanded except in a printed code, tag 61 around it is allowed. The issuer signs with a key that the trust
/// store holds for it, or brings certificates that lead to a root for it. A health certificate is signed by a
/// certificate of a list in the trust store.
public struct CWTVerifier: Sendable {
    private let request: VerificationRequest
    private let isInner: Bool
    private let isFromCode: Bool

    /// Makes a verifier of CBOR Web Tokens for a request.
    public init(_ request: VerificationRequest) { self.init(request, isInner: false) }

    /// Makes a verifier; inside a presentation, the presentation proves the holder.
    ///
    /// - Parameter isFromCode: true for a token in a printed code, whose tags may be missing.
    package init(_ request: VerificationRequest, isInner: Bool = false, isFromCode: Bool = false) {
        self.request = request
        self.isInner = isInner
        self.isFromCode = isFromCode
    }

    /// Verifies a token in CBOR or base64url; errors are in the report, never thrown.
    public func verify(_ bytes: [UInt8]) -> CredentialReport {
        var (list, content) = (CredentialCheckList(), CredentialContent())
        let parsed = list.attempt { () throws(CredentialError) -> (COSESign1, CBORValue, CWTClaims) in
            try parse(CredentialFormatDetection.binary(bytes))
        }
        guard let (token, payload, claims) = parsed else {
            return CredentialReport(.cwt, list, policy: request.policy, content: content)
        }
        list.pass(.parse, "The token is well formed.")
        content.issuer = claims.issuer
        content.holder = claims.subject
        let person = claims.value(Claim169.label).flatMap(Claim169.init)
        let health = claims.value(HealthCertificate.label).flatMap(HealthCertificate.init)
        content.claims = .object(claims.json(person, health))
        content.notes += person?.notes ?? []
        if let health { content.types = [HealthCertificate.type] + [health.kind?.name].compactMap { $0 } }
        if let face = person?.face { content.pictures = [.init(path: ["face"], bytes: face)] }
        // A presentation cannot prove a key in CBOR: the member only says that there is one.
        content.confirmation = claims.confirmation.map { _ in .bool(true) }
        content.validity = content.claims?.object.map(TokenTimeChecks.validity)
        content.notes += signer(token)
        let isCode = isFromCode || person != nil || health != nil
        checkForm(claims, isCode: isCode, into: &list)
        checkType(token, into: &list)
        let signature = CWTSignatureCheck(
            token, payload: payload, claims: claims, issuer: claims.issuer, request: request, isCode: isCode)
        let key =
            if let health, claims.issuer.flatMap(request.trust.issuer) == nil {
                signature.check(health, into: &list, &content)
            } else {
                signature.check(into: &list, &content)
            }
        // The validity of a health certificate has no beginning: iat only dates its signer's certificate.
        checkTimes(claims, beginsWhenIssued: health == nil, into: &list)
        if let status = claims.status {
            let signer = CredentialSigner(identifiers: [claims.issuer].compactMap { $0 }, key: key)
            CredentialStatusCheck(request).check(reference: status, signer: signer, into: &list)
        } else {
            list.leave(.status, "The credential names no status list.")
        }
        checkHolder(claims, into: &list)
        return CredentialReport(.cwt, list, policy: request.policy, content: content)
    }

    private func parse(_ bytes: [UInt8]) throws(CredentialError) -> (COSESign1, CBORValue, CWTClaims) {
        let limits = request.policy.limits
        var value = try CredentialCBORReader.value(bytes, limits)
        if let (tag, content) = value.tagged, tag == 61 { value = content }
        guard value.tagged != nil || isFromCode else {
            throw CredentialError(.parseCBOR, "The token has no tag that says how it is signed.", at: value.place)
        }
        let token = try COSESign1(value, limits)
        guard !token.signature.isEmpty || token.headers.value(COSEHeaders.Label.algorithm) != nil else {
            throw CredentialError(.algNone, "The token names no algorithm and has no signature.", at: value.place)
        }
        let payload = try token.attachedPayload()
        let inner = try CredentialCBORReader.encoded(payload, limits)
        guard inner.tagged?.tag != 24 else {
            throw CredentialError(.mdForm, "The payload is that of a mobile document.", at: payload.place)
        }
        let claims = try CWTClaims(inner)
        guard claims.count <= CWTClaims.maximumCount else {
            throw CredentialError(.codeLimitClaims, "The token has \(claims.count) claims.", at: inner.place)
        }
        return (token, payload, claims)
    }

    /// The key and the algorithm that the headers name, in a sentence; empty where they name no key.
    private func signer(_ token: COSESign1) -> [String] {
        guard let kid = try? token.headers.keyIdentifier() else { return [] }
        let name = String(validating: kid, as: UTF8.self).map { "“\($0)”" } ?? Base64.encode(kid)
        let algorithm = (try? token.headers.algorithm(acceptsUnprotected: true)).map { ", for \($0.rawValue)" } ?? ""
        return ["The token names the key \(name)\(algorithm)."]
    }

    private func checkForm(_ claims: CWTClaims, isCode: Bool, into list: inout CredentialCheckList) {
        guard claims.issuer != nil || isCode else {
            return list.fail(.vcMissingMember, "The token names no issuer.")
        }
        if let cnf = claims.confirmation {
            let isKey: Void? = list.attempt { () throws(CredentialError) in
                guard cnf.map != nil else {
                    throw CredentialError(.keyForm, "The claim cnf is not a map.", at: cnf.place)
                }
                if let key = cnf[1] { _ = try COSEKey.read(key) }
            }
            guard isKey != nil else { return }
        }
        list.pass(.form, "The token has the claims that it must have.")
    }

    /// Records whether the header `typ` (label 16, RFC 9596), if present, names a token.
    private func checkType(_ token: COSESign1, into list: inout CredentialCheckList) {
        if let type = token.headers.value(COSEHeaders.Label.type) {
            // 61 is the number of application/cwt among the content formats of CoAP.
            guard type.int == 61 || type.text == "application/cwt" else {
                return list.fail(.jwtTyp, "The token is of a type that is not a credential.", at: type.place)
            }
        }
        guard request.policy.types.isEmpty else {
            return list.leave(.type, "A CBOR Web Token names no type of credential.")
        }
        list.pass(.type, "The token says of itself nothing but that it is one.")
    }

    private func checkTimes(_ claims: CWTClaims, beginsWhenIssued: Bool, into list: inout CredentialCheckList) {
        let done: Void? = list.attempt { () throws(CredentialError) in
            let issued = try claims.time(CWTClaims.Label.issuedAt)
            let start = try claims.time(CWTClaims.Label.notBefore)
            let end = try claims.time(CWTClaims.Label.expiration)
            // The end first, so that a token of the past is called that, whatever its other times say.
            try CredentialTime.check(from: nil, to: end, request, "The token")
            try CredentialTime.check(from: start, to: end, request, "The token")
            guard beginsWhenIssued else { return }
            try CredentialTime.check(from: issued, to: nil, request, "The token by its claim iat")
        }
        if done != nil { list.pass(.time, "The time lies in the token's validity.") }
    }

    private func checkHolder(_ claims: CWTClaims, into list: inout CredentialCheckList) {
        if let audience = request.policy.audience, let value = claims.audience {
            let audiences = value.array?.map(\.text) ?? [value.text]
            guard audiences.contains(audience) else {
                return list.fail(.vpDomain, "The token is for another verifier.", at: value.place)
            }
        }
        list.recordNoHolder(isBound: claims.confirmation != nil, isInner: isInner, request.policy)
    }
}
