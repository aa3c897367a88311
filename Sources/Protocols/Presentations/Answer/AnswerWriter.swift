import ByteCoding
import JSON

/// Writes a wallet's answer to a request: presentations, or a refusal with its reason.
///
/// Source: `Documentation/Profiles/request.md`, section 8.
public struct AnswerWriter: Sendable {
    private let request: PresentationRequest
    private let nonce: String

    /// Takes the request and the session that it came over.
    public init(_ request: PresentationRequest, over channel: ChannelBinding) {
        self.request = request
        nonce = channel.answerNonce(for: request.nonce)
    }

    /// Answers with one credential for each query that has any.
    ///
    /// - Parameters:
    ///   - chosen: by the id of the query.
    ///   - holder: signs the presentations.
    ///   - seconds: the time of the signature, since 1970.
    /// - Throws: `answer.nothing-fits` when nothing was chosen, `answer.holder-key`.
    public func answer(
        _ chosen: [String: HeldCredential], holder: SigningKey, seconds: Int
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

    /// Refuses with a reason of at most 200 characters; the rest is cut.
    public func refusal(_ error: PresentationRefusal.Kind, _ reason: String) -> [UInt8] {
        JSONObject(present: [
            "error": .string(error.rawValue), "error_description": .string(reason.start(scalars: 200)),
            "nonce": .string(nonce),
        ]).encoded
    }
}

/// A wallet's refusal of a request.
public struct PresentationRefusal: Hashable, Sendable {
    /// The kinds of refusal.
    ///
    /// Source: OpenID4VP 1.0, section 8.5.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The user refused, or has nothing that fits.
        case accessDenied = "access_denied"
        /// The request is not understood.
        case invalidRequest = "invalid_request"
        /// The signature of the request does not fit.
        case invalidClient = "invalid_client"
    }

    /// The kind; nil for one that is not known.
    public let kind: Kind?

    /// The reason in words; untrusted text.
    public let reason: String

    /// The error that a verifier ends with.
    public var error: PresentationError {
        PresentationError(.answerRefused, "The wallet refused the request.")
    }
}
