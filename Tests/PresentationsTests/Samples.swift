import Credentials
import CryptoSuite
import Determinism
import JSON

@testable import Presentations

/// Keys, sessions, credentials and requests that the tests share.
enum Samples {
    static let time = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
    static let channel = ChannelBinding(
        verifierKey: [UInt8](repeating: 7, count: 32), walletKey: [UInt8](repeating: 8, count: 32))
    static let nonce = "nonce-of-the-request"

    static func key(_ number: UInt8) throws -> PresentationSigningKey {
        try PresentationSigningKey(seed: Secret(copying: [UInt8](repeating: number, count: 32)))
    }

    /// A request of a verifier that trusts the issuer of the sample credentials.
    static func verification() throws -> VerificationRequest {
        var trust = TrustStore()
        trust.issuers = [TrustedIssuer(try key(1).identifier)]
        return VerificationRequest(trust: trust, at: time)
    }

    /// A credential of the sample issuer for a holder, as a JWT.
    static func credential(_ subject: JSONObject, holder: PresentationSigningKey) throws -> [UInt8] {
        var subject = subject
        subject["id"] = .string(holder.identifier)
        let issuer = try key(1)
        return try issuer.token(
            type: "vc+jwt",
            JSONObject(present: [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential", "IDCard"],
                "issuer": .string(issuer.identifier), "credentialSubject": .object(subject),
            ]))
    }

    static func held(_ subject: JSONObject, holder: PresentationSigningKey) throws -> HeldCredential? {
        HeldCredential(
            name: "card.jwt", bytes: Array("\n".utf8) + (try credential(subject, holder: holder)) + Array(" \n".utf8),
            VerificationRequest(trust: TrustStore(), at: time))
    }

    /// A request for presets, bound to the channel unless `change` takes that away.
    static func request(
        _ presets: [ClaimPreset] = [.name], key: PresentationSigningKey? = nil,
        change: (inout JSONObject) -> Void = { _ in }
    ) throws -> (mediaType: String, content: [UInt8]) {
        let writer = PresentationRequestWriter(presets: presets)
        let (_, content) = try writer.request(verifierKey: channel.verifierKey, nonce: nonce, key: nil)
        var claims = try JSONValue(parsing: content).object ?? JSONObject()
        if let key {
            claims["iss"] = .string(key.identifier)
            claims["client_id"] = .string(key.identifier)
        }
        change(&claims)
        guard let key else { return ("application/json", claims.encoded) }
        return ("application/oauth-authz-req+jwt", try key.token(type: "oauth-authz-req+jwt", claims))
    }

    static func parsed(
        _ request: (mediaType: String, content: [UInt8]), over channel: ChannelBinding? = channel,
        acceptsUnbound: Bool = false, _ verification: VerificationRequest? = nil
    ) throws(PresentationError) -> PresentationRequest {
        let usual = VerificationRequest(trust: TrustStore(), at: time)
        return try PresentationRequestParser(verification ?? usual, acceptsUnbound: acceptsUnbound)
            .request(mediaType: request.mediaType, content: request.content, over: channel)
    }
}
