import Foundation
import TestSupport

/// Finds programs that are built beside the tests.
enum BesideTests {
    /// The file of `agent-simulation`, the simulation of the cloud agent; nil when it was not built.
    static let simulation = program("agent-simulation")

    /// Returns the file of a program; nil when it was not built.
    static func program(_ name: String) -> URL? {
        let folders = [
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
                URL(filePath: $0).deletingLastPathComponent()
            }, OutsideVectors.packageRoot.appending(path: ".build/debug"),
        ]
        return folders.compactMap { $0?.appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path()) }
    }
}
