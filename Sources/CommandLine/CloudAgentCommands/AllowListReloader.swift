import Aries
import AriesConnections
import CloudAgent
import CommandProgram
import Terminal

/// Shows and re-reads the list of names that may open an account, for `symbolon agent run`.
enum AllowListReloader {
    /// Shows how many names there are, and the invitation of each, a line each: the name, a tab, the link, a tab, the
    /// short link.
    ///
    /// - Parameter old: the list before; invitations that it had are not shown again.
    static func show(_ list: AllowList, after old: AllowList?, of server: CloudAgentServer, _ context: CommandContext) {
        guard let endpoints = server.endpoints else { return }
        let names = "\(NumberText.count(list.entries.count)) \(list.entries.count == 1 ? "name" : "names")"
        context.reporter.log(.info, "The list has \(names), each with an invitation of its own.")
        let known = Set(old?.entries.map { Array($0.name.utf8) } ?? [])
        for entry in list.entries where !known.contains(Array(entry.name.utf8)) {
            guard let (current, older) = server.invitations(for: entry.name) else { continue }
            let link = InvitationLink(current, at: endpoints.http).text
            context.reporter.event(
                .cloudAgentInvitation,
                [
                    .init("name", .string(entry.name)), .init("link", .string(link)),
                    .init("olderLink", .string(InvitationLink(older, at: endpoints.http).text)),
                    .init("shortLink", .string(server.shortLink(for: entry.name))),
                    .init("isForMany", .bool(entry.isForMany)),
                ])
            let short = server.shortLink(for: entry.name).map { "\t\($0)" } ?? ""
            context.reporter.put("\(TerminalText.sanitised(entry.name))\t\(link)\(short)")
        }
    }

    /// Yields each time that the list is to be read again (SIGHUP); nil where the signal is not handled.
    ///
    /// Without a list a closed terminal ends the agent, as it ends other programs. Under a service manager there is no
    /// terminal, and the agent continues.
    static func rereads(_ settings: CloudAgentSettings, _ context: CommandContext) -> AsyncStream<Void>? {
        let isManaged = context.console.variables["NOTIFY_SOCKET"] != nil
        return isManaged || settings[CloudAgentSettings.allow] != nil ? context.environment.rereads() : nil
    }

    /// Reads the list again at each of `rereads`; a file that cannot be read changes nothing.
    static func follow(
        _ rereads: AsyncStream<Void>?, from first: AllowList?, _ server: CloudAgentServer,
        _ settings: CloudAgentSettings,
        _ context: CommandContext
    ) async {
        guard let rereads, var list = first else { return }
        for await _ in rereads {
            do {
                guard let new = try settings.allowList() else { continue }
                try server.allow(new)
                show(new, after: list, of: server, context)
                list = new
            } catch {
                context.reporter.log(.warning, "The list stays as it was: \(error)")
            }
        }
    }
}
