import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// An SD-JWT VC with nested and array disclosures and the holder's proof, genuine until it is changed.
struct SDSample {
    static let issuer = "https://issuer.example"
    static let type = "https://issuer.example/vct/1"

    var header: JSONObject = ["alg": "ES256", "typ": "dc+sd-jwt", "kid": "1"]
    var payload: JSONObject
    var disclosures: [String]
    var signer = Signer.p256
    var holderHeader: JSONObject = ["alg": "ES256", "typ": "kb+jwt"]
    var holderPayload: JSONObject = [
        "aud": "https://verifier.example", "iat": .int(1_735_689_700), "nonce": "n-0S6_WzA2Mj",
    ]
    var holderSigner: Signer? = .holder
    /// Makes the digest of what is presented; nil for the right one.
    var presentedHash: ((String) -> String)?
    /// Changes the issuer's token, once signed.
    var editToken: (String) -> String = { $0 }
    /// Changes the whole text, before the holder signs.
    var editPresented: (String) -> String = { $0 }
    /// Changes the whole text.
    var editText: (String) -> String = { $0 }
    var request: VerificationRequest

    static func disclosure(_ elements: JSONValue...) -> String { Base64URL.encode(JSONValue.array(elements).encoded) }

    static func digest(_ disclosure: String) -> String { Base64URL.encode(SHA256.hash(Array(disclosure.utf8))) }

    static let name = disclosure("salt-0000000000000001", "given_name", "Ada")
    static let element = disclosure("salt-0000000000000002", "DE")
    static let street = disclosure("salt-0000000000000004", "street", "Main St 1")
    static let address = disclosure(
        "salt-0000000000000003", "address", .object(["_sd": .strings([digest(street)])]))
    static let decoy = "veuboir4-nPln-fE08SK4RZWF912xyB3PN9svDOpHdc"

    init() {
        payload = [
            "iss": .string(Self.issuer), "iat": .int(1_735_689_600), "exp": .int(2_051_222_400),
            "vct": .string(Self.type), "cnf": .object(["jwk": .object(Signer.holder.jwk)]), "_sd_alg": "sha-256",
            "_sd": .strings([Self.digest(Self.name), Self.digest(Self.address), Self.decoy]),
            "nationalities": .array([.object(["...": .string(Self.digest(Self.element))]), "FR"]),
        ]
        disclosures = [Self.name, Self.address, Self.street, Self.element]
        var trust = TrustStore()
        var issuer = TrustedIssuer(Self.issuer)
        var key = Signer.p256.jwk
        key["kid"] = "1"
        issuer.document = .object(["keys": .array([.object(key)])])
        trust.issuers = [issuer]
        request = .sample(trust)
        request.policy.nonce = "n-0S6_WzA2Mj"
        request.policy.audience = "https://verifier.example"
    }

    /// Adds a disclosure that the issuer signs.
    mutating func add(_ elements: JSONValue...) {
        let text = Base64URL.encode(JSONValue.array(elements).encoded)
        disclosures.append(text)
        append(digest: Self.digest(text))
    }

    mutating func append(digest: String) {
        payload["_sd"] = .array((payload["_sd"]?.array ?? []) + [.string(digest)])
    }

    /// Puts a status list and a reference to it in place.
    mutating func addStatus(_ list: StatusSample) {
        payload["status"] = .object(["status_list": .object(["idx": .int(list.index), "uri": .string(list.address)])])
        request.trust.statusLists = [list.pinned]
    }

    var token: String { editToken(signer.token(header, payload)) }

    var text: String {
        let presented = editPresented(token + "~" + disclosures.map { $0 + "~" }.joined())
        guard let holderSigner else { return editText(presented) }
        var proof = holderPayload
        if proof["sd_hash"] == nil {
            proof["sd_hash"] = .string(presentedHash?(presented) ?? Self.digest(presented))
        }
        return editText(presented + holderSigner.token(holderHeader, proof))
    }

    var report: CredentialReport { CredentialVerifier(request).verify(Array(text.utf8)) }

    /// The JSON form with one or several signatures.
    func json(
        general: Bool = false, unprotected: JSONObject = JSONObject(), second: JSONObject? = nil
    ) -> JSONObject {
        let parts = token.split(separator: ".").map { JSONValue.string(String($0)) }
        var header = unprotected
        header["disclosures"] = .strings(disclosures)
        if let holderSigner {
            var proof = holderPayload
            proof["sd_hash"] = .string(Self.digest(token + "~" + disclosures.map { $0 + "~" }.joined()))
            header["kb_jwt"] = .string(holderSigner.token(holderHeader, proof))
        }
        let signature: JSONObject = ["protected": parts[0], "signature": parts[2], "header": .object(header)]
        guard general else {
            var object = signature
            object["payload"] = parts[1]
            return object
        }
        let signatures = [JSONValue.object(signature)] + (second.map { [.object($0)] } ?? [])
        return ["payload": parts[1], "signatures": .array(signatures)]
    }
}
