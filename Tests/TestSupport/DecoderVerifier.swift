/// Tests one decoder with its message whole, cut short at every byte, followed by one
/// byte more, and in pieces.
public enum DecoderVerifier {
    /// Returns the lengths at which a truncated `message` was nevertheless accepted; a strict decoder returns none.
    public static func acceptedTruncations<Value>(
        of message: [UInt8], by decode: ([UInt8]) throws -> Value?
    ) -> [Int] {
        (0..<message.count).filter { length in
            ((try? decode(Array(message[..<length]))) ?? nil) != nil
        }
    }

    /// Returns the bytes that were accepted after the end of `message`; a strict decoder returns none.
    public static func acceptedExtensions<Value>(
        of message: [UInt8], by decode: ([UInt8]) throws -> Value?
    ) -> [UInt8] {
        [0x00, 0x01, 0x7F, 0xFF].filter { extra in
            ((try? decode(message + [extra])) ?? nil) != nil
        }
    }

    /// Splits `message` in all ways between which a stream decoder must make no difference: whole, byte by byte, in two
    /// cut at each place, and in pieces of every size up to seven.
    public static func deliveries(of message: [UInt8]) -> [[ArraySlice<UInt8>]] {
        let sizes = Array(1...7).map { size in
            stride(from: 0, to: message.count, by: size).map { message[$0..<min($0 + size, message.count)] }
        }
        let cuts = (0..<message.count).dropFirst().map { [message[..<$0], message[$0...]] }
        return [[message[...]]] + sizes + cuts
    }

    /// Returns the indices of the deliveries of the joined `messages` that did not give `expected`.
    ///
    /// - Parameter decode: starts anew and takes the pieces in order.
    public static func divergentDeliveries<Value: Equatable>(
        of messages: [[UInt8]], expecting expected: Value, decode: ([ArraySlice<UInt8>]) throws -> Value
    ) -> [Int] {
        deliveries(of: Array(messages.joined())).enumerated().filter { _, pieces in
            (try? decode(pieces)) != expected
        }.map(\.offset)
    }
}
