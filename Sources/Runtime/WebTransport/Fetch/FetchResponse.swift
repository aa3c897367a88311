public import WebAddressing

/// The parts of one response that a fetch needs.
public struct FetchResponse: Hashable, Sendable {
    /// The statuses of redirects.
    public static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    /// The HTTP status.
    public let status: Int
    /// The header field `Location`.
    public let location: String?
    /// The header field `Content-Type`.
    public let contentType: String?
    /// The header field `Content-Encoding`.
    public let contentEncoding: String?
    /// The body of the response.
    public let body: [UInt8]

    /// Makes a fetch answer from its parts.
    public init(
        _ status: Int, location: String? = nil, contentType: String? = nil, contentEncoding: String? = nil,
        body: [UInt8] = []
    ) {
        self.status = status
        self.location = location
        self.contentType = contentType
        self.contentEncoding = contentEncoding
        self.body = body
    }

    /// True when the body is not compressed.
    var isPlain: Bool { contentEncoding.map { ["", "identity"].contains($0.lowercased()) } ?? true }
}

/// The server to connect to, and the path to request.
public struct FetchTarget: Hashable, Sendable {
    /// The address to request; its host is the name for `Host` and for the certificate.
    public let address: WebAddress
    /// The checked address that the connection is made to.
    public let endpoint: IPAddress

    /// Makes a fetch target from its parts.
    public init(_ address: WebAddress, at endpoint: IPAddress) {
        self.address = address
        self.endpoint = endpoint
    }
}

/// The result of a guarded fetch.
public struct FetchResult: Hashable, Sendable {
    /// The address that answered, after redirects; to be used where a meaning is read from the address.
    public let address: WebAddress

    /// The addresses that led there, in order, without fragments; empty without redirects.
    public let redirects: [WebAddress]

    /// The machine that answered.
    public let endpoint: IPAddress?

    /// The HTTP status, 200 to 299.
    public let status: Int

    /// The media type in lower case and without parameters, such as `application/json`; nil where the server named
    /// none.
    ///
    /// The server states it; the body may be something else.
    public let mediaType: String?

    /// The body; empty where there is none.
    public let body: [UInt8]

    init(address: WebAddress, redirects: [WebAddress], from endpoint: IPAddress?, answer: FetchResponse) {
        self.address = address
        self.redirects = redirects
        self.endpoint = endpoint
        status = answer.status
        body = answer.body
        mediaType = answer.contentType.flatMap { Self.mediaType($0) }
    }

    private static func mediaType(_ field: String) -> String? {
        let text = field.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        return text.isEmpty ? nil : text
    }
}
