package import Credentials
package import Terminal

/// A trust file that was read with the files that it names.
package struct LoadedTrustFile: Sendable {
    /// The issuers that are trusted, each for its kinds of credentials.
    package let store: TrustStore
    /// The path of the file; nil when there is none, so that nothing is trusted.
    package let path: String?
    /// True when neither an option nor a setting named the file.
    package let isDefault: Bool
    /// The entries of the trust file.
    package let entries: [TrustFileEntry]
    /// The warnings about lines of the file that make every verdict worthless.
    package let graveWarnings: [TrustFileWarning]

    /// The entry of an issuer that restricts its types; nil when there is none.
    func entry(of issuer: String?) -> TrustFileEntry? {
        entries.first { $0.kind == "issuer" && $0.subject == issuer && !$0.types.isEmpty }
    }

    /// The warnings, a line for people each, with file, line and the text to write instead.
    package var texts: [String] {
        graveWarnings.map { warning in
            let place = "\(TerminalText.sanitised(path ?? "", limit: 120)) line \(warning.line)"
            return "\(place): \(TerminalText.sanitised("\(warning.sentence) \(warning.nextStep)", limit: 400))"
        }
    }

    /// Reports the path of a default trust file and the warnings: on standard error, and with `--json` by an event for
    /// each warning.
    package func report(_ reporter: EventReporter) {
        if isDefault, let path { reporter.console.say("The trust file is \(TerminalText.sanitised(path)).") }
        for text in texts { reporter.console.say(reporter.console.palette("warning:", .yellow) + " " + text) }
        for warning in graveWarnings { reporter.event(.trustWarning, Self.fields(warning, in: path ?? "")) }
    }

    /// The fields of the event of a warning.
    package static func fields(_ warning: TrustFileWarning, in path: String) -> [JSONText.Member] {
        [
            .init("file", .string(path)), .init("line", .integer(warning.line)),
            .init("isGrave", .bool(warning.isGrave)), .init("sentence", .string(warning.sentence)),
            .init("nextStep", .string(warning.nextStep)),
        ]
    }
}

/// Reads a trust file and the files that it names, which lie beside it.
package enum TrustFileReader {
    /// The most bytes of one file that a trust file names: a status list or a context.
    package static let maximumFileBytes = 8 << 20
    /// The most files of a folder that a trust file names.
    private static let maximumFolderFiles = PinnedSigners.maximumCount
    /// The most bytes of all files of a folder together.
    private static let maximumFolderBytes = 64 << 20

    /// The store and the policy of the trust file at `path`, with its warnings; without one, a store that trusts
    /// nothing.
    ///
    /// - Throws: `trust.…`, and `input.…` for files that cannot be read.
    package static func load(_ path: String?, into policy: inout VerificationPolicy) throws -> LoadedTrustFile {
        try load(path.map { TrustFileLocation(path: $0, isDefault: false) }, into: &policy)
    }

    /// Loads the file that `--trust` names, or the one that is read without it, as `load` does.
    ///
    /// - Throws: as `load`, and `config.…`.
    package static func loadUsual(
        _ given: String?, _ context: CommandContext, into policy: inout VerificationPolicy
    ) throws -> LoadedTrustFile {
        try load(try TrustFileLocation.existing(given, context.console.variables), into: &policy)
    }

    private static func load(
        _ location: TrustFileLocation?, into policy: inout VerificationPolicy
    ) throws -> LoadedTrustFile {
        guard let location else {
            return LoadedTrustFile(store: TrustStore(), path: nil, isDefault: true, entries: [], graveWarnings: [])
        }
        let file = try TrustFile(parsing: try BoundedFile.read(location.path, limit: TrustFile.maximumBytes))
        try file.apply(to: &policy)
        let store = try file.store(files: try contents(of: file, at: location.path))
        return LoadedTrustFile(
            store: store, path: location.path, isDefault: location.isDefault, entries: file.listing,
            graveWarnings: file.warnings.filter(\.isGrave))
    }

    /// The store of the trust file at `path`, whose warnings are reported, and its policy.
    ///
    /// - Throws: as `load`.
    package static func read(
        _ path: String?, _ reporter: EventReporter, into policy: inout VerificationPolicy
    ) throws -> TrustStore {
        let loaded = try load(path, into: &policy)
        loaded.report(reporter)
        return loaded.store
    }

    /// The contents of the files that a trust file at `path` names, by the names that it has for them.
    ///
    /// One that is missing is left out: it is reported with the line that names it.
    ///
    /// - Throws: `input.…` for files that cannot be read, and for one with a secret key that other users can read.
    package static func contents(of file: TrustFile, at path: String) throws(CommandError) -> [String: [UInt8]] {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        func place(_ name: String) -> String { name.hasPrefix("/") ? name : folder + name }
        var contents: [String: [UInt8]] = [:]
        for name in file.paths where POSIXFile.exists(place(name)) && !POSIXFile.isFolder(place(name)) {
            guard !file.secretPaths.contains(name) || !POSIXFile.isReadableByOthers(place(name)) else {
                throw CommandError(
                    .inputNotReadable,
                    "\(TerminalText.sanitised(place(name))) holds a secret key, and every user can read it. "
                        + "chmod 600 makes it yours alone.")
            }
            contents[name] = try BoundedFile.read(place(name), limit: maximumFileBytes)
        }
        for name in file.folders where POSIXFile.isFolder(place(name)) {
            try read(folder: place(name), as: name, into: &contents)
        }
        return contents
    }

    /// Reads the files of a folder, under their names behind `name`.
    ///
    /// - Throws: `input.…`, also for more than 4,096 files or 64 MiB.
    package static func read(
        folder path: String, as name: String, into contents: inout [String: [UInt8]]
    ) throws(CommandError) {
        guard let names = POSIXFile.names(inFolder: path, limit: maximumFolderFiles) else {
            throw CommandError(
                .inputNotReadable,
                "The folder \(TerminalText.sanitised(path)) cannot be read, or has more than \(maximumFolderFiles) files."
            )
        }
        var left = maximumFolderBytes
        for file in names where !POSIXFile.isFolder(POSIXFile.join(path, file)) {
            let bytes = try BoundedFile.read(POSIXFile.join(path, file), limit: min(maximumFileBytes, left))
            left -= bytes.count
            contents[POSIXFile.join(name, file)] = bytes
        }
    }
}
