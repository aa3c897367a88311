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

    /// The folder of credentials of one issuer that another program made, beside that of the vectors.
    public static var credentials: URL { folder.deletingLastPathComponent().appending(path: "credentials") }

    /// True when those credentials are present.
    public static var haveCredentials: Bool { FileManager.default.fileExists(atPath: credentials.path()) }

    /// True when the outside vectors are present; a test that needs them has `.enabled(if:)` with `skipped`.
    public static var arePresent: Bool { FileManager.default.fileExists(atPath: folder.path()) }

    /// The message of a test that is skipped because the outside vectors are missing.
    public static var skipped: String { "skipped: outside vectors not present" }

    /// Reads the bytes of one file in the folder of outside vectors.
    public static func contents(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }
}
