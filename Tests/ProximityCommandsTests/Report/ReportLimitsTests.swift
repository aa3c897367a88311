import CommandTestSupport
import Herald
import TestSupport
import Testing

@testable import CommandProgram
@testable import ProximityCommands

@Suite struct ReportLimitsTests {
    private typealias AnalysisLimits = ProximityAnalysis.AnalysisLimits

    private static func estimate(_ at: Int, _ peer: String = "2") -> ProximityRecord {
        var record = ProximityRecord(at: at, device: "1", kind: .distance, peer: peer)
        record.centimetres = 100
        return record
    }

    private static func merge(_ at: Int, _ peer: String, _ other: String) -> ProximityRecord {
        var record = ProximityRecord(at: at, device: "1", kind: .merge, peer: peer)
        record.text = other
        return record
    }

    /// The code that says no, or nil when the log is taken.
    private static func refusal(
        of records: [ProximityRecord], _ truths: [TruePositions] = [], within limits: AnalysisLimits
    ) throws -> String? {
        let folder = try TemporaryFolder()
        let place = try ProximityReportTests.makeLog(
            in: folder, records: records, truths: truths, isSimulated: !truths.isEmpty)
        do {
            _ = try ProximityAnalysis(ProximityLogReader(folder: place), limits: limits)
            return nil
        } catch let error as CommandError {
            return error.code.rawValue
        }
    }

    @Test func `a log with the allowed number of positions is reported, and one more is refused`() throws {
        let truths = [
            TruePositions.near(device: "1", peer: "2", from: 0, until: 9),
            .distance(device: "1", peer: "2", at: 0, centimetres: 1),
        ]
        let records = (1...3).map { Self.estimate($0) }
        #expect(try Self.refusal(of: records, truths, within: AnalysisLimits(moments: 5)) == nil)
        #expect(try Self.refusal(of: records, truths, within: AnalysisLimits(moments: 4)) == "prox.log-too-large")
        #expect(try Self.refusal(of: [], truths, within: AnalysisLimits(moments: 1)) == "prox.log-too-large")
    }

    @Test func `a log with the allowed number of windows is reported, and one more is refused`() throws {
        let records = [0, 1, 30_000, 90_000].map { ProximityReportTests.reading($0, "1", "2") }
        let others = [90_001, 90_002].map { ProximityReportTests.reading($0, "2", "1") }
        #expect(try Self.refusal(of: records + others, within: AnalysisLimits(cells: 4)) == nil)
        #expect(try Self.refusal(of: records + others, within: AnalysisLimits(cells: 3)) == "prox.log-too-large")
    }

    @Test func `windows shared by two names of one device count once after the names merge`() throws {
        let records =
            [0, 30_000].flatMap { at in ["x", "y"].map { ProximityReportTests.reading(at, "1", $0) } }
            + [Self.merge(30_001, "x", "y"), ProximityReportTests.reading(60_000, "1", "y")]
        #expect(try Self.refusal(of: records, within: AnalysisLimits(cells: 4)) == nil)
        let more = records + [90_000, 120_000].map { ProximityReportTests.reading($0, "1", "y") }
        #expect(try Self.refusal(of: more.dropLast(), within: AnalysisLimits(cells: 4)) == nil)
        #expect(try Self.refusal(of: more, within: AnalysisLimits(cells: 4)) == "prox.log-too-large")
    }

    @Test func `a log with the allowed number of pairs is reported, and one more is refused`() throws {
        let records = ["2", "3", "4"].map { ProximityReportTests.reading(1, "1", $0) }
        #expect(try Self.refusal(of: records, within: AnalysisLimits(pairs: 3)) == nil)
        #expect(try Self.refusal(of: records, within: AnalysisLimits(pairs: 2)) == "prox.log-too-large")
    }

    @Test func `a log with the allowed number of devices is reported, and an unlisted further one is refused`() throws {
        let devices = (1...ProximityLog.maximumDevices).map { ProximityRun.LoggedDevice(id: "\($0)") }
        for (peer, isTaken) in [("2", true), ("x", false)] {
            let folder = try TemporaryFolder()
            let place = try ProximityReportTests.makeLog(
                in: folder, devices: devices, records: [ProximityReportTests.reading(1, "1", peer)])
            let reader = try ProximityLogReader(folder: place)
            if isTaken {
                #expect(try ProximityAnalysis(reader).devices.count == ProximityLog.maximumDevices)
            } else {
                #expect(throws: CommandError(.proximityLogTooLarge, "")) { try ProximityAnalysis(reader) }
            }
        }
    }

    @Test func `the size of a long log is estimated from samples to about two per cent`() throws {
        let folder = try TemporaryFolder()
        let (reader, count) = try Self.makeLongLog(in: folder)
        let survey = reader.survey()
        #expect((count * 98 / 100...count * 102 / 100).contains(survey.lines))
        #expect((count * 48 / 100...count * 52 / 100).contains(survey.estimates))
        #expect(survey.truths == 0)
    }

    @Test func `a log no longer than the samples is not estimated and is read at once`() throws {
        let folder = try TemporaryFolder()
        var (reader, _) = try Self.makeLongLog(in: folder)
        reader.surveyPartBytes *= 2
        #expect(reader.survey() == ProximityLogReader.LogSizeEstimate())
    }

    @Test func `a long log that is much too large is refused before its events are read`() throws {
        let folder = try TemporaryFolder()
        let (reader, count) = try Self.makeLongLog(in: folder)
        // The last line of the log is broken, and only who reads it to its end can know.
        for (limits, code) in [
            (AnalysisLimits(moments: count / 4), CommandError.Code.proximityLogTooLarge),
            (AnalysisLimits(), .proximityLogMalformed),
            (AnalysisLimits(cells: count / 4), .proximityLogTooLarge),
        ] {
            #expect(throws: CommandError(code, "")) { try ProximityAnalysis(reader, limits: limits) }
        }
    }

    /// A log longer than what a look at parts reads, half of its lines estimates and half readings of one window; the
    /// last line is no record.
    private static func makeLongLog(
        in folder: TemporaryFolder
    ) throws -> (reader: ProximityLogReader, lines: Int) {
        let place = try ProximityReportTests.makeLog(in: folder, records: [], isSimulated: false)
        let pair = Array(
            ProximityLogTests.lines([Self.estimate(1), ProximityReportTests.reading(1, "1", "2")]).utf8)
        var reader = try ProximityLogReader(folder: place)
        reader.surveyPartBytes = 2048
        let count = ProximityLogReader.surveyParts * reader.surveyPartBytes / pair.count * 5 / 4
        let text = Array([[UInt8]](repeating: pair, count: count).joined()) + Array("broken\n".utf8)
        _ = try folder.write("log/events.jsonl", String(decoding: text, as: UTF8.self))
        return (reader, 2 * count)
    }
}
