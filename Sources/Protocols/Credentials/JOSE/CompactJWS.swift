package import JSON

/// A compact JSON Web Signature (RFC 7515, section 7.1), with the signed bytes as received.
package struct CompactJWS {
    /// The protected header of the JWS.
    package let header: JSONObject
    /// The decoded payload of the JWS.
    package let payload: [UInt8]
    /// The decoded signature of the JWS.
    let signature: [UInt8]
    /// True when the payload may be compressed, as the header `zip` says; the caller decompresses it.
    private let acceptsCompression: Bool
    /// The signed bytes: header and payload in base64url with a point between them.
    let signingInput: [UInt8]

    /// Reads a token that has exactly three parts.
    ///
    /// Throws `credential.jwt-form` for another number of parts and a header that is no object,
    /// `credential.parse-base64`, and the codes of `CredentialJSONReader` for the header.
    package init(
        parsing text: some Collection<UInt8>, limits: VerificationLimits, acceptsCompression: Bool = false
    ) throws(CredentialError) {
        let bytes = Array(text)
        try self.init(parsing: bytes, bytes.indices, limits: limits, acceptsCompression: acceptsCompression)
    }

    /// Reads a token in a range of longer bytes, like `init(parsing:limits:)`.
    init(
        parsing bytes: [UInt8], _ range: Range<Int>, limits: VerificationLimits, acceptsCompression: Bool = false
    ) throws(CredentialError) {
        let parts = bytes.parts(between: UInt8(ascii: "."), in: range)
        guard parts.count == 3 else {
            throw CredentialError(.jwtForm, "The token has \(parts.count) parts and not 3.")
        }
        try self.init(
            bytes, protected: parts[0], payload: parts[1], signature: parts[2], limits: limits,
            acceptsCompression: acceptsCompression)
    }

    /// Makes a token from its three parts in base64url; throws like `init(parsing:)`.
    init(
        protected: String, payload: String, signature: String, limits: VerificationLimits
    ) throws(CredentialError) {
        let bytes = Array([protected, payload, signature].joined(separator: ".").utf8)
        let payloadStart = protected.utf8.count + 1
        let signatureStart = payloadStart + payload.utf8.count + 1
        try self.init(
            bytes, protected: 0..<(payloadStart - 1), payload: payloadStart..<(signatureStart - 1),
            signature: signatureStart..<bytes.count, limits: limits)
    }

    private init(
        _ bytes: [UInt8], protected: Range<Int>, payload: Range<Int>, signature: Range<Int>,
        limits: VerificationLimits, acceptsCompression: Bool = false
    ) throws(CredentialError) {
        self.acceptsCompression = acceptsCompression
        let headerBytes = try StrictBase64.url(bytes, protected, "The header")
        self.payload = try StrictBase64.url(bytes, payload, "The payload")
        self.signature = try StrictBase64.url(bytes, signature, "The signature")
        guard let header = try CredentialJSONReader.value(headerBytes, "The header", limits: limits).object else {
            throw CredentialError(.jwtForm, "The header of the token is not an object.")
        }
        self.header = header
        signingInput = Array(bytes[protected.lowerBound..<payload.upperBound])
    }

    /// The type in the header without `application/`; nil when it is absent or no text.
    var type: String? {
        guard let text = header["typ"]?.string else { return nil }
        return text.hasPrefix("application/") ? String(text.dropFirst("application/".count)) : text
    }

    /// Returns the signature algorithm; throws when the header requires something that is not supported.
    ///
    /// Throws `credential.alg-none`, `credential.alg-mismatch`, `credential.alg-unknown`, `credential.alg-b64` and
    /// `credential.alg-crit`. RFC 7515, section 4.1.11; RFC 7797; RFC 8725, section 3.1.
    func algorithm() throws(CredentialError) -> SignatureAlgorithm {
        guard let name = header["alg"]?.string else {
            throw CredentialError(.algMismatch, "The header names no algorithm.")
        }
        guard name.lowercased() != "none" else {
            throw CredentialError(.algNone, "The header says that the token is not signed.")
        }
        guard header["b64"] == nil else {
            throw CredentialError(.algB64, "A token does not say whether its payload is in base 64.")
        }
        let isCompressed = header["zip"] != nil
        guard header["crit"] == nil, !isCompressed || acceptsCompression && header["zip"]?.string == "DEF" else {
            throw CredentialError(.algCrit, "The header demands something that is not understood.")
        }
        return try SignatureAlgorithm(named: name)
    }

    /// Returns the key's name (`kid`) in the header; nil without one.
    ///
    /// Throws `credential.jwt-form` when it is no text.
    func keyName() throws(CredentialError) -> String? {
        guard let value = header["kid"] else { return nil }
        guard let text = value.string else {
            throw CredentialError(.jwtForm, "The name of the key in the header is not text.")
        }
        return text
    }

    /// Returns the claims: the payload as a JSON object.
    ///
    /// Throws `credential.jwt-form` when it is another value, and the codes of `CredentialJSONReader`.
    func claims(_ limits: VerificationLimits) throws(CredentialError) -> JSONObject {
        guard let object = try CredentialJSONReader.value(payload, "The payload", limits: limits).object else {
            throw CredentialError(.jwtForm, "The payload of the token is not an object.")
        }
        return object
    }
}

extension [UInt8] {
    /// Returns the ranges of the parts between separators, including empty ones.
    func parts(between separator: UInt8, in range: Range<Int>? = nil) -> [Range<Int>] {
        let range = range ?? indices
        return withUnsafeBufferPointer { bytes in
            var parts: [Range<Int>] = []
            var start = range.lowerBound
            for index in range where bytes[index] == separator {
                parts.append(start..<index)
                start = index + 1
            }
            parts.append(start..<range.upperBound)
            return parts
        }
    }
}
