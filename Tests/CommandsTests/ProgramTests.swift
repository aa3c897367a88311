import CommandTestSupport
import Commands
import Foundation
import LabCommands
import Terminal
import TestSupport
import Testing

@testable import CommandProgram

@Suite struct ProgramTests {
    private static let programs = [Program.symbolon, .lab]

    @Test(arguments: programs)
    func `help --all is printed to standard output and lists every command`(program: Program) async {
        let run = await CommandRun.run(["help", "--all"], of: program)
        #expect(run.status == 0)
        #expect(run.talk.isEmpty)
        for command in program.commands {
            #expect(run.output.contains("  \(command.path.joined(separator: " ")) "))
        }
    }

    /// A budget as those of BudgetRulesTests: only a page in Documentation/Decisions raises it.
    @Test func `there are at most 76 commands`() {
        #expect(Program.symbolon.commands.count <= 76)
    }

    @Test func `the first page of help has the twelve commands of daily use and every group, and names the rest`() async
    {
        let program = Program.symbolon
        let run = await CommandRun.run("--help")
        #expect(program.root.daily.count == 12)
        for path in program.root.daily {
            #expect(program.commands.contains { $0.path.joined(separator: " ") == path }, "\(path)")
            #expect(run.output.contains("\n  \(path) "), "\(path)")
        }
        for child in program.root.subcommands {
            #expect(run.output.contains("\n  \(child.name) "), "\(child.name)")
        }
        #expect(!run.output.contains("\n  connections rename "))
        #expect(run.output.contains("\n  symbolon help --all "))
        #expect(run.lines.count <= 60)
    }

    @Test func `help lists the options of the simulated radio last, under their own heading`() async throws {
        for path in [["send"], ["receive"], ["demo"], ["desk"], ["prox", "run"], ["prox", "send"]] {
            let run = await CommandRun.run(path + ["--help"], of: .symbolon)
            let headings = run.lines.filter {
                $0.first?.isLetter == true && !$0.contains(" ") || $0 == "Simulated radio"
            }
            #expect(headings.last == "Simulated radio", "\(path)")
            #expect(headings.contains("Options"), "\(path)")
            let own = run.lines.drop { $0 != "Simulated radio" }
            #expect(own.contains { $0.contains("--capture") }, "\(path)")
            #expect(!own.contains { $0.contains("--json") || $0.contains("--radio") }, "\(path)")
        }
    }

    @Test func `no heading of help has more than sixteen options`() async {
        for command in Program.symbolon.commands {
            let options = command.declaration.options
            for title in Set(options.map(\.section)) {
                let count = options.count { $0.section == title }
                #expect(count <= 16, "\(command.path): \(title ?? "Options")")
            }
        }
    }

    @Test(arguments: programs)
    func `the help of every command shows an example before its usage`(program: Program) async throws {
        for command in program.commands {
            let run = await CommandRun.run(command.path + ["--help"], of: program)
            #expect(run.status == 0)
            let examples = try #require(run.output.firstRange(of: "Examples"))
            let usage = try #require(run.output.firstRange(of: "Usage"))
            #expect(examples.lowerBound < usage.lowerBound)
        }
    }

    @Test(arguments: programs)
    func `every example in the help is a command line that the program parses`(program: Program) {
        let examples = program.root.examples + program.commands.flatMap(\.declaration.examples)
        for example in examples {
            let words = example.line.replacing("source <(", with: "").replacing(")", with: "").split(separator: " ")
            // Both programs show the examples of completion, which are of one.
            let called = words.drop { word in !Self.programs.contains { $0.root.name == word } }
            let root = Self.programs.first { $0.root.name == called.first ?? "" }?.root ?? program.root
            let line = called.dropFirst().prefix { $0 != "|" && $0 != ">" }
                .map { String($0).replacing("\"", with: "") }
            #expect(throws: Never.self, "\(example.line)") { _ = try ArgumentParser(root).parse(line) }
        }
    }

    @Test(arguments: programs)
    func `no line of help is wider than 80 columns`(program: Program) async {
        for path in [[]] + program.commands.map(\.path) {
            let run = await CommandRun.run(path + ["--help"], of: program)
            for line in run.lines { #expect(TerminalText.width(of: line) <= 80, "\(line)") }
        }
    }

    @Test(arguments: programs)
    func `the help of a command lists each option once`(program: Program) async {
        for path in [[]] + program.commands.map(\.path) {
            let run = await CommandRun.run(path + ["--help"], of: program)
            let names = run.lines.drop { $0 != "Options" }.flatMap { line in
                line.prefix(28).split(separator: " ").filter { $0.hasPrefix("--") }
            }
            #expect(Set(names).count == names.count, "\(path.joined(separator: " ")): \(names)")
        }
    }

    @Test(arguments: programs)
    func `--version prints one line with version and commit, where the build knows one`(program: Program) async {
        let run = await CommandRun.run(["--version"], of: program)
        #expect(run.status == 0)
        let commit = Program.commit.map { " (\($0))" } ?? ""
        #expect(run.output == "\(program.root.name) \(Program.version)\(commit)\n")
        if let commit = Program.commit {
            #expect(commit.prefix { $0 != "+" }.allSatisfy(\.isHexDigit) && commit.count >= 12)
        }
    }

    @Test func `symbolon man writes a page for each command into a folder that it makes`() async throws {
        let folder = try TemporaryFolder()
        let run = await CommandRun.run("man", "\(folder.path)/man1")
        #expect(run.status == 0 && run.output.isEmpty)
        let pages = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/man1")
        for command in Program.symbolon.commands {
            #expect(pages.contains("symbolon-\(command.path.joined(separator: "-")).1"), "\(command.path)")
        }
        #expect(pages.contains("symbolon.1") && pages.contains("symbolon-agent-config.1"))
        #expect(await CommandRun.run("man", "\(folder.path)/none/man1").status == 9)
    }

    @Test func `every man page that symbolon(1) refers to is made by the installation`() throws {
        let script = OutsideVectors.packageRoot.appending(path: "Scripts/install.sh")
        let lines = try String(contentsOf: script, encoding: .utf8).split(separator: "\n")
        for page in ManualCommand.related {
            #expect(lines.contains { $0.hasPrefix("page \(page.name) \(page.section) ") }, "\(page)")
        }
        #expect(lines.count { $0.hasPrefix("page symbolon-") } == ManualCommand.related.count)
    }

    @Test func `a wrong command line is answered with the next step and exit status 2`() async {
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

    @Test func `error messages are coloured on a terminal only, and not with NO_COLOR`() async {
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        #expect(await CommandRun.run(["inspct"], setup).talk.hasPrefix("\u{1B}[31merror:\u{1B}[0m"))
        setup = .init()
        setup.isTerminal = true
        setup.variables["NO_COLOR"] = "1"
        #expect(await CommandRun.run(["inspct"], setup).talk.hasPrefix("error:"))
    }

    @Test(arguments: CompletionScript.Shell.allCases)
    func `completion prints the script of each shell`(shell: CompletionScript.Shell) async {
        let run = await CommandRun.run("completion", shell.rawValue)
        #expect(run.status == 0)
        #expect(run.output.contains("completion of symbolon"))
        #expect(run.output.contains("receive"))
    }

    @Test func `bench, sim and tuvali are commands of symbolon-lab only`() async {
        for group in ["bench", "sim", "tuvali"] {
            let run = await CommandRun.run(group, "--help")
            #expect(run.status == 2 && run.code == "usage.unknown-command", "\(group)")
            #expect(await CommandRun.lab(group, "--help").status == 0, "\(group)")
        }
    }
}
