/// The size limits of an HTTP body and its framing, for requests and responses.
struct HTTPBodyLimits: Hashable, Sendable {
    /// The most bytes of the body after decoding.
    let bodyBytes: Int
    /// The longest chunk-size line with its extensions, in bytes.
    let chunkLineBytes: Int
    /// The most bytes of the extensions of all chunks together.
    let extensionBytes: Int
    /// The most bytes of the trailer section behind the body.
    let trailerBytes: Int
}

/// Finds the parts and the end of an HTTP body (RFC 9112 sections 6 and 7).
///
/// Trailer fields are checked and dropped: merged into the header they could replace what was checked there (RFC 9110
/// section 6.5.1).
struct HTTPBodyReader: Sendable {
    /// The result of one step of reading a body.
    enum Step: Hashable, Sendable {
        /// All input was consumed and the body continues.
        case needsMore
        /// A part of the decoded body, at these indices of the input.
        case piece(Range<Int>)
        /// The body is complete.
        case end
        /// The body violates the protocol.
        case fault(HTTPReadFault)
    }

    private enum Phase: Hashable {
        /// The reader is in a counted body with this number of bytes to come.
        case counted(Int)
        /// The reader is in a body that ends when the connection closes.
        case untilClose
        /// The reader expects the line with a chunk's size.
        case chunkLine
        /// The reader is in a chunk with this number of bytes to come.
        case chunk(Int)
        /// The reader expects the line end behind a chunk.
        case chunkEnd
        /// The reader expects trailer lines behind the last chunk.
        case trailers
        /// The body is complete.
        case whole
    }

    private let limits: HTTPBodyLimits
    private var phase: Phase
    private var buffer = HTTPHeadBuffer()
    private var decodedBytes = 0
    private var extensionBytes = 0

    private init(_ phase: Phase, _ limits: HTTPBodyLimits) {
        self.phase = phase
        self.limits = limits
    }

    /// Makes the reader of a body of `count` bytes.
    static func counted(_ count: Int, _ limits: HTTPBodyLimits) -> HTTPBodyReader {
        HTTPBodyReader(count == 0 ? .whole : .counted(count), limits)
    }

    /// Makes the reader of a body in chunks.
    static func chunked(_ limits: HTTPBodyLimits) -> HTTPBodyReader { HTTPBodyReader(.chunkLine, limits) }

    /// Makes the reader of a body that ends when the connection closes.
    static func untilClose(_ limits: HTTPBodyLimits) -> HTTPBodyReader { HTTPBodyReader(.untilClose, limits) }

    /// True when the body is complete if the connection closes now.
    var endsWithConnection: Bool { phase == .untilClose }

    mutating func next(in input: Span<UInt8>, from position: inout Int) -> Step {
        while true {
            switch phase {
            case .whole: return .end
            case .counted(let left):
                guard let piece = take(left, in: input, from: &position) else { return .needsMore }
                phase = piece.count == left ? .whole : .counted(left - piece.count)
                return .piece(piece)
            case .chunk(let left):
                guard let piece = take(left, in: input, from: &position) else { return .needsMore }
                phase = piece.count == left ? .chunkEnd : .chunk(left - piece.count)
                return .piece(piece)
            case .untilClose:
                // The bytes within the limit are reported before the fault, however the input is cut.
                let room = limits.bodyBytes - decodedBytes
                guard room > 0 || position == input.count else { return .fault(Self.tooLarge) }
                guard let piece = take(room, in: input, from: &position) else { return .needsMore }
                decodedBytes += piece.count
                return .piece(piece)
            case .chunkLine, .chunkEnd, .trailers:
                if let step = takeLine(in: input, from: &position) { return step }
            }
        }
    }

    private func take(_ count: Int, in input: Span<UInt8>, from position: inout Int) -> Range<Int>? {
        let start = position
        position += min(count, input.count - position)
        return start == position ? nil : start..<position
    }

    private static let tooLarge = HTTPReadFault(.bodyTooLarge, "The body is too large.")
    private static let malformedSize = HTTPReadFault(.malformed, "The size of a chunk is malformed.")

    /// Reads a line of the framing; nil when reading continues in the next phase.
    private mutating func takeLine(in input: Span<UInt8>, from position: inout Int) -> Step? {
        let (lineBytes, allBytes) =
            switch phase {
            case .chunkLine: (limits.chunkLineBytes, Int.max)
            case .trailers: (limits.trailerBytes, limits.trailerBytes)
            default: (0, Int.max)
            }
        switch buffer.takeLine(in: input, from: &position, lineBytes: lineBytes, allBytes: allBytes) {
        case .incomplete: return .needsMore
        case .fault(let fault): return .fault(fault)
        case .lineTooLong, .tooLarge: return .fault(faultOfLength)
        case .line: break
        }
        switch phase {
        case .chunkLine: return takeChunkSize()
        case .trailers: return takeTrailer()
        default:
            phase = .chunkLine
            return nil
        }
    }

    private var faultOfLength: HTTPReadFault {
        switch phase {
        case .chunkLine: HTTPReadFault(.malformed, "The line of a chunk's size is too long.")
        case .trailers: HTTPReadFault(.headerTooLarge, "The trailer section is too large.")
        default: HTTPReadFault(.malformed, "A chunk is longer than it says.")
        }
    }

    private mutating func takeChunkSize() -> Step? {
        guard let line = HTTPChunkLine(buffer.bytes, buffer.line) else { return .fault(Self.malformedSize) }
        extensionBytes += line.extensionBytes
        guard extensionBytes <= limits.extensionBytes else {
            return .fault(HTTPReadFault(.malformed, "The extensions of chunks are too large."))
        }
        guard line.size <= UInt64(limits.bodyBytes - decodedBytes) else { return .fault(Self.tooLarge) }
        let size = Int(line.size)
        decodedBytes += size
        if size > 0 {
            buffer.dropLine()
            phase = .chunk(size)
        } else {
            buffer = HTTPHeadBuffer()
            phase = .trailers
        }
        return nil
    }

    /// The names of fields that decide on framing, routing or connection, and are therefore refused in a trailer.
    private static let refusedTrailers = [
        "content-length", "transfer-encoding", "host", "connection", "trailer", "te", "upgrade",
    ]

    private mutating func takeTrailer() -> Step? {
        if buffer.line.isEmpty {
            buffer = HTTPHeadBuffer()
            phase = .whole
            return nil
        }
        guard let name = buffer.fieldName() else {
            return .fault(HTTPReadFault(.malformed, "A trailer field is malformed."))
        }
        guard !Self.refusedTrailers.contains(where: { buffer.bytes.isSame(name, $0) }) else {
            return .fault(HTTPReadFault(.malformed, "A trailer field stands that must not stand there."))
        }
        buffer.dropLine()
        return nil
    }
}

/// The chunk-size line: size and extensions, which are ignored (RFC 9112 section 7.1).
struct HTTPChunkLine {
    let size: UInt64
    let extensionBytes: Int

    /// Reads a chunk-size line; nil for a size that is not 1 to 16 hexadecimal digits, or malformed extensions.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        var (index, size) = (line.lowerBound, UInt64(0))
        while index < line.upperBound, let digit = ASCIIByteClass.hexValue(bytes[index]) {
            guard index - line.lowerBound < 16 else { return nil }
            size = size << 4 | UInt64(digit)
            index += 1
        }
        guard index > line.lowerBound else { return nil }
        var extensions = HTTPChunkExtensions(bytes, index..<line.upperBound)
        guard extensions.areValid() else { return nil }
        self.size = size
        extensionBytes = line.upperBound - index
    }
}

/// Checks chunk extensions: `*( BWS ";" BWS token [ BWS "=" BWS (token / quoted-string) ] )` (RFC 9112 section 7.1.1).
private struct HTTPChunkExtensions {
    private let bytes: [UInt8]
    private var index: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        index = range.lowerBound
        end = range.upperBound
    }

    mutating func areValid() -> Bool {
        while index < end {
            skipBlanks()
            guard take(UInt8(ascii: ";")) else { return false }
            skipBlanks()
            guard takeToken() else { return false }
            let afterName = index
            skipBlanks()
            guard take(UInt8(ascii: "=")) else {
                index = afterName
                continue
            }
            skipBlanks()
            guard take(UInt8(ascii: "\"")) ? takeQuoted() : takeToken() else { return false }
        }
        return true
    }

    private mutating func skipBlanks() {
        while index < end, ASCIIByteClass.isBlank(bytes[index]) { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < end, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func takeToken() -> Bool {
        let start = index
        while index < end, ASCIIByteClass.token.holds(bytes[index]) { index += 1 }
        return index > start
    }

    /// Skips the rest of a quoted string, from behind its first quotation mark.
    private mutating func takeQuoted() -> Bool {
        while index < end {
            let byte = bytes[index]
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return true }
        }
        return false
    }
}
