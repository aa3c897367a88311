import ByteCoding
import CAssets
import CryptoSuite
public import WebTransport

/// A file that was compiled into the program, and that a server gives away as it is.
///
/// Its bytes lie in the program's constants; nothing is copied before it is sent.
@safe public struct StaticAsset: @unchecked Sendable {
    // Invariant: `start` points at `count` constants of the program, which are never written and never freed.
    private let start: UnsafeRawPointer

    /// The path under which it is served, such as `/assets/page.css`.
    public let path: String

    /// The media type, with the coding of characters.
    public let mediaType: String

    private let count: Int

    /// The strong entity tag, with its quotation marks: half of the SHA-256 digest of the bytes.
    public let entityTag: String

    /// Finds a file by its name; nil when there is none of that name.
    init?(name: String, path: String, mediaType: String) {
        guard let found = unsafe Self.find(name), let bytes = unsafe found.bytes else { return nil }
        unsafe start = UnsafeRawPointer(bytes)
        count = unsafe found.count
        self.path = path
        self.mediaType = mediaType
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: found.count)
        entityTag = "\"\(Hex.encode(unsafe SHA256.hash(buffer).prefix(16)))\""
    }

    /// A copy of the bytes.
    public var bytes: [UInt8] { unsafe Array(UnsafeRawBufferPointer(start: start, count: count)) }

    /// The answer to a request for it: the file, or 304 when the browser has this very one, with the strictest policy.
    ///
    /// - Parameter request: its header field `If-None-Match` is read.
    public func response(to request: HTTPRequest) -> HTTPResponse {
        var headers = PageSecurityPolicy().headers
        headers["ETag"] = entityTag
        headers["Cache-Control"] = "no-cache"
        guard !isKnown(to: request) else { return HTTPResponse(304, headers: headers) }
        headers["Content-Type"] = mediaType
        return HTTPResponse(200, headers: headers, body: bytes)
    }

    /// Returns true when the list of `If-None-Match` has our tag, weak or strong, or is an asterisk.
    private func isKnown(to request: HTTPRequest) -> Bool {
        guard let list = request.headers["If-None-Match"], list.utf8.count <= 4096 else { return false }
        return list.parts(at: ",").contains { entry in
            let tag = entry.filter { $0 != " " && $0 != "\t" }
            return tag == "*" || tag == entityTag || tag == "W/" + entityTag
        }
    }

    private static func find(_ name: String) -> CAsset? {
        for index in 0..<CAssetCount() {
            let asset = unsafe CAssetAt(index)
            if let text = unsafe asset.name, unsafe String(cString: text) == name { return unsafe asset }
        }
        return nil
    }
}
