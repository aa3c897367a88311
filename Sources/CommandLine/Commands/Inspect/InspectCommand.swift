import Bluetooth
import ByteCoding
import Codes
package import CommandProgram
import Credentials
import MobileSession
package import Terminal
import Tuvali

/// `symbolon inspect TEXT|FILE|-`: explains a text or file, without network or radio.
package enum InspectCommand {
    /// The largest input that `inspect` reads, in bytes.
    static let maximumBytes = 64 << 20

    private static let subject = Operand(
        ValueKind<String>("TEXT|FILE|-", completesFiles: true) { (text) throws(InvalidValue) in text },
        "The text itself, a file, or - for standard input.")
    private static let limit = ValueOption(
        "limit", .integer("N", in: 1...1_000_000), "Shows at most so many packets of a capture (500 if not given).")

    private static let trust = ValueOption(
        "trust", .path("FILE"), "The trust file that says which signers of requests are known.")

    package static let declaration = CommandDeclaration(
        "inspect", "Identifies a file or a text, and explains it.",
        discussion: [
            "It knows the QR codes and requests of verifiers, the codes of phones that show mobile documents and the messages of "
                + "their sessions, advertisements in hexadecimal digits, captures (btsnoop, pcap, pcapng), "
                + "credentials and presentations of every format that verify knows, and the files and folders that symbolon writes or "
                + "reads: trust files, events, logs, vaults, keys, settings. "
                + "Nothing is opened, and nothing is checked but the signature of a request."
        ],
        examples: [
            .init(#"symbolon inspect "OPENID4VP://connect?name=…&key=…""#, "Explains what a QR code says."),
            .init(
                "symbolon inspect 02010203030100111601004F56504D4F5349505F8520F00989", "Takes an advertisement apart."),
            .init("symbolon inspect session.btsnoop", "Lists the packets of a capture, with Tuvali's names."),
            .init("symbolon inspect mdoc:owBjMS4wAY…", "Takes a phone's code apart, and names what is wrong with it."),
            .init("symbolon inspect inbox/credential-523f11592359.json", "Says what a credential says of itself."),
        ],
        options: [limit.declaration, trust.declaration], operands: [subject.declaration])

    package static let run: Program.Body = { context in
        let name = try context.arguments.required(subject)
        let files = FileInspection(context.reporter, at: context.environment.wallTime())
        if POSIXFile.isFolder(name), files.run(folder: name) { return }
        let bytes = try await contents(name, context)
        guard let codes = try PictureFile.codes(in: bytes) else { return try inspect(bytes, files, context) }
        for (index, code) in codes.enumerated() {
            if codes.count > 1 { context.reporter.put("Code \(index + 1) of the picture:") }
            try inspect(code, files, context)
        }
    }

    private static func inspect(_ bytes: [UInt8], _ files: FileInspection, _ context: CommandContext) throws {
        if PacketCapture.format(of: bytes) != nil {
            try CaptureInspection(context.reporter, limit: context.arguments[limit] ?? 500).run(bytes)
            return
        }
        let decoded = String(validating: bytes, as: UTF8.self)
        if let decoded, let mediaType = RequestInspection.mediaType(of: decoded) {
            var policy = VerificationPolicy()
            let store = try TrustFileReader.read(context.arguments[trust], context.reporter, into: &policy)
            return try RequestInspection(context.reporter, store).run(decoded, mediaType: mediaType, context)
        }
        if let found = MobileInspection(bytes) ?? typedCode(decoded) {
            // A document's own claims come first.
            if found.isDocument { _ = files.run(bytes) }
            return try MobileStructureInspection(context.reporter).run(found)
        }
        if files.run(bytes) { return }
        guard let text = decoded else { throw unknown("The bytes are not text.") }
        if isCode(text) {
            try URIInspection(context.reporter).run(text)
        } else if let lines = AdvertisementInspection.hexadecimalLines(text) {
            try AdvertisementInspection(context.reporter).run(lines)
        } else {
            throw unknown(
                text.allSatisfy(\.isWhitespace) ? "The text is empty." : "The text follows none of the formats.")
        }
    }

    /// Reads `name`: standard input, a file if there is one, else the text itself.
    private static func contents(_ name: String, _ context: CommandContext) async throws -> [UInt8] {
        if name == "-" { return try await context.standardInput(limit: maximumBytes) }
        guard !name.utf8.contains(0), POSIXFile.exists(name) else {
            // No name of a file is as long as the text of a code.
            let looksLikePath =
                name.utf8.count < 256 && name.contains("/")
                || [".btsnoop", ".log", ".pcap", ".pcapng"].contains(where: name.hasSuffix)
            if looksLikePath, !name.contains("://"), !name.contains(where: \.isWhitespace) {
                return try BoundedFile.read(name, limit: maximumBytes)
            }
            return Array(name.utf8)
        }
        return try BoundedFile.read(name, limit: maximumBytes)
    }

    /// Explains a phone's code whose letters the keyboard layout of a scanner changed; nil for another text.
    private static func typedCode(_ text: String?) -> MobileInspection? {
        guard let text, text.utf8.count <= DeviceEngagement.maximumBytes,
            case .undone(let code, _) = KeyboardLayout.undo(text),
            MobileInspection.isCode(Array(code.utf8))
        else { return nil }
        return MobileInspection(Array(code.utf8))
    }

    /// True when `text` looks like the code of a verifier, even an older one's: JSON with the member `pk`.
    private static func isCode(_ text: String) -> Bool {
        let start = text.drop(while: \.isWhitespace).prefix(16).lowercased()
        return start.hasPrefix("openid4vp:") || start.contains("://")
            || start.hasPrefix("{") && text.utf8.count <= TuvaliURI.maximumCharacters && text.contains("\"pk\"")
    }

    private static func unknown(_ reason: String) -> CommandError { CommandError(.inputNotRecognised, reason) }
}
