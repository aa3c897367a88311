/// Reads the response to one request, in pieces of any size (RFC 9112 sections 4 and 6.3).
///
/// Interim responses (1xx) are checked and dropped, at most 8 of them. Line folding is refused, other than RFC 9112
/// section 5.2 asks of user agents, because nothing that this package talks to sends it. A message with both
/// `Transfer-Encoding` and `Content-Length`, another coding than one `chunked`, or several lengths is refused.
public struct HTTPResponseReader: Sendable {
    /// The request that the response answers, which decides whether the response has a body.
    public enum Request: Hashable, Sendable {
        /// A request whose response may have a body.
        case ordinary
        /// HEAD: the response has no body, whatever its fields say.
        case head
        /// A change of the protocol: 101 is a final response, and the bytes behind its header are of the new protocol.
        case upgrade
        /// CONNECT: 2xx is final without a body, and the bytes behind its header are of the tunnel.
        case tunnel
    }

    /// The limits on the size of a response's parts.
    public struct Limits: Hashable, Sendable {
        /// The most bytes of the header with its line ends, of each interim response too.
        public var maximumHeaderBytes = 16384
        /// The most bytes of the decoded body.
        public var maximumBodyBytes = 1 << 20
        /// The longest line of a chunk's size with its extensions.
        static let maximumChunkLineBytes = 128
        /// The most bytes of extensions of all chunks of a body.
        static let maximumChunkExtensionBytes = 1024
        /// The most bytes of the trailer section with its line ends.
        static let maximumTrailerBytes = 1024

        /// Makes limits with the default values.
        public init() {}
    }

    /// The result of reading bytes of a response.
    public enum Event: Sendable {
        /// All bytes of the input were taken; the response goes on with the next ones.
        case needsMore
        /// The header of the final response; `body` follows where there is one, then `end`.
        case head(HTTPResponseHead)
        /// A part of the decoded body, at these indices of the input; never empty.
        case body(Range<Int>)
        /// The response is whole; the bytes behind it in the input were not taken. Every further call returns the same.
        case end
        /// The response is refused; every further call returns the same.
        case refused(HTTPReadFault)
    }

    /// The most interim responses before the final one.
    public static let maximumInterimResponses = 8

    private struct StatusLine: Sendable {
        let status: Int
        let minorVersion: Int
    }

    private enum Phase: Sendable {
        /// The status line.
        case statusLine
        /// Field lines behind this status line.
        case fields(StatusLine)
        /// The final header was reported; the body is read.
        case body(BodyReader)
        /// The response is whole.
        case ended
        /// Nothing more is read.
        case refused(HTTPReadFault)
    }

    private let request: Request
    private let limits: Limits
    private var phase = Phase.statusLine
    private var buffer = HeadBuffer()
    private var interimResponses = 0

    /// Starts at the first byte that the server sends after a request.
    public init(to request: Request, limits: Limits = Limits()) {
        self.request = request
        self.limits = limits
    }

    /// Takes bytes of `input` from `position` on, up to the next event, and moves `position` behind them.
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

    /// The connection ended in order, over TLS by `close_notify`; says `end` or `refused`.
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

    /// Judges a whole line; nil where the header goes on.
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
        let (bytes, found) = (fields.bytes, FramingFields(fields))
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

    /// `HTTP/1.1 200 OK`; a line that ends with the status is taken too, because servers send it.
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
        buffer = HeadBuffer()
        return .refused(fault)
    }

    private var bodyLimits: BodyLimits {
        BodyLimits(
            bodyBytes: limits.maximumBodyBytes, chunkLineBytes: Limits.maximumChunkLineBytes,
            extensionBytes: Limits.maximumChunkExtensionBytes, trailerBytes: Limits.maximumTrailerBytes)
    }
}
