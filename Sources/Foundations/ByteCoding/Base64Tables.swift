/// The 64 digits of one base 64 alphabet, as an encoder writes them.
struct Base64Alphabet: Sendable {
    static let standard = Base64Alphabet(last: "+/")
    static let safe = Base64Alphabet(last: "-_")

    let digits: [UInt8]

    /// The two base 64 digits of each 12-bit number, the first digit in the low byte.
    let pairs: [UInt16]

    private init(last: String) {
        let digits = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
        self.digits = digits
        pairs = (0..<4096).map { UInt16(digits[$0 >> 6]) | UInt16(digits[$0 & 63]) << 8 }
    }
}

/// The base 64 digits that a decoder accepts, of one alphabet or of both.
struct Base64Digits: Sendable {
    static let standard = Base64Digits([.standard])
    static let safe = Base64Digits([.safe])
    static let both = Base64Digits([.standard, .safe])

    /// The mark of a character that is no base 64 digit: a bit that no group of four digits uses.
    static let none: UInt32 = 1 << 31

    /// The bits of each character as first, second, third and fourth of four digits; `none` for a non-digit.
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

    /// Returns the six bits of one base 64 digit; nil for another character.
    func value(of character: UInt8) -> UInt32? {
        let value = groups[768 + Int(character)]
        return value == Self.none ? nil : value
    }
}
