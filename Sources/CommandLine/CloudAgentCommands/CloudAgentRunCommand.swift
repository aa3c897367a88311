import Aries
import AriesConnections
import CloudAgent
package import CommandProgram
import DIDComm
import Determinism
package import Terminal
import WebAddressing
import WebTransport

/// `symbolon agent run`: runs a cloud agent.
package enum CloudAgentRunCommand {
    private static let duration = ValueOption(
        "for", .duration("TIME", in: .milliseconds(1)...(.seconds(31_536_000))), "How long to run (until interrupted).")

    private static let newStore = FlagOption(
        "new-store", "Begins with an empty store although its secret is there; without it that is an error.")

    package static let declaration = CommandDeclaration(
        "run", "Runs the server that keeps messages for offline wallets.",
        discussion: [
            "A client that follows the invitation gets an account, and is reached through this agent while it is away: "
                + "with our own wallet by symbolon mediator use. HTTP and WebSocket are served on one port. A message that "
                + "was answered as taken is on the disk.",
            "Without options it listens on this machine only. Each setting can also be in the file that --config names, "
                + "as a line “name = value”, or in the environment, as SYMBOLON_AGENT_NAME; symbolon agent config show says "
                + "what holds and why. Several agents may share a database of PostgreSQL; they need the same secret and the "
                + "same public address.",
            "The first interruption lets what is under way end, and is not a failure: the exit status is 0. A manager of "
                + "services that set NOTIFY_SOCKET is notified when it is ready and when it stops.",
            "With --allow FILE only the names in that file get accounts, each by an invitation of its own. "
                + "SIGHUP has the file read again; the invitations of new names follow on standard output.",
            "Without --json, standard output has only the invitation's link, or with --allow a line for each name: the "
                + "name, a tab, the link, a tab, the short link. The QR code shows the short link, at which the agent serves "
                + "the invitation: to a wallet as JSON, to a browser as a page.",
        ],
        examples: [
            .init("symbolon agent run", "Serves wallets on this machine."),
            .init(
                "symbolon agent run --listen 0.0.0.0:8040 --public-url https://a.example",
                "Serves all clients, behind a proxy."),
            .init("symbolon agent run --config /etc/symbolon/agent.conf", "Takes the settings from a file."),
        ],
        options: CloudAgentSettings.allOptions
            + [Options.qrFile.declaration, duration.declaration, newStore.declaration])

    package static let run: Program.Body = { context in
        OpenFileLimit.raiseLimit()
        try QRCodeOutput.checkPicture(context.arguments[Options.qrFile])
        let settings = try CloudAgentSettings(context)
        var configuration = try settings.configuration()
        configuration.allowList = try settings.allowList()
        if let warning = settings.passwordWarning { context.reporter.log(.warning, warning) }
        let location = try CloudAgentLocation(settings, context, makesFolder: true)
        let opened = try await location.open(settings.storeLimits, makesAnew: context.arguments[newStore], context)
        let service = WebService()
        let policy: IPAddressPolicy = settings[CloudAgentSettings.allowPrivate] == true ? .allowPrivate : .publicOnly
        let server = CloudAgentServer(
            configuration, store: opened.store, secret: opened.secret,
            transport: WebMessageTransport(service, policy: policy),
            post: WebhookSender(service, policy: policy),
            clock: context.environment.clock, wallTime: context.environment.wallTime)
        let admin = try settings.adminServer(of: server, context)
        let reports = CloudAgentCountReporter(server, location: location, context: context)
        let rereads = AllowListReloader.rereads(settings, context)
        let drain = settings[CloudAgentSettings.drain] ?? .seconds(10)
        var failure: (any Error)?
        do {
            let socket = try await server.start()
            let adminSocket = try await admin?.start()
            let shown = ReadyReport(
                socket: socket, adminSocket: adminSocket, location: location, settings: settings,
                list: configuration.allowList)
            try show(server, shown, context)
            // Requests under way may take their time; closing the rest takes little.
            context.environment.forcedEnd.extend(to: drain + .seconds(8))
            let list = configuration.allowList
            let reading = Task { await AllowListReloader.follow(rereads, from: list, server, settings, context) }
            await work(reports, settings, context)
            reading.cancel()
        } catch {
            failure = error
        }
        // Requests under way are finished although this task is cancelled.
        await Task {
            await server.stop(within: drain)
            await admin?.stop()
            await service.stop()
        }.value
        if let failure { throw failure }
        reports.report()
    }

    /// Reports the counts while the agent serves, until an interruption or the end of its time.
    private static func work(
        _ reports: CloudAgentCountReporter, _ settings: CloudAgentSettings, _ context: CommandContext
    )
        async
    {
        let notice = ServiceManagerNotifier(socket: context.console.variables["NOTIFY_SOCKET"])
        notice?.send(ServiceManagerNotifier.ready)
        let reporting = Task {
            await reports.follow(every: settings[CloudAgentSettings.reportInterval] ?? .seconds(60))
        }
        let clock = context.environment.clock
        let duration = context.arguments[duration] ?? .seconds(3_153_600_000)
        // An interruption ends the wait.
        try? await clock.wait(until: clock.now() + duration)
        notice?.send(ServiceManagerNotifier.stopping)
        context.reporter.event(.cloudAgentStopping, [.init("isInterrupted", .bool(Task.isCancelled))])
        context.reporter.log(.info, "Shutting down; finishing current requests.")
        reporting.cancel()
        await reporting.value
    }

    /// The facts that are reported when the agent is ready.
    private struct ReadyReport {
        let socket: SocketAddress
        let adminSocket: SocketAddress?
        let location: CloudAgentLocation
        let settings: CloudAgentSettings
        let list: AllowList?

        var isClosed: Bool { settings[CloudAgentSettings.admission] == .closed }
        /// The rule for opening accounts, in one word.
        var admission: String { isClosed ? "closed" : list == nil ? "open" : "listed" }
    }

    private static func show(_ server: CloudAgentServer, _ shown: ReadyReport, _ context: CommandContext) throws {
        guard let endpoints = server.endpoints, let invitation = server.invitation, let older = server.olderInvitation
        else { return }
        let link = InvitationLink(invitation, at: endpoints.http)
        let location = shown.location
        context.reporter.event(
            .cloudAgent,
            [
                .init("address", .string("\(shown.socket)")), .init("endpoint", .string(endpoints.http.text)),
                .init("socket", .string(endpoints.socket.text)), .init("link", .string(link.text)),
                .init("olderLink", .string(InvitationLink(older, at: endpoints.http).text)),
                .init("shortLink", .string(server.shortLink())),
                .init("store", .string("\(location.store)")), .init("secret", .string(location.secretPath)),
                .init("admission", .string(shown.admission)),
                .init("admin", .string(shown.adminSocket.map { "http://\($0)/" })),
            ])
        let reporter = context.reporter
        reporter.log(
            .info, "Listening on \(shown.socket), advertised as \(endpoints.http.text) and \(endpoints.socket.text).")
        reporter.log(
            .info, "Messages are stored in \(TerminalText.sanitised(location.storeDescription, limit: 4096)).")
        reporter.log(
            .info,
            "Back up the secret file too, without which they cannot be read: "
                + "\(TerminalText.sanitised(location.secretPath, limit: 4096)).")
        if let admin = shown.adminSocket { reporter.log(.info, "The operator's page is at http://\(admin)/.") }
        if shown.isClosed { reporter.log(.info, "Opens no new accounts; the accounts that are there are served.") }
        if let list = shown.list { return AllowListReloader.show(list, after: nil, of: server, context) }
        context.reporter.put(link.text)
        let short = server.shortLink()
        if let short { reporter.log(.info, "The short link, also as a page for browsers: \(short)") }
        try QRCodeOutput.show(link: short ?? link.text, context)
    }
}
