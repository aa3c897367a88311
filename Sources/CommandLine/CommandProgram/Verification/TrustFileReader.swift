package import Credentials

/// Reads a trust file and the files that it names, which lie beside it.
package enum TrustFileReader {
    /// The most bytes of one file that a trust file names: a status list or a context.
    private static let maximumFileBytes = 8 << 20

    /// The store and the policy of the trust file at `path`; without one, a store that trusts nothing.
    ///
    /// - Throws: `trust.…`, and `input.…` for files that cannot be read.
    package static func read(_ path: String?, into policy: inout VerificationPolicy) throws -> TrustStore {
        guard let path else { return TrustStore() }
        let file = try TrustFile(parsing: try BoundedFile.read(path, limit: TrustFile.maximumBytes))
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        var contents: [String: [UInt8]] = [:]
        for name in file.paths {
            let place = name.hasPrefix("/") ? name : folder + name
            // One that is missing is reported with the line that names it.
            guard POSIXFile.exists(place) else { continue }
            contents[name] = try BoundedFile.read(place, limit: maximumFileBytes)
        }
        try file.apply(to: &policy)
        return try file.store(files: contents)
    }
}
