/// The gzip file format: one member, RFC 1952, with deflate, RFC 1951.
public enum Gzip {
    /// How much a message may grow when it is decompressed.
    ///
    /// The output may have at most `maximumBytes`. Beyond `ratioFloorBytes` it may also have at most `maximumRatio` times
    /// the length of the whole compressed message; below them the ratio is not looked at, because a short message may
    /// honestly shrink to almost nothing.
    public struct Limits: Hashable, Sendable {
        /// The output up to which the ratio does not count: 64 KiB.
        public static let ratioFloorBytes = 65536

        /// The most bytes of output.
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

    /// The level that gzip itself uses unless told otherwise.
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
        try decompress(bytes, limits: limits, observeCapacity: nil)
    }

    /// As `decompress`; `observeCapacity` sees the memory taken after each growth.
    static func decompress(
        _ bytes: some Collection<UInt8>, limits: Limits, observeCapacity: ((Int) -> Void)?
    ) throws(CompressionError) -> [UInt8] {
        let magic: [UInt8] = [0x1F, 0x8B, 0x08]
        guard bytes.prefix(magic.count).elementsEqual(magic.prefix(bytes.count)) else {
            throw CompressionError(.notGzip, "the bytes do not begin as gzip does")
        }
        guard bytes.count >= magic.count else { throw CompressionError(.truncated, "the header is cut off") }
        return try ZlibBackEnd.inflateGzip(bytes, cap: Cap(limits, inputCount: bytes.count, observeCapacity))
    }
}

/// The limits as they apply to one input.
struct Cap {
    /// The most bytes of output.
    let count: Int
    /// What to say when there are more.
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
