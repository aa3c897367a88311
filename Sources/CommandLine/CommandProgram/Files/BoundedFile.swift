import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reads files whole, up to a limit.
package enum BoundedFile {
    /// Reads all bytes of the file at `path`, at most `limit`.
    ///
    /// A pipe that the shell passed as an open descriptor (`/dev/fd/63`, `/dev/stdin`) is read to its end, or until the
    /// task is cancelled. Nothing else but a regular file is opened: a named pipe could block without end, and a device
    /// never end.
    ///
    /// - Throws: `input.not-found`; `input.not-readable`, also for what is no regular file; `input.too-large` when
    ///   there are more than `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
        let (descriptor, isPassed) = try POSIXFile.openInput(path)
        defer { close(descriptor) }
        let name = TerminalText.sanitised(path)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if isPassed { try waitForBytes(descriptor, name) }
            let count = POSIXFile.read(descriptor, into: &buffer)
            if count < 0, errno == EINTR || isPassed && errno == EAGAIN { continue }
            guard count >= 0 else { throw CommandError(.inputNotReadable, "\(name): \(POSIXFile.lastError()).") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
            guard bytes.count <= limit else {
                throw CommandError(.inputTooLarge, "\(name) has more than \(NumberText.bytes(limit)).")
            }
        }
    }

    /// Returns when a passed pipe has bytes or has ended; looks every 50 ms whether the task was cancelled.
    private static func waitForBytes(_ descriptor: Int32, _ name: String) throws(CommandError) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 50) <= 0 {
            guard !Task.isCancelled else { throw CommandError(.inputNotReadable, "\(name): reading was interrupted.") }
        }
    }
}
