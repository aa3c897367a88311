public import Credentials
import JSON

/// A credential from a wallet that did not read the verifier's request, compared with that request.
///
/// Nothing shows that the credential was presented for this session: the holder is not shown, and a device between may
/// have kept the request from a wallet that would have read it. A person or a policy decides about it.
/// Source: `Documentation/Profiles/request.md`, section 8.
public struct UnboundCredential: Sendable {
    /// The checks of the credential, as for a file.
    public let report: CredentialReport
    /// The requested claims with their values in the credential; only as reliable as the report says.
    ///
    /// In the order of the request.
    public let answers: [PresentationAnswerChecker.AnsweredClaim]
    /// True when the credential has the requested types and claims, in any format.
    public let isComplete: Bool
    /// The names of the requested types and claims that the credential lacks or has with another value.
    ///
    /// Empty when the credential is complete, or is none.
    public let lacking: [String]

    /// Verifies the payload, and compares it with the request.
    init(_ payload: [UInt8], to request: PresentationRequest, _ verification: VerificationRequest) {
        report = CredentialVerifier(verification).verify(payload)
        let credentials = report.inner.isEmpty ? [report.content] : report.inner.map(\.content)
        var answers: [PresentationAnswerChecker.AnsweredClaim] = []
        var lacking: [String] = []
        var answered: Set<String> = []
        for query in request.queries {
            let nearest = credentials.compactMap { Self.missing(for: query, in: $0) }.min { $0.count < $1.count }
            guard let nearest, nearest.isEmpty else {
                lacking += nearest ?? []
                continue
            }
            answered.insert(query.id)
        }
        for query in request.queries {
            for claims in credentials.compactMap(\.claims) {
                answers += PresentationAnswerChecker.answers(to: query, in: claims).filter { !answers.contains($0) }
            }
        }
        self.answers = answers
        isComplete = request.answered(fitting: answered) != nil
        self.lacking = isComplete ? [] : lacking
    }

    /// Returns the types and claims of a query that a credential lacks; nil for content without claims.
    private static func missing(for query: CredentialQuery, in content: CredentialContent) -> [String]? {
        guard let claims = content.claims, !content.types.isEmpty else { return nil }
        let hasType = query.types.isEmpty || query.types.contains { $0.allSatisfy(content.types.contains) }
        let types = hasType ? [] : query.types.prefix(1).map { $0.joined(separator: "+") }
        return types + query.missing(in: claims).map(\.name)
    }
}
