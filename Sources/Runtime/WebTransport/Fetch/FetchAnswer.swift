public import WebAddressing

/// What a fetch needs of one answer.
public struct FetchAnswer: Hashable, Sendable {
    /// The statuses that lead elsewhere.
    public static let redirects: Set<Int> = [301, 302, 303, 307, 308]

    /// The status.
    public let status: Int
    /// The header field `Location`.
    public let location: String?
    /// The header field `Content-Type`.
    public let contentType: String?
    /// The header field `Content-Encoding`.
    public let contentEncoding: String?
    /// The body.
    public let body: [UInt8]

    /// Makes an answer.
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

    /// Whether the body is as it was, without compression.
    var isPlain: Bool { contentEncoding.map { ["", "identity"].contains($0.lowercased()) } ?? true }
}

/// The server to connect to, and what to ask for.
public struct FetchTarget: Hashable, Sendable {
    /// What is asked for; its host is the name for `Host` and for the certificate.
    public let address: WebAddress
    /// The checked address that the connection is made to.
    public let endpoint: IPAddress

    /// Makes a target.
    public init(_ address: WebAddress, at endpoint: IPAddress) {
        self.address = address
        self.endpoint = endpoint
    }
}

/// What a guarded fetch gave.
public struct FetchResult: Hashable, Sendable {
    /// Where it was in the end; what is to be read from an address is read from this one too.
    public let address: WebAddress

    /// The addresses that led there, in order, without fragments; empty without redirects.
    public let redirects: [WebAddress]

    /// Which machine gave it.
    public let endpoint: IPAddress?

    /// The status, 200…299.
    public let status: Int

    /// The media type in lower case and without parameters, such as `application/json`; nil where the server named none.
    ///
    /// A server's word, which says nothing about the body.
    public let mediaType: String?

    /// The body; empty where there is none.
    public let body: [UInt8]

    init(address: WebAddress, redirects: [WebAddress], from endpoint: IPAddress?, answer: FetchAnswer) {
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
