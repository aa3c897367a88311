import ByteCoding
public import Credentials
public import JSON

/// Checks a wallet's answer against the presentation request.
///
/// Source: `Documentation/Profiles/request.md`, section 8.
public struct PresentationAnswerChecker: Sendable {
    /// The result of checking a wallet's answer.
    public enum Result: Sendable {
        /// The answer meets the request: a report for each presentation, by the id of its query.
        case presented([CheckedPresentation])
        /// The wallet refused the request in this session.
        case refused(PresentationRefusal)
        /// The wallet did not read the request: it sent a credential that is not bound to the session.
        case unbound(UnboundCredential)
    }

    /// One presentation of an answer.
    public struct CheckedPresentation: Sendable {
        /// The id of the query that the presentation answers.
        public let query: String
        /// The checks of the presentation and the credentials inside.
        public let report: CredentialReport
        /// The requested claims with their values in the credentials inside, in the order of the query.
        public let answers: [AnsweredClaim]
    }

    /// A requested claim with its value in the answer; only as reliable as the report says.
    public struct AnsweredClaim: Hashable, Sendable {
        /// The name of the claim in the credential: `ageOver18`.
        public let name: String
        /// The value of the claim; an array when the request asks for several elements.
        public let value: JSONValue

        /// Makes an answered claim from its parts.
        public init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    private let request: PresentationRequest
    private let verification: VerificationRequest
    /// The nonce that the answer must have; nil when the wallet did not read the request.
    private let nonce: String?

    /// The most presentations for one query.
    static let maximumPresentations = 16

    /// Makes a checker for a request, a session, and the issuers that the verifier trusts.
    ///
    /// - Parameter channel: nil when the wallet did not read the request, as deployed wallets do: `check` then gives
    ///   `unbound`, whatever the payload is.
    public init(_ request: PresentationRequest, over channel: ChannelBinding?, _ verification: VerificationRequest) {
        self.request = request
        nonce = channel?.answerNonce(for: request.nonce)
        var verification = verification
        if let nonce {
            verification.policy.nonce = nonce
            verification.policy.audience = request.audience
        }
        self.verification = verification
    }

    /// Checks the answer of a wallet.
    ///
    /// - Throws: the codes `answer.…` for what does not fit.
    public func check(_ payload: [UInt8]) throws(PresentationError) -> Result {
        guard let nonce else { return .unbound(UnboundCredential(payload, to: request, verification)) }
        guard let object = (try? JSONValue(parsing: payload, limits: verification.policy.limits.json))?.object else {
            throw PresentationError(.answerMalformed, "The payload is not a JSON object.")
        }
        guard let given = object["nonce"]?.string else {
            throw PresentationError(.answerMalformed, "The payload is not an answer to a request: it has no nonce.")
        }
        guard given == nonce else {
            throw PresentationError(.answerWrongNonce, "The answer's nonce is not the one of this session.")
        }
        if let error = object["error"]?.string {
            let reason = object["error_description"]?.string ?? ""
            return .refused(
                PresentationRefusal(kind: PresentationRefusal.Kind(rawValue: error), reason: reason.start(scalars: 200))
            )
        }
        guard let tokens = object["vp_token"]?.object else {
            throw PresentationError(.answerMalformed, "The answer holds neither presentations nor an error.")
        }
        var presented: [CheckedPresentation] = []
        let presentedQueries = request.queries.filter { request.sets.isEmpty || tokens[$0.id] != nil }
        for query in presentedQueries { presented += try self.presented(for: query, in: tokens) }
        guard request.answered(fitting: Set(presentedQueries.map(\.id))) != nil else {
            throw PresentationError(
                .answerCredentialMissing, "The answer has none of the combinations of credentials that were asked for.")
        }
        return .presented(presented)
    }

    private func presented(
        for query: CredentialQuery, in tokens: JSONObject
    ) throws(PresentationError) -> [CheckedPresentation] {
        let texts = tokens[query.id]?.array?.compactMap(\.string) ?? []
        guard (1...Self.maximumPresentations).contains(texts.count) else {
            throw PresentationError(
                .answerCredentialMissing, "The answer has no credential for \(query.id).")
        }
        var presented: [CheckedPresentation] = []
        for text in texts {
            let report = CredentialVerifier(verification).verify(Array(text.utf8))
            try check(report)
            for inner in report.inner { try check(inner, for: query) }
            let answers = report.inner.compactMap(\.content.claims).flatMap { Self.answers(to: query, in: $0) }
            presented.append(CheckedPresentation(query: query.id, report: report, answers: answers))
        }
        return presented
    }

    static func answers(to query: CredentialQuery, in claims: JSONValue) -> [AnsweredClaim] {
        query.shown(of: claims).compactMap { claim in
            guard let place = claim.place(in: claims) else { return nil }
            let names = place.path.steps.compactMap { step -> String? in
                if case .member(let name) = step { name } else { nil }
            }
            let values = place.values.map(\.value)
            return AnsweredClaim(name: names.last ?? "", value: values.count == 1 ? values[0] : .array(values))
        }
    }

    /// Throws when the presentation's own checks fail.
    ///
    /// Anything merely not checked in the credentials inside, such as trust in an issuer, is for the caller to judge by
    /// the report.
    private func check(_ report: CredentialReport) throws(PresentationError) {
        guard report.format == .jwt, !report.inner.isEmpty else {
            throw PresentationError(.answerPresentation, "The answer has something that is not a presentation.")
        }
        if report.carries(.vpChallenge) {
            throw PresentationError(.answerWrongNonce, "The presentation was signed for another session.")
        }
        let signature = report.checks.contains { $0.kind == .signature && $0.outcome == .passed }
        let wrong = report.checks.first { $0.outcome == .failed }
        guard signature, wrong == nil else {
            throw PresentationError(.answerPresentation, wrong?.reason ?? "The presenter's signature was not checked.")
        }
    }

    private func check(_ inner: CredentialReport, for query: CredentialQuery) throws(PresentationError) {
        guard let claims = inner.content.claims, query.takes(inner.format, types: inner.content.types) else {
            throw PresentationError(
                .answerCredentialMissing, "The credential for \(query.id) is of another type than was asked for.")
        }
        if let missing = query.missing(in: claims).first {
            throw PresentationError(
                .answerClaimMissing,
                "The credential for \(query.id) lacks the claim \(missing.name), or it has another value.")
        }
    }
}
