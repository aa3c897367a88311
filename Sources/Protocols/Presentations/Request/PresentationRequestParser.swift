public import Credentials
import JSON

/// Parses and checks a presentation request that was received in a session.
///
/// Source: `Documentation/Profiles/request.md`, section 7; OpenID4VP 1.0, sections 5 and 6; RFC 9101.
public struct PresentationRequestParser: Sendable {
    /// The trusted signers of requests, and the time of the check.
    public let verification: VerificationRequest

    /// True when a request that names no session is accepted.
    public var acceptsUnbound: Bool

    /// Makes a parser of requests.
    public init(_ verification: VerificationRequest, acceptsUnbound: Bool = false) {
        self.verification = verification
        self.acceptsUnbound = acceptsUnbound
    }

    /// The permitted number of characters of a nonce.
    public static let nonceCharacters = 16...256

    /// Reads a request and checks its signature, its times and its session.
    ///
    /// - Parameter channel: the session that the request came over; nil reads it without its session, to explain it.
    /// - Throws: the codes `request.…`.
    public func request(
        mediaType: String, content: [UInt8], over channel: ChannelBinding?
    ) throws(PresentationError) -> PresentationRequest {
        let claims: JSONObject
        var signer = PresentationRequest.Signer.unsigned
        switch mediaType {
        case "application/oauth-authz-req+jwt":
            let token = try token(content)
            claims = token.claims
            signer = try self.signer(of: token)
        case "application/json":
            guard let object = (try? JSONValue(parsing: content, limits: limits))?.object else {
                throw PresentationError(.requestMalformed, "The request is not a JSON object.")
            }
            claims = object
        default:
            throw PresentationError(.requestMediaType, "The request is of a media type that is not understood.")
        }
        try checkTimes(claims)
        var request = try RequestObjectClaims(claims).request()
        request.signer = signer
        try check(request, over: channel)
        return request
    }

    private var limits: JSONLimits { verification.policy.limits.json }

    private func token(_ content: [UInt8]) throws(PresentationError) -> SignedToken {
        do {
            return try SignedToken(parsing: content, limits: verification.policy.limits)
        } catch {
            throw PresentationError(.requestMalformed, error.reason)
        }
    }

    private func signer(of token: SignedToken) throws(PresentationError) -> PresentationRequest.Signer {
        if let type = token.type, type != "oauth-authz-req+jwt", type != "JWT" {
            throw PresentationError(.requestSignature, "The token's type is that of another kind of token.")
        }
        guard let client = token.claims["iss"]?.string ?? token.claims["client_id"]?.string else {
            throw PresentationError(.requestClaims, "A signed request names who asks, in client_id or iss.")
        }
        let issuer = Self.issuer(client)
        let signature = token.checkSignature(issuer: issuer, verification)
        guard signature.algorithm == "EdDSA" || signature.algorithm == "ES256" else {
            throw PresentationError(.requestSignature, "The request is not signed with EdDSA or ES256.")
        }
        guard signature.isValid, let key = signature.key else {
            let failed =
                signature.checks.first { $0.outcome == .failed } ?? signature.checks.first { $0.outcome != .passed }
            throw PresentationError(.requestSignature, failed?.reason ?? "The request is not signed.")
        }
        // A certificate that no root of the user stands above says nothing about a name that the user pinned.
        let isKnown = token.hasCertificates ? key.isVouchedFor : isKnown(issuer, key)
        return isKnown ? .known(issuer) : .unknown(issuer)
    }

    /// Returns the signer of a `client_id`, with or without a prefix of OpenID4VP 1.0, section 5.9.3.
    private static func issuer(_ client: String) -> String {
        for (prefix, start) in [
            ("decentralized_identifier:", ""), ("x509_san_dns:", "https://"), ("x509_san_uri:", ""),
        ] where client.hasPrefix(prefix) {
            return start + client.dropFirst(prefix.count)
        }
        return client
    }

    /// Returns true when the user pinned the signer, or a trusted root vouches for it.
    ///
    /// A DID method that is trusted as a whole does not say who a signer is.
    private func isKnown(_ issuer: String, _ key: ResolvedKey) -> Bool {
        key.isVouchedFor || verification.trust.issuer(issuer) != nil
            || verification.trust.keys.contains { $0.issuers.contains(issuer) }
    }

    private func checkTimes(_ claims: JSONObject) throws(PresentationError) {
        let now = verification.seconds
        let tolerance = verification.policy.toleranceSeconds
        for name in ["iat", "nbf", "exp"] {
            guard let value = claims[name] else { continue }
            guard let seconds = value.number?.double else {
                throw PresentationError(.requestMalformed, "The claim \(name) is not a number.")
            }
            let isWrong = name == "exp" ? now > seconds + tolerance : name == "nbf" && now < seconds - tolerance
            if isWrong { throw PresentationError(.requestExpired, "The request is not valid at this time.") }
        }
    }

    private func check(
        _ request: PresentationRequest, over channel: ChannelBinding?
    ) throws(PresentationError) {
        guard let channel else { return }
        guard let key = request.channelKey else {
            guard acceptsUnbound else {
                throw PresentationError(.requestUnbound, "The request does not name the session that it is for.")
            }
            return
        }
        guard key == channel.requestKey else {
            throw PresentationError(
                .requestWrongChannel, "The request was written for another verifier's session than the scanned one.")
        }
    }
}

/// The claims of a request object.
struct RequestObjectClaims {
    private let claims: JSONObject

    init(_ claims: JSONObject) { self.claims = claims }

    /// The most credential queries of one request.
    static let maximumQueries = 16

    func request() throws(PresentationError) -> PresentationRequest {
        for name in ["response_type", "redirect_uri", "response_uri"] where claims[name] != nil {
            throw PresentationError(.requestClaims, "A request over Bluetooth has no claim \(name).")
        }
        guard let nonce = try text("nonce"), PresentationRequestParser.nonceCharacters.contains(nonce.utf8.count) else {
            throw PresentationError(.requestClaims, "The request has no nonce of 16 to 256 characters.")
        }
        let issuer = try text("iss")
        let client = try text("client_id")
        if let issuer, let client, issuer != client {
            throw PresentationError(.requestClaims, "The request names two who ask, in iss and in client_id.")
        }
        let key = try text("ble_key")
        if let key, key.utf8.count != 43 {
            throw PresentationError(.requestClaims, "The claim ble_key is not a SHA-256 in base64url.")
        }
        let (queries, purpose) = try queries()
        let sets = try claims["dcql_query"]?.object.map { (object) throws(PresentationError) in
            try DCQLReader.sets(object, of: queries)
        }
        return PresentationRequest(
            clientID: client ?? issuer, signer: .unsigned, nonce: nonce, channelKey: key, queries: queries,
            sets: sets ?? [], purpose: purpose)
    }

    private func text(_ name: String) throws(PresentationError) -> String? {
        guard let value = claims[name] else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= 1024 else {
            throw PresentationError(.requestMalformed, "The claim \(name) is not text of 1 to 1,024 bytes.")
        }
        return text
    }

    private func queries() throws(PresentationError) -> ([CredentialQuery], String?) {
        let found: ([CredentialQuery], String?)
        switch (claims["dcql_query"], claims["presentation_definition"]) {
        case (.object(let object)?, nil): found = (try DCQLReader.queries(object), nil)
        case (nil, .object(let object)?):
            found = (
                try PresentationDefinitionReader.queries(object), object["purpose"]?.string ?? object["name"]?.string
            )
        default:
            throw PresentationError(
                .requestClaims, "The request has not exactly one of dcql_query and presentation_definition.")
        }
        guard (1...Self.maximumQueries).contains(found.0.count) else {
            throw PresentationError(
                .requestUnsupported, "A request asks for 1 to \(Self.maximumQueries) credentials.")
        }
        guard Set(found.0.map(\.id)).count == found.0.count else {
            throw PresentationError(.requestMalformed, "Two queries of the request have one id.")
        }
        return found
    }
}
