/// The header of a request as the library parsed it, before validation.
public struct ReceivedHead: Hashable, Sendable {
    /// A header field: name and value.
    public struct Field: Hashable, Sendable {
        /// The field's name in lower case.
        public let name: String
        /// The field's value as it was received.
        public let value: [UInt8]

        /// Makes a header field from its parts.
        public init(name: String, value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// Nil for a method that is not served.
    public let method: HTTPMethod?
    /// The path of the request target, decoded.
    public let path: [UInt8]
    /// The parts of the query, decoded.
    public let fragments: [[UInt8]]
    /// The version in the request line, usually `HTTP/1.1`.
    public let version: [UInt8]
    /// The header fields in the order received.
    public let fields: [Field]

    /// Takes what was received.
    public init(
        method: HTTPMethod?, path: [UInt8], fragments: [[UInt8]], version: [UInt8], fields: [Field]
    ) {
        self.method = method
        self.path = path
        self.fragments = fragments
        self.version = version
        self.fields = fields
    }

    /// The result of validating a header.
    public enum Judgement: Hashable, Sendable {
        /// A valid request, the number of body bytes still to come, and whether the connection ends with the response.
        case accepted(HTTPRequest, bodyBytes: Int, isLast: Bool, expectsContinue: Bool)
        /// A refusal, after which the connection ends.
        case refused(status: Int, reason: String)
    }

    /// Checks everything that HTTP and the limits require.
    ///
    /// Refused are: unknown methods (501) and versions (505), targets that cannot be (400), header too large (431),
    /// values that are no text (400), no or several hosts (400), any transfer coding (411), lengths that are not one
    /// decimal number (400), none where a body must be (411), some where none may be (400), bodies too large (413),
    /// expectations other than `100-continue` (417).
    public func judged(by limits: ServerLimits) -> Judgement {
        guard let method else { return .refused(status: 501, reason: "The method is not served.") }
        guard version == Array("HTTP/1.1".utf8) || version == Array("HTTP/1.0".utf8) else {
            return .refused(status: 505, reason: "The version is not served.")
        }
        let headers = HTTPHeaders(fields)
        let sizeBytes = headers.sizeBytes + path.count + fragments.reduce(0) { $0 + $1.count + 1 }
        guard sizeBytes <= limits.maximumHeaderBytes else {
            return .refused(status: 431, reason: "The header is too large.")
        }
        guard let target = try? RequestTarget(decodedPath: path, fragments: fragments) else {
            return .refused(status: 400, reason: "The target is malformed.")
        }
        if let refusal = fault(of: headers) { return refusal }
        switch bodyLength(method, headers, limits) {
        case .failure(let refusal): return .refused(status: refusal.status, reason: refusal.reason)
        case .success(let count):
            return .accepted(
                HTTPRequest(method, target, headers: headers), bodyBytes: count, isLast: asksForEnd(headers),
                expectsContinue: count > 0 && headers["expect"] != nil)
        }
    }

    private struct Refusal: Error {
        let status: Int
        let reason: String
    }

    private func fault(of headers: HTTPHeaders) -> Judgement? {
        guard fields.allSatisfy({ String(validating: $0.value, as: UTF8.self) != nil }), headers.firstFault == nil
        else {
            return .refused(status: 400, reason: "A header field is malformed.")
        }
        guard headers.values("host").count == 1 || isVersion10 && headers.values("host").isEmpty else {
            return .refused(status: 400, reason: "There must be one host.")
        }
        if let expected = headers["expect"], !HTTPHeaders.isSame(expected, "100-continue") {
            return .refused(status: 417, reason: "The expectation cannot be met.")
        }
        return nil
    }

    private func bodyLength(
        _ method: HTTPMethod, _ headers: HTTPHeaders, _ limits: ServerLimits
    ) -> Result<Int, Refusal> {
        guard headers.values("transfer-encoding").isEmpty else {
            return .failure(Refusal(status: 411, reason: "A body must come with its length, not in chunks."))
        }
        let lengths = headers.values("content-length")
        guard let text = lengths.first else {
            return method.takesBody ? .failure(Refusal(status: 411, reason: "The length is missing.")) : .success(0)
        }
        guard lengths.count == 1, let length = Self.length(text) else {
            return .failure(Refusal(status: 400, reason: "The length is no number."))
        }
        guard length == 0 || method.takesBody else {
            return .failure(Refusal(status: 400, reason: "The method takes no body."))
        }
        guard length <= limits.maximumBodyBytes else {
            return .failure(Refusal(status: 413, reason: "The body is too large."))
        }
        return .success(length)
    }

    /// Parses a length: digits only, at most 18 of them.
    static func length(_ text: String) -> Int? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }

    private var isVersion10: Bool { version.last == UInt8(ascii: "0") }

    private func asksForEnd(_ headers: HTTPHeaders) -> Bool {
        isVersion10 || headers.values("connection").contains { HTTPHeaders.list($0, holds: "close") }
    }
}

extension HTTPHeaders {
    init(_ fields: [ReceivedHead.Field]) {
        self.init()
        for field in fields { add(field.name, String(decoding: field.value, as: UTF8.self)) }
    }

    /// Whether a comma-separated list holds `word`, ignoring case.
    static func list(_ value: String, holds word: String) -> Bool {
        value.split(separator: ",").contains { part in
            isSame(String(decoding: part.utf8.filter { $0 != 0x20 && $0 != 9 }, as: UTF8.self), word)
        }
    }
}
