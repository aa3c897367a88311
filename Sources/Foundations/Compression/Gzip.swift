/// The gzip file format, RFC 1952, with deflate, RFC 1951: one member, or for files several.
public enum Gzip {
    /// The limits on the growth of a message when it is decompressed.
    ///
    /// The output may have at most `maximumBytes`. Beyond `ratioFloorBytes` it may also have at most `maximumRatio`
    /// times the length of the whole compressed message; below them the ratio is not looked at, because a short message
    /// may honestly shrink to almost nothing.
    public struct Limits: Hashable, Sendable {
        /// The size of output below which the ratio limit does not apply: 64 KiB.
        public static let ratioFloorBytes = 65536

        /// The most bytes of decompressed output.
        public let maximumBytes: Int

        /// The most bytes of output for each byte of input.
        public let maximumRatio: Int

        /// Makes limits; `maximumBytes` is at least 0 and `maximumRatio` at least 1.
        public init(maximumBytes: Int, maximumRatio: Int) {
            precondition(maximumBytes >= 0 && maximumRatio >= 1, "limits of decompression are positive")
            self.maximumBytes = maximumBytes
            self.maximumRatio = maximumRatio
        }
    }

    /// The default level of gzip.
    public static let defaultLevel = 6

    /// Packs `bytes` into one member; the same bytes and level always give the same output.
    ///
    /// The header has no name, no time (0) and the system Unix (3), wherever this runs. Throws `compression.too-large`
    /// for 4 GiB and more.
    ///
    /// - Parameter level: 0 (stored) to 9 (smallest).
    public static func compress(
        _ bytes: some Collection<UInt8>, level: Int = defaultLevel
    ) throws(CompressionError) -> [UInt8] {
        try ZlibBackEnd.deflate(bytes, level: level, format: .gzip)
    }

    /// Unpacks the one member that `bytes` hold, from any writer: with any header fields, any blocks.
    ///
    /// Output is produced piece by piece and checked against `limits` before it is kept, so a length that the sender
    /// claims never decides how much memory is taken: at most about twice the allowed output. Throws
    /// `compression.not-gzip`, `compression.truncated`, `compression.corrupt`, `compression.too-large`,
    /// `compression.ratio`, and `compression.trailing-data` when anything follows, also a second member, because one
    /// message is one member.
    public static func decompress(
        _ bytes: some Collection<UInt8>, limits: Limits
    ) throws(CompressionError) -> [UInt8] {
        try decompress(bytes, limits: limits, members: .one, observeCapacity: nil)
    }

    /// Unpacks all members that the file in `bytes` holds, and joins what was in them.
    ///
    /// Members follow each other where zipped files were joined, and where a writer packs block by block; an empty one
    /// adds nothing. `limits` hold for all of them together: neither the output nor the ratio begins anew with a
    /// member. Throws as `decompress`, but `compression.trailing-data` only for what begins no member; zeros that fill
    /// a block are that too, because a file that a disc lost the end of looks the same. A message of a peer is one
    /// member and goes through `decompress`. Source: RFC 1952, section 2.2.
    public static func decompressMembers(
        of bytes: some Collection<UInt8>, limits: Limits
    ) throws(CompressionError) -> [UInt8] {
        try decompress(bytes, limits: limits, members: .any, observeCapacity: nil)
    }

    /// The number of gzip members that an input may have: one, or any.
    enum MemberLimit {
        case one
        case any
    }

    private static let magic: [UInt8] = [0x1F, 0x8B, 0x08]

    /// Returns true when `bytes` begin with the gzip magic, or are a beginning of it.
    static func isStart(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.prefix(magic.count).elementsEqual(magic.prefix(bytes.count))
    }

    /// Decompresses one member or all; `observeCapacity` gets the allocated size after each growth.
    static func decompress(
        _ bytes: some Collection<UInt8>, limits: Limits, members: MemberLimit = .one, observeCapacity: ((Int) -> Void)?
    ) throws(CompressionError) -> [UInt8] {
        guard isStart(bytes) else { throw CompressionError(.notGzip, "the bytes do not begin as gzip does") }
        guard bytes.count >= magic.count else { throw CompressionError(.truncated, "the header is cut off") }
        return try ZlibBackEnd.inflate(
            bytes, format: .gzip, members: members,
            cap: EffectiveGzipLimits(limits, inputCount: bytes.count, observeCapacity))
    }
}

/// The growth limits as they apply to one compressed input.
struct EffectiveGzipLimits {
    /// The most bytes of decompressed output, by the absolute limit and by the ratio.
    let count: Int
    /// The error for more output than the limit.
    let error: CompressionError
    let observeCapacity: ((Int) -> Void)?

    init(_ limits: Gzip.Limits, inputCount: Int, _ observeCapacity: ((Int) -> Void)?) {
        let (product, overflow) = inputCount.multipliedReportingOverflow(by: limits.maximumRatio)
        let byRatio = max(overflow ? .max : product, Gzip.Limits.ratioFloorBytes)
        count = min(limits.maximumBytes, byRatio)
        error =
            limits.maximumBytes <= byRatio
            ? CompressionError(.tooLarge, "the output is longer than the \(limits.maximumBytes) bytes allowed")
            : CompressionError(.ratio, "the output is more than \(limits.maximumRatio) times as long as the input")
        self.observeCapacity = observeCapacity
    }
}
