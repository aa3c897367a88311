/// The encoding of a response.
enum ResponseEncoding {
    /// Fields that this module writes itself.
    private static let ownFields = [
        "connection", "content-length", "transfer-encoding", "date", "keep-alive", "upgrade",
    ]

    /// The header of an answer; nil when HTTP cannot carry it.
    ///
    /// - Parameter isLast: Whether the connection ends behind it.
    static func head(of response: HTTPResponse, date: String, isLast: Bool) -> [UInt8]? {
        guard (200...599).contains(response.status), response.headers.firstFault == nil else { return nil }
        var text = "HTTP/1.1 \(response.status) \(HTTPResponse.phrase(response.status))\r\n"
        for field in response.headers.fields where !isOwn(field.name) { text += "\(field.name): \(field.value)\r\n" }
        text += "Date: \(date)\r\n"
        if hasBody(response.status) { text += "Content-Length: \(response.body.count)\r\n" }
        text += isLast ? "Connection: close\r\n\r\n" : "\r\n"
        return Array(text.utf8)
    }

    /// Header and body in one; the body is left out for HEAD and where the status has none.
    static func message(_ response: HTTPResponse, to method: HTTPMethod?, date: String, isLast: Bool) -> [UInt8]? {
        guard var bytes = head(of: response, date: date, isLast: isLast) else { return nil }
        if method != .head, hasBody(response.status) { bytes += response.body }
        return bytes
    }

    private static func hasBody(_ status: Int) -> Bool { status != 204 && status != 304 }

    private static func isOwn(_ name: String) -> Bool { ownFields.contains { HTTPHeaders.isSame($0, name) } }
}
