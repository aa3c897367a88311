/// The part of a request's encoding that the library does not write.
enum OutgoingRequest {
    /// Fields that this module or the library writes.
    private static let ownFields = [
        "host", "connection", "content-length", "transfer-encoding", "upgrade", "origin", "keep-alive", "expect",
        "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions",
    ]

    /// The most bytes of header fields.
    private static let maximumHeaderBytes = 8192

    /// Why a request cannot be sent; nil when it can.
    static func fault(of request: HTTPRequest) -> String? {
        if request.headers.sizeBytes > maximumHeaderBytes { return "its header is larger than 8192 bytes" }
        if !request.body.isEmpty && !request.method.takesBody { return "its method takes no body" }
        return nil
    }

    /// The header lines after those of the library, each with its line end.
    static func headerLines(of request: HTTPRequest) -> [UInt8] {
        var text = ""
        for field in request.headers.fields where !ownFields.contains(where: { HTTPHeaders.isSame($0, field.name) }) {
            text += "\(field.name): \(field.value)\r\n"
        }
        if request.method.takesBody { text += "Content-Length: \(request.body.count)\r\n" }
        return Array(text.utf8)
    }
}
