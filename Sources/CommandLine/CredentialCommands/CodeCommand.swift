import Codes
package import CommandProgram
import Credentials
import QRCode
package import Terminal

/// `symbolon code FILE`: draws a credential as a code that wallets and verifiers of Inji read.
package enum CodeCommand {
    private static let file = Operand(.path("FILE|-"), "The credential; - is standard input.")
    private static let text = FlagOption("text", "Writes the text of the code to standard output, and draws nothing.")

    /// The largest version that scanners read from paper and screens: 137 modules a side.
    private static let maximumVersion = 30
    /// The characters that version 30 holds at the lowest level (ISO/IEC 18004, table 7).
    private static let maximumCharacters = 2520
    /// The most bytes of a credential that are read.
    private static let maximumFileBytes = 1 << 20

    package static let declaration = CommandDeclaration(
        "code", "Draws a credential as a QR code.",
        discussion: [
            "The code is one of PixelPass: JSON as CBOR, or the token as it is, compressed, in base 45. The error correction is "
                + "medium where that fits, else low. Nothing is verified, and anyone who sees the code can copy it: a "
                + "code proves who issued a credential, and nothing about who shows it.",
            "A code above version 30 is not drawn, because scanners do not read it; leave out the picture, or claims "
                + "that may be withheld.",
        ],
        examples: [
            .init("symbolon code degree.json", "Shows the code in the terminal."),
            .init("symbolon code degree.jwt --qr-file degree.png", "Writes the code as a picture."),
            .init("symbolon code degree.json --text", "Writes the text of the code."),
        ],
        options: [Options.qrFile.declaration, text.declaration], operands: [file.declaration])

    package static let run: Program.Body = { context in
        let picture = context.arguments[Options.qrFile]
        try QRCodeOutput.checkPicture(picture)
        let name = try context.arguments.required(file)
        let bytes = try await context.contents(of: name, limit: maximumFileBytes)
        guard CredentialFormatDetection.format(of: bytes) != .unknown else {
            throw CommandFailure(
                CommandError(.inputNotRecognised, "\(TerminalText.sanitised(name)) is no credential."),
                nextStep: "Give a credential in JSON-LD, JWT or SD-JWT; symbolon inspect says what the file is.")
        }
        let code: String
        do throws(CredentialError) {
            code = try PixelPass.text(of: bytes)
        } catch {
            throw tooLong("the credential has \(bytes.count) bytes, many more than a QR code holds")
        }
        guard !context.arguments[text] else { return context.console.put(code) }
        let output = try drawn(code, context)
        guard let picture else { return try output.show(hint: "--qr-file code.svg writes it as a picture.") }
        try output.writePicture(picture)
        context.console.say("The QR code is in \(TerminalText.sanitised(picture)).")
    }

    private static func drawn(_ text: String, _ context: CommandContext) throws -> QRCodeOutput {
        let levels = [QRCode.ErrorCorrection.medium, .low]
        let fitting = levels.first { level in
            (try? QRCode(text, level: level)).map { $0.version <= maximumVersion } ?? false
        }
        guard let fitting else {
            let excess = max(1, text.utf8.count - maximumCharacters)
            throw tooLong(
                "the code has \(text.utf8.count) characters, \(excess) more than scanners read from one QR code")
        }
        return QRCodeOutput(text: text, level: fitting, reporter: context.reporter)
    }

    private static func tooLong(_ reason: String) -> CommandFailure {
        CommandFailure(QRCodeError(.tooLong, reason), nextStep: "Leave out the picture or other claims.")
    }
}
