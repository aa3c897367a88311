import Terminal
import TestSupport
import Testing

@Suite struct ArgumentParserTests {
    typealias Sample = SampleProgram

    @Test func `an option takes its value after a space, an equals sign, or its letter`() throws {
        #expect(try Sample.run("send", "f", "--to", "X", "--count", "3")[Sample.count] == 3)
        #expect(try Sample.run("send", "f", "--to=X", "--count=3")[Sample.count] == 3)
        #expect(try Sample.run("send", "f", "--to", "X", "-n", "3")[Sample.count] == 3)
        #expect(try Sample.run("send", "f", "--to", "X", "-n3")[Sample.count] == 3)
    }

    @Test func `an option's value may hold equals signs and begin with a single dash`() throws {
        #expect(try Sample.run("send", "f", "--to=a=b=c")[Sample.address] == "a=b=c")
        #expect(try Sample.run("send", "f", "--to", "-")[Sample.address] == "-")
        #expect(try Sample.run("send", "f", "--to", "-x")[Sample.address] == "-x")
    }

    @Test func `flags may be joined, and those of the program may come before the command`() throws {
        let arguments = try Sample.run("-q", "send", "f", "--to", "X", "-v")
        #expect(arguments[Sample.quiet])
        #expect(arguments[Sample.verbose])
        let joined = try Sample.run("send", "f", "--to", "X", "-qvn2")
        #expect(joined[Sample.quiet] && joined[Sample.verbose])
        #expect(joined[Sample.count] == 2)
    }

    @Test func `a command may be two levels deep`() throws {
        let arguments = try Sample.run("tape", "replay", "f")
        #expect(arguments.command == ["tape", "replay"])
        #expect(arguments[Sample.file] == "f")
    }

    @Test func `after a double dash everything is an argument, and a single dash always is`() throws {
        #expect(try Sample.run("look", "--", "--to", "-x").all(Sample.files) == ["--to", "-x"])
        #expect(try Sample.run("look", "-").all(Sample.files) == ["-"])
    }

    @Test func `an option may come after the arguments and be repeated only if declared so`() throws {
        #expect(try Sample.run("send", "f", "--to", "X", "--tag", "a", "--tag=b").all(Sample.tag) == ["a", "b"])
        #expect(Sample.error("send", "f", "--to", "X", "--to", "Y")?.code == .repeatedOption)
    }

    @Test func `an optional argument may be missing and others may not`() throws {
        #expect(try Sample.run("peek")[Sample.maybe] == nil)
        #expect(Sample.error("look")?.code == .missingOperand)
        #expect(Sample.error("send", "--to", "X")?.code == .missingOperand)
        #expect(Sample.error("peek", "a", "b")?.code == .unexpectedOperand)
    }

    @Test func `--help is accepted everywhere, whatever else is wrong`() throws {
        for (line, path) in [
            (["--help"], []), (["send", "-h"], ["send"]), (["help", "tape", "replay"], ["tape", "replay"]),
            (["help"], []), (["version", "--help"], []),
        ] {
            guard case .help(let found) = try ArgumentParser(Sample.root).parse(line) else {
                Issue.record("\(line) asks for no help")
                continue
            }
            #expect(found == path)
        }
        #expect(Sample.error("help", "nothing")?.code == .unknownCommand)
    }

    @Test func `help --all asks for the help of all commands`() throws {
        guard case .helpOnAll = try ArgumentParser(Sample.root).parse(["help", "--all"]) else {
            Issue.record("help --all asks for something else")
            return
        }
        #expect(Sample.error("help", "--every")?.nextStep == "sample help --all lists the commands.")
        #expect(Sample.error("zebra")?.nextStep == "sample help --all lists the commands.")
    }

    @Test func `an empty value, and an argument too many, are named in one sentence`() {
        #expect(Sample.error("send", "f", "--to", "")?.reason == "--to is empty.")
        #expect(
            Sample.error("peek", "a", "b")?.reason == "sample peek takes only FILE; “b” is one argument too many.")
    }

    @Test func `the program without a command, and a command group without one, show their help`() throws {
        for path in [[], ["tape"]] {
            guard case .help(path) = try ArgumentParser(SampleProgram.root).parse(path) else {
                Issue.record("\(path) shows no help")
                continue
            }
        }
    }

    @Test func `--version, -V and the word version are accepted at the top level only`() throws {
        for line in [["--version"], ["-V"], ["version"]] {
            guard case .version = try ArgumentParser(Sample.root).parse(line) else {
                Issue.record("\(line) asks for no version")
                continue
            }
        }
        #expect(Sample.error("send", "--version")?.code == .unknownOption)
        #expect(Sample.error("version", "file")?.code == .unexpectedOperand)
    }

    @Test(arguments: [
        (["sned", "f"], UsageError.Code.unknownCommand, "Did you mean sample send?"),
        (["tape", "rply"], .unknownCommand, "Did you mean sample tape replay?"),
        (["send", "f", "--two", "X"], .unknownOption, "Did you mean --to?"),
        (["send", "f", "--time", "X"], .unknownOption, "Did you mean --timeout?"),
        (["send", "f", "--zebra"], .unknownOption, "sample send --help lists the options."),
        (["send", "f", "-z"], .unknownOption, "sample send --help lists the options."),
        (["send", "f", "--to"], .missingValue, "Write --to URI."),
        (["send", "f", "--to", "--verbose"], .missingValue, "Write --to URI."),
        (["send", "f", "--verbose=yes"], .unexpectedValue, "Write --verbose without a value."),
        (["send", "f"], .missingOption, "Add --to URI; sample send --help shows an example."),
        (
            ["send", "f", "--to", "X", "--link", "phone5"], .badValue,
            "Did you mean phone-5? Allowed are phone-5, phone-4.2, ideal."
        ),
        (["send", "f", "--to", "X", "--timeout", "soon"], .badValue, "Write 90s, 2m or 1.5h."),
        (["send", "f", "--to", "X", "--timeout", "2h"], .badValue, "Write a time from 1s to 1h."),
        (["send", "f", "--to", "X", "--loss", "2"], .badValue, "Write 0.05 or 5%."),
        (["send", "f", "--to", "X", "--count", "10"], .badValue, "Write a number from 1 to 9."),
        (["send", "f", "--to", ""], .badValue, "Write some text."),
        (["send", "f", "--to", "X", "--count", "ten"], .badValue, "Write digits only."),
        (["tape", "-q"], .missingCommand, "sample tape --help lists the commands."),
        (["-q"], .missingCommand, "sample --help lists the commands."),
    ])
    func `a usage error names the next step`(line: [String], code: UsageError.Code, nextStep: String) {
        #expect {
            try ArgumentParser(Sample.root).parse(line)
        } throws: { error in
            (error as? UsageError)?.code == code && (error as? UsageError)?.nextStep == nextStep
        }
    }

    @Test func `a numeric option is accepted at both ends of its range and refused one beyond`() throws {
        #expect(try Sample.run("send", "f", "--to", "X", "--count", "1")[Sample.count] == 1)
        #expect(try Sample.run("send", "f", "--to", "X", "--count", "9")[Sample.count] == 9)
        #expect(Sample.error("send", "f", "--to", "X", "--count", "0")?.code == .badValue)
        #expect(Sample.error("send", "f", "--to", "X", "--count", "10")?.code == .badValue)
        #expect(Sample.error("send", "f", "--to", "X", "--count", "99999999999999999999")?.code == .badValue)
    }

    @Test func `a share option is written as a number or in per cent`() throws {
        #expect(try Sample.run("send", "f", "--to", "X", "--loss", "0.05")[Sample.loss] == 0.05)
        #expect(try Sample.run("send", "f", "--to", "X", "--loss", "5%")[Sample.loss] == 0.05)
        #expect(try Sample.run("send", "f", "--to", "X", "--loss", "1")[Sample.loss] == 1)
        for text in ["-0.1", "1.01", "101%", "nan", "inf", "1e-3", "", "%", "."] {
            #expect(Sample.error("send", "f", "--to", "X", "--loss", text)?.code == .badValue, "\(text)")
        }
    }

    @Test(.shows("CHK-110")) func `control characters of the command line are sanitised in errors`() throws {
        let reason = try #require(Sample.error("\u{1B}]0;x\u{7}")).reason
        #expect(!reason.unicodeScalars.contains { $0.value < 32 })
    }

    @Test func `an empty value is refused for a text or path option`() {
        #expect(Sample.error("send", "f", "--to", "")?.code == .badValue)
        #expect(Sample.error("look", "")?.code == .badValue)
    }
}

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("500ms", Duration.milliseconds(500)), ("90s", .seconds(90)), ("2m", .seconds(120)), ("1.5h", .seconds(5400)),
        ("15", .seconds(15)), ("0", .zero), ("0.25s", .milliseconds(250)),
    ])
    func `a duration option is a number with its unit`(text: String, duration: Duration) {
        #expect(Duration(spelled: text) == duration)
    }

    @Test(arguments: ["", "s", "-1s", "1 s", "1e3s", "soon", "1.2.3s", "99999999999999999h", "1d", "infs"])
    func `an option value that is no duration is refused`(text: String) {
        #expect(Duration(spelled: text) == nil)
    }

    @Test(arguments: ["250ms", "90s", "2m", "3h", "0s", "1500ms"])
    func `a duration option is printed as it is read`(text: String) {
        #expect(Duration(spelled: text)?.spelled == text)
    }
}

@Suite struct SuggestionTests {
    @Test func `a suggestion is found for a mistyped word with one or two errors`() {
        let words = ["receive", "send", "demo", "inspect"]
        #expect(SpellingSuggestion.nearest(to: "recieve", among: words) == "receive")
        #expect(SpellingSuggestion.nearest(to: "insepct", among: words) == "inspect")
        #expect(SpellingSuggestion.nearest(to: "sent", among: words) == "send")
        #expect(SpellingSuggestion.nearest(to: "ins", among: words) == "inspect")
    }

    @Test func `an option or command unlike all known ones has no suggestion`() {
        #expect(SpellingSuggestion.nearest(to: "mail", among: ["receive", "send"]) == nil)
        #expect(SpellingSuggestion.nearest(to: "", among: ["send"]) == nil)
        #expect(SpellingSuggestion.nearest(to: String(repeating: "a", count: 65), among: ["send"]) == nil)
    }
}
