/// The zlib format, RFC 1950, as PNG images use it.
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
}
