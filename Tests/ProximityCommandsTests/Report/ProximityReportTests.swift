import CommandTestSupport
import Determinism
import Foundation
import Herald
import Terminal
import TestSupport
import Testing

@testable import ProximityCommands

@Suite struct ProximityReportTests {
    /// Writes the log of a simulated run of ten minutes and returns its folder.
    static func makeLog(
        in folder: TemporaryFolder, devices: [ProximityRun.LoggedDevice] = [.init(id: "1"), .init(id: "2")],
        records: [ProximityRecord], truths: [TruePositions] = [], isSimulated: Bool = true, duration: Int = 600_000
    ) throws -> String {
        let place = "\(folder.path)/log"
        let writer = try ProximityLogWriter(
            folder: place,
            run: ProximityRun(
                scenario: "office", start: WallTime(millisecondsSinceEpoch: 1_767_225_600_000),
                durationMilliseconds: nil, seed: 1, isSimulated: isSimulated, devices: devices))
        for truth in truths { try writer.put(truth) }
        for record in records { try writer.put(record) }
        try writer.finish(durationMilliseconds: duration)
        return place
    }

    static func reading(_ at: Int, _ device: String, _ peer: String, _ rssi: Int = -60) -> ProximityRecord {
        var record = ProximityRecord(at: at, device: device, kind: .measure, peer: peer)
        record.rssi = rssi
        record.via = .advertisement
        return record
    }

    private static func read(_ at: Int, _ device: String, _ peer: String) -> ProximityRecord {
        var record = ProximityRecord(at: at, device: device, kind: .read, peer: peer)
        record.payload = [1, 2, 3]
        record.via = .link
        return record
    }

    /// Two devices near for ten minutes; one of 20 windows of the second has no reading.
    private static var office: (records: [ProximityRecord], truths: [TruePositions]) {
        let windows = 0..<20
        var records = [read(0, "1", "2"), read(0, "2", "1")]
        for window in windows {
            records.append(reading(window * 30_000 + 1000, "1", "2"))
            if window != 12 { records.append(reading(window * 30_000 + 1000, "2", "1", -70)) }
        }
        var estimate = ProximityRecord(at: 599_000, device: "1", kind: .distance, peer: "2")
        (estimate.centimetres, estimate.low, estimate.high, estimate.readings) = (150, 50, 190, 1)
        records.append(estimate)
        let truths = [("1", "2"), ("2", "1")].flatMap { device, peer in
            [
                TruePositions.near(device: device, peer: peer, from: 0, until: 600_000),
                .distance(device: device, peer: peer, at: 0, centimetres: 120),
            ]
        }
        return (records, truths)
    }

    private static func figures(_ place: String) throws -> FairEfficacyFigures {
        FairEfficacyFigures(try ProximityAnalysis(ProximityLogReader(folder: place)))
    }

    @Test(.shows("HP-79")) func `the proximity report's figures follow their definitions`() throws {
        let folder = try TemporaryFolder()
        let place = try Self.makeLog(in: folder, records: Self.office.records, truths: Self.office.truths)
        let figures = try Self.figures(place)
        #expect(figures.detection == 1)
        #expect(figures.windows == 40)
        #expect(figures.covered == 39)
        #expect(figures.continuity == 39.0 / 40)
        #expect(figures.completeness == 39.0 / 40)
        #expect(figures.longevity == 1 - 1.0 / 20)
        #expect(figures.longestGap == 60_000)
        #expect(figures.readsPerIdentity == 1)
        #expect(figures.distanceError.map { abs($0 - 0.3) < 1e-9 } == true)
        #expect(figures.covered80 == 1)
        // All that was heard at one true distance: 20 readings of 60 dB and 19 of 70.
        let mean = (20 * 60.0 + 19 * 70) / 39
        let accuracy = 1 - (20 * (mean - 60) + 19 * (70 - mean)) / 39 / mean
        #expect(figures.accuracy.map { abs($0 - accuracy) < 1e-9 } == true, "\(String(describing: figures.accuracy))")
    }

    @Test func `the distance error leaves out devices beyond the distances that the model knows, and counts them`()
        throws
    {
        for (centimetres, error, beyond) in [(360, 2.1, 0), (361, nil, 1)] as [(Int, Double?, Int)] {
            let folder = try TemporaryFolder()
            let truths = Self.office.truths.map { truth -> TruePositions in
                guard case .distance(let device, let peer, let at, _) = truth else { return truth }
                return .distance(device: device, peer: peer, at: at, centimetres: centimetres)
            }
            let figures = try Self.figures(Self.makeLog(in: folder, records: Self.office.records, truths: truths))
            #expect(figures.distanceError == error && figures.estimatesBeyond == beyond)
            #expect(figures.covered80 == error.map { _ in 0 })
        }
    }

    @Test func `windows in which a pair was only partly in range do not count, nor gaps while out of range`() throws {
        let folder = try TemporaryFolder()
        let truths = [
            TruePositions.near(device: "1", peer: "2", from: 1, until: 90_000),
            .near(device: "1", peer: "2", from: 300_000, until: 389_999),
        ]
        let records =
            [Self.read(40_000, "1", "2")]
            + [40_000, 70_000, 310_000, 350_000].map { Self.reading($0, "1", "2") }
        let place = try Self.makeLog(in: folder, records: records, truths: truths)
        let figures = try Self.figures(place)
        // 30 to 60, 60 to 90; 300 to 330, 330 to 360 seconds.
        #expect(figures.windows == 4)
        #expect(figures.covered == 4)
        #expect(figures.longestGap == 40_000)
        #expect(figures.detection == 1)
        #expect(figures.completeness == nil)
    }

    @Test func `gaps of a pair that was never in range count only where true positions are unknown`() throws {
        let records = [0, 1000, 600_000].map { Self.reading($0, "1", "2") } + [Self.reading(600_000, "1", "3")]
        let truths = [TruePositions.near(device: "1", peer: "3", from: 0, until: 600_000)]
        for (truths, longest, counted) in [(truths, 0, 0), ([], 599_000, 2)] {
            let folder = try TemporaryFolder()
            let place = try Self.makeLog(in: folder, records: records, truths: truths)
            #expect(try Self.figures(place).longestGap == longest)
            let analysis = try ProximityAnalysis(ProximityLogReader(folder: place))
            #expect(analysis.gaps.reduce(0, +) == counted)
        }
    }

    @Test func `the label above the highest bar of the gap plot is within the drawing`() throws {
        for count in [1, 9, 10, 99] {
            let folder = try TemporaryFolder()
            let records = (0...count).map { Self.reading($0 * 1000, "1", "2") }
            let place = try Self.makeLog(in: folder, records: records)
            let drawing = ProximityReportPlots(analysis: try ProximityAnalysis(ProximityLogReader(folder: place)))
                .gaps()
            let bar = try #require(drawing.firstMatch(of: /class="gap" x="[0-9.]+" y="([0-9.]+)"/)?.1)
            let number = try #require(drawing.firstMatch(of: /class="value" x="[0-9.]+" y="([0-9.]+)"/)?.1)
            let (top, baseline) = (try #require(Double(bar)), try #require(Double(number)))
            #expect(baseline < top && baseline >= 11, "\(count)")
        }
    }

    @Test func `the labels beside the plot of the signal strength keep their minus sign within the drawing`() throws {
        let folder = try TemporaryFolder()
        let place = try Self.makeLog(in: folder, records: (0...9).map { Self.reading($0 * 1000, "1", "2") })
        let plots = ProximityReportPlots(analysis: try ProximityAnalysis(ProximityLogReader(folder: place)))
        let drawing = plots.readings(try #require(plots.series.first))
        let end = try #require(drawing.firstMatch(of: /class="tick" x="([0-9.]+)"[^>]*>-40 dBm</)?.1)
        #expect(try #require(Double(end)) >= 7.5 * Double("-40 dBm".count))
    }

    @Test func `a device name beside a plot has at most 21 characters, control characters spelt out`() throws {
        let folder = try TemporaryFolder()
        let records = [Self.reading(0, "1", "2"), Self.reading(0, "2", "1")]
        let devices: [ProximityRun.LoggedDevice] = [
            .init(id: "1", name: String(repeating: "x", count: 19)),
            .init(id: "2", name: "\u{202E}" + String(repeating: "y", count: 90)),
        ]
        let place = try Self.makeLog(in: folder, devices: devices, records: records)
        let plots = ProximityReportPlots(analysis: try ProximityAnalysis(ProximityLogReader(folder: place)))
        for drawing in [plots.timeline(), plots.matrix()] {
            let labels = drawing.matches(of: /text-anchor="end">([^<]*)</).map { String($0.1) }
            #expect(labels.count == 2 && labels.allSatisfy { $0.count <= 21 && !$0.contains("\u{202E}") })
            #expect(labels.contains { $0.hasSuffix("y…") })
        }
        #expect(plots.matrix().contains(">1 \(String(repeating: "x", count: 19))<"))
    }

    @Test func `a pair at two metres counts as within two metres, and a centimetre more does not`() throws {
        for (centimetres, share) in [(200, 1.0), (201, nil)] {
            let folder = try TemporaryFolder()
            let truths = [
                TruePositions.near(device: "1", peer: "2", from: 0, until: 30_000),
                .distance(device: "1", peer: "2", at: 0, centimetres: centimetres),
            ]
            let place = try Self.makeLog(in: folder, records: [Self.reading(100, "1", "2")], truths: truths)
            #expect(try Self.figures(place).completeness == share)
        }
    }

    @Test func `a pair that was in range and never heard counts as missed`() throws {
        let folder = try TemporaryFolder()
        let truths = [("1", "2"), ("2", "1")].map {
            TruePositions.near(device: $0.0, peer: $0.1, from: 0, until: 600_000)
        }
        let place = try Self.makeLog(
            in: folder, records: [Self.read(0, "1", "2"), Self.reading(0, "1", "2")], truths: truths)
        let figures = try Self.figures(place)
        #expect(figures.detection == 0.5)
        #expect(figures.continuity == 1.0 / 40)
    }

    @Test func `the log of a real run is judged from its first to its last reading, and merged names are one device`()
        throws
    {
        let folder = try TemporaryFolder()
        var merge = ProximityRecord(at: 95_000, device: "self", kind: .merge, peer: "d1")
        merge.text = "d2"
        let records =
            [Self.read(30_000, "self", "d1"), Self.reading(31_000, "self", "d1"), merge]
            + [Self.read(95_000, "self", "d2"), Self.reading(100_000, "self", "d2")]
        let place = try Self.makeLog(
            in: folder, devices: [.init(id: "self")], records: records, isSimulated: false)
        let analysis = try ProximityAnalysis(ProximityLogReader(folder: place))
        #expect(analysis.devices == ["self", "d2"])
        let figures = FairEfficacyFigures(analysis)
        #expect(figures.detection == nil)
        #expect(figures.windows == 3)
        #expect(figures.covered == 2)
    }

    @Test(arguments: [(30_000, 90_000), (30_000, 30_000), (1, 0)])
    func `readings after the stated end of a run count in its last window`(duration: Int, at: Int) throws {
        let folder = try TemporaryFolder()
        let place = try Self.makeLog(
            in: folder, records: [Self.read(at, "1", "2"), Self.reading(at, "1", "2")], isSimulated: false,
            duration: duration)
        #expect(try Self.figures(place).windows == 1)
    }

    @Test func `a merged name remains for other devices that heard it, and in the list`() throws {
        let folder = try TemporaryFolder()
        func merge(_ at: Int, _ peer: String, _ into: String) -> ProximityRecord {
            var record = ProximityRecord(at: at, device: "1", kind: .merge, peer: peer)
            record.text = into
            return record
        }
        let records = [
            Self.reading(1, "1", "2"), merge(2, "2", "x"), Self.reading(3, "1", "2"),
            Self.reading(4, "1", "y"), Self.reading(5, "2", "y"), merge(6, "y", "x"), Self.reading(7, "1", "y"),
        ]
        let place = try Self.makeLog(in: folder, records: records, isSimulated: false)
        let analysis = try ProximityAnalysis(ProximityLogReader(folder: place))
        #expect(analysis.devices == ["1", "2", "x", "y"])
        #expect(Set(analysis.names) == Set(analysis.pairs.keys))
    }

    @Test func `the longest gap under a name is kept when it merges into another`() throws {
        let folder = try TemporaryFolder()
        var merge = ProximityRecord(at: 70_000, device: "1", kind: .merge, peer: "x")
        merge.text = "2"
        let records = [
            Self.reading(0, "1", "x"), Self.reading(60_000, "1", "x"), Self.reading(61_000, "1", "2"), merge,
            Self.reading(71_000, "1", "2"),
        ]
        let place = try Self.makeLog(in: folder, records: records, isSimulated: false)
        #expect(try Self.figures(place).longestGap == 60_000)
    }

    @Test func `a report page is made from any log, loads nothing and has no script`() async throws {
        let folder = try TemporaryFolder()
        let office = Self.office
        for (name, records, truths) in [
            ("a", office.records, office.truths), ("b", [], []), ("c", [Self.reading(5, "1", "2")], []),
        ] {
            let own = try TemporaryFolder()
            let place = try Self.makeLog(in: own, records: records, truths: truths)
            let file = "\(folder.path)/\(name).html"
            let run = await CommandRun.run("prox", "report", place, "--out", file, "--json")
            #expect(run.status == 0)
            #expect(run.lines.count == 1)
            let page = String(decoding: try folder.read("\(name).html"), as: UTF8.self)
            for word in ["<script", "http:", "https:", "url(", "@import", "src=", "href="] {
                #expect(!page.contains(word), "\(word)")
            }
            #expect(page.contains("default-src 'none'"))
            #expect(try isWellFormed(page))
        }
    }

    @Test func `the column names of the report's matrix do not overlap`() throws {
        for (count, named) in [(10, 10), (30, 15)] {
            let own = try TemporaryFolder()
            let devices = (0..<count).map { ProximityRun.LoggedDevice(id: "d\($0)") }
            let place = try Self.makeLog(in: own, devices: devices, records: [Self.reading(5, "d0", "d1")])
            let matrix = ProximityReportPlots(analysis: try ProximityAnalysis(ProximityLogReader(folder: place)))
                .matrix()
            #expect(matrix.split(separator: "text-anchor=\"middle\">d").count - 1 == named)
        }
    }

    @Test func `untrusted texts in a report are escaped`() async throws {
        let folder = try TemporaryFolder()
        let evil = "</title><script>alert('x')</script>\u{1B}[2J\"&<img src=x onerror=y>"
        let place = try Self.makeLog(
            in: folder, devices: [.init(id: "1", name: evil, system: evil, model: evil), .init(id: "2")],
            records: Self.office.records)
        let line = try String(decoding: folder.read("log/run.json"), as: UTF8.self)
        let other = line.replacing("\"office\"", with: JSONText.string(evil).line)
        _ = try folder.write("log/run.json", other)
        let run = await CommandRun.run("prox", "report", place, "--out", "-")
        #expect(run.status == 0)
        #expect(!run.output.contains("<script"))
        #expect(!run.output.contains("<img"))
        #expect(!run.output.contains("\u{1B}"))
        #expect(run.output.contains("&lt;script&gt;"))
        #expect(try isWellFormed(run.output))
    }

    @Test func `the report is written into the log's folder by default, and a folder without a log fails`()
        async throws
    {
        let folder = try TemporaryFolder()
        let place = try Self.makeLog(in: folder, records: Self.office.records)
        #expect(await CommandRun.run("prox", "report", place).status == 0)
        #expect(try folder.names(in: "log") == ["events.jsonl", "report.html", "run.json", "truth.jsonl"])
        let empty = try TemporaryFolder()
        #expect(await CommandRun.run("prox", "report", empty.path).code == "prox.log-malformed")
        _ = try folder.write("log/events.jsonl", "nonsense\n")
        #expect(await CommandRun.run("prox", "report", place).code == "prox.log-malformed")
    }

    @Test func `a share below one in the proximity report is never rounded to 100 per cent`() {
        #expect(MarkupBuilder.percent(1) == "100.0 %")
        #expect(MarkupBuilder.percent(0.999_999_9) == "99.999 %")
        #expect(MarkupBuilder.percent(0.9995) == "99.950 %")
        #expect(MarkupBuilder.percent(0.5) == "50.0 %")
        #expect(MarkupBuilder.percent(nil) == "–")
    }

    /// Returns true when every element that is opened in an HTML page is closed, in order.
    private func isWellFormed(_ page: String) throws -> Bool {
        var open: [Substring] = []
        for tag in page.matches(of: /<(\/?)([a-zA-Z0-9]+)[^>]*?(\/?)>/) {
            let (isEnd, name, isEmpty) = (!tag.1.isEmpty, tag.2, !tag.3.isEmpty)
            if isEmpty || name == "meta" { continue }
            if isEnd {
                guard open.popLast() == name else { return false }
            } else {
                open.append(name)
            }
        }
        return open.isEmpty
    }
}
