import ByteCoding
import CommandProgram
import Determinism
import Terminal
import Tuvali

/// Explains the text of a QR code.
struct URIInspection {
    /// The public key of RFC 7748, section 6.1, whose private key is public; the documentation's sample uses it.
    private static let publishedKey = Hex.decode("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")

    private let reporter: EventReporter

    init(_ reporter: EventReporter) { self.reporter = reporter }

    /// Explains the text of a QR code: a Tuvali URI.
    ///
    /// - Throws: the codes of `TuvaliURI.init(parsing:)`, and `tuvali.wallet.low-order-key` when the key gives no
    /// secrecy.
    func run(_ text: String) throws {
        let uri = try TuvaliURI(parsing: text)
        let problem = problem(with: uri)
        let isPublished = uri.key == Self.publishedKey
        let words = KeyCheckWords.words(for: uri.key)
        reporter.event(
            .uri,
            [
                .init("name", .string(uri.name)), .init("key", .string(Hex.encode(uri.key))),
                .init("words", .array(words.map(JSONText.string))), .init("spelling", .string(spelling(uri))),
                .init("uri", .string(uri.text)), .init("isPublishedKey", .bool(isPublished)),
            ])
        reporter.put("Tuvali URI: the QR code of a verifier")
        var rows = [
            ("name", TerminalText.sanitised(uri.name)), ("key", Hex.encode(uri.key)),
            ("check words", words.joined(separator: " ")),
            ("spelling", uri.spelling == .plain ? "connect? (as documented)" : "connect:? (Android 0.4.1 to 0.5.1)"),
            ("protocol", "Tuvali 0.4 or 0.5; the advertisement says which"),
        ]
        if uri.text != text { rows.append(("written anew", uri.text)) }
        if isPublished { rows.append(("warning", "the private key to this key is published; use it for tests only")) }
        for row in rows { reporter.put("  " + TerminalText.padded(row.0, to: 14) + row.1) }
        if let problem { throw problem }
    }

    private func spelling(_ uri: TuvaliURI) -> String { uri.spelling == .plain ? "plain" : "with-colon" }

    private func problem(with uri: TuvaliURI) -> TuvaliError? {
        // Nothing is encrypted with this key; it only has to be valid.
        var random = SeededRandom(seed: 0)
        do {
            _ = try WalletSession(uri: uri, random: &random)
            return nil
        } catch {
            return error
        }
    }
}
