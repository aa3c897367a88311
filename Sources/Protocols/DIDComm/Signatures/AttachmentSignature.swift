import ByteCoding
public import CryptoSuite
public import JSON

/// The signature of an attachment: a JSON web signature whose payload is the attachment's data.
///
/// Shape: `{header: {kid}, protected, signature}`, or `{signatures: […]}` with several of them. `protected` is
/// base64url of `{alg: "EdDSA", jwk: {kty, crv, x, kid}}`; what is signed is `protected`, a full stop, and the payload
/// in base64url without padding. Keys are named by did:key. Source: RFC 0017, RFC 7515, RFC 8037.
public enum AttachmentSignature {
    /// The most signatures of one attachment that are read.
    public static let maximumSignatures = 4

    /// The longest `protected` that is read, in characters.
    public static let maximumProtectedCharacters = 4096

    /// Signs `payload` with the key of `seed`.
    ///
    /// Throws `crypto.invalid-key` when the seed is not 32 bytes.
    public static func sign(_ payload: [UInt8], seed: Secret) throws(CryptoError) -> JSONObject {
        let bytes = try Ed25519.publicKey(for: seed)
        guard let key = Curve25519PublicKey(.ed25519, bytes) else { preconditionFailure("a public key has 32 bytes") }
        let keyID = JSONValue.string(key.didKey)
        let header: JSONObject = [
            "alg": "EdDSA",
            "jwk": ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(bytes)), "kid": keyID],
        ]
        let protected = Base64URL.encode(header.encoded)
        let signature = try Ed25519.sign(input(protected, payload), seed: seed)
        return [
            "header": ["kid": keyID], "protected": .string(protected),
            "signature": .string(Base64URL.encode(signature)),
        ]
    }

    /// Verifies all signatures over `payload` and returns the keys that made them, in order.
    ///
    /// - Parameter signers: keys of which one must have signed; nil when the caller decides by the result.
    ///
    /// Throws `didcomm.jws.malformed`, `didcomm.jws.algorithm-unsupported`, `didcomm.jws.key-disagreement` when the
    /// names of the key contradict each other, `didcomm.jws.wrong-signer`, and `didcomm.jws.invalid` when one of the
    /// signatures does not hold.
    @discardableResult
    public static func verify(
        _ reader: JSONValueReader, payload: [UInt8], by signers: [Verkey]? = nil
    ) throws(DIDCommError) -> [Verkey] {
        let entries = try DIDCommError.reading(.jwsMalformed) { () throws(JSONError) in
            try reader.optionalElements("signatures") ?? [reader]
        }
        guard (1...maximumSignatures).contains(entries.count) else {
            throw DIDCommError(.jwsMalformed, "the attachment has no signature, or more than \(maximumSignatures)")
        }
        var found: [Verkey] = []
        for entry in entries { found.append(try signer(of: entry, payload: payload)) }
        guard signers.map({ $0.contains(where: found.contains) }) ?? true else {
            throw DIDCommError(.jwsWrongSigner, "the attachment is signed by \(found[0]), who is not expected here")
        }
        return found
    }

    private static func input(_ protected: String, _ payload: [UInt8]) -> [UInt8] {
        Array(protected.utf8) + [UInt8(ascii: ".")] + Array(Base64URL.encode(payload).utf8)
    }

    private static func signer(of entry: JSONValueReader, payload: [UInt8]) throws(DIDCommError) -> Verkey {
        let (protected, text, keyID) = try DIDCommError.reading(.jwsMalformed) { () throws(JSONError) in
            (
                try entry.string("protected"), try entry.string("signature"),
                try entry.optional("header")?.optionalString("kid")
            )
        }
        guard protected.utf8.count <= maximumProtectedCharacters,
            let header = Base64URL.decode(protected, acceptsBothAlphabets: true),
            let signature = Base64URL.decode(text, acceptsBothAlphabets: true)
        else { throw DIDCommError(.jwsMalformed, "the signature is too long, or not in base64url") }
        let key = try key(protected: header, unprotected: keyID)
        guard Ed25519.verify(signature: signature, message: input(protected, payload), publicKey: key.bytes) else {
            throw DIDCommError(.jwsInvalid, "the signature was not made over this attachment by \(key)")
        }
        return key
    }

    /// Returns the one key that the headers of a signature name in all places.
    private static func key(protected bytes: [UInt8], unprotected keyID: String?) throws(DIDCommError) -> Verkey {
        let (header, algorithm, isCritical) = try DIDCommError.reading(.jwsMalformed) { () throws(JSONError) in
            let reader = JSONValueReader(
                try JSONValue(parsing: bytes, limits: JSONLimits(maximumDepth: 4, maximumMembers: 16)))
            return (reader, try reader.string("alg"), try reader.optional("crit") != nil)
        }
        guard algorithm == "EdDSA", !isCritical else {
            throw DIDCommError(.jwsAlgorithm, "the signature is not one of EdDSA, or asks for something unknown")
        }
        let (web, inner) = try DIDCommError.reading(.jwsMalformed) { () throws(JSONError) in
            (try header.optional("jwk"), try header.optionalString("kid"))
        }
        var names = [keyID, inner].compactMap(\.self)
        var keys: [Verkey] = []
        if let web {
            let web = try JSONWebKey(reading: web)
            guard let key = web.key.flatMap(Verkey.init) else {
                throw DIDCommError(.jwsAlgorithm, "the key of the signature is not one of Ed25519")
            }
            keys.append(key)
            if let name = web.keyID { names.append(name) }
        }
        for name in names {
            guard let key = try? Verkey(parsing: name) else {
                throw DIDCommError(
                    .jwsKeyDisagreement, "the signature names its key by something that is not a did:key")
            }
            keys.append(key)
        }
        guard let key = keys.first else { throw DIDCommError(.jwsMalformed, "the signature does not name its key") }
        guard keys.allSatisfy({ $0 == key }) else {
            throw DIDCommError(.jwsKeyDisagreement, "the names of the key in the signature contradict each other")
        }
        return key
    }
}
