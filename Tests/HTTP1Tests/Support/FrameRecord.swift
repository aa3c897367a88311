import HTTP1
import Testing

/// Returns the events that a reader of WebSocket frames reports for bytes, as one text with a word for each event.
func frames(
    _ bytes: [UInt8], role: WebSocketFrameReader.Role = .server, _ limits: WebSocketFrameReader.Limits = .init(),
    sourceLocation: SourceLocation = #_sourceLocation
) -> String {
    inAllPieces(bytes, sourceLocation: sourceLocation) { pieces in
        var reader = WebSocketFrameReader(role: role, limits: limits)
        var record: [String] = []
        for piece in pieces {
            var position = 0
            loop: while true {
                switch reader.next(in: piece.span, from: &position) {
                case .needsMore: break loop
                case .text(let message): record.append("text:\(text(message))")
                case .binary(let message): record.append("binary:\(text(message))")
                case .ping(let payload): record.append("ping:\(text(payload))")
                case .pong(let payload): record.append("pong:\(text(payload))")
                case .close(let code, let reason): record.append("close:\(code.map(String.init) ?? "-")\(reason)")
                case .violation(let code, _): return (record + ["\(code)"]).joined(separator: " ")
                }
            }
        }
        return record.joined(separator: " ")
    }
}

/// A WebSocket frame with arbitrary header bits, also invalid ones.
struct RawFrame {
    var opcode: UInt8
    var payload: [UInt8] = []
    var isFinal = true
    var reserved: UInt8 = 0
    var mask: UInt32? = 0x1122_3344
    /// The payload length that the header announces; nil for the true one.
    var announced: UInt64?
    /// The number of bytes of the extended length field: 0, 2 or 8; nil for the fewest.
    var lengthBytes: Int?

    /// The encoded bytes of the frame.
    var bytes: [UInt8] {
        let length = announced ?? UInt64(payload.count)
        let size = lengthBytes ?? (length < 126 ? 0 : length < 65536 ? 2 : 8)
        let short = size == 0 ? UInt8(length) : size == 2 ? 126 : 127
        var bytes = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode, (mask == nil ? 0 : 0x80) | short]
        for index in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(index * 8))) }
        guard let mask else { return bytes + payload }
        let key = (0..<4).map { UInt8(truncatingIfNeeded: mask >> (24 - 8 * UInt32($0))) }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
    }
}

func frame(_ opcode: UInt8, _ payload: String = "", isFinal: Bool = true) -> [UInt8] {
    RawFrame(opcode: opcode, payload: bytes(payload), isFinal: isFinal).bytes
}

func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    RawFrame(opcode: opcode, payload: payload, isFinal: isFinal).bytes
}
