import CommandTestSupport
import Determinism
import Foundation
import Herald
import JSON
import TestSupport
import Testing

@testable import CommandProgram
@testable import ProximityCommands

@Suite struct ProximityLogTests {
    private static let run = ProximityRun(
        scenario: "office", start: WallTime(millisecondsSinceEpoch: 1_767_225_600_000), durationMilliseconds: 60_000,
        seed: .max, isSimulated: true,
        devices: [
            .init(id: "1", name: "Anna's", system: "android", model: "Pixel"), .init(id: "b-2.c", name: nil),
        ])

    static func lines(_ records: [ProximityRecord]) -> String {
        var bytes: [UInt8] = []
        for record in records { record.append(to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// One record of each kind, as a node's events make them.
    static let records =
        SampleHeraldEvents.events.flatMap { event in
            ProximityRecord.records(
                of: event, at: 1500, device: "1", milliseconds: { Int($0.nanoseconds / 1_000_000) - 1000 },
                name: { "t\($0)" })
        } + [ProximityRecord(SampleHeraldEvents.estimate, of: "t4", at: 1500, device: "1")]

    @Test func `the description of a run is read as it was written, and names no device twice`() throws {
        #expect(try ProximityRun(parsing: Array(Self.run.line.utf8)) == Self.run)
        var twice = Self.run
        twice.devices.append(twice.devices[0])
        #expect(throws: CommandError(.proximityLogMalformed, "")) {
            try ProximityRun(parsing: Array(twice.line.utf8))
        }
    }

    @Test func `the description of a run with another version is refused`() {
        let other = Self.run.line.replacing("\"version\":1", with: "\"version\":2")
        #expect(throws: CommandError(.proximityLogMalformed, "")) { try ProximityRun(parsing: Array(other.utf8)) }
    }

    @Test func `every kind of proximity log record is read as it was written`() {
        #expect(Set(Self.records.map(\.kind)) == Set(ProximityRecord.Kind.allCases))
        for record in Self.records {
            let line = Self.lines([record])
            #expect(ProximityRecord(parsing: Array(line.utf8.dropLast())) == record, "\(line)")
        }
    }

    @Test func `a log line without escapes has the bytes that the JSON module writes`() throws {
        let lines = Self.records.map { Array(Self.lines([$0]).utf8.dropLast()) }.filter { !$0.contains(0x5C) }
        #expect(lines.count > 20)
        for line in lines { #expect(try JSONValue(parsing: line).encoded == line) }
    }

    @Test func `proximity log lines are as the manual shows them`() {
        let text = Self.lines(Self.records)
        for line in [
            #"{"at":1500,"device":"1","kind":"measure","peer":"t4","rssi":-57,"power":12,"via":"advertisement"}"#,
            #"{"at":1500,"device":"1","kind":"read","peer":"t4","via":"link","payload":"ab02"}"#,
            #"{"at":1500,"device":"1","kind":"distance","peer":"t4","centimetres":123,"low":50,"high":235,"readings":30}"#,
            #"{"at":1500,"device":"1","kind":"end","peer":"t4","rssi":-40,"readings":3,"since":0,"until":2000,"#
                + #""payload":"01"}"#,
            #"{"at":1500,"device":"1","kind":"state","text":"off"}"#,
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
    }

    @Test func `runs, records and true positions cut short or followed by more are refused`() {
        let run = { (bytes: [UInt8]) in try ProximityRun(parsing: bytes) }
        #expect(DecoderVerifier.acceptedTruncations(of: Array(Self.run.line.utf8), by: run) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: Array(Self.run.line.utf8), by: run) == [])
        for record in Self.records {
            let line = Array(Self.lines([record]).utf8.dropLast())
            let read = { (bytes: [UInt8]) in ProximityRecord(parsing: bytes) }
            #expect(DecoderVerifier.acceptedTruncations(of: line, by: read) == [])
            #expect(DecoderVerifier.acceptedExtensions(of: line, by: read) == [])
        }
        for truth in [
            TruePositions.near(device: "1", peer: "2", from: 0, until: 30_000),
            .distance(device: "1", peer: "2", at: 500, centimetres: 140),
        ] {
            var line: [UInt8] = []
            truth.append(to: &line)
            line.removeLast()
            let read = { (bytes: [UInt8]) in TruePositions(parsing: bytes) }
            #expect(read(line) == truth)
            #expect(DecoderVerifier.acceptedTruncations(of: line, by: read) == [])
            #expect(DecoderVerifier.acceptedExtensions(of: line, by: read) == [])
        }
    }

    @Test func `log records without the members of their kind, and invalid names, are refused`() {
        for line in [
            #"{"at":1,"device":"1","kind":"measure","peer":"2"}"#, #"{"at":1,"device":"1","kind":"measure","rssi":-5}"#,
            #"{"at":-1,"device":"1","kind":"detect","peer":"2"}"#, #"{"at":1,"device":"","kind":"detect","peer":"2"}"#,
            #"{"at":1,"device":"../x","kind":"detect","peer":"2"}"#,
            #"{"at":1,"device":"1","kind":"detect","peer":"a/b"}"#,
            #"{"at":1,"device":"1","kind":"nothing","peer":"2"}"#,
            #"{"at":1,"device":"1","kind":"read","peer":"2","payload":"abc"}"#,
            #"{"at":31622400001,"device":"1","kind":"detect","peer":"2"}"#, "", "{}", "[]",
        ] {
            #expect(ProximityRecord(parsing: Array(line.utf8)) == nil, "\(line)")
        }
        let forty = String(repeating: "x", count: 40)
        #expect(ProximityLog.isIdentifier(forty))
        #expect(!ProximityLog.isIdentifier(forty + "x"))
        #expect(!ProximityLog.isIdentifier(".x"))
    }

    @Test func `a log is read as it was written, and a folder with a log is not written to again`() throws {
        let folder = try TemporaryFolder()
        let place = "\(folder.path)/log"
        let writer = try ProximityLogWriter(folder: place, run: Self.run)
        for record in Self.records { try writer.put(record) }
        try writer.put(.near(device: "1", peer: "b-2.c", from: 0, until: 30_000))
        try writer.finish(durationMilliseconds: 61_000)

        let reader = try ProximityLogReader(folder: place)
        #expect(reader.run.durationMilliseconds == 61_000)
        #expect(reader.run.devices == Self.run.devices)
        var records: [ProximityRecord] = []
        try reader.eachRecord { records.append($0) }
        #expect(records == Self.records)
        var truths: [TruePositions] = []
        try reader.eachTruth { truths.append($0) }
        #expect(truths == [.near(device: "1", peer: "b-2.c", from: 0, until: 30_000)])
        #expect(throws: CommandError(.proximityLogExists, "")) {
            try ProximityLogWriter(folder: place, run: Self.run)
        }
        #expect(try folder.names(in: "log") == ["events.jsonl", "run.json", "truth.jsonl"])
    }

    @Test func `a log cut in its last line is read up to it, and a malformed line elsewhere is named`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("run.json", Self.run.line)
        let line = #"{"at":5,"device":"1","kind":"detect","peer":"2"}"#
        _ = try folder.write("events.jsonl", "\(line)\n\(line.prefix(20))")
        var count = 0
        let reader = try ProximityLogReader(folder: folder.path)
        #expect(!reader.hasTruth)
        try reader.eachRecord { _ in count += 1 }
        #expect(count == 1)
        _ = try folder.write("events.jsonl", "\(line)\n\(line.prefix(20))\n\(line)\n")
        #expect(throws: CommandError(.proximityLogMalformed, "")) { try reader.eachRecord { _ in } }
        _ = try folder.write("events.jsonl", "\(line)\n\(line.replacing("5", with: "4"))\n")
        #expect(throws: CommandError(.proximityLogMalformed, "")) { try reader.eachRecord { _ in } }
    }

    @Test func `a pipe, device or folder in the place of a log file is refused at once`() throws {
        for name in [ProximityLog.runFile, ProximityLog.eventsFile] {
            let folder = try TemporaryFolder()
            let path = "\(folder.path)/log"
            try ProximityLogWriter(folder: path, run: Self.run).finish(durationMilliseconds: 1)
            let file = "\(path)/\(name)"
            for replace in [{ mkfifo($0, 0o600) }, { symlink("/dev/zero", $0) }, { mkdir($0, 0o700) }] {
                remove(file)
                #expect(replace(file) == 0)
                #expect(throws: CommandError(.inputNotReadable, "")) {
                    try ProximityLogReader(folder: path).eachRecord { _ in }
                }
            }
        }
    }

    @Test func `a proximity log line has at most 4,096 bytes`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("lines", String(repeating: "x", count: 4096) + "\n\nshort")
        var reader = try LineFileReader(path, maximumLineBytes: 4096)
        #expect(try reader.next()?.count == 4096)
        #expect(try reader.next() == [])
        #expect(try reader.next() == Array("short".utf8))
        let isTerminated = reader.isTerminated
        #expect(!isTerminated)
        #expect(try reader.next() == nil)
        _ = try folder.write("lines", String(repeating: "x", count: 4097) + "\n")
        var long = try LineFileReader(path, maximumLineBytes: 4096)
        #expect(throws: CommandError(.inputTooLarge, "")) { _ = try long.next() }
        #expect(throws: CommandError(.inputNotFound, "")) { try ProximityLogReader(folder: "\(folder.path)/none") }
    }

    @Test func `a log line that crosses the blocks in which a file is read is whole`() throws {
        let folder = try TemporaryFolder()
        let lines = (0..<4000).map { "\($0) " + String(repeating: "y", count: $0 % 97) }
        let path = try folder.write("lines", lines.joined(separator: "\n") + "\n")
        var reader = try LineFileReader(path, maximumLineBytes: 4096)
        var read: [String] = []
        while let line = try reader.next() { read.append(String(decoding: line, as: UTF8.self)) }
        #expect(read == lines)
        let number = reader.number
        #expect(number == 4000)
    }

    @Test func `a line reader continues with the first line that begins after a given offset`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("lines", "ab\ncd\nef")
        var reader = try LineFileReader(path, maximumLineBytes: 10)
        #expect(reader.byteCount == 8)
        for (place, line) in [(7, nil), (0, "ab"), (1, "cd"), (2, "cd"), (3, "ef"), (8, nil), (0, "ab"), (9, nil)] {
            let isThere = reader.skip(behind: place)
            #expect(isThere == (place < 8))
            #expect(try reader.next().map { String(decoding: $0, as: UTF8.self) } == line, "\(place)")
        }
    }
}
