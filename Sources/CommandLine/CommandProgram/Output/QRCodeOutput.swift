package import QRCode
package import Terminal

/// Shows a text as a QR code, in the terminal or in a file.
package struct QRCodeOutput {
    private let text: String
    private let level: QRCode.ErrorCorrection
    private let reporter: EventReporter

    /// Makes the code of `text`, to be shown by `reporter`; `level` is that of a picture.
    package init(text: String, level: QRCode.ErrorCorrection = .medium, reporter: EventReporter) {
        self.text = text
        self.level = level
        self.reporter = reporter
    }

    /// Shows the QR code as the last thing in the window, so that it stays in view.
    ///
    /// - Parameter hint: what to do when the window is too small for it.
    package func show(hint: String) throws {
        let console = reporter.console
        guard console.talkIsTerminal else {
            guard let panel = try TerminalQRCode(withoutWindow: text) else {
                return console.say("The QR code is too large to be shown as text. \(hint)")
            }
            for line in panel.lines { console.say(line) }
            return
        }
        let panel = try TerminalQRCode(text, window: console.window, palette: console.palette)
        for line in panel.lines { console.say(line) }
        if let remark = panel.remark { console.say("\(remark) \(hint)") }
    }

    /// Writes the QR code as a picture; the ending of `path` decides which kind.
    ///
    /// - Throws: `usage.bad-value` for another ending than .svg and .png, `output.not-writable`.
    package func writePicture(_ path: String) throws {
        let code = try QRCode(text, level: level)
        let bytes: [UInt8]
        switch path.split(separator: ".").last?.lowercased() {
        case "svg": bytes = Array(code.svg().utf8)
        case "png": bytes = try code.png()
        default: throw Self.wrongEnding(path)
        }
        try ReceivedFileWriter.replace(path, with: bytes)
    }

    /// Writes the code of a link to the file of `--qr-file`, or shows it; a link that is too long for a code is
    /// reported, and is no failure.
    ///
    /// - Throws: as `writePicture`.
    package static func show(link: String, _ context: CommandContext) throws {
        let code = QRCodeOutput(text: link, reporter: context.reporter)
        do {
            if let picture = context.arguments[Options.qrFile] {
                try code.writePicture(picture)
                context.console.say("The QR code is in \(TerminalText.sanitised(picture)).")
            } else {
                try code.show(hint: "--qr-file code.svg writes it as a picture.")
            }
        } catch let error as QRCodeError where error.code == .tooLong {
            context.console.say("The link is too long for a QR code.")
        }
    }

    /// Shows the QR code of a link; where it cannot be shown, that of the shorter link, with a remark.
    ///
    /// - Throws: as `writePicture`.
    package static func show(link: String, orShort short: String, remark: String, _ context: CommandContext) throws {
        let console = context.console
        guard context.arguments[Options.qrFile] == nil, try !fits(link, console) else {
            return try show(link: link, context)
        }
        console.say("\(remark) \(short)")
        try show(link: short, context)
    }

    /// Returns true when the QR code of a link can be shown.
    private static func fits(_ link: String, _ console: Console) throws -> Bool {
        do throws(QRCodeError) {
            guard console.talkIsTerminal else { return try TerminalQRCode(withoutWindow: link) != nil }
            return try TerminalQRCode(link, window: console.window, palette: console.palette).remark == nil
        } catch {
            guard error.code == .tooLong else { throw error }
            return false
        }
    }

    /// Refuses a file name without the ending .svg or .png, as the first step of a command.
    package static func checkPicture(_ path: String?) throws(UsageError) {
        guard let path else { return }
        guard ["svg", "png"].contains(path.split(separator: ".").last?.lowercased()) else { throw wrongEnding(path) }
    }

    private static func wrongEnding(_ path: String) -> UsageError {
        UsageError(
            .badValue, "“\(TerminalText.sanitised(path, limit: 60))” for --qr-file ends neither in .svg nor in .png.",
            nextStep: "Choose one of the two.")
    }
}
