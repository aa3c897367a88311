import CommandTestSupport
import Commands
import Terminal
import Testing

@testable import CommandProgram

@Suite struct ProgramTests {
    @Test func `help goes to standard output and lists every command`() async {
        let run = await CommandRun.run("--help")
        #expect(run.status == 0)
        #expect(run.talk.isEmpty)
        for command in Program.symbolon.commands {
            #expect(run.output.contains("  \(command.path.joined(separator: " ")) "))
        }
    }

    @Test func `every command shows an example before its usage`() async throws {
        for command in Program.symbolon.commands {
            let run = await CommandRun.run(command.path + ["--help"])
            #expect(run.status == 0)
            let examples = try #require(run.output.firstRange(of: "Examples"))
            let usage = try #require(run.output.firstRange(of: "Usage"))
            #expect(examples.lowerBound < usage.lowerBound)
        }
    }

    @Test func `every example is a line that the program understands`() {
        let examples = Program.symbolon.root.examples + Program.symbolon.commands.flatMap(\.declaration.examples)
        for example in examples {
            let words = example.line.replacing("source <(", with: "").replacing(")", with: "").split(separator: " ")
            let line = words.drop { $0 != "symbolon" }.dropFirst().prefix { $0 != "|" && $0 != ">" }
                .map { String($0).replacing("\"", with: "") }
            #expect(throws: Never.self, "\(example.line)") {
                _ = try ArgumentParser(Program.symbolon.root).parse(line)
            }
        }
    }

    @Test func `no line of help is wider than a terminal of 80 columns`() async {
        for path in [[]] + Program.symbolon.commands.map(\.path) {
            let run = await CommandRun.run(path + ["--help"])
            for line in run.lines { #expect(TerminalText.width(of: line) <= 80, "\(line)") }
        }
    }

    @Test func `no command lists an option twice`() async {
        for path in [[]] + Program.symbolon.commands.map(\.path) {
            let run = await CommandRun.run(path + ["--help"])
            let names = run.lines.drop { $0 != "Options" }.flatMap { line in
                line.prefix(28).split(separator: " ").filter { $0.hasPrefix("--") }
            }
            #expect(Set(names).count == names.count, "\(path.joined(separator: " ")): \(names)")
        }
    }

    @Test func `the version is one line`() async {
        let run = await CommandRun.run("--version")
        #expect(run.status == 0)
        #expect(run.output == "symbolon \(Program.version)\n")
    }

    @Test func `a wrong command line says what to do and ends with 2`() async {
        let run = await CommandRun.run("inspct")
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(
            run.talk == """
                error: There is no command “inspct”.
                next:  Did you mean symbolon inspect?
                code:  usage.unknown-command

                """)
    }

    @Test func `errors are coloured on a terminal only`() async {
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        #expect(await CommandRun.run(["inspct"], setup).talk.hasPrefix("\u{1B}[31merror:\u{1B}[0m"))
        setup = .init()
        setup.isTerminal = true
        setup.variables["NO_COLOR"] = "1"
        #expect(await CommandRun.run(["inspct"], setup).talk.hasPrefix("error:"))
    }

    @Test(arguments: CompletionScript.Shell.allCases)
    func `completion writes the script of each shell`(shell: CompletionScript.Shell) async {
        let run = await CommandRun.run("completion", shell.rawValue)
        #expect(run.status == 0)
        #expect(run.output.contains("completion of symbolon"))
        #expect(run.output.contains("replay"))
    }
}
