import CBOR
package import COSE

/// The reader's first message (ISO/IEC 18013-5, clause 12.2.4).
package struct SessionEstablishment: Sendable {
    /// The encoded EReaderKeyBytes, as they came: tag 24 around the key.
    package let readerKeyBytes: [UInt8]
    /// The reader's key for this session.
    package let readerKey: COSEKey
    /// The encrypted request.
    package let data: [UInt8]

    /// Reads a message; throws `mdoc.broken-off` for one that is cut off, and `mdoc.session-cbor`.
    package init(_ bytes: [UInt8], limit: Int) throws(MobileSessionError) {
        let value = try SessionMessageReader.map(bytes, limit: limit)
        guard let keyBytes = value["eReaderKey"] else {
            throw MobileSessionError(
                .sessionMalformed,
                value["e_reader_key"] == nil
                    ? "The first message has no key of the reader." : "The reader's key is named e_reader_key.")
        }
        guard let data = value["data"]?.bytes else {
            throw MobileSessionError(.sessionMalformed, "The first message has no request.")
        }
        readerKeyBytes = Array(keyBytes.encoding)
        self.data = data
        guard let inner = try? keyBytes.embedded() else {
            throw MobileSessionError(.sessionMalformed, "The reader's key is not an item in a byte string with tag 24.")
        }
        do throws(COSEFault) {
            readerKey = try COSEKey(inner)
        } catch {
            throw MobileSessionError(.sessionMalformed, error.reason)
        }
    }

    /// Makes the first message of a reader.
    package static func encoded(readerKeyBytes: [UInt8], data: [UInt8]) -> [UInt8] {
        CBORItem.ordered([
            [.text("eReaderKey"), .raw(readerKeyBytes)], [.text("data"), .bytes(data)],
        ]).encoded
    }
}

/// A message after the first one (ISO/IEC 18013-5, clause 12.2.4): data, a status, or both.
package struct SessionData: Sendable {
    /// The status of a session (table 20).
    package enum Status {
        package static let encryptionError = 10
        package static let decodingError = 11
        package static let termination = 20
    }

    /// The encrypted message; nil in one that has a status alone.
    package let data: [UInt8]?
    /// The status; nil without one.
    package let status: Int?

    /// Makes a message from its parts.
    package init(data: [UInt8]? = nil, status: Int? = nil) {
        self.data = data
        self.status = status
    }

    /// Reads a message; throws `mdoc.broken-off` for one that is cut off, and `mdoc.session-cbor`.
    package init(_ bytes: [UInt8], limit: Int) throws(MobileSessionError) {
        let value = try SessionMessageReader.map(bytes, limit: limit)
        data = value["data"]?.bytes
        status = value["status"]?.int
        guard data != nil || status != nil, value["data"] == nil || data != nil else {
            throw MobileSessionError(.sessionMalformed, "The message has neither data nor a status.")
        }
    }

    /// The encoded message.
    package var encoded: [UInt8] {
        var members: [[CBORItem]] = []
        if let data { members.append([.text("data"), .bytes(data)]) }
        if let status { members.append([.text("status"), .int(status)]) }
        return CBORItem.ordered(members).encoded
    }
}

/// Reads the CBOR of a message, and tells one that lost a part from one that is none.
enum SessionMessageReader {
    static func map(_ bytes: [UInt8], limit: Int) throws(MobileSessionError) -> CBORValue {
        var limits = CBORLimits()
        limits.maximumBytes = limit
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue(parsing: bytes, limits: limits)
        } catch {
            if error.code == .truncated, let expected = announcedCount(of: bytes) {
                throw MobileSessionError(
                    .brokenOff, "A part of the message was lost: \(bytes.count) of \(expected) bytes are here.")
            }
            throw MobileSessionError(.sessionMalformed, "The message is not CBOR: \(error.reason).")
        }
        guard value.map != nil else { throw MobileSessionError(.sessionMalformed, "The message is not a map.") }
        return value
    }

    /// Returns the number of bytes up to the end of the byte string that `bytes` end in; nil when they end elsewhere.
    static func announcedCount(of bytes: [UInt8]) -> Int? {
        var place = 0
        // A map of two members and tag 24 have fewer heads than this.
        for _ in 0..<64 {
            guard place < bytes.count else { return nil }
            let major = bytes[place] >> 5
            let information = Int(bytes[place] & 0x1F)
            let width = [24: 1, 25: 2, 26: 4, 27: 8][information] ?? 0
            guard information < 28, place + width < bytes.count else { return nil }
            var argument = UInt64(width == 0 ? information : 0)
            for byte in bytes[(place + 1)..<(place + 1 + width)] { argument = argument << 8 | UInt64(byte) }
            place += 1 + width
            guard major == 2 || major == 3 else { continue }
            guard let count = Int(exactly: argument), count <= Int(Int32.max) else { return nil }
            guard place + count <= bytes.count else { return place + count }
            place += count
        }
        return nil
    }
}
