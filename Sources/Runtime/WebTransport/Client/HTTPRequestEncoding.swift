/// The encoding of a request.
enum HTTPRequestEncoding {
    /// Fields that this module writes itself.
    private static let ownFields = [
        "host", "connection", "content-length", "transfer-encoding", "upgrade", "keep-alive", "expect",
        "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions",
    ]

    /// The most bytes of header fields.
    private static let maximumHeaderBytes = 8192

    /// Returns the reason why a request cannot be sent; nil when it can.
    static func fault(of request: HTTPRequest) -> String? {
        if request.headers.sizeBytes > maximumHeaderBytes { return "its header is larger than 8192 bytes" }
        if !request.body.isEmpty && !request.method.takesBody { return "its method takes no body" }
        return nil
    }

    /// Header and body of a request on a connection of its own.
    static func message(_ request: HTTPRequest, host: String) -> [UInt8] {
        var text = head(of: request, host: host)
        if request.method.takesBody { text += "Content-Length: \(request.body.count)\r\n" }
        text += "Connection: close\r\n\r\n"
        return Array(text.utf8) + request.body
    }

    /// The request for a WebSocket (RFC 6455 section 4.1).
    static func upgrade(_ request: HTTPRequest, host: String, key: String, protocols: [String]) -> [UInt8] {
        var text = head(of: request, host: host)
        text +=
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
        if !protocols.isEmpty { text += "Sec-WebSocket-Protocol: \(protocols.joined(separator: ", "))\r\n" }
        return Array((text + "\r\n").utf8)
    }

    private static func head(of request: HTTPRequest, host: String) -> String {
        var text = "\(request.method.rawValue) \(request.target.text) HTTP/1.1\r\nHost: \(host)\r\n"
        for field in request.headers.fields where !ownFields.contains(where: { HTTPHeaders.isSame($0, field.name) }) {
            text += "\(field.name): \(field.value)\r\n"
        }
        return text
    }
}
