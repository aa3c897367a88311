package import Aries
import AriesConnections
package import CommandProgram
package import Terminal
import WebAddressing
import WebTransport

/// Reads invitations from a link or text, a file, standard input, or the target of a short link.
package enum InvitationSource {
    package static let text = Operand(
        ValueKind<String>("TEXT|FILE|-", completesFiles: true) { (text) throws(InvalidValue) in text },
        "The link or text itself, a file, or - for standard input.")
    static let allowHTTP = FlagOption("allow-http", "Also fetches a short link that has no TLS.")

    /// Reads the invitation that the argument gives; a short link is not followed.
    package static func read(_ context: CommandContext) async throws -> InvitationText {
        let bytes = try await contents(try context.arguments.required(text), context)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AriesError(.invitationUnrecognised, "The bytes are not text.")
        }
        return try InvitationText(parsing: text)
    }

    /// Reads an invitation that offers to connect: that of the argument, or the one that its short link leads to.
    package static func invitation(_ context: CommandContext) async throws -> Aries.Invitation {
        var text = try await read(context)
        if case .shortLink(let address) = text {
            context.reporter.event(.shortLink, [.init("address", .string(address))])
            text = try await fetch(address, context)
        }
        guard case .invitation(let invitation) = text, invitation.offersHandshake else {
            throw AriesError(.handshakeUnsupported, "The text asks for something and offers no connection.")
        }
        return invitation
    }

    /// Fetches the target of a short link: an invitation or a request.
    package static func fetch(_ link: String, _ context: CommandContext) async throws -> InvitationText {
        let service = WebService()
        let fetch = InvitationFetch(
            GuardedFetch(exchanger: HTTPClient(service), clock: context.environment.clock),
            policy: context.arguments[Options.allowPrivate] ? .allowPrivate : .publicOnly,
            allowsInsecure: context.arguments[allowHTTP], deadline: context.environment.fetchDeadline)
        do {
            let found = try await fetch.content(at: link)
            await service.stop()
            return found
        } catch {
            await service.stop()
            throw error
        }
    }

    /// Standard input, a file if there is one of that name, else the text itself.
    private static func contents(_ name: String, _ context: CommandContext) async throws -> [UInt8] {
        if name == "-" { return try await context.standardInput(limit: InvitationText.maximumBytes) }
        guard !name.utf8.contains(0), name.utf8.count < 4096, POSIXFile.exists(name) else { return Array(name.utf8) }
        return try BoundedFile.read(name, limit: InvitationText.maximumBytes)
    }
}
