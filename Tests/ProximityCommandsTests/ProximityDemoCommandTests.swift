import CommandTestSupport
import Testing

@Suite struct ProximityDemoCommandTests {
    @Test func `prox demo lists which phone heard which, and writes a log with its page`() async throws {
        let folder = try TemporaryFolder()
        let out = "\(folder.path)/demo"
        let run = await CommandRun.run("prox", "demo", "--out", out)
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.lines.first?.split(separator: " ") == ["phone", "heard", "for"])
        #expect(run.lines.last == "page         \(out)/report.html")
        #expect(try folder.names(in: "demo") == ["events.jsonl.gz", "report.html", "run.json", "truth.jsonl.gz"])
        let again = await CommandRun.run("prox", "demo", "--out", out)
        #expect(again.code == "prox.log-exists")
    }

    @Test func `simulated devices within the model's distances are estimated with at least 80 % inside the bounds`()
        async throws
    {
        let folder = try TemporaryFolder()
        let run = await CommandRun.run("prox", "demo", "--seed", "3", "--out", "\(folder.path)/demo", "--json")
        let covered = try #require(run.output.firstMatch(of: /"covered80":([0-9.]+)/))
        #expect(try #require(Double(covered.1)) >= 0.8)
        let error = try #require(run.output.firstMatch(of: /"distanceError":([0-9.]+)/))
        #expect(try #require(Double(error.1)) < 0.5)
    }

    @Test func `on a terminal prox simulate shows its progress`() async {
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        let run = await CommandRun.run(["prox", "simulate", "office", "--hours", "1m", "--alone"], setup)
        #expect(run.talk.contains("simulated 30.0 s of 60.0 s, 50 %"))
    }
}
