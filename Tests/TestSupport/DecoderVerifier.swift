/// Puts one decoder through what every decoder must stand: its message whole, cut short at every byte, and followed by
/// one byte more.
public enum DecoderVerifier {
    /// Returns the lengths at which a truncated `message` was nevertheless accepted; a strict decoder returns none.
    public static func acceptedTruncations<Value>(
        of message: [UInt8], by decode: ([UInt8]) throws -> Value?
    ) -> [Int] {
        (0..<message.count).filter { length in
            ((try? decode(Array(message[..<length]))) ?? nil) != nil
        }
    }
}
