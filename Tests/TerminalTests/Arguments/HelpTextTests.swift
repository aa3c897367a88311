import Terminal
import Testing

@Suite struct HelpTextTests {
    @Test func `a command's help shows examples before anything else`() throws {
        #expect(
            HelpText(SampleProgram.root, width: 80).text(for: ["send"]) == """
                Sends a file.

                Examples
                  sample send a.json --to X
                      Sends a.json.

                Usage
                  sample send FILE --to URI [options]

                It asks before it sends.

                Arguments
                  FILE  What to send.

                Options
                      --to URI        Where to.
                  -n, --count N       How often.
                  -v, --verbose       Says more.
                      --tag TAG       A word to remember.
                      --link NAME     The link. One of: phone-5, phone-4.2, ideal.
                      --timeout TIME  How long to wait.
                      --loss SHARE    How much is lost.
                  -q, --quiet         Says less.
                  -h, --help          Shows this help.

                """)
    }

    @Test func `the program's help lists commands at all levels`() throws {
        #expect(
            HelpText(SampleProgram.root).text(for: []) == """
                Shows how a program is declared.

                Usage
                  sample COMMAND [options]

                Commands
                  send         Sends a file.
                  look         Looks at files.
                  peek         Looks at a file, or at nothing.
                  tape replay  Plays one again.

                Options
                  -q, --quiet    Says less.
                  -h, --help     Shows this help.
                  -V, --version  Shows the version.

                """)
    }

    @Test func `help lists commands under the headings of their sections, and the others under Commands`() throws {
        let root = CommandDeclaration(
            "sample", "Has sections.",
            subcommands: [.init("a", "Is first."), .init("b", "Is second."), .init("c", "Is third.")],
            sections: [.init("Later", ["b"]), .init("Empty", ["x"])])
        let text = try #require(HelpText(root).text(for: []))
        #expect(text.contains("Later\n  b  Is second.\n\nCommands\n  a  Is first.\n  c  Is third.\n"), "\(text)")
        #expect(!text.contains("Empty"))
    }

    @Test func `help lists options under their headings, those without one first, in one column`() throws {
        let plain = ValueOption("to", .text("URI"), "Where to.").declaration
        let others = [FlagOption("slow", "Goes slowly.").declaration, FlagOption("far-away", "Goes far.").declaration]
        let root = CommandDeclaration("sample", "Has headings.", options: others.under("Radio") + [plain])
        let text = try #require(HelpText(root).text(for: []))
        #expect(
            text.hasSuffix(
                """
                Options
                      --to URI    Where to.
                  -h, --help      Shows this help.
                  -V, --version   Shows the version.

                Radio
                      --slow      Goes slowly.
                      --far-away  Goes far.

                """), "\(text)")
    }

    @Test func `help lists the daily commands and the groups, and help --all lists all`() throws {
        let root = CommandDeclaration(
            "sample", "Has much.",
            subcommands: [
                .init("send", "Sends."), .init("rare", "Is rare."),
                .init("tape", "Works with recordings.", subcommands: [.init("play", "Plays."), .init("cut", "Cuts.")]),
            ], daily: ["send", "tape play"])
        let text = try #require(HelpText(root).text(for: []))
        #expect(
            text.contains(
                """
                Commands
                  send       Sends.
                  tape play  Plays.

                Groups of commands
                  tape       Works with recordings.

                Others
                  rare       Is rare.

                Options
                """), "\(text)")
        #expect(text.hasSuffix("  sample help --all    Lists all commands.\n"), "\(text)")
        let whole = try #require(HelpText(root).text(for: [], isWhole: true))
        #expect(whole.contains("  tape cut   Cuts.\n") && !whole.contains("help --all"), "\(whole)")
    }

    @Test func `no line of help is wider than the requested width`() throws {
        for path in [[], ["send"], ["look"], ["tape"], ["tape", "replay"]] {
            let text = try #require(HelpText(SampleProgram.root, width: 44).text(for: path))
            for line in text.split(separator: "\n") { #expect(line.count <= 44, "\(line)") }
        }
    }

    @Test func `an unknown command has no help`() {
        #expect(HelpText(SampleProgram.root).text(for: ["nothing"]) == nil)
    }
}
