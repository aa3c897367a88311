/// The zlib format, RFC 1950, as PNG images and status lists use it.
public enum Zlib {
    /// Packs `bytes`; the same bytes and level always give the same output.
    ///
    /// Throws `compression.too-large` for 4 GiB and more.
    ///
    /// - Parameter level: 0 (stored) to 9 (smallest).
    public static func compress(
        _ bytes: some Collection<UInt8>, level: Int = Gzip.defaultLevel
    ) throws(CompressionError) -> [UInt8] {
        try ZlibBackEnd.deflate(bytes, level: level, format: .zlib)
    }

    /// Unpacks the one stream that `bytes` hold, checked against `limits` as gzip is.
    ///
    /// Throws `compression.truncated`, `compression.corrupt` (also for bytes that begin no stream),
    /// `compression.too-large`, `compression.ratio`, and `compression.trailing-data` when anything follows.
    public static func decompress(
        _ bytes: some Collection<UInt8>, limits: Gzip.Limits
    ) throws(CompressionError) -> [UInt8] {
        let cap = EffectiveGzipLimits(limits, inputCount: bytes.count, nil)
        return try ZlibBackEnd.inflate(bytes, format: .zlib, members: .one, cap: cap)
    }
}
