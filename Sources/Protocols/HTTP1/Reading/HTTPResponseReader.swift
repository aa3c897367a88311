/// Reads the response to one request, in pieces of any size (RFC 9112 sections 4 and 6.3).
///
/// Interim responses (1xx) are checked and dropped, at most 8 of them. Line folding is refused, other than RFC 9112
/// section 5.2 asks of user agents, because nothing that this package talks to sends it. A message with both
/// `Transfer-Encoding` and `Content-Length`, another coding than one `chunked`, or several lengths is refused.
public struct HTTPResponseReader: Sendable {
    /// The request that the response answers, which decides whether the response has a body.
    public enum Request: Hashable, Sendable {
        /// A request whose response may have a body; neither HEAD, upgrade nor CONNECT.
        case ordinary
        /// A HEAD request, whose response has no body, whatever its fields say.
        case head
        /// A request to change the protocol: 101 is final, and the bytes behind its header are of the new protocol.
        case upgrade
        /// A CONNECT request: 2xx is final without a body, and the bytes behind its header are of the tunnel.
        case tunnel
    }

    /// The limits on the size of a response's parts.
    public struct Limits: Hashable, Sendable {
        /// The most bytes of the header with its line ends, of each interim response too.
        public var maximumHeaderBytes = 16384
        /// The most bytes of the response body after decoding.
        public var maximumBodyBytes = 1 << 20
        /// The longest chunk-size line with its extensions, in bytes.
        static let maximumChunkLineBytes = 128
        /// The most bytes of the extensions of all chunks of a body.
        static let maximumChunkExtensionBytes = 1024
        /// The most bytes of the trailer section with its line ends.
        static let maximumTrailerBytes = 1024

        /// Makes limits with the default values.
        public init() {}
    }

    /// The result of reading bytes of a response.
    public enum Event: Sendable {
        /// All input was consumed; the response continues with the next bytes.
        case needsMore
        /// The header of the final response; `body` follows if there is one, then `end`.
        case head(HTTPResponseHead)
        /// A part of the decoded body, at these indices of the input; never empty.
        case body(Range<Int>)
        /// The response is complete; further calls return the same, and later bytes are not consumed.
        case end
        /// The response is refused; further calls return the same.
        case refused(HTTPReadFault)
    }

    /// The most interim (1xx) responses before the final one.
    public static let maximumInterimResponses = 8

    private struct StatusLine: Sendable {
        let status: Int
        let minorVersion: Int
    }

    private enum Phase: Sendable {
        /// The reader is in the status line.
        case statusLine
        /// The reader is in the header fields behind this status line.
        case fields(StatusLine)
        /// The reader is in the body; the final header was reported.
        case body(HTTPBodyReader)
        /// The response is complete.
        case ended
        /// The response was refused; the reader reads nothing more.
        case refused(HTTPReadFault)
    }

    private let request: Request
    private let limits: Limits
    private var phase = Phase.statusLine
    private var buffer = HTTPHeadBuffer()
    private var interimResponses = 0

    /// Makes a reader at the first byte that the server sends after a request.
    public init(to request: Request, limits: Limits = Limits()) {
        self.request = request
        self.limits = limits
    }

    /// Reads `input` from `position` up to the next event, and moves `position` behind the bytes read.
    ///
    /// Called again with the same input until it says `needsMore`, `end` or `refused`.
    public mutating func next(in input: Span<UInt8>, from position: inout Int) -> Event {
        while true {
            switch phase {
            case .refused(let fault): return .refused(fault)
            case .ended: return .end
            case .body(var body):
                let step = body.next(in: input, from: &position)
                phase = .body(body)
                switch step {
                case .needsMore: return .needsMore
                case .piece(let range): return .body(range)
                case .fault(let fault): return refuse(fault)
                case .end: phase = .ended
                }
            case .statusLine, .fields:
                let most = limits.maximumHeaderBytes
                switch buffer.takeLine(in: input, from: &position, lineBytes: most, allBytes: most) {
                case .incomplete: return .needsMore
                case .line: break
                case .lineTooLong, .tooLarge:
                    return refuse(HTTPReadFault(.headerTooLarge, "The header of the response is too large."))
                case .fault(let fault): return refuse(fault)
                }
                if let event = handleLine() { return event }
            }
        }
    }

    /// Handles the orderly end of the connection, over TLS by `close_notify`; returns `end` or `refused`.
    ///
    /// Only a body without a length and without chunks ends with the connection (RFC 9112 section 8).
    public mutating func endOfInput() -> Event {
        switch phase {
        case .ended: return .end
        case .refused(let fault): return .refused(fault)
        case .body(let body) where body.endsWithConnection:
            phase = .ended
            return .end
        case .body, .statusLine, .fields:
            return refuse(HTTPReadFault(.truncated, "The connection ended before the response was whole."))
        }
    }

    /// Handles a complete line; nil when the header continues.
    private mutating func handleLine() -> Event? {
        guard case .fields(let line) = phase else {
            switch Self.statusLine(buffer.bytes, buffer.line) {
            case .failure(let refusal): return refuse(refusal.fault)
            case .success(let line): phase = .fields(line)
            }
            buffer.keepLine()
            return nil
        }
        guard buffer.line.isEmpty else {
            return buffer.keepField() ? nil : refuse(HTTPReadFault(.malformed, "A header field is malformed."))
        }
        let fields = buffer.takeFields()
        if line.status < 200, line.status != 101 { return skipInterim() }
        return judge(line, fields)
    }

    private mutating func skipInterim() -> Event? {
        interimResponses += 1
        guard interimResponses <= Self.maximumInterimResponses else {
            return refuse(HTTPReadFault(.malformed, "There are too many interim responses."))
        }
        phase = .statusLine
        return nil
    }

    private mutating func judge(_ line: StatusLine, _ fields: HTTPFieldList) -> Event {
        guard line.status != 101 || request == .upgrade && line.minorVersion == 1 else {
            return refuse(HTTPReadFault(.malformed, "The server changes the protocol without being asked."))
        }
        let (bytes, found) = (fields.bytes, HTTPFramingFields(fields))
        var counted: Int?
        let isTunnel = request == .tunnel && (200...299).contains(line.status)
        if request == .head || [101, 204, 304].contains(line.status) || isTunnel {
            phase = .ended
        } else {
            switch found.isChunked(bytes, minorVersion: line.minorVersion) {
            case .failure(let refusal): return refuse(refusal.fault)
            case .success(true): phase = .body(.chunked(bodyLimits))
            case .success(false):
                switch found.counted(bytes, limit: limits.maximumBodyBytes) {
                case .failure(let refusal): return refuse(refusal.fault)
                case .success(let count):
                    counted = count
                    phase = .body(count.map { .counted($0, bodyLimits) } ?? .untilClose(bodyLimits))
                }
            }
        }
        return .head(
            HTTPResponseHead(
                status: line.status, minorVersion: line.minorVersion, fields: fields, countedBodyBytes: counted,
                isLast: line.minorVersion == 0 || found.closes))
    }

    /// Reads `HTTP/1.1 200 OK`; also a line without a reason phrase, because servers send it.
    private static func statusLine(_ bytes: [UInt8], _ line: Range<Int>) -> Result<StatusLine, HTTPReadError> {
        let malformed = HTTPReadError(.malformed, "The status line is malformed.")
        guard line.count >= 12, bytes[line.lowerBound + 8] == 32 else { return .failure(malformed) }
        let (version, digits) = (line.lowerBound..<line.lowerBound + 8, line.lowerBound + 9..<line.lowerBound + 12)
        guard bytes.allDigits(in: digits), line.count == 12 || bytes[digits.upperBound] == 32 else {
            return .failure(malformed)
        }
        let status = digits.reduce(0) { $0 * 10 + Int(bytes[$1] - 48) }
        guard (100...599).contains(status) else { return .failure(malformed) }
        return HTTPVersion.minor(bytes, version).map { StatusLine(status: status, minorVersion: $0) }
    }

    private mutating func refuse(_ fault: HTTPReadFault) -> Event {
        phase = .refused(fault)
        buffer = HTTPHeadBuffer()
        return .refused(fault)
    }

    private var bodyLimits: HTTPBodyLimits {
        HTTPBodyLimits(
            bodyBytes: limits.maximumBodyBytes, chunkLineBytes: Limits.maximumChunkLineBytes,
            extensionBytes: Limits.maximumChunkExtensionBytes, trailerBytes: Limits.maximumTrailerBytes)
    }
}
