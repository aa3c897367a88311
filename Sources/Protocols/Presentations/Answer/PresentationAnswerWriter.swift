import ByteCoding
import JSON

/// Writes a wallet's answer to a request: presentations, or a refusal with its reason.
///
/// Source: `Documentation/Profiles/request.md`, section 8.
public struct PresentationAnswerWriter: Sendable {
    private let request: PresentationRequest
    private let nonce: String

    /// Makes a writer for a request and the session in which it was received.
    public init(_ request: PresentationRequest, over channel: ChannelBinding) {
        self.request = request
        nonce = channel.answerNonce(for: request.nonce)
    }

    /// Makes an answer with one credential for each query that has any.
    ///
    /// - Parameters:
    ///   - chosen: by the id of the query.
    ///   - holder: signs the presentations.
    ///   - seconds: the time of the signature, since 1970.
    /// - Throws: `answer.nothing-fits` when nothing was chosen, `answer.holder-key`.
    public func answer(
        _ chosen: [String: HeldCredential], holder: PresentationSigningKey, seconds: Int
    ) throws(PresentationError) -> [UInt8] {
        var tokens = JSONObject()
        for query in request.queries {
            guard let member = chosen[query.id]?.member else { continue }
            let claims = JSONObject(present: [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
                "holder": .string(holder.identifier), "iss": .string(holder.identifier),
                "verifiableCredential": [member], "nonce": .string(nonce), "aud": .string(request.audience),
                "iat": .int(seconds),
            ])
            let token = try holder.token(type: "vp+jwt", claims)
            tokens[query.id] = [.string(String(decoding: token, as: UTF8.self))]
        }
        guard !tokens.members.isEmpty else {
            throw PresentationError(.walletNothingFits, "No credential was chosen for any query.")
        }
        return JSONObject(present: ["vp_token": .object(tokens), "nonce": .string(nonce)]).encoded
    }

    /// Makes a refusal with a reason, which is cut at 200 characters.
    public func refusal(_ error: PresentationRefusal.Kind, _ reason: String) -> [UInt8] {
        JSONObject(present: [
            "error": .string(error.rawValue), "error_description": .string(reason.start(scalars: 200)),
            "nonce": .string(nonce),
        ]).encoded
    }
}

/// A wallet's refusal of a request.
public struct PresentationRefusal: Hashable, Sendable {
    /// The kind of refusal, by its error code in the answer.
    ///
    /// Source: OpenID4VP 1.0, section 8.5.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The user refused, or has no matching credential.
        case accessDenied = "access_denied"
        /// The wallet does not understand the request.
        case invalidRequest = "invalid_request"
        /// The signature of the request is wrong.
        case invalidClient = "invalid_client"
    }

    /// The kind of refusal; nil for an unknown one.
    public let kind: Kind?

    /// The reason for the refusal in words: untrusted text.
    public let reason: String

    /// The error of the verifier for this refusal.
    public var error: PresentationError {
        PresentationError(.answerRefused, "The wallet refused the request.")
    }
}
