import Terminal

/// A small program that the tests of parser, help and completions share.
enum SampleProgram {
    static let quiet = FlagOption("quiet", short: "q", "Says less.")
    static let verbose = FlagOption("verbose", short: "v", "Says more.")
    static let count = ValueOption("count", short: "n", .integer("N", in: 1...9), "How often.")
    static let address = ValueOption("to", .text("URI"), "Where to.", isRequired: true)
    static let tag = ValueOption("tag", .text("TAG"), "A word to remember.", isRepeatable: true)
    static let link = ValueOption(
        "link", .choice("NAME", [("phone-5", 5), ("phone-4.2", 4), ("ideal", 0)]), "The link.")
    static let timeout = ValueOption(
        "timeout", .duration("TIME", in: .seconds(1)...(.seconds(3600))), "How long to wait.")
    static let loss = ValueOption("loss", .share("SHARE"), "How much is lost.")
    static let file = Operand(.path("FILE"), "What to send.")
    static let files = Operand(.path("FILE"), "What to look at.", arity: .many)
    static let maybe = Operand(.path("FILE"), "What to look at.", arity: .optional)

    static let root = CommandDeclaration(
        "sample", "Shows how a program is declared.", options: [quiet.declaration],
        subcommands: [
            CommandDeclaration(
                "send", "Sends a file.", discussion: ["It asks before it sends."],
                examples: [.init("sample send a.json --to X", "Sends a.json.")],
                options: [
                    address.declaration, count.declaration, verbose.declaration, tag.declaration, link.declaration,
                    timeout.declaration, loss.declaration,
                ],
                operands: [file.declaration]),
            CommandDeclaration("look", "Looks at files.", operands: [files.declaration]),
            CommandDeclaration("peek", "Looks at a file, or at nothing.", operands: [maybe.declaration]),
            CommandDeclaration(
                "tape", "Works with recordings.",
                subcommands: [CommandDeclaration("replay", "Plays one again.", operands: [file.declaration])]),
        ])

    static func run(_ line: String...) throws -> ParsedArguments {
        guard case .run(let arguments) = try ArgumentParser(root).parse(line) else {
            throw UsageError(.conflict, "The line asks for no run.", nextStep: "")
        }
        return arguments
    }

    static func error(_ line: String...) -> UsageError? {
        do {
            _ = try ArgumentParser(root).parse(line)
            return nil
        } catch {
            return error
        }
    }
}
