import CommandTestSupport
import Foundation
import TestSupport
import Testing

/// The built program in processes of their own, which meet on an air in a temporary folder.
@Suite(.enabled(if: BuiltProgram.url != nil, "skipped: the program was not built beside the tests"))
struct ProcessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var air: String { "\(folder.path)/air.sock" }

    private func receive(_ name: String, _ arguments: [String] = []) throws -> BuiltProgram.Run {
        try BuiltProgram.Run(
            ["receive", "--out", "\(folder.path)/\(name)", "--air", air, "--accept", "always"] + arguments, in: folder)
    }

    private func send(_ path: String, _ uri: String, _ arguments: [String] = []) throws -> BuiltProgram.Run {
        try BuiltProgram.Run(["send", path, "--to", uri, "--air", air, "--yes"] + arguments, in: folder)
    }

    @Test(.shows("TUV-001"), arguments: [[], ["--profile", "tuvali-0.4", "--link-loss", "0.05"]])
    func `a file is transferred between two processes, byte for byte`(arguments: [String]) async throws {
        let content = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 7) }
        let file = try folder.write("payload.bin", content)
        let receiving = try receive("inbox", arguments)
        let uri = try #require(try await receiving.line("OPENID4VP"), "\(receiving.errors)")
        let sending = try send(file, uri)
        #expect(try await sending.status() == 0, "\(sending.errors)")
        #expect(try await receiving.status() == 0, "\(receiving.errors)")
        let names = try folder.names(in: "inbox")
        #expect(names.count == 1)
        #expect(try folder.read("inbox/\(names.first ?? "")") == content)
    }

    @Test func `with --json every line of the sending and the receiving process is as the manual says`() async throws {
        let manual = try EventsManual()
        let file = try folder.write("id.json", "{}")
        let receiving = try receive("inbox", ["--json"])
        let invitation = try #require(
            try await receiving.line(#"{"schema":"symbolon.events","version":1,"event":"inv"#))
        let uri = invitation.split(separator: "\"uri\":\"").last?.split(separator: "\"").first.map(String.init)
        let sending = try send(file, try #require(uri), ["--json"])
        #expect(try await sending.status() == 0)
        #expect(try await receiving.status() == 0)
        for line in (receiving.text + sending.text).split(separator: "\n") {
            #expect(manual.complaints(about: String(line)) == [])
        }
    }

    @Test func `when the process that hosts the virtual air is killed, another takes over`() async throws {
        let file = try folder.write("id.json", "{}")
        let host = try receive("first")
        _ = try #require(try await host.line("OPENID4VP"))
        let guest = try receive("second")
        let uri = try #require(try await guest.line("OPENID4VP"))
        host.signal(SIGKILL)
        #expect(try await host.status() == -SIGKILL)
        let sending = try send(file, uri, ["--timeout", "60s"])
        #expect(try await sending.status() == 0, "\(sending.errors)")
        #expect(try await guest.status() == 0, "\(guest.errors)")
        #expect(try folder.names(in: "second").count == 1)
        #expect(try folder.names(in: "first").isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a signal ends a run with status 130 and leaves no file behind`(number: Int32) async throws {
        let receiving = try receive("inbox")
        _ = try #require(try await receiving.line("OPENID4VP"))
        receiving.signal(number)
        #expect(try await receiving.status() == 130)
        #expect(receiving.errors.contains("code:  run.interrupted"))
        #expect(try folder.names(in: "inbox").isEmpty)
        #expect(!FileManager.default.fileExists(atPath: air))
    }

    @Test func `a pipe whose reader closes early is no failure`() async throws {
        let program = try #require(BuiltProgram.url).path()
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
            "--norc", "-c",
            "set -o pipefail; for i in 1 2 3 4 5; do \"$0\" completion bash; done | head -c 10 >/dev/null", program,
        ]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
