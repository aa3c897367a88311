package import Terminal

/// `symbolon man FOLDER`: writes the pages of the manual for `man`.
package enum ManualCommand {
    private static let folder = Operand(.path("FOLDER"), "The folder for the pages; made when it is not there.")

    package static let declaration = CommandDeclaration(
        "man", "Writes a man page for each command.",
        examples: [
            .init("symbolon man ~/.local/share/man/man1", "Makes man symbolon-send work for this user.")
        ],
        operands: [folder.declaration])

    /// The pages about files and error codes, which the installation makes from the manual.
    package static let related: [(name: String, section: Int)] =
        ["trust", "settings", "agent.conf", "policy", "events", "log", "scenario"].map { ("symbolon-\($0)", 5) }
        + [("symbolon-errors", 7)]

    package static let run: Program.Body = { context in
        let folder = try context.arguments.required(folder)
        try ReceivedFileWriter.makeFolder(folder)
        for page in ManualPage.pages(of: context.program, version: Program.version, related: related) {
            try ReceivedFileWriter.replace(POSIXFile.join(folder, page.fileName), with: Array(page.text.utf8))
        }
    }
}
