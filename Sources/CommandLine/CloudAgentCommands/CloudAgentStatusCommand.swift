import CloudAgent
package import CommandProgram
import Determinism
import JSON
package import Terminal
import WebTransport

/// `symbolon agent status`: the status of a cloud agent, from the agent or from its store.
package enum CloudAgentStatusCommand {
    package static let declaration = CommandDeclaration(
        "status", "Shows how many accounts and messages there are, and whether the agent is healthy.",
        discussion: [
            "With admin-listen in the settings the running agent is asked, there; otherwise its store is looked at, which "
                + "works whether an agent runs or not and says nothing of what it counted."
        ],
        examples: [
            .init("symbolon agent status --admin-listen 127.0.0.1:8041", "Asks a running agent."),
            .init("symbolon agent status", "Looks at the store in the usual folder."),
        ],
        options: CloudAgentSettings.locationOptions + CloudAgentSettings.adminListen.declaration.options)

    /// The status from either source.
    private struct StatusAnswer {
        let source: String
        let state: String?
        let figures: [(name: String, value: Int?)]
    }

    package static let run: Program.Body = { context in
        let settings = try CloudAgentSettings(context)
        let answer: StatusAnswer
        if let admin = settings[CloudAgentSettings.adminListen] {
            answer = try await ask(admin)
        } else {
            answer = try await look(try CloudAgentLocation(settings, context), context)
        }
        let head: [JSONText.Member] = [.init("source", .string(answer.source)), .init("state", .string(answer.state))]
        context.reporter.event(
            .cloudAgentStatus, head + answer.figures.map { .init($0.name, .integer($0.value)) })
        if let state = answer.state { context.reporter.put("state           \(state)") }
        for (name, value) in answer.figures {
            guard let value else { continue }
            context.reporter.put(TerminalText.padded(words[name] ?? name, to: 16) + shown(name, value))
        }
    }

    private static let words = [
        "oldest": "oldest message", "handedOut": "handed out", "takenBytes": "taken bytes",
        "turnedAway": "turned away", "slowedDown": "slowed down", "storeFailures": "store failures",
        "setAside": "set aside", "wakeFailures": "wakes failed", "databaseBytes": "database",
    ]

    private static func shown(_ name: String, _ value: Int) -> String {
        switch name {
        case "uptime", "oldest": NumberText.seconds(Double(value))
        case "bytes", "takenBytes", "databaseBytes": NumberText.bytes(value)
        default: NumberText.count(value)
        }
    }

    /// Asks the admin listener of a running agent.
    private static func ask(_ address: ListenAddress) async throws -> StatusAnswer {
        let service = WebService()
        let answer: HTTPResponse
        do {
            let request = HTTPRequest(.get, try RequestTarget(parsing: "/status"))
            answer = try await HTTPClient(service).send(
                request, to: ConnectionTarget(address.address, port: address.port))
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
        guard answer.status == 200, let object = try? JSONValue(parsing: answer.body).object,
            let state = object["state"]?.string, MediatorStatus.State(rawValue: state) != nil
        else { throw WebError(.responseMalformed, "What listens there is no cloud agent of this version.") }
        return StatusAnswer(source: "agent", state: state, figures: MediatorStatus.names.map { ($0, object[$0]?.int) })
    }

    /// Reads the status from the store.
    private static func look(_ location: CloudAgentLocation, _ context: CommandContext) async throws -> StatusAnswer {
        let totals = try await location.withStore { store in try await store.read { try $0.inspection.totals() } }
        let status = MediatorStatus(totals, at: context.environment.wallTime())
        let known = Set(["accounts", "keys", "messages", "bytes", "oldest"])
        return StatusAnswer(
            source: "store", state: nil,
            figures: status.figures.map { ($0.name, known.contains($0.name) ? $0.value : nil) })
    }

}
