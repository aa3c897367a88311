import ByteCoding
import CryptoSuite
public import Determinism

/// Grants the control of a station's page to one browser at a time, which showed the one-time code.
///
/// A code counts once; another one takes its place at once, so that a second browser takes over only with that one.
/// The browser that opened the page keeps a token, with which it comes back after a reload. Wrong codes are counted:
/// after every five a new code is drawn and no code is taken for a while, which doubles up to 30 s. So few guesses
/// find no code of 40 bits, and a program of this machine that tries them keeps the operator out for no longer.
public struct BrowserControl: Sendable {
    /// The answer to a browser that wants to open the page.
    public enum OpeningResult: Hashable, Sendable {
        /// The browser drives the page now, and no other one; with its token, and whether the token is new.
        case opened(token: String, isNew: Bool)
        /// The code or token is not the right one.
        case refused
        /// Too many wrong codes came; nothing is taken for so long.
        case wait(Duration)
    }

    /// The number of wrong codes after which the code changes.
    public static let wrongLimit = 5
    private static let firstWait = Duration.seconds(5)
    private static let longestWait = Duration.seconds(30)

    private var random: any RandomSource
    /// The code that opens the page next.
    public private(set) var code: OneTimeCode
    /// The digest of the token of the browser that drives the page.
    private var token: [UInt8]?
    private var wrong = 0
    private var wait = Self.firstWait
    private var closedUntil: MonotonicInstant?

    /// Makes the control of a page that no browser has opened.
    public init(random: any RandomSource) {
        var random = random
        code = OneTimeCode(random: &random)
        self.random = random
    }

    /// True when a browser drives the page.
    public var isTaken: Bool { token != nil }

    /// Checks a typed one-time code; on success the browser gets the token that controls the page.
    public mutating func open(code text: String, at now: MonotonicInstant) -> OpeningResult {
        if let until = closedUntil {
            guard now >= until else { return .wait(until - now) }
            closedUntil = nil
        }
        guard code.fits(text) else { return wrongCode(at: now) }
        wrong = 0
        wait = Self.firstWait
        code = OneTimeCode(random: &random)
        let fresh = Base64URL.encode(random.bytes(count: 32))
        token = SHA256.hash(Array(fresh.utf8))
        return .opened(token: fresh, isNew: true)
    }

    /// Checks the token of the browser that drives the page, for example after a reload.
    public func open(token text: String) -> OpeningResult {
        guard let token, ConstantTime.equals(token, SHA256.hash(Array(text.utf8))) else {
            return .refused
        }
        return .opened(token: text, isNew: false)
    }

    /// Ends the control of the browser that drives the page; its token is no longer valid.
    public mutating func close() { token = nil }

    private mutating func wrongCode(at now: MonotonicInstant) -> OpeningResult {
        wrong += 1
        guard wrong >= Self.wrongLimit else { return .refused }
        wrong = 0
        code = OneTimeCode(random: &random)
        closedUntil = now + wait
        defer { wait = min(wait * 2, Self.longestWait) }
        return .wait(wait)
    }
}
