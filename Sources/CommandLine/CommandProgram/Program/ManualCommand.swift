package import Terminal

/// `symbolon man FOLDER`: writes the pages of the manual for `man`.
package enum ManualCommand {
    private static let folder = Operand(.path("FOLDER"), "The folder for the pages; made when it is not there.")

    package static let declaration = CommandDeclaration(
        "man", "Writes a page of the manual for each command, for man(1).",
        examples: [
            .init("symbolon man ~/.local/share/man/man1", "Makes man symbolon-send work for this user.")
        ],
        operands: [folder.declaration])

    package static let run: Program.Body = { context in
        let folder = try context.arguments.required(folder)
        try ReceivedFileWriter.makeFolder(folder)
        for page in ManualPage.pages(of: context.program, version: Program.version) {
            try ReceivedFileWriter.replace(POSIXFile.join(folder, page.fileName), with: Array(page.text.utf8))
        }
    }
}
