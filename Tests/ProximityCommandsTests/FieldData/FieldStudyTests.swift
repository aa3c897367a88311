import CommandTestSupport
import Determinism
import Foundation
import Herald
import TestSupport
import Testing

@testable import CommandProgram
@testable import ProximityCommands

@Suite struct FieldStudyTests {
    private static let header = "time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data"
    private static let now = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

    /// Writes the folder of a phone and returns its path.
    private func phone(
        _ name: String, own: String, _ lines: [String], in folder: TemporaryFolder, system: String = "Android"
    ) throws -> String {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        _ = try folder.write("\(name)/contacts.csv", ([Self.header] + lines).joined(separator: "\n") + "\n")
        _ = try folder.write("\(name)/detection.csv", "\(name),\(system),12,\(own)\n")
        _ = try folder.write(
            "\(name)/statistics.csv", "payload,count,mean,sd,min,max\nAAAAAA,3,2.5,1,1,4\nBBBBBB,0,-,-,-,-\n")
        return "\(folder.path)/\(name)"
    }

    private func time(_ second: Int) -> String {
        ContactLog.timestamp(WallTime(millisecondsSinceEpoch: 1_600_000_000_000 + Int64(second) * 1000))
    }

    private func measure(_ second: Int, _ id: String, _ rssi: Int = -60) -> String {
        "\(time(second)),BLE,\(id),,,3,,,,,RSSI:\(rssi).0[BLETransmitPower:12.0]"
    }

    private func read(_ second: Int, _ id: String, _ payload: String) -> String {
        "\(time(second)),BLE,\(id),,2,,,,,,\(payload)"
    }

    private func share(_ second: Int, _ id: String, _ payload: String) -> String {
        "\(time(second)),BLE,\(id),,,,4,,,,\(payload)"
    }

    private func edge(_ second: Int) -> String { "\(time(second)),BLE,zz,1,,,,,,," }

    /// The logs of two phones of ten minutes: the first hears the second under two addresses and by a share.
    private func pair(in folder: TemporaryFolder) throws -> [String] {
        let first = [
            edge(0), measure(1, "aa", -50), read(2, "aa", "BBBBBB"), measure(40, "aa"), measure(50, "cc"),
            read(95, "bb", "BBBBBB"), measure(100, "bb"), share(130, "bb", "BBBBBB"), measure(599, "bb"), edge(600),
        ]
        let second = [edge(-100), read(-50, "ee", "AAAAAA"), measure(-20, "ee"), measure(20, "ee"), edge(700)]
        return [
            try phone("one", own: "AAAAAAxx", first, in: folder),
            try phone("two", own: "BBBBBB", second, in: folder, system: "iOS"),
        ]
    }

    private func figures(_ study: FieldStudy) throws -> FairEfficacyFigures {
        FairEfficacyFigures(try ProximityAnalysis(study))
    }

    @Test(.shows("HP-79"))
    func `phones' logs of a field test are matched by payload, and all time windows count for all pairs`()
        throws
    {
        let folder = try TemporaryFolder()
        let study = try FieldStudy(folders: pair(in: folder), period: (nil, nil), now: Self.now)
        let figures = try figures(study)
        #expect(study.run.durationMilliseconds == 600_000 && study.run.devices.map(\.id) == ["one", "two"])
        #expect(figures.windows == 2 * 20)
        // The first: 0, 30, 90, 120 by the share, 570 seconds; the second: 0.
        #expect(figures.covered == 6)
        #expect(figures.readings == 5)
        #expect(figures.detection == 1 && figures.continuity == 6.0 / 40)
        #expect(figures.longevity == 1 - 4.0 / 20)
        #expect(figures.longestGap == 499_000)
        #expect(figures.readsPerIdentity == 3.0 / 2)
        #expect(figures.near.seconds.reduce(0, +) == 30 * 5)
        #expect(study.statedIntervals?.mean == 2.5)
        #expect(study.leftOut.isEmpty && study.remarks.isEmpty)
    }

    @Test func `given times of a field test replace those of the logs`() throws {
        let folder = try TemporaryFolder()
        let folders = try pair(in: folder)
        let from = 1_600_000_000_000 + 90_000
        let study = try FieldStudy(folders: folders, period: (from, from + 60_000), now: Self.now)
        let figures = try figures(study)
        #expect(figures.windows == 4 && figures.covered == 2 && figures.readings == 1)
        #expect(throws: CommandError.self) {
            try FieldStudy(folders: folders, period: (from + 10_000_000_000, nil), now: Self.now)
        }
    }

    @Test func `pairs with a phone whose payload is unknown or shared are left out with the reason`() throws {
        let folder = try TemporaryFolder()
        let lines = [edge(0), edge(600)]
        let folders = [
            try phone("a", own: "AAAAAA", lines, in: folder), try phone("b", own: "", lines, in: folder),
            try phone("c", own: "CCCCCC", lines, in: folder), try phone("d", own: "CCCCCC", lines, in: folder),
        ]
        let study = try FieldStudy(folders: folders, period: (nil, nil), now: Self.now)
        #expect(study.leftOut.count == 9)
        #expect(study.leftOut.first?.pair == .init(device: "a", peer: "b"))
        #expect(study.leftOut.first?.reason.contains("detection.csv names none") == true)
        #expect(study.leftOut.last?.reason.contains("another phone has the payload CCCCCC") == true)
        let figures = try figures(study)
        #expect(figures.windows == 3 * 20 && figures.detection == 0)
        let page = ProximityReportPage(try ProximityAnalysis(study), figures).bytes()
        #expect(String(decoding: page, as: UTF8.self).contains("<h2>Left out</h2>"))
    }

    @Test func `malformed lines of a phone's log are listed by number and ignored`() throws {
        let folder = try TemporaryFolder()
        let place = try phone("one", own: "AAAAAA", [], in: folder)
        let lines = [
            "\u{FEFF}\(Self.header)\r", edge(0) + "\r", "", "ragged,line",
            "\(time(1)),BLE,\"q,1\",,,3,,,,,RSSI:-60.0\r",
            "\(time(2)),BLE,q,,,3,,,,,RSSI:127", "yesterday,BLE,q,,,3,,,,,RSSI:-60.0",
            "1970-01-01 00:00:09,BLE,q,,,3,,,,,RSSI:-60.0", "2999-01-01 00:00:00,BLE,q,,,3,,,,,RSSI:-60.0",
            "\(time(3)),BLE,q\0,,,3,,,,,RSSI:-60.0", "\(time(4)),BLE,,,,3,,,,,RSSI:-60.0", "\(time(5)),BLE,q,,2,,,,,,",
            edge(600), measure(100, "q"),
        ]
        _ = try folder.write("one/contacts.csv", lines.joined(separator: "\n"))
        let log = try FieldPhoneLog(folder: place, now: Self.now)
        #expect(log.identifiers == ["q,1", "q"])
        #expect(log.entries.map(\.at) == [1_600_000_001_000, 1_600_000_100_000])
        #expect(log.span == 1_600_000_000_000...1_600_000_600_000)
        let file = "\(place)/contacts.csv"
        let remarks = log.remarks.all.filter { $0.file == file }
        #expect(remarks.map(\.lines) == [[4], [6], [7], [8], [9], [10], [11], [12], [14]])
        #expect(remarks.first?.sentence == "\(file): line 4 ignored: fewer fields than the first line names.")
        #expect(remarks.last?.reason.contains("set back") == true)
    }

    @Test func `a phone's log with too many lines, devices or bytes, or without its columns, is refused`() throws {
        let folder = try TemporaryFolder()
        let place = try phone("one", own: "AAAAAA", (0..<5).map { measure($0, "i\($0)") }, in: folder)
        let codes: [(FieldPhoneLog.Limits, CommandError.Code)] = [
            (.init(lines: 4), .proximityLogTooLarge), (.init(identifiers: 4), .proximityLogTooLarge),
            (.init(smallFileBytes: 4), .inputTooLarge),
        ]
        for (limits, code) in codes {
            let error = #expect(throws: CommandError.self) {
                try FieldPhoneLog(folder: place, now: Self.now, limits: limits)
            }
            #expect(error?.code == code)
        }
        #expect(
            try FieldPhoneLog(folder: place, now: Self.now, limits: .init(lines: 6, identifiers: 5)).entries.count == 5)
        for (text, code) in [
            ("", CommandError.Code.proximityLogMalformed), ("time,id\n", .proximityLogMalformed),
            (Self.header + "\n" + String(repeating: "x", count: 4097), .inputTooLarge),
        ] {
            _ = try folder.write("one/contacts.csv", text)
            let error = #expect(throws: CommandError.self) { try FieldPhoneLog(folder: place, now: Self.now) }
            #expect(error?.code == code)
        }
    }

    @Test func `shared payloads in brackets in a phone's log count, and empty brackets do not`() throws {
        let folder = try TemporaryFolder()
        var folders = try pair(in: folder)
        let before = try figures(try FieldStudy(folders: folders, period: (nil, nil), now: Self.now)).covered
        let lines = [
            edge(0), read(2, "aa", "BBBBBB"), measure(40, "aa"), share(200, "aa", "[BBBBBB]"), share(300, "aa", "[]"),
            edge(600),
        ]
        folders[0] = try phone("one", own: "AAAAAAxx", lines, in: folder)
        let study = try FieldStudy(folders: folders, period: (nil, nil), now: Self.now)
        #expect(before == 6 && study.remarks.isEmpty)
        // The first: 30 and 180 seconds; the second: 0.
        #expect(try figures(study).covered == 3)
    }

    @Test func `an iPhone's repeated reads of a cached payload are not counted as reads, with a remark`() throws {
        let folder = try TemporaryFolder()
        let reads = (0..<50).map { read($0 * 10, "aa", "BBBBBB") }
        let late = [read(500 + 901, "aa", "BBBBBB"), read(500 + 902, "aa", "CCCCCC"), edge(1500)]
        let other = try phone("two", own: "BBBBBB", [edge(0), edge(1500)], in: folder)
        for (system, count) in [("iOS", 2), ("Android", 51)] {
            let first = try phone("one", own: "AAAAAA", [edge(0)] + reads + late, in: folder, system: system)
            let study = try FieldStudy(folders: [first, other], period: (nil, nil), now: Self.now)
            let pair = try ProximityAnalysis(study).pairs[.init(device: "one", peer: "two")]
            #expect(pair?.reads == count && pair?.isIdentified == true)
            #expect(study.remarks.contains { $0.contains("49 reads repeat a payload") } == (system == "iOS"))
        }
    }

    @Test func `the time formats of all Herald library versions are read`() {
        func read(_ text: String) -> Int? { FieldLogTime.milliseconds(Array(text.utf8)[...]) }
        #expect(read("1970-01-01 00:00:00") == 0)
        #expect(read("2020-09-13 12:26:40") == 1_600_000_000_000)
        #expect(read("2022-11-29 22:21:56.552+0000") == 1_669_760_516_552)
        #expect(read("2022-11-29T23:51:56.5+01:30") == 1_669_760_516_500)
        #expect(read("2022-11-29 22:21:56Z") == 1_669_760_516_000)
        for text in ["", "2022-11-29", "2022-13-01 00:00:00", "2022-11-29 22:21:56.", "2022-11-29 22:21:56+99", "x"] {
            #expect(read(text) == nil, "\(text)")
        }
    }

    @Test(.shows("HP-79"))
    func `figures of stock-format phone logs equal a second computation in another language`()
        async throws
    {
        let folder = try TemporaryFolder()
        for folders in [try StockPhoneLogs.write(in: folder, minutes: 40), try pair(in: folder)] {
            let page = "\(folder.path)/page.html"
            let report = await CommandRun.run(["prox", "report"] + folders + ["--out", page, "--json"])
            #expect(report.status == 0)
            let figures = try folder.write("figures.json", report.output)
            let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments =
                ["python3", root.appending(path: "Interop/field-data/figures.py").path, "--compare", figures] + folders
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(text)")
            #expect(text.split(separator: "\n").count == 13, "\(text)")
        }
    }
}
