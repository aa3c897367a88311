import Foundation
import Testing

/// Tests of the systemd unit files in `Packaging/systemd`.
@Suite(.enabled(if: Packaging.canAnalyze, "systemd-analyze is not installed"))
struct UnitFileTests {
    private static func analyze(_ arguments: String...) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: Packaging.analyzer)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    @Test func `systemd-analyze verify finds nothing wrong with the unit`() async throws {
        try await TemporaryFolder.with { folder in
            // systemd-analyze checks that the program exists.
            let unit = try Packaging.text("systemd/symbolon-agent.service")
                .replacingOccurrences(of: "/usr/local/bin/symbolon", with: "/bin/true")
            let path = "\(folder)/symbolon-agent.service"
            try unit.write(toFile: path, atomically: true, encoding: .utf8)
            let (status, text) = try Self.analyze("verify", "--man=no", path)
            #expect(status == 0)
            #expect(!text.contains("symbolon-agent"), "\(text)")
            let broken = unit.replacingOccurrences(of: "Type=notify", with: "Type=nosuch")
            try broken.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(try Self.analyze("verify", "--man=no", path).text.contains("nosuch"))
        }
    }

    @Test func `systemd-analyze verify finds nothing wrong with the unit and the credentials that it tells how to add`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let unit = try Packaging.text("systemd/symbolon-agent.service")
                .replacingOccurrences(of: "/usr/local/bin/symbolon", with: "/bin/true")
            let lines = unit.split(separator: "\n").filter {
                $0.hasPrefix("#   [") || $0.hasPrefix("#   LoadCredential=")
            }
            #expect(lines.count == 3)
            let added = lines.map { $0.dropFirst(4) }.joined(separator: "\n")
            let path = "\(folder)/symbolon-agent.service"
            try "\(unit)\n\(added)\n".write(toFile: path, atomically: true, encoding: .utf8)
            let (status, text) = try Self.analyze("verify", "--man=no", path)
            #expect(status == 0 && !text.contains("symbolon-agent"), "\(text)")
            for line in lines.dropFirst() {
                let name = try #require(line.split(separator: "=").last?.split(separator: ":").first)
                #expect(unit.contains("/run/credentials/symbolon-agent.service/\(name)\n"))
            }
        }
    }

    @Test func `systemd-analyze rates the exposure of the unit file at 2.5 of 10 at most`() throws {
        let unit = Packaging.path("systemd/symbolon-agent.service")
        let (status, text) = try Self.analyze("security", "--offline=yes", "--no-pager", "--threshold=25", unit)
        #expect(status == 0, "\(text.suffix(200))")
        let line = text.split(separator: "\n").last { $0.contains("Overall exposure level") }
        let figures = line?.split(separator: " ").compactMap { Double($0) } ?? []
        #expect(figures.count == 1 && figures[0] <= 2.5, "\(line ?? "no level was told")")
    }
}

/// The files that the package brings for operators.
enum Packaging {
    static let analyzer = "/usr/bin/systemd-analyze"
    static let canAnalyze = FileManager.default.isExecutableFile(atPath: analyzer)

    static func path(_ name: String) -> String {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return root.appending(path: "Packaging/\(name)").path()
    }

    static func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
}
