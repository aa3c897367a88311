/// Encodes frames of a WebSocket (RFC 6455 section 5.2).
public enum WebSocketFrameWriter {
    /// Returns the header of a WebSocket frame, 2 to 14 bytes, with the shortest form of the length.
    ///
    /// - Parameters:
    ///   - payloadBytes: The length of the payload; at most 125 for control frames, which are final.
    ///   - mask: Four random bytes, new for each frame, of a client; nil of a server.
    public static func header(
        _ opcode: WebSocketOpcode, isFinal: Bool = true, payloadBytes: Int, mask: UInt32? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        append(opcode, isFinal, payloadBytes, mask, to: &bytes)
        return bytes
    }

    /// Returns a complete WebSocket frame.
    ///
    /// - Parameters:
    ///   - payload: At most 125 bytes for control frames, which are final.
    ///   - mask: Four random bytes, new for each frame, of a client; nil of a server.
    public static func frame(
        _ opcode: WebSocketOpcode, isFinal: Bool = true, _ payload: some Collection<UInt8>, mask: UInt32? = nil
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 14)
        append(opcode, isFinal, payload.count, mask, to: &bytes)
        let start = bytes.count
        bytes += payload
        if let mask { bytes.applyMask(mask, from: start) }
        return bytes
    }

    /// Returns the payload of a close frame; it is empty without a code.
    ///
    /// - Parameters:
    ///   - code: One that may be sent (RFC 6455 section 7.4); another one goes out as 1000.
    ///   - reason: Cut at a character after at most 123 bytes; left out without a code.
    public static func closePayload(_ code: UInt16?, reason: String = "") -> [UInt8] {
        guard let code else { return [] }
        let number = WebSocketCloseCodes.mayBeSent(code) ? code : 1000
        var bytes = [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
        for scalar in reason.unicodeScalars {
            let part = String(scalar).utf8
            guard bytes.count + part.count <= WebSocketOpcode.maximumControlBytes else { break }
            bytes += part
        }
        return bytes
    }

    private static func append(
        _ opcode: WebSocketOpcode, _ isFinal: Bool, _ count: Int, _ mask: UInt32?, to bytes: inout [UInt8]
    ) {
        precondition(
            !opcode.isControl || isFinal && count <= WebSocketOpcode.maximumControlBytes,
            "a control frame is final and has at most 125 bytes")
        bytes.append(opcode.rawValue | (isFinal ? 0x80 : 0))
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch count {
        case ..<126: bytes.append(maskBit | UInt8(count))
        case ..<65536:
            bytes.append(maskBit | 126)
            appendBigEndian(UInt64(count), 2, to: &bytes)
        default:
            bytes.append(maskBit | 127)
            appendBigEndian(UInt64(count), 8, to: &bytes)
        }
        if let mask { appendBigEndian(UInt64(mask), 4, to: &bytes) }
    }

    private static func appendBigEndian(_ value: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
}
