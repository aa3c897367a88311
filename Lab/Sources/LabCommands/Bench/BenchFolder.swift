import CommandProgram
import Terminal

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
    import Glibc
#endif

/// The folder in which a bench makes its stores; removed with them at its end.
struct BenchFolder {
    /// The option that chooses where the folder is made.
    static let option = ValueOption(
        "folder", .path("FOLDER"), "Where stores are made, and removed again (the system's folder for such).")

    let path: String

    /// Makes the folder, with mode 0700.
    ///
    /// - Throws: `output.not-writable`.
    init(_ context: CommandContext) throws(CommandError) {
        let parent = context.arguments[Self.option] ?? FileManager.default.temporaryDirectory.path()
        path = POSIXFile.join(parent, "symbolon-bench-\(getpid())")
        guard mkdir(path, 0o700) == 0 else {
            throw CommandError(.outputNotWritable, "\(POSIXFile.lastError()).")
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
