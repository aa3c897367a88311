import CommandTestSupport
import Determinism
import Foundation
import Herald
import Testing

@testable import ProximityCommands

@Suite struct HeraldFormatLogWriterTests {
    private func record(_ at: Int, _ kind: ProximityRecord.Kind, _ peer: String = "4") -> ProximityRecord {
        ProximityRecord(at: at, device: "1", kind: kind, peer: peer)
    }

    @Test func `contacts, statistics and detections are written in the form of the deployed libraries`() throws {
        let folder = try TemporaryFolder()
        var logs = try HeraldFormatLogWriter(
            folder: "\(folder.path)/csv", start: WallTime(millisecondsSinceEpoch: 1_767_225_600_000))
        var read = record(1000, .read)
        read.payload = [0, 0, 0, 1, 2, 3]
        var own = ProximityRecord(at: 0, device: "1", kind: .own)
        own.payload = [0, 0, 0, 9, 9, 9]
        try logs.put(own)
        try logs.put(record(500, .detect))
        try logs.put(read)
        for at in [2000, 3000, 6000] {
            var reading = record(at, .measure)
            reading.rssi = -57
            try logs.put(reading)
        }
        try logs.put(record(7000, .forget))
        try logs.finish(name: "a, b", system: "linux", version: "1")
        #expect(try folder.names(in: "csv") == ["contacts.csv", "detection.csv", "own-payloads.csv", "statistics.csv"])
        let text = { (name: String) in String(decoding: try folder.read("csv/\(name)"), as: UTF8.self) }
        #expect(
            try text("contacts.csv") == """
                \(ContactLog.header)
                2026-01-01 00:00:00,BLE,4,1,,,,,,,
                2026-01-01 00:00:01,BLE,4,,2,,,,,,AQID
                2026-01-01 00:00:02,BLE,4,,,3,,,,,RSSI:-57.0
                2026-01-01 00:00:03,BLE,4,,,3,,,,,RSSI:-57.0
                2026-01-01 00:00:06,BLE,4,,,3,,,,,RSSI:-57.0
                2026-01-01 00:00:07,BLE,4,,,,,,,7,

                """)
        #expect(
            try text("statistics.csv") == "payload,count,mean,sd,min,max\nAQID,2,2.000,1.414,1.000,3.000\n")
        #expect(try text("detection.csv") == "\"a, b\",linux,1,CQkJ,AQID\n")
    }

    @Test func `the log in Herald's format lists replaced payloads, and those of forgotten devices`() throws {
        let folder = try TemporaryFolder()
        var logs = try HeraldFormatLogWriter(folder: "\(folder.path)/csv", start: WallTime(millisecondsSinceEpoch: 0))
        for (at, payload) in [(0, [0, 0, 0, 1, 2, 3]), (1000, [0, 0, 0, 9, 9, 9])] as [(Int, [UInt8])] {
            var read = record(at, .read)
            read.payload = payload
            try logs.put(read)
        }
        try logs.put(record(2000, .forget))
        try logs.finish(name: "a", system: "linux", version: "1")
        #expect(String(decoding: try folder.read("csv/detection.csv"), as: UTF8.self) == "a,linux,1,,AQID,CQkJ\n")
    }
}
