import WebTransport

/// Reads HTTP/1.1 responses that have a `Content-Length`, and no other form.
struct HTTPAnswerReader {
    /// A complete response.
    struct Answer: Hashable {
        let status: Int
        let closes: Bool
    }

    private static let maximumBytes = 1 << 20

    private var bytes: [UInt8] = []

    /// Adds bytes; returns the response once it is complete.
    ///
    /// - Throws: `web.response.malformed` for any other form.
    mutating func take(_ new: ArraySlice<UInt8>) throws(WebError) -> Answer? {
        bytes += new
        guard let end = Self.find([13, 10, 13, 10], in: bytes[...]) else {
            guard bytes.count <= Self.maximumBytes else { throw Self.malformed }
            return nil
        }
        let head = bytes[..<end].map { (65...90).contains($0) ? $0 | 32 : $0 }
        guard head.count > 12, let status = Self.number(head[9...]) else { throw Self.malformed }
        let length = Self.find(Array("\r\ncontent-length: ".utf8), in: head[...]).flatMap {
            Self.number(head[($0 + 18)...])
        }
        // 204 has no body, and needs no header that says so.
        guard let length = length ?? (status == 204 ? 0 : nil), length <= Self.maximumBytes else {
            throw Self.malformed
        }
        guard bytes.count >= end + 4 + length else { return nil }
        bytes = []
        return Answer(
            status: status, closes: Self.find(Array("\r\nconnection: close".utf8), in: head[...]) != nil)
    }

    private static var malformed: WebError {
        WebError(.responseMalformed, "A measured agent answered in a way that the measurement does not read.")
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        Int(String(decoding: bytes.prefix(10).prefix { (48...57).contains($0) }, as: UTF8.self))
    }

    private static func find(_ pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (bytes.startIndex...bytes.endIndex - pattern.count).first { bytes[$0...].starts(with: pattern) }
    }
}
