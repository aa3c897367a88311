import Foundation
import TestSupport

/// Programs that are built beside the tests.
enum BesideTests {
    /// The simulation of the agent.
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
