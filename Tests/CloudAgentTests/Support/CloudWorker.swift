import Foundation
import Testing

/// A cloud agent in its own process, which a test kills.
final class CloudWorker: @unchecked Sendable {
    // Invariant: `process` is started in `init`, and afterwards only killed and waited for.
    /// The file of the program `cloud-worker`; nil when it was not built.
    static let program = BesideTests.program("cloud-worker")

    private let process = Process()
    private let output: URL

    /// Starts the cloud agent's process.
    ///
    /// - Parameter name: The name of the file in which the worker writes its port.
    init(_ store: String, port: UInt16, publicAddress: String, says name: String) throws {
        output = URL(filePath: name)
        try Data().write(to: output)
        process.executableURL = Self.program
        process.arguments = [store, "\(port)", publicAddress]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.standardError
        try process.run()
    }

    /// Waits until the worker listens; returns its port.
    func port() async throws -> UInt16 {
        for _ in 0..<6000 {
            let text = String(decoding: (try? Data(contentsOf: output)) ?? Data(), as: UTF8.self)
            if text.hasSuffix("\n"), let port = UInt16(text.dropLast()) { return port }
            try #require(process.isRunning, "the agent ended before it listened")
            try await Task.sleep(for: .milliseconds(10))
        }
        throw Silent()
    }

    /// The resident memory of the worker's process, in bytes.
    var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal, "the agent ended before it was killed")
    }

    private struct Silent: Error {}
}
