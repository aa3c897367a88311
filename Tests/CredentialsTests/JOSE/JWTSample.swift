import ByteCoding
import JSON

@testable import Credentials

/// A W3C credential as a token, genuine until it is changed.
struct JWTSample {
    var header: JSONObject
    var payload: JSONObject
    var signer = Signer.p256
    /// Changes the token, once signed.
    var edit: (String) -> String = { $0 }
    /// The text of the header or the payload in place of what the objects give.
    var headerText: String?
    var payloadBytes: [UInt8]?
    /// The whole text in place of a token.
    var wholeText: String?
    var request: VerificationRequest

    /// A credential of version 2.0 whose payload is the credential.
    init() {
        header = ["alg": "ES256", "typ": "vc+jwt", "kid": .string(Signer.p256.method)]
        payload = Self.credential
        var trust = TrustStore()
        trust.methods = ["did:key", "did:jwk"]
        request = .sample(trust)
    }

    static var credential: JSONObject {
        [
            "@context": .strings(["https://www.w3.org/ns/credentials/v2"]), "id": "urn:uuid:1",
            "type": .strings(["VerifiableCredential", "Example"]), "issuer": .string(Signer.p256.did),
            "validFrom": "2025-01-01T00:00:00Z", "validUntil": "2035-01-01T00:00:00Z",
            "credentialSubject": .object(["id": .string(Signer.holder.did), "name": "Ada"]),
        ]
    }

    /// A credential of version 1.1 in the claim `vc`.
    static var former: JWTSample {
        var sample = JWTSample()
        sample.header["typ"] = "JWT"
        sample.payload = [
            "iss": .string(Signer.p256.did), "sub": .string(Signer.holder.did), "jti": "urn:uuid:1",
            "nbf": .int(1_735_689_600), "exp": .int(2_051_222_400),
            "vc": .object([
                "@context": .strings(["https://www.w3.org/2018/credentials/v1"]), "id": "urn:uuid:1",
                "type": .strings(["VerifiableCredential"]), "issuer": .string(Signer.p256.did),
                "issuanceDate": "2025-01-01T00:00:00Z", "expirationDate": "2035-01-01T00:00:00Z",
                "credentialSubject": .object(["id": .string(Signer.holder.did), "name": "Ada"]),
            ]),
        ]
        return sample
    }

    /// A presentation of version 2.0 with one credential in an envelope.
    static func presentation(of credential: String, media: String = "vc+jwt") -> JWTSample {
        var sample = JWTSample()
        sample.signer = .holder
        sample.header = ["alg": "ES256", "typ": "vp+jwt", "kid": .string(Signer.holder.method)]
        let envelope: JSONObject = [
            "@context": "https://www.w3.org/ns/credentials/v2", "type": "EnvelopedVerifiableCredential",
            "id": .string("data:application/\(media)," + credential),
        ]
        sample.payload = [
            "@context": .strings(["https://www.w3.org/ns/credentials/v2"]),
            "type": .strings(["VerifiablePresentation"]), "holder": .string(Signer.holder.did),
            "verifiableCredential": .array([.object(envelope)]), "nonce": "n-1", "aud": "https://verifier.example",
        ]
        sample.request.policy.nonce = "n-1"
        sample.request.policy.audience = "https://verifier.example"
        return sample
    }

    var text: String {
        if let wholeText { return wholeText }
        return edit(
            signer.token(
                headerText: headerText ?? header.text, payload: payloadBytes ?? payload.encoded,
                algorithm: header["alg"]?.string))
    }

    var report: CredentialReport { CredentialVerifier(request).verify(Array(text.utf8)) }

    /// Changes a member of the claim `vc`.
    mutating func setFormer(_ name: String, _ value: JSONValue?) {
        guard var object = payload["vc"]?.object else { return }
        object[name] = value
        payload["vc"] = .object(object)
    }

    /// Pins a key set for an issuer with an address, and lets it sign the credential.
    mutating func pin(_ keys: [JSONObject], for issuer: String) {
        var entry = TrustedIssuer(issuer)
        entry.document = .object(["keys": .array(keys.map { .object($0) })])
        request.trust.issuers.append(entry)
    }
}
