package import Foundation
import TestSupport

/// The built program `symbolon`, which tests run as a process.
package enum BuiltProgram {
    /// The file of the program `symbolon`; nil when it was not built.
    package static let url: URL? = {
        let folders = [
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
                URL(filePath: $0).deletingLastPathComponent()
            }, OutsideVectors.packageRoot.appending(path: ".build/debug"),
        ]
        return folders.compactMap { $0?.appending(path: "symbolon") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path()) }
    }()

    /// A process of `symbolon` with its output in a file, so that no pipe must be read meanwhile.
    package final class Run: @unchecked Sendable {
        // Invariant: `process` is started in `init` and afterwards only signalled and waited for.
        private let process = Process()
        private let output: URL
        private let talk: URL

        package init(_ arguments: [String], in folder: TemporaryFolder, variables: [String: String] = [:]) throws {
            output = URL(filePath: "\(folder.path)/\(UUID().uuidString).out")
            talk = output.appendingPathExtension("err")
            for file in [output, talk] { try Data().write(to: file) }
            process.executableURL = BuiltProgram.url
            process.arguments = arguments
            process.environment = ["PATH": "/usr/bin:/bin"].merging(variables) { _, new in new }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try FileHandle(forWritingTo: output)
            process.standardError = try FileHandle(forWritingTo: talk)
            try process.run()
        }

        package var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
        package var errors: String { (try? String(contentsOf: talk, encoding: .utf8)) ?? "" }

        package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

        /// Waits for the end of the process, two minutes at most; returns its status, or a signal's negative number.
        package func status() async throws -> Int32 {
            for _ in 0..<12_000 where process.isRunning { try await Task.sleep(for: .milliseconds(10)) }
            if process.isRunning { process.terminate() }
            process.waitUntilExit()
            return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        }

        /// Waits for an output line that begins with `prefix`; nil after two minutes or at the end of the process.
        package func line(_ prefix: String) async throws -> String? {
            for _ in 0..<12_000 {
                let isOver = !process.isRunning
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                if let line = lines.first(where: { $0.hasPrefix(prefix) }) { return String(line) }
                if isOver { return nil }
                try await Task.sleep(for: .milliseconds(10))
            }
            return nil
        }
    }
}
