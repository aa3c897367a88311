/// Decides whether steps that add to a store in a file may be made, by what the disk has left.
///
/// A step that only removes needs room too: its pages go into the write-ahead log first. So what adds ends earlier: as long as
/// a reserve beside the file has its full size, and the disk has room for the step and for all that the log holds already.
struct DiskRoom: Hashable, Sendable {
    /// How a step that adds may be made.
    enum Verdict: Hashable, Sendable {
        /// The file may grow.
        case grow
        /// Within pages of the file that hold nothing.
        case reuse
        /// Not now.
        case refuse
    }

    /// The largest reserve in bytes; a small disk has an eighth of its size.
    static let largestReserveBytes = 16 << 20

    /// The bytes that the disk has free for this user.
    var freeBytes: Int
    /// How large the reserve is to be.
    var reserveBytes: Int
    /// Whether it has that size.
    var isReserved: Bool
    /// By how many bytes the file grows when all is written into it that the log holds.
    var owedBytes: Int
    /// The bytes of pages of the file that hold nothing.
    var unusedBytes: Int
    /// The bytes of the log's file, which is written anew from its beginning.
    var logBytes: Int

    /// How large the reserve is on a disk of this size; a multiple of 64 KiB.
    static func reserveBytes(ofDisk bytes: Int) -> Int { min(largestReserveBytes, bytes / 8) & ~0xFFFF }

    /// Whether the reserve, if it is not there, can be made, perhaps when the log's file is cut off.
    var canReserve: Bool { !isReserved && freeBytes + logBytes >= owedBytes + reserveBytes + leastBytes }

    /// Whether the log holds so much for the file to grow by that the reserve would hardly do for it.
    var owesMuch: Bool { owedBytes > leastBytes }

    /// How a step that adds this number of bytes may be made.
    func verdict(adding bytes: Int) -> Verdict {
        let need = max(bytes + bytes / 8, leastBytes)
        // Once in the log, and once in the file.
        if isReserved, freeBytes >= owedBytes + 2 * need + leastBytes { return .grow }
        // The log begins anew only when all that it holds is in the file.
        if unusedBytes >= need + leastBytes, freeBytes >= owedBytes, freeBytes - owedBytes + logBytes >= need {
            return .reuse
        }
        return .refuse
    }

    /// How many bytes the steps after one that may let the file grow may add before the disk is asked again.
    ///
    /// Zero unless the disk has far more than these steps can take. Where another program fills the disk meanwhile, the
    /// step that finds it full is refused then.
    func admittedBytes(beside bytes: Int) -> Int {
        freeBytes - owedBytes - 2 * bytes >= Self.amplyFreeBytes ? Self.mostAdmittedBytes : 0
    }

    /// From how many free bytes on the disk is not asked before each step.
    static let amplyFreeBytes = 256 << 20
    /// How many bytes steps may then add in between: a fraction of what the log holds before it is written into the file.
    static let mostAdmittedBytes = 1 << 20

    /// For how many bytes there is room at least whenever anything is admitted, so that small messages are not taken where large
    /// ones are refused.
    private var leastBytes: Int { reserveBytes / 4 }
}
