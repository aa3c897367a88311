/// Decides whether steps that add to a store in a file are admitted, by the free space of the disk.
///
/// A removing step needs room too: its pages go into the write-ahead log first. So adding steps are refused earlier:
/// they are admitted as long as a reserve beside the file has its full size, and the disk has room for the step and for
/// everything in the log.
struct DiskSpaceRule: Hashable, Sendable {
    /// The admission of a step that adds to the store.
    enum DiskSpaceDecision: Hashable, Sendable {
        /// The file may grow.
        case grow
        /// The step may use free pages of the file only.
        case reuse
        /// The disk has no room now: the write is refused.
        case refuse
    }

    /// The largest reserve in bytes; a small disk has an eighth of its size.
    static let largestReserveBytes = 16 << 20

    /// The bytes that the disk has free for this user.
    var freeBytes: Int
    /// The target size of the reserve.
    var reserveBytes: Int
    /// True when the reserve has its full size.
    var isReserved: Bool
    /// The bytes by which the file grows when the whole log is written into it.
    var owedBytes: Int
    /// The bytes of free pages of the file.
    var unusedBytes: Int
    /// The bytes of the log's file, which is overwritten from its beginning.
    var logBytes: Int

    /// The size of the reserve on a disk of this size; a multiple of 64 KiB.
    static func reserveBytes(ofDisk bytes: Int) -> Int { min(largestReserveBytes, bytes / 8) & ~0xFFFF }

    /// True when a missing reserve can be made, if necessary after the log's file is truncated.
    var canReserve: Bool { !isReserved && freeBytes + logBytes >= owedBytes + reserveBytes + leastBytes }

    /// True when the log would make the file grow so much that the reserve would hardly suffice.
    var owesMuch: Bool { owedBytes > leastBytes }

    /// Decides on a step that adds this number of bytes.
    func verdict(adding bytes: Int) -> DiskSpaceDecision {
        let need = max(bytes + bytes / 8, leastBytes)
        // Once in the log, and once in the file.
        if isReserved, freeBytes >= owedBytes + 2 * need + leastBytes { return .grow }
        // The log is overwritten only after all of it is in the file.
        if unusedBytes >= need + leastBytes, freeBytes >= owedBytes, freeBytes - owedBytes + logBytes >= need {
            return .reuse
        }
        return .refuse
    }

    /// Returns the bytes that later steps may add, after one that lets the file grow, before the disk is asked again.
    ///
    /// Zero unless the disk has far more than these steps can take. If another program fills the disk meanwhile, the
    /// step that finds it full is refused.
    func admittedBytes(beside bytes: Int) -> Int {
        freeBytes - owedBytes - 2 * bytes >= Self.amplyFreeBytes ? Self.mostAdmittedBytes : 0
    }

    /// With at least this many free bytes the disk is not asked before each step.
    static let amplyFreeBytes = 256 << 20
    /// The bytes that steps may then add in between: a fraction of the log's size before it is written into the file.
    static let mostAdmittedBytes = 1 << 20

    /// The least bytes that must fit whenever a step is admitted, so that small messages are not accepted while large
    /// ones are refused.
    private var leastBytes: Int { reserveBytes / 4 }
}
