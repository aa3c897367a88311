/// The error for a part of a header that HTTP cannot carry.
public struct HTTPEncodingError: Error, Hashable, Sendable {
    /// The reason in one sentence for a log.
    public let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Encodes the headers of requests and responses (RFC 9112 sections 2 to 5).
///
/// No value gets out that could end a line or a header: names must be tokens, values must hold no control character but
/// the tab, so no CR, LF or NUL.
public enum HTTPHeadEncoder {
    /// Returns the header of a request, with the empty line at its end.
    ///
    /// - Parameters:
    ///   - method: A token.
    ///   - target: Visible ASCII: origin form, absolute form, authority form or `*`.
    ///   - fields: Names and values in the order of the wire; `Host` and the framing fields are the caller's matter.
    /// - Throws: `HTTPEncodingError` for a part that HTTP cannot carry.
    public static func request(
        method: String, target: String, fields: some Sequence<(name: String, value: String)>
    ) throws(HTTPEncodingError) -> [UInt8] {
        guard isToken(method) else { throw HTTPEncodingError("The method is not a token.") }
        guard !target.isEmpty, target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw HTTPEncodingError("The target is not visible ASCII.")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes += method.utf8
        bytes.append(32)
        bytes += target.utf8
        bytes += " HTTP/1.1\r\n".utf8
        try append(fields, to: &bytes)
        return bytes
    }

    /// Returns the header of a response, with the empty line at its end.
    ///
    /// - Parameters:
    ///   - status: 100 to 599.
    ///   - phrase: Text for people without control characters; may be empty.
    ///   - fields: Names and values in the order of the wire; the framing fields are the caller's matter.
    /// - Throws: `HTTPEncodingError` for a part that HTTP cannot carry.
    public static func response(
        status: Int, phrase: String, fields: some Sequence<(name: String, value: String)>
    ) throws(HTTPEncodingError) -> [UInt8] {
        guard (100...599).contains(status) else { throw HTTPEncodingError("The status is not 100 to 599.") }
        guard phrase.utf8.allSatisfy(ASCIIByteClass.isText) else {
            throw HTTPEncodingError("The reason phrase holds a control character.")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes += "HTTP/1.1 \(status) ".utf8
        bytes += phrase.utf8
        bytes += "\r\n".utf8
        try append(fields, to: &bytes)
        return bytes
    }

    /// The interim response `100 Continue`, which asks for the body (RFC 9110 section 15.2.1).
    public static let continueResponse = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private static func append(
        _ fields: some Sequence<(name: String, value: String)>, to bytes: inout [UInt8]
    ) throws(HTTPEncodingError) {
        for field in fields {
            guard isToken(field.name) else { throw HTTPEncodingError("A field name is not a token.") }
            guard field.value.utf8.allSatisfy(ASCIIByteClass.isText) else {
                throw HTTPEncodingError("The value of \(field.name) holds a control character.")
            }
            bytes += field.name.utf8
            bytes += ": ".utf8
            bytes += field.value.utf8
            bytes += "\r\n".utf8
        }
        bytes += "\r\n".utf8
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { ASCIIByteClass.token.holds($0) }
    }
}
