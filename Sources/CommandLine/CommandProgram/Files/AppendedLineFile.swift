import Determinism
import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Appends lines to a file of mode 0600.
///
/// Lines are buffered and written 64 KiB at a time; `flush` writes the buffer.
package final class AppendedLineFile: Sendable {
    private static let room = 65_536
    private let path: String
    private let descriptor: Int32
    private let isZipped: Bool
    private let waiting = Lock<[UInt8]>([])

    /// The ending that is added to the name of a zipped file.
    package static let zippedEnding = ".gz"

    /// Makes the file at `path`, which must not be there yet.
    ///
    /// - Parameter isZipped: writes gzip to `path` with the ending `.gz`, in blocks from which a reader can begin.
    /// - Throws: `output.not-writable`.
    package init(_ path: String, isZipped: Bool = false) throws(CommandError) {
        let path = isZipped ? path + Self.zippedEnding : path
        self.path = path
        self.isZipped = isZipped
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    /// Buffers the bytes that `append` appends, and writes when the buffer is full.
    ///
    /// - Throws: `output.not-writable`.
    package func put(_ append: (inout [UInt8]) -> Void) throws(CommandError) {
        let isWritten = waiting.withLock { bytes in
            append(&bytes)
            return bytes.count < Self.room || write(&bytes, whole: false)
        }
        guard isWritten else { throw Self.failure(path) }
    }

    /// Writes the buffered bytes to the file.
    ///
    /// - Throws: `output.not-writable`.
    package func flush() throws(CommandError) {
        guard waiting.withLock({ write(&$0, whole: true) }) else { throw Self.failure(path) }
    }

    /// Writes all of `bytes`, or of a zipped file the whole blocks of them unless `whole`.
    private func write(_ bytes: inout [UInt8], whole: Bool) -> Bool {
        guard isZipped else {
            defer { bytes.removeAll(keepingCapacity: true) }
            return POSIXFile.writeAll(bytes, to: descriptor)
        }
        var done = 0
        while done < bytes.count, whole || bytes.count - done >= GzipBlocks.contentBytes {
            let content = bytes[done..<min(bytes.count, done + GzipBlocks.contentBytes)]
            guard let block = GzipBlocks.block(of: content), POSIXFile.writeAll(block, to: descriptor) else {
                return false
            }
            done += content.count
        }
        bytes.removeFirst(done)
        return true
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(.outputNotWritable, "\(TerminalText.sanitised(path)): \(POSIXFile.lastError()).")
    }
}
