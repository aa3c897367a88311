package import CommandProgram
import Determinism
package import Terminal
import TransferSimulation
import Tuvali

/// `symbolon-lab sim requests`: hand-overs with a verifier's request, and the steps of both ends.
package enum SimulationRequestsCommand {
    private static let seed = ValueOption("seed", .seed("N"), "The first seed (1 if not given).")
    private static let count = ValueOption(
        "count", .integer("N", in: 1...100_000), "Runs so many seeds, one after the other (1 if not given).")

    package static let declaration = CommandDeclaration(
        "requests", "Hands over with a verifier's request, and prints the steps of both ends.",
        discussion: [
            "Each seed decides whether the verifier asks, the link, losses, breaks, how long the user thinks, whether they "
                + "agree, and whether a device between relays or suppresses the request. A line is a JSON object; the words "
                + "of its steps are the events of the model that make gate G=model-request checks them with."
        ],
        examples: [.init("symbolon-lab sim requests --count 100", "Prints the steps of a hundred hand-overs.")],
        options: [seed.declaration, count.declaration])

    package static let run: Program.Body = { context in
        let first = context.arguments[seed] ?? 1
        for offset in 0..<UInt64(context.arguments[count] ?? 1) {
            try Task.checkCancellation()
            context.console.put(try await line(of: first &+ offset).line)
        }
    }

    @concurrent
    private static func line(of seed: UInt64) async throws -> JSONText {
        let run = try RequestHandOverTrial(seed: seed).run()
        return .object([
            .init("schema", .string("symbolon.request-steps")), .init("version", .integer(1)),
            .init("seed", .string("\(seed)")), .init("kind", .string(run.kind.rawValue)),
            .init("windows", .integer(run.windowCount)), .init("steps", .string(run.steps.joined(separator: " "))),
        ])
    }
}
