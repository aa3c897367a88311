import CommandTestSupport
import Foundation
import JSON
import TestSupport
import Testing

/// The kit of forgeries through the command.
@Suite struct KitCommandTests {
    private static let folder = OutsideVectors.packageRoot.appending(path: "Vectors/credentials")

    /// Cases that one command line verifies.
    private static func groups() throws -> [[String]: [JSONValue]] {
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: "manifest.json")))
        var groups: [[String]: [JSONValue]] = [:]
        let manifest = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 4 << 20))
        for item in manifest["cases"]?.array ?? [] {
            let trust = folder.appending(path: item["trust"]?.string ?? "").path()
            var options = ["--trust", trust, "--at", item["time"]?.string ?? ""]
            for name in ["nonce", "audience", "type"] {
                if let value = item[name]?.string { options += ["--" + name, value] }
            }
            if item["holder"]?.bool == true { options.append("--holder") }
            for name in ["transcript", "reader-key"] {
                if let path = item[name]?.string { options += ["--" + name, folder.appending(path: path).path()] }
            }
            groups[options, default: []].append(item)
        }
        return groups
    }

    @Test func `verify gives the manifest's result for each file of the forgery kit, and the worst status`()
        async throws
    {
        var count = 0
        // A key that decrypts is read from a file of the user alone, and git keeps no such mode.
        let trust = Self.folder.appending(path: "trust").path()
        for name in try FileManager.default.contentsOfDirectory(atPath: trust) where name.hasSuffix(".hex") {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: trust + "/" + name)
        }
        for (options, cases) in try Self.groups() {
            let files = cases.map { Self.folder.appending(path: $0["file"]?.string ?? "").path() }
            let run = await CommandRun.run(["verify"] + files + options + ["--json"])
            let lines = run.lines.compactMap { try? JSONValue(parsing: Array($0.utf8)) }
            #expect(lines.count == cases.count, "\(options) \(run.talk)")
            for (line, item) in zip(lines, cases) {
                let name = item["file"]?.string ?? ""
                #expect(line["result"] == item["result"], "\(name)")
                count += 1
            }
            let results = Set(cases.compactMap { $0["result"]?.string })
            let one = await CommandRun.run(["verify", files[0]] + options + ["--json"])
            #expect((one.status == 0) == (cases[0]["result"] == "genuine"), "\(files[0])")
            #expect((run.status == 0) == (results == ["genuine"]), "\(options)")
        }
        #expect(count >= 400)
    }
}
