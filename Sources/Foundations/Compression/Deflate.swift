/// Compressed data without a frame, RFC 1951: no length and no checksum say whether it is whole.
public enum Deflate {
    /// Packs `bytes`; the same bytes and level always give the same output.
    ///
    /// Throws `compression.too-large` for 4 GiB and more.
    ///
    /// - Parameter level: 0 (stored) to 9 (smallest).
    public static func compress(
        _ bytes: some Collection<UInt8>, level: Int = Gzip.defaultLevel
    ) throws(CompressionError) -> [UInt8] {
        try ZlibBackEnd.deflate(bytes, level: level, format: .raw)
    }

    /// Unpacks the one stream that `bytes` hold; throws as `Zlib.decompress`.
    public static func decompress(
        _ bytes: some Collection<UInt8>, limits: Gzip.Limits
    ) throws(CompressionError) -> [UInt8] {
        let cap = EffectiveGzipLimits(limits, inputCount: bytes.count, nil)
        return try ZlibBackEnd.inflate(bytes, format: .raw, members: .one, cap: cap)
    }
}
