/// Base 58 with the alphabet of Bitcoin (no 0, O, I and l), as DID methods and multibase write keys.
///
/// Each leading zero byte is written as `1`. The work grows with the square of the length, so lengths are limited: this
/// is for keys, hashes and small documents, not for messages.
public enum Base58 {
    /// The default limit of `encode`: the most bytes that it writes as base 58.
    public static let maximumBytes = 1024

    /// The default limit of `decode`: the most characters that it reads; those of `maximumBytes` bytes always fit.
    public static let maximumCharacters = 1400

    private static let digits = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// The number of bytes for five digits at once: 58⁵ still fits into 32 bits.
    private static let bytesPerStep = 4
    private static let digitsPerStep = 5
    private static let byteBase: UInt64 = 1 << 32
    private static let digitBase: UInt64 = 58 * 58 * 58 * 58 * 58

    /// Writes at most `maximumBytes` bytes; more are a mistake of the caller and trap.
    public static func encode(_ bytes: some Collection<UInt8>, maximumBytes: Int = Base58.maximumBytes) -> String {
        precondition(bytes.count <= maximumBytes, "base 58 is for at most \(maximumBytes) bytes here")
        let zeros = bytes.prefix { $0 == 0 }.count
        let limbs = convert(Array(bytes.dropFirst(zeros)), group: bytesPerStep, radix: 256, to: digitBase)
        let number = unfold(limbs, group: digitsPerStep, radix: 58)
        return String(decoding: (Array(repeating: 0, count: zeros) + number).map { digits[Int($0)] }, as: UTF8.self)
    }

    /// Reads what `encode` writes; nil for other characters, and for more than `maximumCharacters` of them.
    public static func decode(
        _ text: some StringProtocol, maximumCharacters: Int = Base58.maximumCharacters
    ) -> [UInt8]? {
        // One copy first: going through the characters of any kind of text costs more than reading them.
        var number = Array(text.utf8.prefix(maximumCharacters + 1))
        guard number.count <= maximumCharacters else { return nil }
        for index in number.indices {
            guard let value = values[Int(number[index])] else { return nil }
            number[index] = value
        }
        let zeros = number.prefix { $0 == 0 }.count
        let limbs = convert(Array(number[zeros...]), group: digitsPerStep, radix: 58, to: byteBase)
        return Array(repeating: 0, count: zeros) + unfold(limbs, group: bytesPerStep, radix: 256)
    }

    /// Returns the limbs in `base`, least significant first, of a number whose digits come most significant first.
    ///
    /// `group` digits are taken in at once; `base` and `radix` to the power of `group` are at most 2³². Inlined, so
    /// that the compiler knows what it divides by.
    @inline(__always)
    private static func convert(
        _ source: [UInt8], group: Int, radix: UInt64, to base: UInt64
    ) -> [UInt64] {
        var limbs: [UInt64] = []
        var remaining = source.count
        var value: UInt64 = 0
        var scale: UInt64 = 1
        for digit in source {
            value = value * radix + UInt64(digit)
            scale *= radix
            remaining -= 1
            guard remaining % group == 0 else { continue }
            var carry = value
            for index in limbs.indices {
                carry += limbs[index] * scale
                limbs[index] = carry % base
                carry /= base
            }
            while carry > 0 {
                limbs.append(carry % base)
                carry /= base
            }
            value = 0
            scale = 1
        }
        return limbs
    }

    /// Returns the digits, most significant first and without leading zeros, of limbs that hold `group` digits each.
    @inline(__always)
    private static func unfold(_ limbs: [UInt64], group: Int, radix: UInt64) -> [UInt8] {
        var reversed: [UInt8] = []
        for limb in limbs {
            var limb = limb
            for _ in 0..<group {
                reversed.append(UInt8(truncatingIfNeeded: limb % radix))
                limb /= radix
            }
        }
        while reversed.last == 0 { reversed.removeLast() }
        return reversed.reversed()
    }
}
