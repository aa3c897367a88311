import ByteCoding
import CommandProgram
import Credentials
import JSON
import Presentations
import Terminal

/// Explains a verifier's request: a request object with or without a signature, or a query.
struct RequestInspection {
    private let reporter: EventReporter
    private let store: TrustStore

    /// Makes an inspection that recognises the signers that `store` trusts.
    init(_ reporter: EventReporter, _ store: TrustStore) {
        self.reporter = reporter
        self.store = store
    }

    /// The media type of a text that is a request; nil when it is none.
    static func mediaType(of text: String) -> String? {
        let bytes = Array(text.utf8)
        if let object = (try? JSONValue(parsing: bytes))?.object {
            return object["dcql_query"] ?? object["presentation_definition"] == nil ? nil : "application/json"
        }
        let compact = content(of: text)
        guard let token = try? SignedToken(parsing: compact, limits: VerificationLimits()) else {
            return nil
        }
        return token.type == "oauth-authz-req+jwt" ? "application/oauth-authz-req+jwt" : nil
    }

    /// Removes line breaks and other blanks from a signed token.
    private static func content(of text: String) -> [UInt8] { Array(text.filter { !$0.isWhitespace }.utf8) }

    /// Explains a request as of now, and without the session that it was made for.
    ///
    /// - Throws: the codes `request.…`.
    func run(_ text: String, mediaType: String, _ context: CommandContext) throws {
        let verification = VerificationRequest(trust: store, at: context.environment.wallTime())
        let request = try PresentationRequestParser(verification)
            .request(
                mediaType: mediaType,
                content: mediaType == "application/json" ? Array(text.utf8) : Self.content(of: text), over: nil)
        reporter.put("Request of a verifier, \(mediaType)")
        for row in VerifierRequestText(request).rows + [("nonce", TerminalText.sanitised(request.nonce, limit: 64))] {
            reporter.put("  " + TerminalText.padded(row.0, to: 14) + row.1)
        }
    }
}
