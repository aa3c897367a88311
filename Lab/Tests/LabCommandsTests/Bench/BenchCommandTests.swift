import CommandTestSupport
import Foundation
import Testing

@Suite struct BenchCommandTests {
    private func objects(_ run: CommandRun) throws -> [[String: Any]] {
        try run.lines.map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `bench transfer prints one line with all fields of the manual, and the same figures each time`()
        async throws
    {
        let arguments = [
            "bench", "transfer", "--json", "--link", "phone-5", "--payload", "2000", "--loss", "0.05", "--seeds", "3",
        ]
        let first = await CommandRun.lab(arguments)
        #expect(first.status == 0)
        let line = try #require(try objects(first).first)
        #expect(try objects(first).count == 1)
        #expect(
            Set(line.keys) == [
                "schema", "version", "bench", "payloadBytes", "sealedBytes", "link", "loss", "setupSeconds",
                "setupIntervals", "transferSeconds", "airBytes", "limitSeconds", "limitShare", "failedRuns",
                "stockAndroidSeconds", "stockIOSSeconds",
            ])
        #expect(line["payloadBytes"] as? Int == 2000)
        let sealed = try #require(line["sealedBytes"] as? Int)
        #expect(sealed >= 1400 && sealed < 2000)
        let intervals = try #require(line["setupIntervals"] as? Double)
        #expect(intervals <= 16)
        #expect(await CommandRun.lab(arguments).output == first.output)
    }

    @Test func `bench transfer --request prints what a request adds to the set-up of each link, in intervals`()
        async throws
    {
        let run = await CommandRun.lab(
            ["bench", "transfer", "--json", "--request", "1000", "--link", "phone-5", "--seeds", "3"])
        let line = try #require(try objects(run).first)
        #expect(try objects(run).count == 1)
        #expect(
            Set(line.keys) == [
                "schema", "version", "bench", "payloadBytes", "sealedBytes", "link", "loss", "setupSeconds",
                "setupIntervals", "transferSeconds", "airBytes", "limitSeconds", "limitShare", "failedRuns",
                "requestBytes", "requestIntervals",
            ])
        // One read of the size and two of windows, two intervals each, give or take two for the phase of the link.
        let intervals = try #require(line["requestIntervals"] as? Double)
        #expect((4...10).contains(intervals), "\(intervals)")
    }

    @Test func `bench transfer prints a line for each payload, link and loss that the options leave open`() async throws
    {
        let run = await CommandRun.lab(
            ["bench", "transfer", "--json", "--payload", "400", "--loss", "0", "--seeds", "1"])
        #expect(
            try objects(run).compactMap { $0["link"] as? String } == ["ideal-1m", "ideal-2m", "phone-4.2", "phone-5"])
    }

    @Test func `bench transfer without --json prints one table`() async throws {
        let run = await CommandRun.lab(
            ["bench", "transfer", "--link", "ideal-2m", "--payload", "400", "--loss", "0", "--seeds", "1"])
        #expect(run.status == 0)
        #expect(run.lines.count == 2)
    }

    @Test func `bench measures the pipeline in both directions for two payloads`() async throws {
        let run = await CommandRun.lab(["bench", "pipeline", "--json", "--rounds", "3"])
        #expect(run.status == 0)
        let lines = try objects(run)
        #expect(lines.compactMap { $0["payloadBytes"] as? Int } == [60_000, 60_000, 550_000, 550_000])
        #expect(lines.allSatisfy { ($0["shareOfBare"] as? Double).map { $0 > 0 } == true })
    }

    @Test func `bench measures envelopes in both directions for both kinds and two sizes`() async throws {
        let run = await CommandRun.lab(["bench", "didcomm", "--json", "--rounds", "3", "--acapy", "/nowhere/python"])
        #expect(run.status == 0)
        let lines = try objects(run)
        let operations = ["pack.authcrypt", "unpack.authcrypt", "pack.anoncrypt", "unpack.anoncrypt"]
        #expect(lines.compactMap { $0["operation"] as? String } == operations + operations)
        #expect(
            lines.compactMap { $0["bytes"] as? Int } == Array(repeating: 1024, count: 4)
                + Array(repeating: 65_536, count: 4))
        for line in lines {
            #expect(
                Set(line.keys) == [
                    "schema", "version", "bench", "operation", "bytes", "perSecond", "ceilingPerSecond",
                    "ceilingShare", "acapyPerSecond",
                ])
            #expect(line["acapyPerSecond"] is NSNull)
            for name in ["perSecond", "ceilingPerSecond", "ceilingShare"] {
                #expect((line[name] as? Double).map { $0 > 0 } == true)
            }
        }
    }

    @Test func `bench takes the speed of another program from its output, and ignores invalid lines`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "acapy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let python = folder.appending(path: "python")
        try Data("#!/bin/sh\necho pack.authcrypt 1024 1234.5\necho noise\necho pack.anoncrypt 1024 -1\n".utf8)
            .write(to: python)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python.path())
        let run = await CommandRun.lab(["bench", "didcomm", "--json", "--rounds", "3", "--acapy", python.path()])
        let speeds = try objects(run).map { $0["acapyPerSecond"] as? Double }
        #expect(speeds == [1234.5] + Array(repeating: nil, count: 7))
    }

    @Test func `bench measures every operation of a vault, and leaves no file behind`() async throws {
        let folder = try TemporaryFolder()
        let run = await CommandRun.lab(["bench", "vault", "--json", "--records", "1000", "--folder", folder.path])
        #expect(run.status == 0, "\(run.talk)")
        #expect(
            try objects(run).compactMap { $0["operation"] as? String } == [
                "fill", "open", "get", "find-by-tag", "find-by-two-tags", "list-page-of-20", "list-page-of-100",
                "list-page-of-20-by-tag", "insert", "check", "peak-memory", "database", "passphrase-moderate",
            ])
        #expect(try objects(run).allSatisfy { ($0["bytes"] as? Int ?? 1) > 0 })
        #expect(try folder.names() == [])
        let table = await CommandRun.lab(["bench", "vault", "--records", "1000", "--folder", folder.path])
        #expect(table.lines.count == 14)
        let nowhere = await CommandRun.lab(["bench", "vault", "--folder", "\(folder.path)/none"])
        #expect(nowhere.code == "output.not-writable")
    }

    @Test func `bench refuses a payload below the minimum and an unknown link as usage errors`() async {
        #expect(await CommandRun.lab(["bench", "transfer", "--payload", "399"]).status == 2)
        #expect(await CommandRun.lab(["bench", "transfer", "--link", "phone-6"]).status == 2)
        #expect(await CommandRun.lab(["bench", "--json"]).status == 2)
    }

    @Test func `bench measures every operation of an agent with connections, and leaves no file behind`() async throws {
        let folder = try TemporaryFolder()
        let run = await CommandRun.lab(
            ["bench", "connections", "--json", "--connections", "40", "--folder", folder.path])
        #expect(run.status == 0, "\(run.talk)")
        let operations = run.lines.compactMap { $0.split(separator: #""operation":""#).last?.prefix { $0 != "\"" } }
        #expect(
            operations == [
                "fill", "start", "duplicate-check-stranger", "duplicate-check-accepted",
                "duplicate-check-known-inviter", "list-page-of-20", "list-page-of-100",
            ])
        #expect(run.lines.allSatisfy { $0.contains(#""connections":40"#) && $0.contains(#""bench":"connections""#) })
        #expect(try folder.names() == [])
    }
}
