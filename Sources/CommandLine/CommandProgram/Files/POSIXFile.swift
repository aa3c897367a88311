import AtomicFiles
import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The file system calls of commands.
package enum POSIXFile {
    /// Reads once; the result is that of `read(2)`.
    package static func read(_ descriptor: Int32, into buffer: inout [UInt8]) -> Int {
        #if canImport(Darwin)
            Darwin.read(descriptor, &buffer, buffer.count)
        #else
            Glibc.read(descriptor, &buffer, buffer.count)
        #endif
    }

    /// Writes all of `bytes`; false after an error, whose number is in `errno`.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        (try? AtomicFile.writeAll(bytes, to: descriptor)) != nil
    }

    /// The path of a file without links in it; nil when it is not there.
    package static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// Returns the time of the last write to a file, in milliseconds since 1970; nil for one that cannot be read.
    package static func changedMilliseconds(_ path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            return Int64(status.st_mtimespec.tv_sec) * 1000
        #else
            return Int64(status.st_mtim.tv_sec) * 1000
        #endif
    }

    /// Returns true when `path` is a folder.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// True for a regular file that every user of this machine may read.
    package static func isReadableByOthers(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_IROTH != 0
    }

    /// The names in a folder, in order and without those that begin with a point; nil for one that cannot be read or
    /// has more than `limit`.
    package static func names(inFolder path: String, limit: Int) -> [String]? {
        guard let folder = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            guard names.count < limit else { return nil }
            names.append(name)
        }
        return names.sorted()
    }

    /// Opens a file to read, without waiting for a pipe or device of that name.
    ///
    /// - Returns: the descriptor, which the caller closes, and whether it is that of a pipe or terminal which this
    ///   process was started with, and which may have no bytes yet.
    /// - Throws: `input.not-found`; `input.not-readable`, also for a folder, a named pipe, a device and a socket.
    static func openInput(_ path: String) throws(CommandError) -> (descriptor: Int32, isPassed: Bool) {
        let name = TerminalText.sanitised(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let isMissing = errno == ENOENT || errno == ENOTDIR
            throw CommandError(isMissing ? .inputNotFound : .inputNotReadable, "\(name): \(lastError()).")
        }
        var status = stat()
        let mode = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        if mode == S_IFREG { return (descriptor, false) }
        let isPassed = path == "/dev/stdin" || ["/dev/fd/", "/proc/self/fd/"].contains(where: path.hasPrefix)
        if isPassed, mode == S_IFIFO || isatty(descriptor) == 1 { return (descriptor, true) }
        close(descriptor)
        throw CommandError(.inputNotReadable, "\(name) is \(word(for: mode)) and no regular file.")
    }

    /// Opens a file to write, which is made with mode 0600 or emptied.
    ///
    /// - Throws: `output.not-writable`, also for a folder, a named pipe, a device and a socket.
    static func openOutput(_ path: String) throws(CommandError) -> Int32 {
        let name = TerminalText.sanitised(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
        guard descriptor >= 0 else { throw CommandError(.outputNotWritable, "\(name): \(lastError()).") }
        var status = stat()
        let mode = fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0
        guard mode == S_IFREG else {
            close(descriptor)
            throw CommandError(.outputNotWritable, "\(name) is \(word(for: mode)) and no regular file.")
        }
        guard ftruncate(descriptor, 0) == 0 else {
            let cause = lastError()
            close(descriptor)
            throw CommandError(.outputNotWritable, "\(name): \(cause).")
        }
        return descriptor
    }

    private static func word(for mode: mode_t) -> String {
        switch mode {
        case S_IFDIR: "a folder"
        case S_IFIFO: "a named pipe"
        case S_IFCHR, S_IFBLK: "a device"
        case S_IFSOCK: "a socket"
        default: "something else"
        }
    }

    /// Removes a file, if it exists.
    package static func remove(_ path: String) { unlink(path) }

    /// Returns true when a file or a folder is at `path`.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The system's message for its last error.
    package static func lastError() -> String { String(cString: strerror(errno)) }

    /// `name` inside `folder`; an absolute name stays as it is.
    package static func join(_ folder: String, _ name: String) -> String {
        name.hasPrefix("/") ? name : folder.isEmpty ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// The folder that `path` lies in; `.` for a bare name.
    package static func folder(of path: String) -> String { AtomicFile.folder(of: path) }
}
