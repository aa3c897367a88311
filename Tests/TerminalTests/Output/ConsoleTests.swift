import Determinism
import Terminal
import Testing

@Suite struct ConsoleTests {
    private let output = MemorySink()
    private let talk = MemorySink()

    private func console(
        terminal: Bool = false, variables: [String: String] = ["TERM": "xterm"], answers: [String]? = nil,
        quiet: Bool = false
    ) -> Console {
        Console(
            .init(
                output: output, talk: talk, outputIsTerminal: terminal, talkIsTerminal: terminal,
                answers: answers.map(MemoryLineSource.init), variables: variables), isQuiet: quiet)
    }

    @Test func `data is printed to standard output and messages to standard error`() {
        let console = console()
        console.put("data")
        console.say("talk")
        #expect(output.text == "data\n")
        #expect(talk.text == "talk\n")
    }

    @Test func `--quiet prints only errors`() {
        let console = console(quiet: true)
        console.say("talk")
        console.complain("error")
        #expect(talk.text == "error\n")
    }

    @Test func `colours need a terminal that is not dumb, and no NO_COLOR`() {
        #expect(console(terminal: true).palette("x", .red) == "\u{1B}[31mx\u{1B}[0m")
        #expect(console().palette("x", .red) == "x")
        #expect(console(terminal: true, variables: ["TERM": "dumb"]).palette("x", .red) == "x")
        #expect(console(terminal: true, variables: [:]).palette("x", .red) == "x")
        #expect(console(terminal: true, variables: ["TERM": "xterm", "NO_COLOR": "1"]).palette("x", .red) == "x")
        #expect(console(terminal: true, variables: ["TERM": "xterm", "NO_COLOR": ""]).palette.isColoured)
    }

    @Test func `a progress line is redrawn below messages printed meanwhile`() {
        let console = console(terminal: true)
        console.showTransient("10 %")
        console.say("note")
        console.showTransient("20 %")
        console.keepTransient()
        #expect(talk.text == "\r\u{1B}[2K10 %\r\u{1B}[2Knote\n10 %\r\u{1B}[2K20 %\n")
    }

    @Test func `a progress line is not printed to a file, a dumb terminal or with --quiet`() {
        for console in [
            console(), console(terminal: true, variables: ["TERM": "dumb"]), console(terminal: true, quiet: true),
        ] {
            console.showTransient("10 %")
            console.keepTransient()
        }
        #expect(talk.text.isEmpty)
    }

    @Test(arguments: [
        (["y"], true), (["YES "], true), (["n"], false), ([""], false), (["what", "y"], true),
        (["a", "b", "c", "y"], nil),
        ([], nil),
    ])
    func `a question on the terminal is answered with yes or no`(answers: [String], result: Bool?) async {
        #expect(await console(terminal: true, answers: answers).ask("Send?", fallback: false) == result)
    }

    @Test func `no question is asked without a terminal`() async {
        #expect(await console(answers: ["y"]).ask("Send?", fallback: true) == nil)
        #expect(talk.text.isEmpty)
    }

    @Test func `console output is dropped when its reader has closed the pipe`() {
        let sink = MemorySink(capacity: 3)
        let console = Console(.init(output: sink, talk: talk))
        console.put("abc")
        console.put("def")
        #expect(console.outputIsClosed)
        #expect(sink.text == "abc")
    }
}

@Suite struct TransferEstimateTests {
    /// Updates `meter` and expects it to say whether the line is due.
    private func expect(
        _ isDue: Bool, _ meter: inout TransferEstimate, _ bytes: Int, _ now: MonotonicInstant,
        at location: SourceLocation = #_sourceLocation
    ) {
        let answer = meter.update(bytes: bytes, at: now)
        #expect(answer == isDue, sourceLocation: location)
    }

    private func instant(_ milliseconds: UInt64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `the progress line shows share, bytes, rate and time left`() {
        var meter = TransferEstimate(total: 60_000, startedAt: .zero)
        expect(true, &meter, 30_000, instant(500))
        #expect(
            meter.line(width: 80)
                == "  █████████████░░░░░░░░░░░░░  50 %  30.0 kB of 60.0 kB  60.0 kB/s  0:01 left")
        expect(true, &meter, 60_000, instant(1000))
        #expect(
            meter.line(width: 80)
                == "  ██████████████████████████ 100 %  60.0 kB of 60.0 kB  60.0 kB/s")
    }

    @Test func `no progress line is wider than its window`() {
        for total in [1, 999, 999_499, 16_000_000] {
            var meter = TransferEstimate(total: total, startedAt: .zero)
            for step in 1...10 {
                _ = meter.update(bytes: total * step / 10, at: instant(UInt64(step) * 100_000))
                for width in [20, 40, 57, 58, 60, 80, 120] {
                    #expect(TerminalText.width(of: meter.line(width: width)) < width)
                }
            }
        }
    }

    @Test func `the progress line is redrawn every 100 ms at most, and always at the end`() {
        var meter = TransferEstimate(total: 100, startedAt: .zero)
        expect(true, &meter, 1, instant(0))
        expect(false, &meter, 2, instant(99))
        expect(true, &meter, 3, instant(100))
        expect(true, &meter, 100, instant(101))
        expect(false, &meter, 100, instant(102))
    }

    @Test func `the progress rate is that of the last two seconds`() throws {
        var meter = TransferEstimate(total: 1_000_000, startedAt: .zero)
        for step in 1...100 { _ = meter.update(bytes: step * 1000, at: instant(UInt64(step) * 100)) }
        for step in 1...40 { _ = meter.update(bytes: 100_000 + step * 100, at: instant(10_000 + UInt64(step) * 100)) }
        #expect(try #require(meter.rate) == 1000)
    }

    @Test func `progress beyond the total, or backwards, is ignored`() {
        var meter = TransferEstimate(total: 100, startedAt: .zero)
        _ = meter.update(bytes: 500, at: instant(1))
        #expect(meter.share == 1)
        _ = meter.update(bytes: 7, at: instant(2))
        #expect(meter.bytes == 100)
    }

    @Test func `progress of an empty transfer is complete at once`() {
        let meter = TransferEstimate(total: 0, startedAt: .zero)
        #expect(meter.share == 1)
        #expect(meter.secondsLeft == nil)
    }
}
