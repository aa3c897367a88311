/// Encodes and decodes WebSocket frames for peers that send and receive raw bytes.
public enum SocketFrames {
    /// Encodes a client's frame with a mask of zeros: `kind` is 1 for text, 2 for bytes, 8 for the close.
    public static func client(_ payload: [UInt8], _ kind: UInt8 = 1) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            switch count {
            case ...125: [0x80 | UInt8(count)]
            case ...65_535: [0xFE, UInt8(count >> 8), UInt8(count & 255)]
            default: [0xFF] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
            }
        return [0x80 | kind] + length + [0, 0, 0, 0] + payload
    }

    /// A client's close frame with the status 1000 (normal closure).
    public static let close = client([0x03, 0xE8], 8)

    /// Decodes the complete messages in a server's bytes, up to its close frame or their end.
    public static func messages(in bytes: [UInt8]) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var coming: [UInt8] = []
        var rest = bytes[...]
        while let (head, payload) = next(&rest), head & 15 != 8 {
            guard head & 15 < 8 else { continue }
            coming += payload
            guard head & 0x80 != 0 else { continue }
            found.append(coming)
            coming = []
        }
        return found
    }

    /// The first byte and the payload length of every complete frame.
    public static func headers(in bytes: [UInt8]) -> [(first: UInt8, count: Int)] {
        var found: [(first: UInt8, count: Int)] = []
        var rest = bytes[...]
        while let (head, payload) = next(&rest) { found.append((head, payload.count)) }
        return found
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) -> (head: UInt8, payload: ArraySlice<UInt8>)? {
        guard let head = rest.first, let short = rest.dropFirst().first else { return nil }
        let wide = short < 126 ? 0 : short == 126 ? 2 : 8
        let length = rest.dropFirst(2).prefix(wide)
        let count = wide == 0 ? Int(short) : length.reduce(0) { $0 << 8 | Int($1) }
        let payload = rest.dropFirst(2 + wide).prefix(count)
        guard length.count == wide, payload.count == count else { return nil }
        rest = rest.dropFirst(2 + wide + count)
        return (head, payload)
    }
}
