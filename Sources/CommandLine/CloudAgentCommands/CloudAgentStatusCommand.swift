import CloudAgent
import CodedErrors
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
                + "works whether an agent runs or not and says nothing of what it counted.",
            "After the database went back to an earlier state, a line says how much may be lost, until --seen takes "
                + "it away.",
        ],
        examples: [
            .init("symbolon agent status --admin-listen 127.0.0.1:8041", "Asks a running agent."),
            .init("symbolon agent status", "Looks at the store in the usual folder."),
        ],
        options: CloudAgentSettings.locationOptions + CloudAgentSettings.adminListen.declaration.options
            + [seen.declaration])

    private static let seen = FlagOption(
        "seen", "Takes away the line that tells a loss, in the store, once you have read it.")

    /// The status of a cloud agent, as its admin listener or its store gives it.
    private struct StatusAnswer {
        let source: String
        let state: String?
        let words: [(name: String, value: String?)]
        let figures: [(name: String, value: Int?)]

        func word(_ name: String) -> String? { words.first { $0.name == name }?.value }
        func figure(_ name: String) -> Int? { figures.first { $0.name == name }?.value }
    }

    package static let run: Program.Body = { context in
        let settings = try CloudAgentSettings(context)
        if context.arguments[seen] {
            let location = try CloudAgentLocation(settings, context)
            _ = try await location.withStore { store in try await store.write { try $0.losses.markSeen() } }
        }
        let answer: StatusAnswer
        if let admin = settings[CloudAgentSettings.adminListen] {
            answer = try await ask(admin)
        } else {
            answer = try await look(try CloudAgentLocation(settings, context), context)
        }
        let head: [JSONText.Member] = [.init("source", .string(answer.source)), .init("state", .string(answer.state))]
        context.reporter.event(
            .cloudAgentStatus,
            head + answer.words.map { .init($0.name, .string($0.value)) }
                + answer.figures.map { .init($0.name, .integer($0.value)) })
        if let state = answer.state { context.reporter.put("state           \(state)") }
        for line in sentences(answer) { context.reporter.put(line) }
        for (name, value) in answer.figures where !figuresOfSentences.contains(name) {
            guard let value else { continue }
            context.reporter.put(TerminalText.padded(words[name] ?? name, to: 16) + shown(name, value))
        }
    }

    private static let figuresOfSentences: Set = ["causeSeconds", "lossSteps", "lossSeconds"]

    /// Lines about the cause for which the agent is not ready, with the next step, the kind of replication and a loss.
    private static func sentences(_ answer: StatusAnswer) -> [String] {
        var lines: [String] = []
        if let cause = answer.word("cause") {
            let time = answer.figure("causeSeconds").map { ", for \(NumberText.seconds(Double($0)))" } ?? ""
            lines.append("cause           \(shown(cause))\(time)")
            let meaning = CloudAgentError.Code(rawValue: cause)?.explanation.meaning
            let words = [meaning, answer.word("reason")].compactMap(\.self).joined(separator: " ")
            if !words.isEmpty { lines.append("reason          \(shown(words))") }
            if let step = answer.word("nextStep") { lines.append("next            \(shown(step))") }
        }
        if let kind = answer.word("replication") { lines.append("replication     \(kind)") }
        if let age = answer.figure("lossSeconds") {
            let steps = answer.figure("lossSteps").map { "up to \(NumberText.count($0)) transactions" } ?? "the store"
            lines.append(
                "lost            \(steps), noticed \(NumberText.seconds(Double(age))) ago; --seen takes this line away")
        }
        return lines
    }

    private static func shown(_ words: String) -> String {
        TerminalText.sanitised(words, limit: CloudAgentError.shownCharacters + 600)
    }

    private static let words = [
        "oldest": "oldest message", "handedOut": "handed out", "takenBytes": "taken bytes",
        "turnedAway": "turned away", "slowedDown": "slowed down", "storeFailures": "store failures",
        "storeReturns": "store went back", "storeStepsLost": "steps lost", "setAside": "set aside",
        "wakeFailures": "wakes failed", "databaseBytes": "database",
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
            var limits = ClientRequestLimits()
            limits.deadline = .seconds(5)
            answer = try await HTTPClient(service).send(
                request, to: WebConnectionTarget(address.address, port: address.port), limits: limits)
        } catch {
            await service.stop()
            throw error
        }
        await service.stop()
        guard answer.status == 200, let object = try? JSONValue(parsing: answer.body).object,
            let state = object["state"]?.string, MediatorStatus.MediatorReadiness(rawValue: state) != nil
        else { throw WebError(.responseMalformed, "What listens there is no cloud agent of this version.") }
        return StatusAnswer(
            source: "agent", state: state, words: MediatorStatus.wordNames.map { ($0, object[$0]?.string) },
            figures: MediatorStatus.names.map { ($0, object[$0]?.int) })
    }

    /// Reads the status from the store.
    private static func look(_ location: CloudAgentLocation, _ context: CommandContext) async throws -> StatusAnswer {
        let totals = try await location.withStore { store in try await store.read { try $0.inspection.totals() } }
        let status = MediatorStatus(totals, at: context.environment.wallTime())
        let known = Set(["accounts", "keys", "messages", "bytes", "oldest", "lossSteps", "lossSeconds"])
        return StatusAnswer(
            source: "store", state: nil, words: status.words,
            figures: status.figures.map { ($0.name, known.contains($0.name) ? $0.value : nil) })
    }

}
