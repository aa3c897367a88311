import CryptoSuite
public import Determinism

/// A code that opens a station's page in one browser, once.
///
/// Shape: two groups of four of 32 digits and letters that are not mistaken for one another, with a hyphen between
/// them: 40 bits.
public struct OneTimeCode: Hashable, Sendable, CustomStringConvertible {
    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    private static let count = 8

    /// The characters, without the hyphen.
    private let characters: [UInt8]

    /// Draws a code.
    public init(random: inout any RandomSource) {
        // 32 characters: the low five bits of a byte choose each with the same chance.
        characters = random.bytes(count: Self.count).map { Self.alphabet[Int($0 & 31)] }
    }

    /// The code as it is read and typed: `ABCD-2345`.
    public var description: String {
        String(decoding: characters.prefix(4) + [UInt8(ascii: "-")] + characters.dropFirst(4), as: UTF8.self)
    }

    /// Returns true when `text` is this code; case, hyphens and blanks do not matter.
    ///
    /// Takes the same time wherever they differ.
    public func fits(_ text: String) -> Bool {
        let typed = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }.prefix(64).map { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte & 0xDF : byte
        }
        return ConstantTime.equals(characters, typed)
    }
}
