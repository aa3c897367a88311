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

    /// Command lines that open a path which the user names, here `PIPE`.
    private static let openings = [
        "inspect PIPE", "verify PIPE", "verify FILE --trust PIPE", "verify FILE --transcript PIPE",
        "demo --payload PIPE", "demo --request PIPE", "demo --capture PIPE", "send PIPE --to x --yes",
        "receive --out NEW --air AIR --capture PIPE", "receive --out NEW --air AIR --request PIPE",
        "agent config show --config PIPE", "agent run --allow PIPE AGENT", "agent run --secret-file PIPE AGENT",
        "agent run --tls-cert PIPE --tls-key PIPE AGENT", "agent verify --store sqlite:PIPE",
        "agent run --admin-listen 127.0.0.1:0 --admin-password-file PIPE AGENT", "desk --air AIR --policy PIPE",
        "desk --air AIR --trust PIPE", "desk --air AIR --request PIPE", "trust list --trust PIPE",
        "trust check --trust PIPE", "trust add PIPE --type Permit", "prox report PIPE", "prox simulate PIPE",
        "prox distance PIPE", "prox send --all --air AIR --file PIPE", "invite inspect PIPE", "invite accept PIPE",
        "vault info PIPE", "vault create NEW --key-file PIPE", "vault create NEW --passphrase file:PIPE",
        "vault import NEW PIPE", "chat PIPE",
    ]

    @Test(arguments: openings)
    func `a command that is given a named pipe where a file is expected ends with an error of its own`(
        line: String
    ) async throws {
        let pipe = "\(folder.path)/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let file = try folder.write("id.json", "{}")
        let values = [
            "PIPE": pipe, "FILE": file, "NEW": "\(folder.path)/new", "AIR": air,
            "AGENT": "--listen 127.0.0.1:0 --data \(folder.path)/agent",
        ]
        let whole = values.reduce(line) { $0.replacing($1.key, with: $1.value) }
        let words = whole.split(separator: " ").map(String.init)
        let run = try BuiltProgram.Run(words, in: folder, variables: ["HOME": folder.path])
        let status = try await run.status()
        #expect(status > 0 && status != 130, "\(status) \(run.errors)")
    }

    @Test func `a command whose output is not read ends at SIGTERM`() async throws {
        // Nothing is read from it, so that writing blocks once it is full.
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        // F_SETPIPE_SZ of Linux.
        let size = fcntl(ends[1], 1031, Int32(4096))
        defer { for end in ends { close(end) } }
        let process = Process()
        process.executableURL = BuiltProgram.url
        process.arguments = ["completion", "bash"]
        process.standardOutput = FileHandle(fileDescriptor: ends[1])
        process.standardError = FileHandle.nullDevice
        try process.run()
        var waiting: Int32 = 0
        while waiting < size, process.isRunning {
            _ = ioctl(ends[0], UInt(FIONREAD), &waiting)
            try await Task.sleep(for: .milliseconds(10))
        }
        process.terminate()
        let status = await Task.detached { () -> Int32 in
            process.waitUntilExit()
            return process.terminationStatus
        }.value
        #expect(status == 130)
    }

    #if os(Linux)
        @Test(arguments: ["completion bash", "--version", "--help", "config show --json"])
        func `a command whose output does not fit on the disk ends with exit status 9`(line: String) async throws {
            let process = Process()
            process.executableURL = BuiltProgram.url
            process.arguments = line.split(separator: " ").map(String.init)
            process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
            process.standardError = FileHandle.nullDevice
            try process.run()
            let status = await Task.detached { () -> Int32 in
                process.waitUntilExit()
                return process.terminationStatus
            }.value
            #expect(status == 9)
        }
    #endif

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

    @Test func `a command whose output pipe closes early does not fail`() async throws {
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
