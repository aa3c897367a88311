import JSON

/// The parts of an SD-JWT: the issuer's token, the disclosures and the holder's token.
///
/// Source: RFC 9901, sections 4 and 8.
struct SDJWTParts {
    /// The issuer's tokens: several in the general JSON form, of which one must verify.
    let tokens: [CompactJWS]
    /// The disclosures as received, in base64url.
    let disclosures: [String]
    /// The holder's key binding token; nil without one.
    let holderToken: String?
    /// The bytes before the holder's token, including the last tilde; `sd_hash` is their digest.
    let presented: [UInt8]

    /// Reads an SD-JWT in the compact or the JSON form.
    ///
    /// Throws `credential.sd-malformed`, `credential.limit-disclosures`, `credential.limit-proofs`,
    /// `credential.alg-mismatch` for a header that is not protected and says an algorithm, and the codes of
    /// `CompactJWS` and `CredentialJSONReader`.
    init(parsing bytes: [UInt8], limits: VerificationLimits) throws(CredentialError) {
        if bytes.first == UInt8(ascii: "{") {
            try self.init(json: try CredentialJSONReader.value(bytes, "The SD-JWT", limits: limits), limits: limits)
        } else {
            try self.init(compact: bytes, limits: limits)
        }
    }

    private init(compact bytes: [UInt8], limits: VerificationLimits) throws(CredentialError) {
        let parts = bytes.parts(between: UInt8(ascii: "~"))
        guard parts.count >= 2, let first = parts.first, let last = parts.last else {
            throw CredentialError(.sdMalformed, "An SD-JWT has a tilde behind its token.")
        }
        guard parts.count - 2 <= VerificationLimits.maximumDisclosures else {
            throw CredentialError(.limitDisclosures, "There are \(parts.count - 2) disclosures.")
        }
        guard last.isEmpty || bytes.parts(between: UInt8(ascii: "."), in: last).count == 3 else {
            throw CredentialError(.sdMalformed, "Behind the last tilde stands no token of the holder.")
        }
        var disclosures: [String] = []
        for part in parts.dropFirst().dropLast() {
            guard !part.isEmpty, !bytes[part].contains(UInt8(ascii: ".")) else {
                throw CredentialError(.sdMalformed, "A part between two tildes is not a disclosure.")
            }
            disclosures.append(String(decoding: bytes[part], as: UTF8.self))
        }
        tokens = [try CompactJWS(parsing: bytes, first, limits: limits)]
        self.disclosures = disclosures
        holderToken = last.isEmpty ? nil : String(decoding: bytes[last], as: UTF8.self)
        presented = Array(bytes[..<last.lowerBound])
    }

    private init(json value: JSONValue, limits: VerificationLimits) throws(CredentialError) {
        guard let object = value.object, let payload = object["payload"]?.string else {
            throw CredentialError(.sdMalformed, "The JSON form has no payload.")
        }
        let signatures: [JSONObject]
        switch object["signatures"] {
        case nil: signatures = [object]
        case .array(let values)? where ["protected", "header", "signature"].allSatisfy { object[$0] == nil }:
            signatures = values.compactMap(\.object)
            guard signatures.count == values.count else {
                throw CredentialError(.sdMalformed, "A signature of the JSON form is not an object.")
            }
        default: throw CredentialError(.sdMalformed, "The JSON form has neither one signature nor an array of them.")
        }
        guard let first = signatures.first else {
            throw CredentialError(.sdMalformed, "The JSON form has no signature.")
        }
        guard signatures.count <= VerificationLimits.maximumProofs else {
            throw CredentialError(.limitProofs, "The JSON form has \(signatures.count) signatures.")
        }
        var tokens: [CompactJWS] = []
        for (index, signature) in signatures.enumerated() {
            tokens.append(try Self.token(of: signature, payload: payload, isFirst: index == 0, limits: limits))
        }
        self.tokens = tokens
        let header = first["header"]?.object ?? JSONObject()
        disclosures = try Self.texts(header["disclosures"])
        guard disclosures.count <= VerificationLimits.maximumDisclosures else {
            throw CredentialError(.limitDisclosures, "There are \(disclosures.count) disclosures.")
        }
        guard !disclosures.contains(where: { $0.isEmpty || $0.utf8.contains(where: ".~".utf8.contains) }) else {
            throw CredentialError(.sdMalformed, "An element of the disclosures is not a disclosure.")
        }
        switch header["kb_jwt"] {
        case nil: holderToken = nil
        case .string(let text)?: holderToken = text
        default: throw CredentialError(.sdMalformed, "The token of the holder is not text.")
        }
        let compact = [first["protected"]?.string ?? "", payload, first["signature"]?.string ?? ""]
        let joined = compact.joined(separator: ".") + "~" + disclosures.map { $0 + "~" }.joined()
        presented = Array(joined.utf8)
    }

    private static func token(
        of signature: JSONObject, payload: String, isFirst: Bool, limits: VerificationLimits
    ) throws(CredentialError) -> CompactJWS {
        guard let protected = signature["protected"]?.string, let bytes = signature["signature"]?.string else {
            throw CredentialError(.sdMalformed, "A signature of the JSON form has no protected header.")
        }
        let token = try CompactJWS(protected: protected, payload: payload, signature: bytes, limits: limits)
        guard let header = signature["header"] else { return token }
        guard let unprotected = header.object else {
            throw CredentialError(.sdMalformed, "A header of the JSON form is not an object.")
        }
        guard unprotected["alg"] == nil else {
            throw CredentialError(.algMismatch, "A header that is not protected names an algorithm.")
        }
        guard unprotected.names.allSatisfy({ token.header[$0] == nil }) else {
            throw CredentialError(.sdMalformed, "Both headers of a signature have a member of one name.")
        }
        guard isFirst || unprotected["disclosures"] == nil && unprotected["kb_jwt"] == nil else {
            throw CredentialError(.sdMalformed, "Disclosures stand in another than the first header.")
        }
        return token
    }

    private static func texts(_ value: JSONValue?) throws(CredentialError) -> [String] {
        guard let value else { return [] }
        guard let values = value.array, values.allSatisfy({ $0.string != nil }) else {
            throw CredentialError(.sdMalformed, "The disclosures are not an array of texts.")
        }
        return values.compactMap(\.string)
    }
}
