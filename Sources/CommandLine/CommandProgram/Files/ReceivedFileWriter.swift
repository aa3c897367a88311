import AtomicFiles
import ByteCoding
import CryptoSuite
import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Writes a received file, which gets its name only when it is whole.
///
/// The bytes go to a hidden file of mode 0600 in the same folder and are forced to the disk; then the file gets its
/// name. Nothing is ever overwritten: a name that is taken gets `-2`, `-3`, up to `-9999`.
package enum ReceivedFileWriter {
    /// Writes `bytes` as `stem` + `suffix` in `folder`, which is made (mode 0700) when only its last part is missing.
    ///
    /// - Returns: the path that the file got.
    /// - Throws: `output.not-writable`; no file is left then.
    package static func store(
        _ bytes: [UInt8], in folder: String, stem: String, suffix: String
    ) throws(CommandError) -> String {
        try makeFolder(folder)
        let file = try written(bytes, in: folder)
        for number in 1...9999 {
            let path = POSIXFile.join(folder, number == 1 ? stem + suffix : "\(stem)-\(number)\(suffix)")
            do throws(AtomicFile.SystemCallError) {
                if try file.create(path) { return path }
            } catch {
                throw failure(path, error)
            }
        }
        throw CommandError(.outputNotWritable, "The folder holds too many copies of the file.")
    }

    /// Checks that `folder` exists and can be written, before a payload is received.
    ///
    /// - Throws: `output.not-writable`.
    package static func makeFolder(_ folder: String) throws(CommandError) {
        if !POSIXFile.isFolder(folder), mkdir(folder, 0o700) != 0 {
            guard errno == EEXIST else { throw failure(folder) }
            guard POSIXFile.isFolder(folder) else {
                throw CommandError(.outputNotWritable, "\(TerminalText.sanitised(folder)) is not a folder.")
            }
        }
        guard access(folder, W_OK | X_OK) == 0 else { throw failure(folder) }
    }

    /// Writes `bytes` to a file of mode 0600 at `path`, which replaces an earlier file as a whole.
    ///
    /// - Throws: `output.not-writable`.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(CommandError) {
        let file = try written(bytes, in: POSIXFile.folder(of: path))
        do throws(AtomicFile.SystemCallError) {
            try file.replace(path)
        } catch {
            throw failure(path, error)
        }
    }

    /// A file in `folder` that has all bytes and no name yet.
    private static func written(_ bytes: [UInt8], in folder: String) throws(CommandError) -> AtomicFile {
        var random = SystemRandom()
        let path = POSIXFile.join(folder, ".symbolon-\(Hex.encode(random.bytes(count: 8))).part")
        do throws(AtomicFile.SystemCallError) {
            let file = try AtomicFile(temporary: path)
            try file.write(bytes)
            return file
        } catch {
            throw failure(path, error)
        }
    }

    private static func failure(_ path: String, _ cause: AtomicFile.SystemCallError) -> CommandError {
        CommandError(.outputNotWritable, "\(TerminalText.sanitised(path)): \(cause.words).")
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(.outputNotWritable, "\(TerminalText.sanitised(path)): \(POSIXFile.lastError()).")
    }
}
