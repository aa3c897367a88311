/// The encoding of a response.
enum HTTPResponseEncoding {
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
        // The status demands the field (RFC 9110 section 15.5.22), and the field its name here (section 7.8).
        let asksForUpgrade = response.status == 426
        if asksForUpgrade { text += "Upgrade: websocket\r\n" }
        let options = (isLast ? ["close"] : []) + (asksForUpgrade ? ["Upgrade"] : [])
        if !options.isEmpty { text += "Connection: \(options.joined(separator: ", "))\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Header and body in one; the body is left out for HEAD and where the status has none.
    static func message(_ response: HTTPResponse, to method: HTTPMethod?, date: String, isLast: Bool) -> [UInt8]? {
        guard var bytes = head(of: response, date: date, isLast: isLast) else { return nil }
        if method != .head, hasBody(response.status) { bytes += response.body }
        return bytes
    }

    /// The answer that opens a WebSocket, RFC 6455 section 4.2.2.
    static func upgrade(accept: String, subprotocol: String) -> [UInt8] {
        var text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Accept: \(accept)\r\n"
        if !subprotocol.isEmpty { text += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    private static func hasBody(_ status: Int) -> Bool { status != 204 && status != 304 }

    private static func isOwn(_ name: String) -> Bool { ownFields.contains { HTTPHeaders.isSame($0, name) } }
}
