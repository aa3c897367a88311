/// Base 58 with the alphabet of Bitcoin (no 0, O, I and l), as DID methods and multibase write keys.
///
/// Each leading zero byte is written as `1`. The work grows with the square of the length, so lengths are limited: this is
/// for keys and hashes, not for messages.
public enum Base58 {
    /// The most bytes that are written.
    public static let maximumBytes = 1024

    /// The most characters that are read; `maximumBytes` never need more.
    public static let maximumCharacters = 1400

    private static let digits = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    /// Writes at most `maximumBytes` bytes; more are a mistake of the caller and trap.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        precondition(bytes.count <= maximumBytes, "base 58 is for at most \(maximumBytes) bytes")
        let zeros = bytes.prefix { $0 == 0 }.count
        let number = convert(bytes.dropFirst(zeros), from: 256, to: 58)
        return String(decoding: (Array(repeating: 0, count: zeros) + number).map { digits[Int($0)] }, as: UTF8.self)
    }

    /// Reads what `encode` writes; nil for other characters, and for more than `maximumCharacters` of them.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var number: [UInt8] = []
        for character in text.utf8 {
            guard number.count < maximumCharacters, let value = values[Int(character)] else { return nil }
            number.append(value)
        }
        let zeros = number.prefix { $0 == 0 }.count
        return Array(repeating: 0, count: zeros) + convert(number.dropFirst(zeros), from: 58, to: 256)
    }

    /// The digits, most significant first, of the same number in another base; none for 0.
    private static func convert(_ source: some Sequence<UInt8>, from: Int, to: Int) -> [UInt8] {
        var reversed: [UInt8] = []
        for digit in source {
            var carry = Int(digit)
            for index in reversed.indices {
                carry += Int(reversed[index]) * from
                reversed[index] = UInt8(truncatingIfNeeded: carry % to)
                carry /= to
            }
            while carry > 0 {
                reversed.append(UInt8(truncatingIfNeeded: carry % to))
                carry /= to
            }
        }
        return reversed.reversed()
    }
}
