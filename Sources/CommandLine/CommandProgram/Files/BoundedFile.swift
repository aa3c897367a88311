import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reads files of any kind, up to a limit.
package enum BoundedFile {
    /// All bytes of the file at `path`, which may be a pipe but not a folder.
    ///
    /// - Throws: `input.not-found`, `input.not-readable`, `input.too-large` when there are more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
        let name = TerminalText.sanitised(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            throw CommandError(
                isMissing ? .inputNotFound : .inputNotReadable, "\(name): \(POSIXFile.lastError()).")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = POSIXFile.read(descriptor, into: &buffer)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandError(.inputNotReadable, "\(name): \(POSIXFile.lastError()).") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                throw CommandError(.inputTooLarge, "\(name) has more than \(NumberText.bytes(limit)).")
            }
        }
    }
}
