import CommandTestSupport
import Compression
import Foundation
import Herald
import TestSupport
import Testing

@testable import CommandProgram
@testable import ProximityCommands

@Suite struct ProximityDistanceCommandTests {
    private func parse(_ text: String) throws -> [DistanceReading] {
        try DistanceMeasurementFile.parse(Array(text.utf8), name: "x.csv")
    }

    private func objects(_ run: CommandRun) throws -> [[String: Any]] {
        try run.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `measurement columns may come in any order, and seconds may have a fraction`() throws {
        let readings = try parse(
            "distance,time,rssi\n150,2021-02-28 23:59:59.5,-60\r\n\n160, 2021-03-01T00:00:01 ,-61.5\n")
        #expect(
            readings == [
                DistanceReading(seconds: 0, rssi: -60, metres: 1.5),
                DistanceReading(seconds: 1.5, rssi: -61.5, metres: 1.6),
            ])
    }

    @Test func `measurement times are dates or seconds, not both in one file, and a refusal says which`() throws {
        let seconds = try parse("time,rssi,distance\n7.5,-60,100\n9,-61,100\n")
        #expect(seconds.map(\.seconds) == [0, 1.5])
        for (lines, part) in [
            (
                "noon,-60,100",
                "Line 2 of x.csv has no time: a date such as 2021-03-06 18:03:00.5, or seconds such as 12.5."
            ),
            ("2021-01-01 00:00:00,-60,1\n5,-60,1", "Line 3 of x.csv has seconds, and the lines before dates."),
            ("5,-60,1\n2021-01-01 00:00:00,-60,1", "Line 3 of x.csv has no seconds, as the lines before."),
        ] {
            let error = #expect(throws: CommandError.self) { try parse("time,rssi,distance\n\(lines)\n") }
            #expect(error?.reason == part)
        }
    }

    @Test func `prox distance reads phones' logs with --metres, and refuses them without`() async throws {
        let folder = try TemporaryFolder()
        let folders = try StockPhoneLogs.write(in: folder, minutes: 15)
        let run = await CommandRun.run(["prox", "distance"] + folders + ["--metres", "2", "--json"])
        #expect(run.status == 0)
        let lines = try objects(run)
        // Of the four phones the third finds none, and the others find all.
        #expect(lines.count == 9 + 1)
        #expect(lines.first?["file"] as? String == "phone-0 hears phone-1")
        #expect((lines.last?["windows"] as? Int ?? 0) > 100)
        let without = await CommandRun.run(["prox", "distance"] + folders)
        #expect(without.status == 10 && without.talk.contains("--metres D does"))
    }

    @Test func `prox distance reads the log of a simulated run, and refuses one without true distances`() async throws {
        let folder = try TemporaryFolder()
        let log = "\(folder.path)/office"
        let crowd = await CommandRun.run(
            "prox", "simulate", "office", "--hours", "5m", "--devices", "3", "--alone", "--log", log)
        #expect(crowd.status == 0)
        let run = await CommandRun.run("prox", "distance", log, "--json")
        #expect(run.status == 0)
        #expect(try objects(run).count == 6 + 1)
        let real = try ProximityReportTests.makeLog(in: folder, records: [], isSimulated: false)
        let refused = await CommandRun.run("prox", "distance", real)
        #expect(refused.status == 10 && refused.words.contains("no true"))
    }

    @Test func `a measurement file may have a byte order mark, quotes, unknown columns and unsorted lines`() throws {
        let plain = try parse("time,rssi,distance\n2021-01-01 00:00:00,-60,1\n2021-01-01 00:00:01,-61,2\n")
        #expect(
            try parse(
                "\u{FEFF}\"\",\"time\",\"rssi\",\"distance\",\"a \"\"b\"\"\"\r\n"
                    + "\"2\",\"2021-01-01 00:00:01\",-61,\"2\",\"x,y\"\r\n"
                    + "\"1\",\"2021-01-01 00:00:00\",\"-60\",1,\r\n") == plain)
        #expect(plain.map(\.seconds) == [0, 1])
    }

    @Test func `CSV quotes keep commas, blanks are trimmed, and an open quote ends with its line`() {
        var lines = CSVLines(Array(" a , \"b,\"\"\"\"c\" ,\"\"\n\"d,e\nf,\n".utf8))
        func next() -> [String]? { lines.next()?.map { DistanceMeasurementFile.text($0) } }
        #expect(next() == ["a", "b,\"\"c", ""])
        #expect(next() == ["\"d,e"])
        #expect(next() == ["f", ""])
        #expect(next() == nil)
    }

    @Test func `a CSV line has at most the allowed number of fields`() {
        func count(_ commas: Int) -> Int? {
            var lines = CSVLines([UInt8](repeating: UInt8(ascii: ","), count: commas))
            return lines.next()?.count
        }
        #expect(count(CSVLines.maximumFields - 1) == CSVLines.maximumFields)
        #expect(count(CSVLines.maximumFields) == CSVLines.maximumFields)
        #expect(count(100_000) == CSVLines.maximumFields)
    }

    @Test func `a gzip file of several members is read as one measurement, wherever it was split`() async throws {
        let folder = try TemporaryFolder()
        let text = Array("time,rssi,distance\n2021-01-01 00:00:00,-60,100\n2021-01-01 00:00:01,-61,120\n".utf8)
        let path = "\(folder.path)/RUN-A.csv.gz"
        let readings = try DistanceMeasurementFile.parse(text, name: "RUN-A.csv")
        for cut in [0, 5, 19, 50, text.count] {
            let members = try [text[..<cut], text[cut...], []].map { try Gzip.compress($0) }
            try Data(members.joined()).write(to: URL(filePath: path))
            #expect(try DistanceMeasurementFile.read(path).map(\.readings) == [readings])
        }
        let run = await CommandRun.run(["prox", "distance", path, "--json"])
        #expect(run.status == 0)
    }

    @Test func `the size limit of a measurement file applies to all members of a gzip file together`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/RUN-A.csv.gz"
        let line = Array("2021-01-01 00:00:00,-60,100\n".utf8)
        let block = Array([[UInt8]](repeating: line, count: 40_000).joined().prefix(1 << 20))
        let member = try Gzip.compress(block, level: 1)
        let whole = [[UInt8]](repeating: member, count: DistanceMeasurementFile.maximumBytes >> 20)
        for (more, isTaken) in [([], true), ([1], false)] as [([UInt8], Bool)] {
            let file = try whole.dropFirst(2) + [Gzip.compress([]), member, Gzip.compress(block + more, level: 1)]
            try Data(file.joined()).write(to: URL(filePath: path))
            if isTaken {
                #expect(try DistanceMeasurementFile.text(at: path).count == DistanceMeasurementFile.maximumBytes)
            } else {
                #expect(throws: CommandError(.inputTooLarge, "")) { try DistanceMeasurementFile.text(at: path) }
            }
        }
    }

    @Test func `a damaged gzip file, or a decompression bomb, is refused as bad input and not as a defect`()
        async throws
    {
        let folder = try TemporaryFolder()
        let zipped = try Gzip.compress(Array("time,rssi,distance\n2021-01-01 00:00:00,-60,100\n".utf8))
        var wrong = zipped
        wrong[zipped.count / 2] ^= 0xFF
        let bomb = try Gzip.compress([UInt8](repeating: 0x2C, count: DistanceMeasurementFile.maximumBytes + 1))
        let files = [
            ("short", Array(zipped.dropLast()), "prox.measurement-malformed"),
            ("wrong", wrong, "prox.measurement-malformed"),
            ("more", zipped + [0], "prox.measurement-malformed"), ("bomb", bomb, "input.too-large"),
            ("second-short", zipped + zipped.dropLast(), "prox.measurement-malformed"),
            ("second-wrong", zipped + wrong, "prox.measurement-malformed"),
            ("second-bomb", zipped + bomb, "input.too-large"),
        ]
        for (name, bytes, code) in files {
            let path = "\(folder.path)/\(name)-A.csv.gz"
            try Data(bytes).write(to: URL(filePath: path))
            let run = await CommandRun.run(["prox", "distance", path])
            #expect(run.code == code, "\(name)")
            let words = run.talk.split { $0.isWhitespace }.joined(separator: " ")
            #expect(words.contains("\(name)-A.csv.gz cannot be unzipped: "), "\(words)")
        }
    }

    @Test(arguments: [
        "", "time,rssi\n", "time,rssi,distance\n2021-01-01 00:00:00,-60\n",
        "time,rssi,distance\n2021-13-01 00:00:00,-60,1\n",
        "time,rssi,distance\n2021-01-01 24:00:00,-60,1\n", "time,rssi,distance\n2021-01-01 00:00:00,strong,1\n",
        "time,rssi,distance\n2021-01-01 00:00:00,-60,-1\n", "time,rssi,distance\n2021-01-01 00:00:00,-60,100001\n",
        "time,rssi,distance\n2021-01-01 00:00:01,-60,1\n2031-01-01 00:00:00,-60,1\n",
        "time,rssi,distance\n2021-01-01 00:00:00,inf,1\n",
    ]) func `a measurement file of another format is refused`(text: String) {
        #expect(throws: CommandError(.measurementMalformed, "")) { try parse(text) }
    }

    /// A text format: cut inside the last number it still reads, and cut after a line it is a shorter measurement.
    @Test func `a measurement file cut inside a line is refused, and cut at a line's end is shorter`() throws {
        let text = Array("time,rssi,distance\n2021-01-01 00:00:00,-60,1\n2021-01-01 00:00:09,-60,5".utf8)
        let header = 19
        let accepted = DecoderVerifier.acceptedTruncations(of: text) {
            try DistanceMeasurementFile.parse($0, name: "DistanceMeasurementFile").isEmpty ? nil : true
        }
        #expect(accepted.first == header + 25)
        #expect(accepted.allSatisfy { $0 >= header + 25 && $0 <= header + 26 })
        #expect(
            DecoderVerifier.acceptedExtensions(of: text) {
                try DistanceMeasurementFile.parse($0, name: "DistanceMeasurementFile")
            }
                == [])
    }

    /// A text format: cut behind the name of a phone, it is a log whose last name is shorter.
    @Test func `a range protocol's log cut inside a line is refused or shorter`() {
        let text = Array("2020-05-01 13:24:00.5,Range,6\n2020-05-01 13:24:01.5,Bluetooth,FF7F,-50,Phone".utf8)
        let read = { (bytes: [UInt8]) throws -> Bool? in
            try PACTRangeLog.parse(bytes, name: "PACTRangeLog").isEmpty ? nil : true
        }
        let named = text.count - 4
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: read) == Array(named..<text.count))
        // A byte more makes another name.
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: read) == [0x00, 0x01, 0x7F, 0xFF])
    }

    @Test func `--leave-one-out with the readings of a single run fails with measurement-insufficient`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "R1-B.csv")
        try Data("time,rssi,distance\n2021-01-01 00:00:00,-60,100\n".utf8).write(to: file)
        let run = await CommandRun.run(["prox", "distance", file.path(), "--leave-one-out"])
        #expect(run.code == "prox.measurement-insufficient")
    }

    @Test func `a CSV without the columns of readings is refused with measurement-malformed`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "symbolon-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "R1-B.csv")
        try Data("time,rssi,distance\n2021-01-01 00:00:00,-60,100\n".utf8).write(to: file)
        let other = folder.appending(path: "metadata.csv")
        try Data("testid,date\n1,20200101\n".utf8).write(to: other)
        let refused = await CommandRun.run(["prox", "distance", file.path(), other.path()])
        #expect(refused.code == "prox.measurement-malformed")
        let words = refused.talk.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("metadata.csv is not a file of readings"))
        #expect(words.contains("leave the file out"))
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
    func `our distance estimates of a published measurement are better than those of the reference models`()
        async throws
    {
        let folder = OutsideVectors.folder.appending(path: "herald-rssi").path()
        let run = await CommandRun.run([
            "prox", "distance", "\(folder)/20210108-1423-B.csv.gz", "\(folder)/20210103-1026-B.csv.gz", "--runs",
            "\(folder)/runs.csv", "--json",
        ])
        #expect(run.status == 0)
        let lines = try objects(run)
        #expect(lines.map { $0["file"] as? String } == ["20210108-1423-B.csv.gz", "20210103-1026-B.csv.gz", "all"])
        let first = try #require(lines.first)
        let (ours, fowler) = (try #require(first["mae"] as? Double), try #require(first["fowlerBasicMae"] as? Double))
        #expect(ours < fowler)
        #expect(first["answered"] as? Double == 1)
        // The second has no window with three readings.
        #expect(lines[1]["windows"] as? Int == 0)
        #expect(lines[1]["mae"] is NSNull)
    }

    // MARK: - Other files

    /// Runs `prox distance` on a file with `text`, and gives its lines of JSON.
    private func judged(_ text: String, _ options: [String], name: String = "f.csv") async throws -> [[String: Any]] {
        let folder = try TemporaryFolder()
        let file = try folder.write(name, text)
        let run = await CommandRun.run(["prox", "distance", file] + options + ["--json"])
        #expect(run.status == 0, "\(run.talk)")
        return try objects(run)
    }

    @Test func `prox distance --columns reads files with other columns and units, each phone separately`() async throws
    {
        let rows = (0..<120).map { "p\($0 % 2),\(Double($0) / 2 + 7),-\(60 + $0 % 5),1,200,1" }.joined(separator: "\n")
        let lines = try await judged(
            "device,elapsed,rss,mRSS10,dist,label\n\(rows)\n",
            ["--columns", "time=elapsed,rssi=rss,distance=dist,phone=device", "--systems", "android/android"])
        #expect(lines.map { $0["file"] as? String } == ["f.csv p0", "f.csv p1", "all"])
        #expect(lines.map { $0["windows"] as? Int } == [2, 2, 4])
        let metres = try await judged(
            "Time,R,D\n" + (0..<90).map { "\($0)000,-60,6.56168" }.joined(separator: "\n"),
            ["--columns", "time=Time:ms,rssi=R,distance=D:ft"])
        #expect(metres.first?["windows"] as? Int == 3)
        #expect((metres.first?["constantMae"] as? Double).map { abs($0 - 0.6) < 0.001 } == true)
    }

    @Test func `a measurement file without times has windows of thirty lines at one distance each`() async throws {
        let rows = (0..<80).map { "\($0 < 40 ? 50 : 150),-7\($0 % 10)" }.joined(separator: "\n")
        let lines = try await judged(
            "distance,rssiBLE\n\(rows)\n", ["--columns", "rssi=rssiBLE,distance=distance:cm"])
        #expect(lines.first?["windows"] as? Int == 4)
        // 0.9 m and 0.1 m from 1.4 m.
        #expect((lines.first?["constantMae"] as? Double).map { abs($0 - 0.5) < 0.001 } == true)
    }

    @Test func `a sniffer's table gets its distance from --metres, and lines without RSSI are skipped`()
        async throws
    {
        let rows = (0..<40).map { "\($0),\($0).5,aa:bb,Phone,\($0 == 7 ? "" : "-50"),8,0,76" }.joined(separator: "\n")
        let lines = try await judged(
            "Frame,Time,Source,DeviceName,RSSI,Tx Power,PDU Type,Company\n\(rows)\n99,41,aa,,-90,,2,6\n",
            ["--columns", "time=Time,rssi=RSSI,phone=DeviceName", "--metres", "1.83"])
        #expect(lines.map { $0["file"] as? String } == ["f.csv Phone", "all"])
    }

    @Test func `prox distance reads a log of the range and angle protocol without options`() async throws {
        let head = "2020-05-01 13:23:09.310,Device,iPhone XR,Mine\n"
        let early = "2020-05-01 13:23:10.000,Bluetooth,02177614,-93,Phone,-999.0,1\n"
        let rows = (0..<40).map {
            "2020-05-01 13:24:\($0 < 10 ? "0" : "")\($0).5,Bluetooth,FF7F,-5\($0 % 10),\($0 % 4 == 0 ? "None" : "Phone"),8.0,6"
        }.joined(separator: "\n")
        let lines = try await judged(
            head + early + "2020-05-01 13:23:57.636,Range,6\n2020-05-01 13:23:57.637,Angle,0\n" + rows + "\n", [],
            name: "log.txt")
        #expect(lines.first?["file"] as? String == "log.txt Phone" && lines.first?["windows"] as? Int == 2)
        #expect((lines.first?["constantMae"] as? Double).map { abs($0 - 0.4288) < 0.001 } == true)
    }

    @Test func `prox distance refuses a wrong column with the file's column names, and a database file`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("f.csv", "elapsed,rss,dist\n1,-60,100\n")
        let plain = await CommandRun.run("prox", "distance", file)
        #expect(plain.words.contains("but elapsed, rss, dist; --columns names others"))
        let database = try folder.write("f.sqlite", "SQLite format 3\0")
        #expect(await CommandRun.run("prox", "distance", database).words.contains("is a database of SQLite"))
        for wrong in ["", "rssi", "time=x", "rssi=a,rssi=b", "rssi=a,color=b", "rssi=a,time=b:h", "rssi=a,distance=:m"]
        {
            #expect(await CommandRun.run("prox", "distance", file, "--columns", wrong).code == "usage.bad-value")
        }
    }

    @Test func `prox distance prints one line for one file, and notes unknown phone systems`() async throws {
        let folder = try TemporaryFolder()
        let rows = (0..<40).map { "\($0),-60,100" }.joined(separator: "\n")
        let file = try folder.write("f.csv", "time,rssi,distance\n\(rows)\n")
        let plot = "\(folder.path)/plot.svg"
        let run = await CommandRun.run("prox", "distance", file, "--plot", plot)
        #expect(run.lines.count == 2, "\(run.output)")
        #expect(run.words.contains("Of 1 of 1 the systems of the phones are unknown"))
        let known = await CommandRun.run("prox", "distance", file, "--systems", "android/ios")
        #expect(known.talk.isEmpty)
        let drawing = try String(contentsOfFile: plot, encoding: .utf8)
        #expect(drawing.hasPrefix("<svg xmlns=") && drawing.hasSuffix("</svg>\n"))
        #expect(drawing.split(separator: "<circle").count == 3)
    }
}
