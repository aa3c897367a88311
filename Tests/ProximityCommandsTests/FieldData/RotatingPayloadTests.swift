import CommandTestSupport
import CryptoSuite
import Determinism
import Foundation
import Herald
import HeraldProximity
import TestSupport
import Testing

@testable import CommandProgram
@testable import ProximityCommands

/// Logs of devices whose payloads change during the test.
@Suite struct RotatingPayloadTests {
    private static let now = WallTime(millisecondsSinceEpoch: 1_780_000_000_000)
    private static let start = WallTime(millisecondsSinceEpoch: 1_770_000_000_000)
    private static let minutes = 20

    /// The payload that device `device` serves at `at` milliseconds: another every six minutes.
    private static func payload(_ device: Int, at: Int) -> [UInt8] {
        [0x10, 0, 0, 0, 0] + [UInt8](repeating: UInt8(device * 16 + at / 360_000), count: 16)
    }

    /// The notes of device `device` of two: its own payloads, one read of the other in the first period, and readings.
    private static func records(_ device: Int) -> [ProximityRecord] {
        var records: [ProximityRecord] = []
        for at in stride(from: 0, to: minutes * 60_000, by: 10_000) {
            if at % 360_000 == 0 {
                var own = ProximityRecord(at: at, device: "self", kind: .own)
                own.payload = payload(device, at: at)
                records.append(own)
            }
            if at == 20_000 {
                var read = ProximityRecord(at: at, device: "self", kind: .read, peer: "d1")
                (read.payload, read.via) = (payload(1 - device, at: at), .link)
                records.append(read)
            }
            var reading = ProximityRecord(at: at, device: "self", kind: .measure, peer: "d1")
            (reading.rssi, reading.via) = (-60, .advertisement)
            records.append(reading)
        }
        return records
    }

    private static func logs(in folder: TemporaryFolder) throws -> [String] {
        try (0..<2).map { device in
            let place = "\(folder.path)/log-\(device)"
            let run = ProximityRun(
                scenario: "run", start: start, durationMilliseconds: nil, seed: nil, isSimulated: false,
                devices: [.init(id: "self", name: nil, system: "linux", model: nil)])
            let writer = try ProximityLogWriter(folder: place, run: run)
            for record in records(device) { try writer.put(record) }
            try writer.finish(durationMilliseconds: minutes * 60_000)
            return place
        }
    }

    private static func tables(in folder: TemporaryFolder) throws -> [String] {
        try (0..<2).map { device in
            let place = "\(folder.path)/csv-\(device)"
            var writer = try HeraldFormatLogWriter(folder: place, start: start)
            for record in records(device) { try writer.put(record) }
            try writer.finish(name: "self", system: "linux", version: "1")
            return place
        }
    }

    private static func figures(_ folders: [String], keys: [SensorIdentity] = []) throws -> (
        FieldStudy, FairEfficacyFigures
    ) {
        let study = try FieldStudy(folders: folders, keys: keys, period: (nil, nil), now: now)
        return (study, FairEfficacyFigures(try ProximityAnalysis(study)))
    }

    @Test(.shows("HP-80"))
    func `two devices whose identifiers change every six minutes are matched from logs and tables`() throws {
        let folder = try TemporaryFolder()
        let (logs, tables) = (try Self.logs(in: folder), try Self.tables(in: folder))
        for folders in [logs, tables, [logs[0], tables[1]]] {
            let (study, figures) = try Self.figures(folders)
            #expect(figures.detection == 1 && study.leftOut.isEmpty, "\(folders)")
            #expect(figures.continuity == 1, "\(folders)")
            #expect(figures.readsPerIdentity == 1)
        }
    }

    @Test func `prox report joins two logs of prox run by device name`() async throws {
        let folder = try TemporaryFolder()
        let report = await CommandRun.run(
            ["prox", "report"] + (try Self.logs(in: folder)) + ["--out", "\(folder.path)/page.html", "--json"])
        #expect(report.status == 0, "\(report.talk)")
        #expect(report.output.contains(#""detection":1"#) && report.output.contains(#""leftOut":[]"#))
    }

    @Test func `a payload table with only the last payload is left out with the reason, and matched by keys`() throws {
        let folder = try TemporaryFolder()
        var random = SeededRandom(seed: 4)
        let identities = (0..<2).map { _ in
            SensorIdentity(secret: Secret(copying: random.bytes(count: SensorIdentity.secretBytes)))
        }
        let folders = try identities.indices.map { device in
            let place = "\(folder.path)/phone-\(device)"
            let payloads = try identities.map { identity in
                var supplier = try identity.supplier(country: 826, state: 4)
                return try [0, 1_100_000].map {
                    try supplier.payload(at: WallTime(millisecondsSinceEpoch: Self.start.millisecondsSinceEpoch + $0))
                        .bytes
                }
            }
            var writer = try HeraldFormatLogWriter(folder: place, start: Self.start)
            for var record in Self.records(device) {
                if record.kind == .own { record.payload = payloads[device][record.at >= 1_080_000 ? 1 : 0] }
                if record.kind == .read { record.payload = payloads[1 - device][0] }
                try writer.put(record)
            }
            try writer.finish(name: "self", system: "linux", version: "1")
            // As earlier versions and the deployed libraries leave it.
            try FileManager.default.removeItem(atPath: "\(place)/own-payloads.csv")
            return place
        }
        let (study, figures) = try Self.figures(folders)
        #expect(figures.detection == nil && study.leftOut.count == 2)
        #expect(study.leftOut.allSatisfy { $0.reason.contains("may have changed during the test; --keys FILE") })
        let (joined, known) = try Self.figures(folders, keys: identities)
        #expect(known.detection == 1 && known.continuity == 1 && joined.leftOut.isEmpty)
    }

    @Test func `a phone that no other heard counts as missed if no unknown payload was read`() throws {
        let folder = try TemporaryFolder()
        let logs = try Self.logs(in: folder)
        let third = "\(folder.path)/third"
        let run = ProximityRun(
            scenario: "run", start: Self.start, durationMilliseconds: nil, seed: nil, isSimulated: false,
            devices: [.init(id: "self", name: nil, system: "linux", model: nil)])
        let writer = try ProximityLogWriter(folder: third, run: run)
        var own = ProximityRecord(at: 0, device: "self", kind: .own)
        own.payload = [9, 9, 9, 9, 9]
        try writer.put(own)
        try writer.finish(durationMilliseconds: Self.minutes * 60_000)
        let (study, figures) = try Self.figures(logs + [third])
        #expect(study.leftOut.isEmpty && figures.detection == 2.0 / 6)
    }

    @Test func `device names merged in a log are one device, and written payloads are no reads`() throws {
        let folder = try TemporaryFolder()
        let logs = try Self.logs(in: folder)
        let place = "\(folder.path)/joined"
        let run = ProximityRun(
            scenario: "run", start: Self.start, durationMilliseconds: nil, seed: nil, isSimulated: false,
            devices: [.init(id: "self", name: nil, system: "linux", model: nil)])
        let writer = try ProximityLogWriter(folder: place, run: run)
        var own = ProximityRecord(at: 0, device: "self", kind: .own)
        own.payload = [9, 9, 9, 9, 9]
        var reading = ProximityRecord(at: 10, device: "self", kind: .measure, peer: "d1")
        (reading.rssi, reading.via) = (-70, .advertisement)
        var read = ProximityRecord(at: 20, device: "self", kind: .read, peer: "d2")
        (read.payload, read.via) = (Self.payload(0, at: 0), .writtenByPeer)
        var merge = ProximityRecord(at: 30, device: "self", kind: .merge, peer: "d1")
        merge.text = "d2"
        for record in [own, reading, read, merge] { try writer.put(record) }
        try writer.finish(durationMilliseconds: Self.minutes * 60_000)
        let study = try FieldStudy(folders: [place, logs[0]], period: (nil, nil), now: Self.now)
        #expect(study.readings(of: 0, about: 1).map(\.rssi) == [-70])
        #expect(try ProximityAnalysis(study).pairs[.init(device: "joined", peer: "log-0")]?.reads == 0)
    }

    @Test func `prox report refuses the log of a simulation among several logs`() async throws {
        let folder = try TemporaryFolder()
        let office = "\(folder.path)/office"
        let crowd = await CommandRun.run(
            "prox", "simulate", "office", "--hours", "1m", "--devices", "2", "--alone", "--log", office)
        #expect(crowd.status == 0)
        let run = await CommandRun.run(["prox", "report", office] + (try Self.logs(in: folder)))
        #expect(run.code == "prox.log-malformed" && run.words.contains("give it alone"))
    }
}
