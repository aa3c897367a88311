package import CommandProgram
import HandoverCommands
package import Terminal

/// `symbolon-lab desk`: the verifier desk with a clock that runs faster.
package enum AcceleratedStationCommand {
    private static let rate = ValueOption(
        "clock-rate", .integer("N", in: 1...60), "How many times as fast the desk's clock runs (20 if not given).")

    package static let declaration = CommandDeclaration(
        "desk", "Serves a verifier desk whose clock runs faster, to see a day of it in minutes.",
        discussion: [
            "All of symbolon desk, with its options; codes, credentials, notices and the list of decisions end sooner by "
                + "the rate. Wallets, the radio and the browser keep their own time."
        ],
        examples: [
            .init("symbolon-lab desk --radio virtual --clock-rate 20", "Eight hours of a desk in 24 minutes.")
        ],
        options: [rate.declaration] + StationCommand.declaration.options)

    package static let run: Program.Body = { context in
        let rate = context.arguments[rate] ?? 20
        try await StationCommand.run(context.within(AcceleratedClock.environment(context.environment, rate: rate)))
    }
}
