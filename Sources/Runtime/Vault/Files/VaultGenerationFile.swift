import ByteCoding

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A small file outside the vault that holds the highest generation seen, so that an older copy of the vault is
/// detected.
///
/// Two entries of generation (8) and sum (16), of which the lower one is overwritten; the higher one that is authentic
/// counts. When a process ends in between, it is lower than the vault's generation, never higher.
struct VaultGenerationFile {
    private static let entryCount = 24

    let path: String

    init(_ path: String) { self.path = path }

    /// Reads the highest generation that was stored; 0 when the file is not there yet.
    ///
    /// - Throws: `vault.integrity.altered` when nothing in the file is authentic; as `PrivateFile.read` does.
    func read(_ keys: VaultKeys) throws(VaultError) -> UInt64 {
        let bytes: [UInt8]
        do { bytes = try PrivateFile.read(path, limit: 2 * Self.entryCount) } catch {
            if error.code == .notFound { return 0 }
            throw error
        }
        if bytes.isEmpty { return 0 }
        guard let highest = try Self.entries(in: bytes, keys).compactMap({ $0 }).max() else {
            throw VaultError(.altered, "The mark of the vault was altered, or belongs to another vault.")
        }
        return highest
    }

    /// Writes a higher mark; a lower one changes nothing.
    func raise(to generation: UInt64, _ keys: VaultKeys) throws(VaultError) {
        try PrivateFile.makeFile(path)
        let descriptor = unsafe open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivateFile.failure("open the mark") }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX) == 0 else { throw PrivateFile.failure("lock the mark") }
        let bytes = try PrivateFileReader(descriptor).read(upTo: 2 * Self.entryCount) ?? []
        let entries = try Self.entries(in: bytes, keys)
        guard generation > (entries.compactMap { $0 }.max() ?? 0) else { return }
        let isFirstLower = (entries[0] ?? 0) <= (entries[1] ?? 0)
        var entry: [UInt8] = []
        entry.appendBigEndian(generation)
        entry += try keys.markSum(generation)
        let written = unsafe pwrite(descriptor, entry, entry.count, isFirstLower ? 0 : off_t(Self.entryCount))
        guard written == entry.count else { throw PrivateFile.failure("write the mark") }
    }

    /// Both entries; nil for one that is not authentic.
    private static func entries(in bytes: [UInt8], _ keys: VaultKeys) throws(VaultError) -> [UInt64?] {
        var entries: [UInt64?] = []
        for start in [0, entryCount] {
            var reader = ByteReader(bytes.dropFirst(start).prefix(entryCount))
            guard let generation = reader.bigEndian(UInt64.self), let sum = reader.bytes(VaultKeys.hashCount),
                try keys.markSum(generation).elementsEqual(sum)
            else {
                entries.append(nil)
                continue
            }
            entries.append(generation)
        }
        return entries
    }
}
