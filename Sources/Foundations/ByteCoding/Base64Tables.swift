/// The 64 digits that an encoder writes.
struct Base64Alphabet: Sendable {
    static let standard = Base64Alphabet(last: "+/")
    static let safe = Base64Alphabet(last: "-_")

    let digits: [UInt8]

    /// The two digits of each 12 bits, the first in the low byte.
    let pairs: [UInt16]

    private init(last: String) {
        let digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        self.digits = digits
        pairs = (0..<4096).map { UInt16(digits[$0 >> 6]) | UInt16(digits[$0 & 63]) << 8 }
    }
}

/// The digits that are read, in one alphabet or in both.
struct Base64Digits: Sendable {
    static let standard = Base64Digits([.standard])
    static let safe = Base64Digits([.safe])
    static let both = Base64Digits([.standard, .safe])

    /// The bit that stands in no group of four digits.
    static let none: UInt32 = 1 << 31

    /// The bits of each character as first, second, third and fourth of four digits; `none` for a character that is no
    /// digit.
    let groups: [UInt32]

    private init(_ alphabets: [Base64Alphabet]) {
        var groups = [UInt32](repeating: Self.none, count: 4 * 256)
        for alphabet in alphabets {
            for (value, digit) in alphabet.digits.enumerated() {
                for position in 0..<4 {
                    groups[position * 256 + Int(digit)] = UInt32(value) << (6 * UInt32(3 - position))
                }
            }
        }
        self.groups = groups
    }

    /// Returns the six bits of one digit.
    func value(of character: UInt8) -> UInt32? {
        let value = groups[768 + Int(character)]
        return value == Self.none ? nil : value
    }
}
