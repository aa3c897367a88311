import ByteCoding
import CryptoSuite
import Determinism
import WebTransport

/// Checks the password of the operator's page, given by HTTP's basic authentication (RFC 7617).
///
/// The user's name may be anything. After ten wrong passwords within a minute none is checked until the minute is over.
final class OperatorLogin: Sendable {
    static let maximumFailures = 10
    static let window = Duration.seconds(60)

    private struct Failures {
        var count = 0
        var since = MonotonicInstant.zero
    }

    private let digest: [UInt8]
    private let clock: any MonotonicClock
    private let failures = Lock(Failures())

    /// Makes the check of one password.
    ///
    /// - Parameter password: kept as a digest alone.
    init(password: String, clock: any MonotonicClock) {
        digest = SHA256.hash(Array(password.utf8))
        self.clock = clock
    }

    /// The answer to a request that does not have the password; nil for one that has it.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        let now = clock.now()
        guard let password = Self.password(in: request.headers["authorization"]) else { return Self.question }
        let isBlocked = failures.withLock { failures in
            if now - failures.since >= Self.window { failures = Failures(count: 0, since: now) }
            return failures.count >= Self.maximumFailures
        }
        guard !isBlocked else {
            var response = HTTPResponse(429, text: "Too many wrong passwords. Try again in a minute.\n")
            response.headers["Retry-After"] = "60"
            return response
        }
        // Digests are compared, so the time of the comparison tells nothing of the password.
        guard SHA256.hash(password) == digest else {
            failures.withLock { $0.count += 1 }
            return Self.question
        }
        return nil
    }

    /// The password of a header field `Authorization`; nil for another one.
    private static func password(in field: String?) -> [UInt8]? {
        guard let field, field.utf8.count <= 1024, field.lowercased().hasPrefix("basic "),
            let text = Base64.decode(String(field.dropFirst(6))), let colon = text.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return Array(text[(colon + 1)...])
    }

    private static var question: HTTPResponse {
        var response = HTTPResponse(401, text: "The operator's password is needed.\n")
        response.headers["WWW-Authenticate"] = #"Basic realm="Cloud agent", charset="UTF-8""#
        return response
    }
}
