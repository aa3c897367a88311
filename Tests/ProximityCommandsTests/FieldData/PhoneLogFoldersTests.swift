import ByteCoding
import CommandTestSupport
import Compression
import Determinism
import Foundation
import Herald
import TestSupport
import Testing

@testable import CommandProgram
@testable import ProximityCommands

@Suite struct PhoneLogFoldersTests {
    private static let header = "time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data"

    /// A study of two phones in folders of their own, beside a script and a table that belong to no phone.
    private func study(in folder: TemporaryFolder) throws -> String {
        let files = FileManager.default
        for (own, peer) in [("AAAAAA", "BBBBBB"), ("BBBBBB", "AAAAAA")] {
            try files.createDirectory(atPath: "\(folder.path)/study/day/\(own)", withIntermediateDirectories: true)
            let lines = (0..<40).map { "2022-11-29 22:\(20 + $0 / 2):\($0 % 2 * 3)0,BLE,x,,,3,,,,,RSSI:-60.0" }
            let text = [Self.header, "2022-11-29 22:20:00,BLE,x,,2,,,,,,\(peer)"] + lines
            _ = try folder.write("study/day/\(own)/contacts.csv", text.joined(separator: "\n") + "\n")
            _ = try folder.write("study/day/\(own)/detection.csv", "\(own),Android,12,\(own)\n")
            let battery = "time,source,level\n2022-11-29 22:20:00.000+0000,battery,80.0\n"
            _ = try folder.write(
                "study/day/\(own)/battery.csv",
                battery + "2022-11-29 22:39:00.000+0000,\(own == "AAAAAA" ? "battery" : "external"),79.0\n")
        }
        _ = try folder.write("study/TestAnalysis.R", "x <- 1\n")
        return "\(folder.path)/study"
    }

    /// A ZIP archive of the files at `paths`, each deflated or stored by turns.
    private func archive(_ files: [(name: String, bytes: [UInt8])]) throws -> [UInt8] {
        var (body, directory) = ([UInt8](), [UInt8]())
        for (index, file) in files.enumerated() {
            let member = try Gzip.compress(file.bytes)
            let isStored = index % 2 == 0
            let packed = isStored ? file.bytes : Array(member[10..<member.count - 8])
            var fields: [UInt8] = []
            fields.appendLittleEndian(UInt16(20))
            fields.appendLittleEndian(UInt16(0))
            fields.appendLittleEndian(UInt16(isStored ? 0 : 8))
            fields.appendLittleEndian(UInt32(0))
            fields.appendLittleEndian(CRC32.checksum(of: file.bytes))
            fields.appendLittleEndian(UInt32(packed.count))
            fields.appendLittleEndian(UInt32(file.bytes.count))
            fields.appendLittleEndian(UInt16(file.name.utf8.count))
            fields.appendLittleEndian(UInt16(0))
            directory += [0x50, 0x4B, 1, 2, 20, 0] + fields + [UInt8](repeating: 0, count: 10)
            directory.appendLittleEndian(UInt32(body.count))
            directory += file.name.utf8
            body += [0x50, 0x4B, 3, 4] + fields + file.name.utf8 + packed
        }
        var end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
        end.appendLittleEndian(UInt16(files.count))
        end.appendLittleEndian(UInt16(files.count))
        end.appendLittleEndian(UInt32(directory.count))
        end.appendLittleEndian(UInt32(body.count))
        return body + directory + end + [0, 0]
    }

    private func files(of study: String) throws -> [(name: String, bytes: [UInt8])] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: study).sorted()
        return try paths.compactMap { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(study)/\(path)", isDirectory: &isFolder)
            guard !isFolder.boolValue else { return nil }
            return ("study/\(path)", Array(try Data(contentsOf: URL(filePath: "\(study)/\(path)"))))
        }
    }

    @Test func `a field study's folder, its subfolders, and its ZIP archive give the same figures`() async throws {
        let folder = try TemporaryFolder()
        let study = try study(in: folder)
        let zip = "\(folder.path)/study.zip"
        let shadow = ("__MACOSX/study/day/AAAAAA/contacts.csv", Array("shadow".utf8))
        try Data(try archive(try files(of: study) + [shadow])).write(to: URL(filePath: zip))
        let page = "\(folder.path)/page.html"
        var outputs: [String] = []
        for paths in [[study], ["\(study)/day", "\(study)/TestAnalysis.R"], [zip]] {
            let run = await CommandRun.run(["prox", "report"] + paths + ["--out", page, "--json"])
            #expect(run.status == 0, "\(run.talk)")
            #expect(run.talk.contains("TestAnalysis.R is no phone's log; passed over.") == (paths.count > 1))
            outputs.append(run.output)
        }
        #expect(outputs[0].contains(#""detection":1"#) && outputs[0].contains(#""continuity":1"#))
        #expect(outputs[1] == outputs[0] && outputs[2] == outputs[0])
    }

    @Test func `the report shows battery use beside the energy model, except of a charged phone`()
        async throws
    {
        let folder = try TemporaryFolder()
        let study = try study(in: folder)
        let path = "\(study)/day/AAAAAA/battery.csv"
        let long = "2022-11-29 20:20:00,battery,82.0\n2022-11-29 22:20:00,battery,80.0\nnoise\n"
        try Data(long.utf8).write(to: URL(filePath: path))
        var remarks = FieldLogRemarks()
        let log = try BatteryLog(path, remarks: &remarks)
        let drain = log.drain(in: 0...Int.max)
        #expect(drain == BatteryLog.BatteryLoss(lost: 2, hours: 2) && drain?.perHour == 1)
        #expect(remarks.all.map(\.lines) == [[3]])
        #expect(log.drain(in: 0...1) == nil && !log.isKnown(in: 0...1))
        let run = await CommandRun.run(["prox", "report", study, "--out", "\(folder.path)/page.html", "--json"])
        #expect(run.output.contains(#""batteries":[{"device":"AAAAAA","percentPerHour":null"#), "\(run.output)")
        let page = try String(contentsOfFile: "\(folder.path)/page.html", encoding: .utf8)
        #expect(page.contains("<h2>Batteries</h2>") && page.contains("on external power"))
    }

    @Test func `prox report refuses a path without any log, and says what a log has`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("TestAnalysis.R", "x")
        let run = await CommandRun.run("prox", "report", file)
        #expect(run.code == "prox.log-malformed")
        #expect(run.words.contains("has neither run.json nor contacts.csv, and no folder in it does"))
        #expect(await CommandRun.run("prox", "report", "\(folder.path)/none").code == "input.not-found")
    }

    @Test func `a ZIP archive that is truncated, damaged, encrypted or otherwise compressed is refused`() throws {
        let files = [
            ("a/contacts.csv", Array("0123456789".utf8)), ("b/contacts.csv", [UInt8](repeating: 7, count: 500)),
        ]
        let whole = try archive(files)
        let read = try FieldDataArchive(whole, name: "x.zip")
        #expect(try read.entries.map { try read.contents(of: $0, limit: 500) } == files.map(\.1))
        #expect(throws: CommandError.self) { try read.contents(of: read.entries[1], limit: 499) }
        for count in stride(from: 0, to: whole.count - 2, by: 5) {
            let cut = Array(whole.prefix(count))
            let error = #expect(throws: CommandError.self) { try FieldDataArchive(cut, name: "x.zip") }
            #expect(error?.code == .proximityLogMalformed)
        }
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x15
            guard let archive = try? FieldDataArchive(damaged, name: "x.zip") else { continue }
            for (entry, file) in zip(archive.entries, files) {
                guard let bytes = try? archive.contents(of: entry, limit: 1000) else { continue }
                #expect(bytes == file.1)
            }
        }
    }

    @Test func `file names in a ZIP archive cannot escape the folder`() async throws {
        let folder = try TemporaryFolder()
        let text = Array("\(Self.header)\n2022-11-29 22:20:00,BLE,x,1,,,,,,,\n".utf8)
        let zip = "\(folder.path)/evil.zip"
        let names = ["../../escape/contacts.csv", "/etc/x/contacts.csv", "..\\..\\y\\contacts.csv"]
        try Data(try archive(names.map { ($0, text) })).write(to: URL(filePath: zip))
        let found = try PhoneLogFolders([zip], ["TMPDIR": folder.path])
        #expect(found.folders.count == 3)
        #expect(found.folders.allSatisfy { $0.hasPrefix("\(folder.path)/symbolon-") && !$0.contains("..") })
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/../escape"))
    }

    @Test func `an unpacked ZIP archive is removed from the scratch folder`() throws {
        let folder = try TemporaryFolder()
        let zip = "\(folder.path)/study.zip"
        try Data(try archive([("a/contacts.csv", Array(Self.header.utf8))])).write(to: URL(filePath: zip))
        let place = try PhoneLogFolders([zip], ["TMPDIR": folder.path]).folders.first
        #expect(place.map { FileManager.default.fileExists(atPath: $0) } == false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["study.zip"])
    }
}
