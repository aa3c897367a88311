import Aries
import AriesRuntime
import CloudAgent
import CommandProgram
import Terminal

/// The list of those who may open an account, as `symbolon agent run` uses it.
enum AllowedNames {
    /// Shows how many names there are, and the invitation of each, a line each: the name, a tab, the link.
    ///
    /// - Parameter old: the list before; invitations that it had are not shown again.
    static func show(_ list: AllowList, after old: AllowList?, of server: CloudAgentServer, _ context: CommandContext) {
        guard let endpoints = server.endpoints else { return }
        let names = "\(Quantity.count(list.guests.count)) \(list.guests.count == 1 ? "name" : "names")"
        context.console.say("The list has \(names), each with an invitation of its own.")
        let known = Set(old?.guests.map { Array($0.name.utf8) } ?? [])
        for guest in list.guests where !known.contains(Array(guest.name.utf8)) {
            guard let (current, older) = server.invitations(for: guest.name) else { continue }
            let link = InvitationLink(current, at: endpoints.http).text
            context.reporter.event(
                .cloudAgentInvitation,
                [
                    .init("name", .string(guest.name)), .init("link", .string(link)),
                    .init("olderLink", .string(InvitationLink(older, at: endpoints.http).text)),
                    .init("isForMany", .bool(guest.isForMany)),
                ])
            context.reporter.put("\(TerminalText.sanitised(guest.name))\t\(link)")
        }
    }

    /// Tells each time that the list is to be read again (SIGHUP), from now on; nil where the signal is not handled.
    ///
    /// Without a list a terminal that is closed ends the agent, as it ends other programs. What a manager of services runs has
    /// no terminal, and goes on.
    static func rereads(_ settings: AgentSettings, _ context: CommandContext) -> AsyncStream<Void>? {
        let isManaged = context.console.variables["NOTIFY_SOCKET"] != nil
        return isManaged || settings[AgentSettings.allow] != nil ? context.environment.rereads() : nil
    }

    /// Reads the list again at each of `rereads`; a file that is none changes nothing.
    static func follow(
        _ rereads: AsyncStream<Void>?, from first: AllowList?, _ server: CloudAgentServer, _ settings: AgentSettings,
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
                context.console.say("The list stays as it was: \(error)")
            }
        }
    }
}
