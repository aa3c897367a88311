/// Reads the requests of one connection, in pieces of any size (RFC 9112, RFC 9110).
///
/// It is as strict as the grammar allows, because what two readers understand differently smuggles requests (RFC 9112
/// section 11.2): lines end with CR LF alone; at most one empty line stands before a request; names are tokens with the
/// colon right behind them; there is no line folding and no control character; there is exactly one valid `Host`;
/// `Transfer-Encoding` is one `chunked`, never beside `Content-Length` and never in HTTP/1.0; `Content-Length` is one
/// field of up to 18 digits.
///
/// Between requests it holds no memory of its own.
public struct HTTPRequestReader: Sendable {
    /// The limits on the size of a request's parts.
    public struct Limits: Hashable, Sendable {
        /// The most bytes of the header: request line, fields, line ends and empty lines; more is refused with 431.
        public var maximumHeaderBytes = 8192
        /// The longest request line without its end; a longer one is refused with 414.
        package var maximumRequestLineBytes = 8000
        /// The most bytes of the decoded body; more is refused with 413, a counted body before its first byte.
        public var maximumBodyBytes = 1 << 20
        /// The longest line of a chunk's size with its extensions; a longer one is refused with 400.
        package var maximumChunkLineBytes = 128
        /// The most bytes of the extensions of all chunks of a body; more is refused with 400.
        package var maximumChunkExtensionBytes = 1024
        /// The most bytes of the trailer section with its line ends; more is refused with 431.
        package var maximumTrailerBytes = 1024

        /// Makes limits with the default values.
        public init() {}
    }

    /// The result of reading bytes of a request.
    public enum Event: Sendable {
        /// All input was consumed; the request continues with the next bytes.
        case needsMore
        /// The header is complete and valid; `body` follows if there is one, then `end`.
        case head(HTTPRequestHead)
        /// A part of the decoded body, at these indices of the input; never empty.
        case body(Range<Int>)
        /// The request is complete; the bytes behind it in the input were not consumed.
        case end
        /// The request is refused; the connection must be closed after the answer. Every further call returns the same.
        case refused(HTTPReadFault)
    }

    private enum Phase: Sendable {
        /// The reader is in the request line, or the empty line before it.
        case requestLine
        /// The reader is in the header fields; the request line has these parts.
        case fields(HTTPRequestLine)
        /// The reader is in the body; the header was reported.
        case body(HTTPBodyReader)
        /// The request was refused; the reader reads nothing more.
        case refused(HTTPReadFault)
    }

    private let limits: Limits
    private var phase = Phase.requestLine
    private var buffer = HTTPHeadBuffer()
    private var hasSkippedLine = false

    /// True when the present request, refused or not, has the method HEAD, so that its response has no body.
    public private(set) var isHead = false

    /// Makes a reader at the first byte of a connection, or of a request.
    public init(limits: Limits = Limits()) { self.limits = limits }

    /// True when no byte of the next request was read so far.
    public var isIdle: Bool {
        if case .requestLine = phase { return buffer.isEmpty }
        return false
    }

    /// Reads `input` from `position` up to the next event, and moves `position` behind the bytes read.
    ///
    /// Called again with the same input until it says `needsMore`, `refused`, or the caller stops at an `end`.
    public mutating func next(in input: Span<UInt8>, from position: inout Int) -> Event {
        while true {
            switch phase {
            case .refused(let fault): return .refused(fault)
            case .body(var body):
                let step = body.next(in: input, from: &position)
                phase = .body(body)
                switch step {
                case .needsMore: return .needsMore
                case .piece(let range): return .body(range)
                case .fault(let fault): return refuse(fault)
                case .end:
                    self = HTTPRequestReader(limits: limits)
                    return .end
                }
            case .requestLine, .fields:
                switch takeLine(in: input, from: &position) {
                case .incomplete: return .needsMore
                case .line: break
                case .lineTooLong: return refuse(HTTPReadFault(.requestLineTooLong, "The request line is too long."))
                case .tooLarge: return refuse(HTTPReadFault(.headerTooLarge, "The header is too large."))
                case .fault(let fault): return refuse(fault)
                }
                if let event = handleLine() { return event }
            }
        }
    }

    private mutating func takeLine(in input: Span<UInt8>, from position: inout Int) -> HTTPHeadBuffer.HeadReadResult {
        var lineBytes = limits.maximumHeaderBytes
        if case .requestLine = phase { lineBytes = min(lineBytes, limits.maximumRequestLineBytes) }
        return buffer.takeLine(
            in: input, from: &position, lineBytes: lineBytes, allBytes: limits.maximumHeaderBytes)
    }

    /// Handles a complete line; nil when the header continues.
    private mutating func handleLine() -> Event? {
        guard case .fields(var line) = phase else { return handleRequestLine() }
        guard buffer.line.isEmpty else {
            return buffer.keepField() ? nil : refuse(HTTPReadFault(.malformed, "A header field is malformed."))
        }
        let fields = buffer.takeFields()
        switch HTTPRequestFraming.judge(fields, &line, maximumBodyBytes: limits.maximumBodyBytes) {
        case .failure(let refusal): return refuse(refusal.fault)
        case .success(let framing):
            switch framing.bodyLength {
            case .chunked: phase = .body(.chunked(bodyLimits))
            case .counted(let count): phase = .body(.counted(count, bodyLimits))
            }
            return .head(HTTPRequestHead(fields: fields, line: line, framing: framing))
        }
    }

    private mutating func handleRequestLine() -> Event? {
        guard !buffer.line.isEmpty else {
            guard !hasSkippedLine else {
                return refuse(HTTPReadFault(.malformed, "Empty lines stand before the request."))
            }
            hasSkippedLine = true
            return nil
        }
        switch HTTPRequestLine.read(buffer.bytes, buffer.line) {
        case .failure(let refusal): return refuse(refusal.fault)
        case .success(let line):
            phase = .fields(line)
            isHead = buffer.bytes[line.method].elementsEqual("HEAD".utf8)
            buffer.keepLine()
            return nil
        }
    }

    private mutating func refuse(_ fault: HTTPReadFault) -> Event {
        phase = .refused(fault)
        buffer = HTTPHeadBuffer()
        return .refused(fault)
    }

    private var bodyLimits: HTTPBodyLimits {
        HTTPBodyLimits(
            bodyBytes: limits.maximumBodyBytes, chunkLineBytes: limits.maximumChunkLineBytes,
            extensionBytes: limits.maximumChunkExtensionBytes, trailerBytes: limits.maximumTrailerBytes)
    }
}
