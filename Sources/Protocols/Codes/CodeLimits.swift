import Compression

/// The limits on a code, from which they protect the reader; each has an error code of its own.
enum CodeLimits {
    /// The most bytes of a code's text: 24 KiB, five times what the largest QR code holds; `code.limit-text`.
    static let maximumTextBytes = 24 << 10

    /// The most bytes after decompression, and for each compressed byte: 256 KiB and 200; `code.limit-size`.
    ///
    /// The ratio counts beyond 64 KiB.
    static let decompression = Gzip.Limits(maximumBytes: 256 << 10, maximumRatio: 200)

    /// The deepest nesting of values in CBOR: 16; `credential.limit-depth`.
    static let maximumDepth = 16

    /// The most digits of a code of digits: 15,000; `code.limit-text`.
    static let maximumDigits = 15_000
}
