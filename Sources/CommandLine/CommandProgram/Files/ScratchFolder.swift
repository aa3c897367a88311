import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder of mode 0700 for files that a command needs while it runs; removed with all that `file` made when the value
/// is released.
package final class ScratchFolder {
    /// The path of the folder.
    package let path: String
    private var made: [String] = []

    /// Makes a folder in `$TMPDIR`, or in `/tmp`.
    ///
    /// - Throws: `output.not-writable`.
    package init(_ variables: [String: String]) throws(CommandError) {
        let place = variables["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array(POSIXFile.join(place, "symbolon-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandError(.outputNotWritable, "\(TerminalText.sanitised(place)): \(POSIXFile.lastError()).")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for item in made.reversed() where unlink(item) != 0 { rmdir(item) }
        rmdir(path)
    }

    /// Writes a file `folder/name`, both without a slash.
    ///
    /// - Throws: `output.not-writable`.
    package func file(_ folder: String, _ name: String, _ bytes: [UInt8]) throws(CommandError) {
        precondition(!folder.contains("/") && !name.contains("/"), "the names are parts of a path")
        let place = POSIXFile.join(path, folder)
        if mkdir(place, 0o700) == 0 { made.append(place) }
        let file = POSIXFile.join(place, name)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandError(.outputNotWritable, "\(TerminalText.sanitised(file)): \(POSIXFile.lastError()).")
        }
        made.append(file)
        defer { close(descriptor) }
        guard POSIXFile.writeAll(bytes, to: descriptor) else {
            throw CommandError(.outputNotWritable, "\(TerminalText.sanitised(file)): \(POSIXFile.lastError()).")
        }
    }
}
