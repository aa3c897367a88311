import CryptoSuite
import Foundation
import Terminal

/// Runs `send` and `receive` in this process on one virtual air.
package struct HandOver {
    package let folder: TemporaryFolder
    package let airPath: String

    package init() throws {
        folder = try TemporaryFolder()
        airPath = "\(folder.path)/air.sock"
    }

    /// Writes a file with a random JSON payload; returns its path and content.
    package func file(_ name: String = "id.json", bytes: Int = 2000) throws -> (path: String, content: [UInt8]) {
        var random = SystemRandom()
        let noise = random.bytes(count: bytes).map { UInt8(ascii: "a") + $0 % 26 }
        let content = Array("{\"x\":\"".utf8) + noise + Array("\"}".utf8)
        return (try folder.write(name, content), content)
    }

    /// Starts `receive` and waits for its first engagement code.
    package func receive(
        _ arguments: [String] = [], _ setup: CommandRun.Setup = .init()
    ) async throws -> (uri: String, run: Task<CommandRun, Never>) {
        let line = ["receive", "--out", "\(folder.path)/inbox", "--air", airPath] + arguments
        let run = Task { await CommandRun.run(line, setup) }
        return (try await setup.output.line(beginningWith: "OPENID4VP://"), run)
    }

    /// Runs `send` with a file to the verifier of a URI.
    package func send(
        _ path: String, to uri: String, _ arguments: [String] = [], _ setup: CommandRun.Setup = .init()
    ) async -> CommandRun {
        await CommandRun.run(["send", path, "--to", uri, "--air", airPath] + arguments, setup)
    }
}
