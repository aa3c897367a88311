/// The limits of a body's framing, for requests and responses.
struct BodyLimits: Hashable, Sendable {
    /// The most bytes of the decoded body.
    let bodyBytes: Int
    /// The longest line of a chunk's size with its extensions.
    let chunkLineBytes: Int
    /// The most bytes of extensions of all chunks together.
    let extensionBytes: Int
    /// The most bytes of the trailer section.
    let trailerBytes: Int
}

/// Finds the pieces and the end of a body (RFC 9112 sections 6 and 7).
///
/// Trailer fields are checked and dropped: merged into the header they could replace what was checked there (RFC 9110
/// section 6.5.1).
struct BodyReader: Sendable {
    /// The result of one step of reading a body.
    enum Step: Hashable, Sendable {
        /// All bytes were taken and the body goes on.
        case needsMore
        /// A part of the decoded body, at these indices of the input.
        case piece(Range<Int>)
        /// The body is whole.
        case end
        /// The body breaks a rule.
        case fault(HTTPReadFault)
    }

    private enum Phase: Hashable {
        /// The number of bytes of the body that are still to come.
        case counted(Int)
        /// The end of the connection ends the body.
        case untilClose
        /// The line with a chunk's size.
        case chunkLine
        /// The number of bytes of a chunk that are still to come.
        case chunk(Int)
        /// The line end behind a chunk.
        case chunkEnd
        /// The lines behind the last chunk.
        case trailers
        /// The body is whole.
        case whole
    }

    private let limits: BodyLimits
    private var phase: Phase
    private var buffer = HeadBuffer()
    private var decodedBytes = 0
    private var extensionBytes = 0

    private init(_ phase: Phase, _ limits: BodyLimits) {
        self.phase = phase
        self.limits = limits
    }

    /// A body of `count` bytes.
    static func counted(_ count: Int, _ limits: BodyLimits) -> BodyReader {
        BodyReader(count == 0 ? .whole : .counted(count), limits)
    }

    /// A body in chunks.
    static func chunked(_ limits: BodyLimits) -> BodyReader { BodyReader(.chunkLine, limits) }

    /// A body that ends with the connection.
    static func untilClose(_ limits: BodyLimits) -> BodyReader { BodyReader(.untilClose, limits) }

    /// True when the body is whole if the connection ends now.
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

    /// Takes a line of the framing; nil where the next phase goes on.
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
        guard let line = ChunkLine(buffer.bytes, buffer.line) else { return .fault(Self.malformedSize) }
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
            buffer = HeadBuffer()
            phase = .trailers
        }
        return nil
    }

    /// Fields that decide about framing, routing or the connection, and so cannot stand behind the body.
    private static let refusedTrailers = [
        "content-length", "transfer-encoding", "host", "connection", "trailer", "te", "upgrade",
    ]

    private mutating func takeTrailer() -> Step? {
        if buffer.line.isEmpty {
            buffer = HeadBuffer()
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

/// The line before a chunk: its size and extensions, which have no meaning here (RFC 9112 section 7.1).
struct ChunkLine {
    let size: UInt64
    let extensionBytes: Int

    /// Reads a line; nil for a size that is not 1 to 16 hexadecimal digits, and for extensions outside of the grammar.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        var (index, size) = (line.lowerBound, UInt64(0))
        while index < line.upperBound, let digit = ByteClass.hexValue(bytes[index]) {
            guard index - line.lowerBound < 16 else { return nil }
            size = size << 4 | UInt64(digit)
            index += 1
        }
        guard index > line.lowerBound else { return nil }
        var extensions = ChunkExtensions(bytes, index..<line.upperBound)
        guard extensions.areValid() else { return nil }
        self.size = size
        extensionBytes = line.upperBound - index
    }
}

/// `*( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 section 7.1.1).
private struct ChunkExtensions {
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
        while index < end, ByteClass.isBlank(bytes[index]) { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < end, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func takeToken() -> Bool {
        let start = index
        while index < end, ByteClass.token.holds(bytes[index]) { index += 1 }
        return index > start
    }

    /// Takes the rest of a quoted string, from behind its first quotation mark.
    private mutating func takeQuoted() -> Bool {
        while index < end {
            let byte = bytes[index]
            index += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return true }
        }
        return false
    }
}
