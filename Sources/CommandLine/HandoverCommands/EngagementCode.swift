import CommandProgram
import Terminal
import Tuvali

/// Shows the engagement code of a verifier: as text, as check words, as a QR code in the terminal or in a file.
struct EngagementCode {
    let uri: TuvaliURI
    let reporter: EventReporter

    private var code: QRCodeOutput { QRCodeOutput(text: uri.text, reporter: reporter) }

    /// Shows the QR code as the last thing in the window, so that it stays in view.
    ///
    /// - Parameter hint: what to do when the window is too small for it.
    func showQRCode(hint: String) throws { try code.show(hint: hint) }

    /// The check words of the key, for reading aloud.
    var words: String { KeyCheckWords.words(for: uri.key).joined(separator: " ") }

    /// Writes the QR code as a picture; the ending of `path` decides which kind.
    ///
    /// - Throws: `usage.bad-value` for another ending than .svg and .png, `output.not-writable`.
    func writePicture(_ path: String) throws { try code.writePicture(path) }
}
