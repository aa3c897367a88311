import JSON

/// Writes the request of a session: adds the nonce and the binding, and signs it if there is a key.
public struct PresentationRequestWriter: Sendable {
    /// The claims of the request without nonce and binding.
    private let claims: JSONObject

    /// Reads a request object, or only a query, from a file that people write.
    ///
    /// Claims with `dcql_query` or `presentation_definition`, or one of the two alone.
    ///
    /// - Throws: `request.malformed`.
    public init(file bytes: [UInt8]) throws(PresentationError) {
        guard let object = (try? JSONValue(parsing: bytes))?.object else {
            throw PresentationError(.requestMalformed, "The file holds no JSON object.")
        }
        if object["credentials"] != nil {
            claims = JSONObject(present: ["dcql_query": .object(object)])
        } else if object["input_descriptors"] != nil {
            claims = JSONObject(present: ["presentation_definition": .object(object)])
        } else {
            claims = object
        }
    }

    /// Makes a writer of a request for the claims of presets.
    public init(presets: [ClaimPreset]) {
        claims = JSONObject(present: ["presentation_definition": ClaimPreset.definition(of: presets)])
    }

    /// Returns the request for the session with the verifier's key.
    ///
    /// - Parameters:
    ///   - nonce: fresh for this session, 16 to 256 characters.
    ///   - key: signs the request; nil leaves it unsigned.
    ///   - clientID: the verifier that asks; with a key, the key's DID is used.
    /// - Throws: the codes `request.…` when the claims make no request.
    public func request(
        verifierKey: [UInt8], nonce: String, key: PresentationSigningKey?, clientID: String? = nil
    ) throws(PresentationError) -> (mediaType: String, content: [UInt8]) {
        var claims = claims
        claims["nonce"] = .string(nonce)
        claims["ble_key"] = .string(ChannelBinding.requestKey(of: verifierKey))
        if let name = key?.identifier ?? clientID {
            claims["client_id"] = .string(name)
            claims["iss"] = .string(name)
        }
        _ = try RequestObjectClaims(claims).request()
        guard let key else { return ("application/json", claims.encoded) }
        return ("application/oauth-authz-req+jwt", try key.token(type: "oauth-authz-req+jwt", claims))
    }
}
