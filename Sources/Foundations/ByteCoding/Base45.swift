/// Base 45 (RFC 9285), in which codes of the alphanumeric mode hold bytes.
///
/// Two bytes are three characters, a single last byte is two; the first character counts least. The alphabet has the
/// space, so white space is never trimmed here.
public enum Base45 {
    private static let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)

    /// The value of each byte that is a character, 255 for others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// Writes bytes in base 45.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 3 + 1) / 2)
        for start in stride(from: 0, to: bytes.count, by: 2) {
            let isPair = start + 1 < bytes.count
            var number = isPair ? Int(bytes[start]) << 8 | Int(bytes[start + 1]) : Int(bytes[start])
            for _ in 0..<(isPair ? 3 : 2) {
                text.append(characters[number % 45])
                number /= 45
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads what `encode` writes; nil for other characters, a single last one, and a group above its bytes.
    ///
    /// The result has two bytes for each three characters: the caller bounds the text.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? { decode(array: Array(text)) }

    private static func decode(array text: [UInt8]) -> [UInt8]? {
        guard text.count % 3 != 1 else { return nil }
        let values = values
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 2 / 3 + 1)
        var (number, place) = (0, 1)
        for character in text {
            let value = values[Int(character)]
            guard value < 45 else { return nil }
            number += Int(value) * place
            guard place == 45 * 45 else {
                place *= 45
                continue
            }
            guard number <= 0xFFFF else { return nil }
            bytes.append(UInt8(number >> 8))
            bytes.append(UInt8(number & 0xFF))
            (number, place) = (0, 1)
        }
        guard place > 1 else { return bytes }
        guard number <= 0xFF else { return nil }
        bytes.append(UInt8(number))
        return bytes
    }

    /// Returns true for a character of the alphabet.
    public static func isCharacter(_ byte: UInt8) -> Bool { values[Int(byte)] < 45 }
}
