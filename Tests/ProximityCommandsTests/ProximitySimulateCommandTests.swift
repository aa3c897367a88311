import CommandTestSupport
import Foundation
import ProximitySimulation
import Testing

@testable import ProximityCommands

@Suite struct ProximitySimulateCommandTests {
    private func objects(_ run: CommandRun) throws -> [[String: Any]] {
        try run.lines.map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private static let pair = "device android 0:0,0\ndevice android 0:1,0\n"

    @Test func `prox simulate prints a line for our schedule and one for the reference, the same each time`()
        async throws
    {
        let words = ["prox", "simulate", "star", "--devices", "3", "--hours", "0.04", "--seed", "7", "--json"]
        let run = await CommandRun.run(words)
        #expect(run.status == 0)
        let lines = try objects(run)
        #expect(lines.map { $0["mind"] as? String } == ["ours", "reference"])
        #expect(lines[0]["schema"] as? String == "symbolon.prox")
        #expect(lines[0]["devices"] as? Int == 3)
        #expect(lines[0]["detection"] as? Double == 1)
        let again = try objects(await CommandRun.run(words))
        #expect(again.map { $0["digest"] as? String } == lines.map { $0["digest"] as? String })
    }

    @Test func `prox simulate without --json prints tables, for our schedule alone with --alone`() async throws {
        let run = await CommandRun.run(["prox", "simulate", "star", "--devices", "2", "--hours", "0.02", "--alone"])
        #expect(run.status == 0)
        for word in ["detection", "continuity", "longevity", "reads per identity", "longest scan gap", "digest"] {
            #expect(run.output.contains(word))
        }
        #expect(!run.output.contains("reference"))
    }

    @Test func `a crowd scenario file may have a byte order mark and carriage returns`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "mine.txt")
            var digests: Set<String> = []
            for text in ["look 1\n" + Self.pair, "\u{FEFF}look 1\r\n" + Self.pair.replacing("\n", with: "\r\n")] {
                try Data(text.utf8).write(to: file)
                let run = await CommandRun.run([
                    "prox", "simulate", file.path(), "--hours", "0.01", "--alone", "--json",
                ])
                #expect(run.status == 0)
                digests.insert(try #require(try objects(run).first?["digest"] as? String))
            }
            #expect(digests.count == 1)
        }
    }

    @Test func `prox simulate reports no share when no devices were in range of each other`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "apart.txt")
            try Data("device android 0:0,0\ndevice android 0:500,0\n".utf8).write(to: file)
            let words = ["prox", "simulate", file.path(), "--hours", "0.02", "--alone"]
            let line = try #require(try objects(await CommandRun.run(words + ["--json"])).first)
            #expect(line["pairs"] as? Int == 0)
            for key in ["detection", "continuity", "longevity"] { #expect(line[key] is NSNull) }
            let told = await CommandRun.run(words).output
            #expect(told.contains("– (there were no pairs)") && told.contains("– (there were no windows)"))
        }
    }

    @Test func `a scenario file of the user is simulated, and its log can be read`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "mine.txt")
            try Data(Self.pair.utf8).write(to: file)
            let log = folder.appending(path: "log")
            let run = await CommandRun.run([
                "prox", "simulate", file.path(), "--hours", "0.05", "--alone", "--log", log.path(),
            ])
            #expect(run.status == 0)
            let reader = try ProximityLogReader(folder: log.path())
            #expect(reader.run.isSimulated)
            #expect(reader.run.durationMilliseconds == 180_000)
            var records: [ProximityRecord] = []
            try reader.eachRecord { records.append($0) }
            #expect(records.contains { $0.kind == .read && $0.device == "d0" && $0.peer == "d1" })
            #expect(records.count { $0.kind == .measure } > 200)
            // Each window of 30 s has its distance, for both, by the system of the other.
            let distances = records.filter { $0.kind == .distance }
            #expect(distances.count >= 2 * 5)
            #expect(Set(distances.compactMap(\.peer)) == ["d0", "d1"])
            #expect(distances.allSatisfy { $0.peer != $0.device && ($0.readings ?? 0) >= 3 })
            let report = await CommandRun.run(["prox", "report", log.path(), "--json"])
            #expect(!report.output.contains(#""distanceError":null"#))
            var truths: [TruePositions] = []
            try reader.eachTruth { truths.append($0) }
            #expect(truths.contains { if case .near("d0", "d1", 0..<2000, 180_000) = $0 { true } else { false } })
            #expect(truths.contains { if case .distance("d1", "d0", _, 100) = $0 { true } else { false } })
        }
    }

    @Test func `a malformed crowd scenario fails with prox.scenario-malformed and the line`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "mine.txt")
            try Data("device tablet 0:0,0\n".utf8).write(to: file)
            let run = await CommandRun.run(["prox", "simulate", file.path()])
            #expect(run.code == "prox.scenario-malformed")
            #expect(run.talk.contains("Line 1"))
        }
    }

    @Test func `a missing scenario, hours out of range and a log of too many devices are refused`() async throws {
        let absent = await CommandRun.run(["prox", "simulate", "nosuch"])
        #expect(absent.code == "input.not-found")
        for scenario in BuiltInCrowdScenario.allCases { #expect(absent.talk.contains(scenario.rawValue)) }
        #expect(await CommandRun.run(["prox", "simulate", "office", "--hours", "169"]).status == 2)
        #expect(await CommandRun.run(["prox", "simulate", "office", "--hours", "1e1"]).status == 2)
        #expect(await CommandRun.run(["prox", "simulate", "office", "--hours", "169h"]).status == 2)
        let dense = await CommandRun.run(["prox", "simulate", "star", "--devices", "10000", "--hours", "0.01"])
        #expect(dense.code == "prox.scenario-too-large")
        #expect(dense.talk.contains("near each other"))
        #expect(dense.talk.contains("fewer devices"))
        #expect(!dense.talk.contains("smaller file"))
        try await withFolder { folder in
            let run = await CommandRun.run([
                "prox", "simulate", "crowd-500", "--devices", "501", "--log", folder.appending(path: "log").path(),
            ])
            #expect(run.code == "prox.scenario-too-large")
        }
    }
}
