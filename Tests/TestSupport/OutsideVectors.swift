#if canImport(Darwin)
    public import Foundation
#else
    public import FoundationEssentials
#endif

/// Finds the vectors and data that others published and that this repository does not hold.
public enum OutsideVectors {
    /// The folder named by `SYMBOLON_VECTORS`, by default `../shared/vectors` seen from the package's root.
    public static var folder: URL {
        if let path = ProcessInfo.processInfo.environment["SYMBOLON_VECTORS"] { return URL(filePath: path) }
        return packageRoot.deletingLastPathComponent().appending(path: "shared/vectors")
    }

    /// The folder that holds `Package.swift`.
    public static var packageRoot: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    /// Whether the outside vectors are there. A test that needs them has `.enabled(if:)` with this sentence.
    public static var arePresent: Bool { FileManager.default.fileExists(atPath: folder.path()) }

    /// What a skipped test says.
    public static var skipped: String { "skipped: outside vectors not present" }

    /// The bytes of one file below the folder.
    public static func contents(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }
}
