import Aries
import AriesRuntime
import CloudAgent
import DIDComm
import Determinism
import QRCode
import Terminal
import WebAddressing
import WebTransport

/// `symbolon agent run`: a cloud agent at work.
enum AgentRunCommand {
    /// Where it listens unless it is told otherwise, so that its invitation stays the same.
    private static let usualPort: UInt16 = 8040

    private static let listen = ValueOption(
        "listen", ListenAddress.kind, "Where to listen (127.0.0.1:\(usualPort), this machine alone).")
    private static let publicURL = ValueOption(
        "public-url", AgentAccess.address, "Where others reach it, such as a proxy in front (where it listens).")
    private static let certificate = ValueOption(
        "tls-cert", .path("FILE"), "Serves TLS with this certificate, and those between it and the root, in PEM.")
    private static let certificateKey = ValueOption("tls-key", .path("FILE"), "The certificate's key, in PEM.")
    private static let open = Flag("open", "Everybody who has the invitation may open an account (the default).")
    private static let closed = Flag("closed", "Nobody may open an account; those that are there are served.")
    private static let duration = ValueOption(
        "for", .duration("TIME", in: .milliseconds(1)...(.seconds(31_536_000))), "How long to run (until interrupted).")

    static let declaration = CommandDeclaration(
        "run", "Takes messages for wallets that are away, and keeps them until they are fetched.",
        discussion: [
            "Whoever follows the invitation has an account, and is reached through this agent while nothing runs at home: "
                + "with our own wallet by symbolon mediator use. HTTP and WebSocket are served on one port. A message that "
                + "was answered as taken is on the disk.",
            "Without options it listens on this machine alone. Several agents may share a database of PostgreSQL; they need "
                + "the same secret and the same public address. The first interruption lets what is under way end.",
            "Without --json, standard output has the invitation's link alone.",
        ],
        examples: [
            .init("symbolon agent run", "Serves wallets on this machine."),
            .init(
                "symbolon agent run --listen 0.0.0.0:8040 --public-url https://a.example",
                "Serves everybody, behind a proxy."),
        ],
        options: [
            listen.declaration, publicURL.declaration, certificate.declaration, certificateKey.declaration,
            AgentPlace.data.declaration, AgentPlace.store.declaration, AgentPlace.secretFile.declaration,
            open.declaration, closed.declaration, AgentAccess.label.declaration, AgentAccess.allowPrivate.declaration,
            Options.qrFile.declaration, duration.declaration,
        ])

    static let run: Program.Body = { context in
        try ShownCode.checkPicture(context.arguments[Options.qrFile])
        let configuration = try configuration(context)
        let place = try AgentPlace(context)
        let secret = try place.secret(context)
        let store = try await place.store.open()
        let service = WebService()
        let policy: AddressPolicy = context.arguments[AgentAccess.allowPrivate] ? .allowPrivate : .publicOnly
        let server = CloudAgentServer(
            configuration, store: store, secret: secret, wire: WebWire(service, policy: policy),
            timekeeper: context.environment.timekeeper, wallTime: context.environment.wallTime)
        var failure: (any Error)?
        do {
            let socket = try await server.start()
            try show(server, at: socket, place, context)
            try await wait(context)
        } catch {
            failure = error
        }
        // What is under way ends even though this task is cancelled.
        await Task { await server.stop() }.value
        await service.stop()
        if let failure { throw failure }
    }

    private static func configuration(_ context: CommandContext) throws(UsageError) -> CloudAgentConfiguration {
        let arguments = context.arguments
        if arguments[open], arguments[closed] {
            throw UsageError(
                .conflict, "--open and --closed exclude each other.", nextStep: "Leave one of the two out.")
        }
        var configuration = CloudAgentConfiguration()
        if let label = arguments[AgentAccess.label] { configuration.label = label }
        let place = arguments[listen] ?? ListenAddress(port: usualPort)
        (configuration.server.address, configuration.server.port) = (place.address, place.port)
        configuration.publicAddress = arguments[publicURL]?.text
        configuration.admission = arguments[closed] ? .closed : .open
        switch (arguments[certificate], arguments[certificateKey]) {
        case (let chain?, let key?): configuration.server.certificate = .init(chainPath: chain, keyPath: key)
        case (nil, nil): break
        default:
            throw UsageError(
                .missingOption, "--tls-cert and --tls-key go together.", nextStep: "Give both, or neither.")
        }
        return configuration
    }

    private static func show(
        _ server: CloudAgentServer, at socket: SocketAddress, _ place: AgentPlace, _ context: CommandContext
    ) throws {
        guard let endpoints = server.endpoints, let invitation = server.invitation, let older = server.olderInvitation
        else { return }
        let link = InvitationLink(invitation, at: endpoints.http)
        let admission: CloudAgentConfiguration.Admission = context.arguments[closed] ? .closed : .open
        context.reporter.event(
            .cloudAgent,
            [
                .init("address", .string("\(socket)")), .init("endpoint", .string(endpoints.http.text)),
                .init("socket", .string(endpoints.socket.text)), .init("link", .string(link.text)),
                .init("olderLink", .string(InvitationLink(older, at: endpoints.http).text)),
                .init("store", .string("\(place.store)")), .init("secret", .string(place.secretPath)),
                .init("admission", .string(admission.rawValue)),
            ])
        let console = context.console
        console.say("Listens on \(socket); others reach it at \(endpoints.http.text) and \(endpoints.socket.text).")
        console.say("Keeps messages in \(TerminalText.sanitised("\(place.store)", limit: 4096)).")
        console.say("Without its secret they are of no use: \(TerminalText.sanitised(place.secretPath, limit: 4096)).")
        context.reporter.put(link.text)
        try show(link, context)
    }

    private static func show(_ link: InvitationLink, _ context: CommandContext) throws {
        let code = ShownCode(text: link.text, reporter: context.reporter)
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

    /// Waits until somebody ends the run, or the time is over.
    private static func wait(_ context: CommandContext) async throws {
        let timekeeper = context.environment.timekeeper
        let duration = context.arguments[duration] ?? .seconds(3_153_600_000)
        try await timekeeper.wait(until: timekeeper.now() + duration)
    }
}

/// An address of this machine, with a port.
struct ListenAddress: Sendable {
    var address = IPAddress.v4(IPv4Address(127, 0, 0, 1))
    var port: UInt16

    static let kind = ValueKind<ListenAddress>("ADDRESS:PORT") { (text) throws(ValueComplaint) in
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[text.index(after: colon)...])
        else { throw complaint }
        var host = text[..<colon]
        if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") {
            host = host.dropFirst().dropLast()
        }
        guard let address = IPAddress(parsing: String(host)) else { throw complaint }
        return ListenAddress(address: address, port: port)
    }

    private static var complaint: ValueComplaint {
        ValueComplaint("is no address with a port", advice: "Write one such as 127.0.0.1:8040 or [::1]:8040")
    }
}
