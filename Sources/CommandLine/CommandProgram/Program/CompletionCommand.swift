package import Terminal

/// `symbolon completion SHELL`: writes a shell's completion script.
package enum CompletionCommand {
    private static let shell = Operand(
        .choice("SHELL", CompletionScript.Shell.allCases.map { ($0.rawValue, $0) }), "The shell.")

    package static let declaration = CommandDeclaration(
        "completion", "Writes a completion script for a shell.",
        examples: [
            .init("source <(symbolon completion bash)", "Completes in this bash."),
            .init("symbolon completion fish > ~/.config/fish/completions/symbolon.fish", "Completes in every fish."),
        ],
        operands: [shell.declaration])

    package static let run: Program.Body = { context in
        let shell = try context.arguments.required(shell)
        context.console.put(bytes: Array(CompletionScript.text(for: context.program, shell: shell).utf8))
    }
}
