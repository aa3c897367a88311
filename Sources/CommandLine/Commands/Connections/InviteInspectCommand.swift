import Aries
import DIDComm
import Determinism
import Terminal

/// `symbolon invite inspect TEXT|FILE|-`: says what an invitation is and what accepting it would do, without any network.
enum InviteInspectCommand {
    private static let subject = Operand(
        ValueKind<String>("TEXT|FILE|-", completesFiles: true) { (text) throws(ValueComplaint) in text },
        "The link or text itself, a file, or - for standard input.")

    static let declaration = CommandDeclaration(
        "inspect", "Says from whom an invitation is, and what accepting it would do.",
        discussion: [
            "Read are links with c_i, oob, d_m or m in them, base64 with or without padding, and JSON, of connections 1.0 and "
                + "out-of-band 1.x. Nothing is sent and nothing is fetched: a short link is named as one.",
            "Label, goal and picture are the inviter's words; they prove nothing.",
        ],
        examples: [
            .init(#"symbolon invite inspect "https://example.org/ssi?oob=eyJ…""#, "Explains a link."),
            .init("symbolon invite inspect invitation.json --json", "Explains a file, as JSON Lines."),
        ],
        options: [Options.json.declaration], operands: [subject.declaration])

    static let run: Program.Body = { context in
        let bytes = try await contents(try context.arguments.required(subject), context)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AriesError(.invitationUnrecognised, "The bytes are no text.")
        }
        switch try InvitationText(parsing: text) {
        case .invitation(let invitation):
            let inspection = InvitationInspection(invitation, now: context.environment.wallTime())
            context.reporter.event(.connectionInvitation, inspection.fields)
            for line in inspection.lines { context.reporter.put(line) }
            if let problem = inspection.problem { throw problem }
        case .request(let message):
            context.reporter.event(
                .attachedRequest, [.init("id", .string(message.id)), .init("type", .string(message.type.description))])
            context.reporter.put("A request that is answered without a connection: " + shown(message.type.description))
        case .shortLink(let address):
            context.reporter.event(.shortLink, [.init("address", .string(address))])
            context.reporter.put("A short link: the invitation has to be fetched from " + shown(address))
        }
    }

    /// Text of others, fit for a terminal.
    static func shown(_ text: String) -> String { TerminalText.sanitised(text) }

    /// Standard input, a file if there is one of that name, else the text itself.
    private static func contents(_ name: String, _ context: CommandContext) async throws -> [UInt8] {
        if name == "-" { return try await context.standardInput(limit: InvitationText.maximumBytes) }
        guard !name.utf8.contains(0), name.utf8.count < 4096, POSIXFile.exists(name) else { return Array(name.utf8) }
        return try BoundedFile.read(name, limit: InvitationText.maximumBytes)
    }
}
