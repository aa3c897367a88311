import ByteCoding
import CryptoSuite
import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Puts a file where it belongs only when it is whole.
///
/// The bytes go to a hidden file of mode 0600 in the same folder and are forced to the disk; then the file gets its name.
/// Nothing is ever overwritten: a name that is taken gets `-2`, `-3`, up to `-9999`.
package enum ArrivingFile {
    /// Writes `bytes` as `stem` + `suffix` in `folder`, which is made (mode 0700) when only its last part is missing.
    ///
    /// - Returns: the path that the file got.
    /// - Throws: `output.not-writable`; nothing is left behind then.
    package static func place(
        _ bytes: [UInt8], in folder: String, stem: String, suffix: String
    ) throws(CommandError) -> String {
        try makeFolder(folder)
        let temporary = POSIXFile.join(folder, temporaryName())
        defer { unlink(temporary) }
        try write(bytes, to: temporary)
        for number in 1...9999 {
            let path = POSIXFile.join(folder, number == 1 ? stem + suffix : "\(stem)-\(number)\(suffix)")
            if link(temporary, path) == 0 {
                POSIXFile.synchronise(folder: folder)
                return path
            }
            guard errno == EEXIST else { throw failure(path) }
        }
        throw CommandError(.outputNotWritable, "The folder holds too many copies of the file.")
    }

    /// Makes sure that `folder` is there and can be written, before anything is received.
    ///
    /// - Throws: `output.not-writable`.
    package static func makeFolder(_ folder: String) throws(CommandError) {
        if !POSIXFile.isFolder(folder), mkdir(folder, 0o700) != 0 {
            guard errno == EEXIST else { throw failure(folder) }
            guard POSIXFile.isFolder(folder) else {
                throw CommandError(.outputNotWritable, "\(TerminalText.sanitised(folder)) is no folder.")
            }
        }
        guard access(folder, W_OK | X_OK) == 0 else { throw failure(folder) }
    }

    /// Writes `bytes` to a file of mode 0600 at `path`, which a previous file there is replaced by as a whole.
    ///
    /// - Throws: `output.not-writable`.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(CommandError) {
        let temporary = POSIXFile.join(POSIXFile.folder(of: path), temporaryName())
        defer { unlink(temporary) }
        try write(bytes, to: temporary)
        guard rename(temporary, path) == 0 else { throw failure(path) }
    }

    /// A hidden name that nobody else has drawn.
    private static func temporaryName() -> String {
        var random = SystemRandom()
        return ".symbolon-\(Hex.encode(random.bytes(count: 8))).part"
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        let isWritten = POSIXFile.writeAll(bytes, to: descriptor) && fsync(descriptor) == 0
        let error = errno
        guard close(descriptor) == 0, isWritten else {
            if !isWritten { errno = error }
            let failure = failure(path)
            unlink(path)
            throw failure
        }
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(.outputNotWritable, "\(TerminalText.sanitised(path)): \(POSIXFile.lastError()).")
    }

}
