import ByteCoding
import Compression

/// The values of a status list after decompression.
struct StatusListBits {
    /// The order in which values lie in a byte.
    enum BitOrder {
        /// The first value in the most significant bits (W3C Bitstring Status List 1.0).
        case mostSignificantFirst
        /// The first value in the least significant bits (Token Status List).
        case leastSignificantFirst
    }

    /// The fewest bytes of a W3C list: 131,072 bits, so that one entry hides among others.
    static let minimumBitstringBytes = 16384

    private let bytes: [UInt8]
    private let width: Int
    private let order: BitOrder

    /// Takes decompressed bytes; `width` is the number of bits of a value.
    init(_ bytes: [UInt8], width: Int, order: BitOrder) {
        self.bytes = bytes
        self.width = width
        self.order = order
    }

    /// Decompresses a list: gzip of the W3C, zlib of tokens.
    ///
    /// Throws `credential.st-bomb` beyond the limit, and `credential.st-form` for damaged bytes and bytes that follow.
    static func decompress(_ compressed: [UInt8], order: BitOrder) throws(CredentialError) -> [UInt8] {
        // No list may be denser than the format allows to write, so that only the length limits.
        let cap = Gzip.Limits(maximumBytes: VerificationLimits.maximumStatusBytes, maximumRatio: 1100)
        do throws(CompressionError) {
            return order == .mostSignificantFirst
                ? try Gzip.decompress(compressed, limits: cap) : try Zlib.decompress(compressed, limits: cap)
        } catch {
            switch error.code {
            case .tooLarge, .ratio:
                throw CredentialError(.stBomb, "The status list grows beyond \(cap.maximumBytes) bytes.")
            case .notGzip, .corrupt, .truncated, .trailingData, .internal:
                throw CredentialError(.stForm, "The status list cannot be decompressed.")
            }
        }
    }

    /// The value at an index.
    ///
    /// Throws `credential.st-range` when the list ends before it.
    func value(at index: Int) throws(CredentialError) -> Int {
        // As a number without a sign, a negative index lies beyond every list.
        guard UInt(bitPattern: index) < UInt(bytes.count * 8 / width) else {
            throw CredentialError(.stRange, "The status list has no entry \(index).")
        }
        let start = index * width
        var value = 0
        for offset in 0..<width {
            let bit = start + offset
            switch order {
            case .mostSignificantFirst: value = value << 1 | Int(bytes[bit / 8] >> (7 - bit % 8) & 1)
            case .leastSignificantFirst: value |= Int(bytes[bit / 8] >> (bit % 8) & 1) << offset
            }
        }
        return value
    }
}
