import ByteCoding
import JSON

/// A detached JSON Web Signature over a separate payload of raw bytes (RFC 7515, appendix F; RFC 7797).
struct DetachedJWS {
    private static let critical = JSONValue.strings(["b64"])

    /// The signature algorithm in the header.
    let algorithm: SignatureAlgorithm
    /// The decoded signature.
    let signature: [UInt8]
    /// The header in base64url, as received.
    private let protected: ArraySlice<UInt8>

    /// Reads `header..signature` of a proof with the key `method`.
    ///
    /// Throws `credential.sig-form` unless there are three parts with an empty one between, `credential.parse-base64`,
    /// the codes of `CredentialJSONReader`, `credential.alg-none`, `credential.alg-mismatch`, `credential.alg-b64`
    /// unless the member `b64` is false, `credential.alg-crit` unless `crit` names `b64` and nothing else, and
    /// `credential.key-form` when `kid` names another key.
    init(parsing text: String, method: String, limits: VerificationLimits) throws(CredentialError) {
        let bytes = Array(text.utf8)
        let parts = bytes.parts(between: UInt8(ascii: "."))
        guard parts.count == 3, parts[1].isEmpty else {
            throw CredentialError(.sigForm, "The signature is not a token whose middle part is empty.")
        }
        let headerBytes = try StrictBase64.url(bytes, parts[0], "The header of the signature")
        guard
            let header = try CredentialJSONReader.value(headerBytes, "The header of the signature", limits: limits)
                .object
        else {
            throw CredentialError(.sigForm, "The header of the signature is not an object.")
        }
        algorithm = try Self.algorithm(of: header)
        signature = try StrictBase64.url(bytes, parts[2], "The signature")
        protected = bytes[parts[0]]
        guard header["b64"] == .bool(false) else {
            throw CredentialError(.algB64, "The header does not say that its payload is not in base 64.")
        }
        guard header["crit"] == Self.critical else {
            throw CredentialError(.algCrit, "The header does not demand the member b64 and nothing else.")
        }
        guard let kid = header["kid"] else { return }
        guard let name = kid.string, !name.hasPrefix("did:") && !name.holds("://") || name == method else {
            throw CredentialError(.keyForm, "The header of the signature names another key than the proof.")
        }
    }

    /// Returns the signed bytes: the header as received, a point, and the raw payload.
    func signingInput(_ payload: [UInt8]) -> [UInt8] { protected + [UInt8(ascii: ".")] + payload }

    private static func algorithm(of header: JSONObject) throws(CredentialError) -> SignatureAlgorithm {
        guard let name = header["alg"]?.string else {
            throw CredentialError(.algMismatch, "The header of the signature names no algorithm.")
        }
        guard name.lowercased() != "none" else {
            throw CredentialError(.algNone, "The header of the signature says that there is none.")
        }
        return try SignatureAlgorithm(named: name)
    }
}
