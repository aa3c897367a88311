import Credentials
import Terminal

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A trust file and the files beside it, as commands change them: all of a change, or nothing.
package struct TrustFolder: Sendable {
    /// The path of the trust file.
    package let path: String

    /// Refers to the trust file at `path`, which need not exist; symbolic links in the path are resolved.
    package init(_ path: String) { self.path = POSIXFile.resolved(path) ?? path }

    private var folder: String { POSIXFile.folder(of: path) }

    /// Reads the trust file; empty when it does not exist.
    ///
    /// - Throws: `input.…`.
    package func read() throws(CommandError) -> [UInt8] {
        guard POSIXFile.exists(path) else { return [] }
        return try BoundedFile.read(path, limit: TrustFile.maximumBytes)
    }

    /// The name beside the trust file for a file with these bytes: `name`, or the next one that is not taken by
    /// another content.
    ///
    /// - Throws: `input.…` and `output.not-writable`.
    package func name(_ name: String, for bytes: [UInt8], besides taken: [String: [UInt8]]) throws(CommandError)
        -> String
    {
        let (stem, suffix) = Self.parts(of: name)
        for number in 1...999 {
            let candidate = number == 1 ? stem + suffix : "\(stem)-\(number)\(suffix)"
            if let other = taken[candidate] {
                if other == bytes { return candidate }
                continue
            }
            let place = POSIXFile.join(folder, candidate)
            guard place != path else { continue }
            guard POSIXFile.exists(place) else { return candidate }
            if (try? BoundedFile.read(place, limit: TrustFileReader.maximumFileBytes)) == bytes { return candidate }
        }
        throw CommandError(.outputNotWritable, "The folder holds too many files of the name \(stem)\(suffix).")
    }

    /// Applies `change` to the bytes of the trust file, under a lock on its folder.
    ///
    /// `change` returns the new bytes, and files that are written beside the trust file first; their names come from
    /// `name`. No other command changes the file in between.
    ///
    /// - Throws: what `change` throws, `output.not-writable` and `input.…`; the trust file is as it was then.
    package func update(_ change: ([UInt8]) throws -> (text: [UInt8], files: [String: [UInt8]])) throws {
        try Self.makeFolders(folder)
        let lock = open(folder, O_RDONLY | O_CLOEXEC)
        guard lock >= 0 else { throw Self.failure(folder) }
        defer { close(lock) }
        guard flock(lock, LOCK_EX) == 0 else { throw Self.failure(folder) }
        let (text, files) = try change(try read())
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            let place = POSIXFile.join(folder, name)
            guard !POSIXFile.exists(place) else { continue }
            try ReceivedFileWriter.replace(place, with: bytes)
            chmod(place, 0o644)
        }
        var status = stat()
        let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
        try ReceivedFileWriter.replace(path, with: text)
        chmod(path, mode)
    }

    /// Makes a folder and those above it.
    private static func makeFolders(_ folder: String) throws(CommandError) {
        var made = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            made += "/" + part
            if !POSIXFile.isFolder(made), mkdir(made, 0o755) != 0, errno != EEXIST { throw failure(made) }
        }
    }

    /// The name of a file without its folder, in letters that need no quotation marks, and its ending.
    private static func parts(of path: String) -> (stem: String, suffix: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let plain = String(
            name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) ? $0 : "-" }.prefix(80))
        let safe = plain.isEmpty || plain.hasPrefix(".") || plain.hasPrefix("-") ? "file" + plain : plain
        guard let dot = safe.lastIndex(of: "."), dot != safe.startIndex else { return (safe, "") }
        return (String(safe[..<dot]), String(safe[dot...]))
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(.outputNotWritable, "\(TerminalText.sanitised(path)): \(POSIXFile.lastError()).")
    }
}
