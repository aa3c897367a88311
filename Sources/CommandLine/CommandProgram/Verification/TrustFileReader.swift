package import Credentials
import Terminal

/// A trust file that was read with the files that it names.
package struct LoadedTrustFile: Sendable {
    /// Who may issue what.
    package let store: TrustStore
    /// The path of the file; nil when there is none, so that nothing is trusted.
    package let path: String?
    /// The lines of the file under which no verdict means anything.
    package let graveWarnings: [TrustFileWarning]

    /// The warnings, a line for people each, with file, line and what to write instead.
    package var texts: [String] {
        graveWarnings.map { warning in
            let place = "\(TerminalText.sanitised(path ?? "", limit: 120)) line \(warning.line)"
            return "\(place): \(TerminalText.sanitised("\(warning.sentence) \(warning.nextStep)", limit: 400))"
        }
    }

    /// Warns on standard error, a line each, and with `--json` by an event each.
    package func warn(_ reporter: Reporter) {
        for text in texts { reporter.console.say(reporter.console.palette("warning:", .yellow) + " " + text) }
        for warning in graveWarnings {
            reporter.event(
                .trustWarning,
                [
                    .init("file", .string(path)), .init("line", .integer(warning.line)),
                    .init("sentence", .string(warning.sentence)), .init("nextStep", .string(warning.nextStep)),
                ])
        }
    }
}

/// Reads a trust file and the files that it names, which lie beside it.
package enum TrustFileReader {
    /// The most bytes of one file that a trust file names: a status list or a context.
    package static let maximumFileBytes = 8 << 20

    /// The store and the policy of the trust file at `path`, with its warnings; without one, a store that trusts
    /// nothing.
    ///
    /// - Throws: `trust.…`, and `input.…` for files that cannot be read.
    package static func load(_ path: String?, into policy: inout VerificationPolicy) throws -> LoadedTrustFile {
        guard let path else { return LoadedTrustFile(store: TrustStore(), path: nil, graveWarnings: []) }
        let file = try TrustFile(parsing: try BoundedFile.read(path, limit: TrustFile.maximumBytes))
        try file.apply(to: &policy)
        let store = try file.store(files: try contents(of: file, at: path))
        return LoadedTrustFile(store: store, path: path, graveWarnings: file.warnings.filter(\.isGrave))
    }

    /// The store of the trust file at `path`, whose warnings are reported, and its policy.
    ///
    /// - Throws: as `load`.
    package static func read(
        _ path: String?, _ reporter: Reporter, into policy: inout VerificationPolicy
    ) throws -> TrustStore {
        let loaded = try load(path, into: &policy)
        loaded.warn(reporter)
        return loaded.store
    }

    /// The contents of the files that a trust file at `path` names, by the names that it has for them.
    ///
    /// One that is missing is left out: it is reported with the line that names it.
    ///
    /// - Throws: `input.…` for files that cannot be read.
    package static func contents(of file: TrustFile, at path: String) throws(CommandError) -> [String: [UInt8]] {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        var contents: [String: [UInt8]] = [:]
        for name in file.paths {
            let place = name.hasPrefix("/") ? name : folder + name
            guard POSIXFile.exists(place) else { continue }
            contents[name] = try BoundedFile.read(place, limit: maximumFileBytes)
        }
        return contents
    }
}
