/// The operator's list of names that may open an account.
///
/// One name on each line, in UTF-8; spaces around it do not count, empty lines and lines that begin with # are skipped.
/// A name that is followed by a space and an asterisk may be used by any number of wallets, others by one.
public struct AllowList: Hashable, Sendable {
    /// One name that may open an account.
    public struct AllowedAccountName: Hashable, Sendable {
        /// The name, as the file lists it.
        public let name: String
        /// True when more than one wallet may follow the invitation of the name.
        public let isForMany: Bool
    }

    /// The largest file in bytes.
    public static let maximumBytes = 1 << 20
    /// The most names in one file.
    public static let maximumCount = 10_000
    /// The longest name in bytes.
    public static let maximumNameBytes = 128

    /// All names, in the order of the file.
    public let entries: [AllowedAccountName]

    /// Reads the lines of a file.
    ///
    /// - Throws: `cloud.allow-list.malformed` for a line that is no text or too long, for a name that is there twice,
    ///   and for more names than `maximumCount`.
    public init(parsing bytes: [UInt8]) throws(CloudAgentError) {
        guard bytes.count <= Self.maximumBytes else {
            throw CloudAgentError(.allowListMalformed, "The list has more than \(Self.maximumBytes) bytes.")
        }
        var entries: [AllowedAccountName] = []
        var known: Set<[UInt8]> = []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            var name = Self.trimmed(raw)
            guard let first = name.first, first != UInt8(ascii: "#") else { continue }
            let isForMany = name.count > 2 && name.suffix(2).elementsEqual(" *".utf8)
            if isForMany { name = Self.trimmed(name.dropLast(2)) }
            guard let text = String(validating: name, as: UTF8.self), name.count <= Self.maximumNameBytes,
                !name.contains(where: { $0 < 32 || $0 == 127 })
            else {
                throw CloudAgentError(
                    .allowListMalformed, "Line \(index + 1) is not a name, or a longer one than is taken.")
            }
            guard known.insert(Array(name)).inserted else {
                throw CloudAgentError(.allowListMalformed, "The name of line \(index + 1) is there already.")
            }
            entries.append(AllowedAccountName(name: text, isForMany: isForMany))
        }
        guard entries.count <= Self.maximumCount else {
            throw CloudAgentError(.allowListMalformed, "The list has more than \(Self.maximumCount) names.")
        }
        self.entries = entries
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 32 || $0 == 9 || $0 == 13 }
        guard let end = bytes.lastIndex(where: { !isBlank($0) }), let start = bytes.firstIndex(where: { !isBlank($0) })
        else { return [] }
        return bytes[start...end]
    }
}
