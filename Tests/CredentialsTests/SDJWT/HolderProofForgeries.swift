import ByteCoding
import JSON

@testable import Credentials

/// Proofs of the holder of an SD-JWT: their times, and the ways in which `cnf` names the key.
enum HolderProofForgeries {
    typealias Entry = Forgery<SDSample>

    private static func bound(_ members: JSONObject) -> @Sendable (inout SDSample) -> Void {
        { $0.payload["cnf"] = .object(members) }
    }

    /// The key of the holder with more members.
    private static func key(_ members: JSONObject) -> JSONObject {
        var jwk = Signer.holder.jwk
        for member in members { jwk[member.name] = member.value }
        return ["jwk": .object(jwk)]
    }

    private static let didJWK = "did:jwk:" + Base64URL.encode(Signer.holder.jwk.encoded)

    static let all: [Entry] = [
        Entry(0, "a digest of an element that is a number", .sdMalformed) {
            $0.payload["more"] = .array([.object(["...": .int(5)])])
        },
        Entry(0, "another type than is asked for", .sdVct) { $0.request.policy.types = ["https://other.example/vct"] },
        Entry(0, "a proof that does not say when it was made", .kbIat) { $0.holderPayload["iat"] = nil },
        Entry(0, "a proof made at no number", .timeFormat) { $0.holderPayload["iat"] = "now" },
        Entry(0, "a proof that is over", .timeExpired) { $0.holderPayload["exp"] = .int(1_735_689_700) },
        Entry(0, "a proof of tomorrow", .timeFuture) { $0.holderPayload["nbf"] = .int(1_735_776_160) },
        Entry(0, "a proof whose end is a text", .timeFormat) { $0.holderPayload["exp"] = "2035-01-01T00:00:00Z" },
        Entry(0, "a proof whose begin is a text", .timeFormat) { $0.holderPayload["nbf"] = "2025-01-01T00:00:00Z" },
        Entry(0, "a proof that ends before it begins", .timeOrder) { sample in
            sample.holderPayload["nbf"] = .int(1_735_689_770)
            sample.holderPayload["exp"] = .int(1_735_689_765)
        },
        Entry(0, "a holder's key for encryption", .keyPurpose, nil, bound(key(["use": "enc"]))),
        Entry(0, "a holder's key that only signs", .keyPurpose, nil, bound(key(["key_ops": .strings(["sign"])]))),
        Entry(0, "a holder's key for another algorithm", .algMismatch, nil, bound(key(["alg": "ES384"]))),
        Entry(0, "a holder's key whose algorithm is a number", .keyForm, nil, bound(key(["alg": .int(7)]))),
        Entry(0, "a fragment that no did:jwk has", .keyForm, nil, bound(["kid": .string(didJWK + "#1")])),
        Entry(
            0, "a fragment that the did:key does not have", .keyForm, nil,
            bound(["kid": .string(Signer.holder.did + "#1")])),
        Entry(
            0, "the did:jwk of another", .kbSig, nil,
            bound([
                "kid": .string(
                    "did:jwk:" + Base64URL.encode(Signer.stranger.jwk.encoded) + "#0")
            ])),
        Entry(0, "a holder's DID of another method", .kbKey, nil, bound(["kid": "did:web:holder.example#1"])),
        Entry(0, "a holder's key that is named by a text", .kbKey) { $0.payload["cnf"] = "did:web:holder.example#1" },
        Entry(0, "a holder's key in two ways", .kbKey) { sample in
            sample.payload["cnf"] = .object(["jwk": .object(Signer.holder.jwk), "kid": .string(Signer.holder.method)])
        },
    ]

    static let twins: [Entry] = [
        Entry(0, "a context beside the type", .sigInvalid, .genuine) { $0.payload["@context"] = "https://a.example" },
        Entry(0, "a holder's did:jwk with padding", .sigInvalid, .genuine) { sample in
            // Of three names of different lengths, one gives a text that is padded.
            for name in ["1", "12", "123"] {
                var jwk = Signer.holder.jwk
                jwk["kid"] = .string(name)
                let did = "did:jwk:" + Base64URL.encode(jwk.encoded, isPadded: true)
                sample.payload["cnf"] = .object(["kid": .string(did + "#0")])
                if did.hasSuffix("=") { return }
            }
        },
        Entry(0, "the type that is asked for", .sigInvalid, .genuine) { $0.request.policy.types = [SDSample.type] },
        Entry(0, "a proof with a begin and an end", .sigInvalid, .genuine) { sample in
            sample.holderPayload["nbf"] = .int(1_735_689_700)
            sample.holderPayload["exp"] = .int(1_735_690_000)
        },
        Entry(
            0, "a holder's key for its algorithm, to verify signatures with", .sigInvalid, .genuine,
            bound(
                key(["alg": "ES256", "use": "sig", "key_ops": .strings(["verify"])]))),
        Entry(0, "a holder's did:jwk with its fragment", .sigInvalid, .genuine, bound(["kid": .string(didJWK + "#0")])),
        Entry(0, "a holder's did:jwk without its fragment", .sigInvalid, .genuine, bound(["kid": .string(didJWK)])),
        Entry(
            0, "a holder's did:key with its fragment", .sigInvalid, .genuine,
            bound(
                ["kid": .string(Signer.holder.method)])),
        Entry(
            0, "a holder's did:key without its fragment", .sigInvalid, .genuine,
            bound(
                ["kid": .string(Signer.holder.did)])),
    ]
}
