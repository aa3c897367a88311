/// Collects header lines that end with CR LF, and the positions of their fields (RFC 9112 sections 2.2 and 5).
struct HTTPHeadBuffer: Sendable {
    /// The result of reading bytes into the header buffer.
    enum HeadReadResult: Hashable, Sendable {
        /// The line is incomplete; all bytes were consumed.
        case incomplete
        /// A line is complete; `line` has its range.
        case line
        /// The line is longer than allowed.
        case lineTooLong
        /// All lines together are longer than the limit.
        case tooLarge
        /// The line has a byte that no line may hold.
        case fault(HTTPReadFault)
    }

    /// The bytes of all lines without their ends.
    private(set) var bytes: [UInt8] = []
    private var places: [HTTPFieldList.FieldRanges] = []
    private var lineStart = 0
    private var takenBytes = 0
    private var hasReturn = false

    /// True when no byte was read into the buffer.
    var isEmpty: Bool { takenBytes == 0 }

    /// The range of `bytes` in which the present line lies.
    var line: Range<Int> { lineStart..<bytes.count }

    /// Reads bytes up to the end of a line, which is CR LF and nothing else.
    ///
    /// - Parameters:
    ///   - lineBytes: The most bytes of this line, without its end.
    ///   - allBytes: The most bytes of all lines, with their ends.
    mutating func takeLine(
        in input: Span<UInt8>, from position: inout Int, lineBytes: Int, allBytes: Int
    ) -> HeadReadResult {
        while position < input.count {
            if hasReturn {
                guard input[position] == 10 else {
                    return .fault(HTTPReadFault(.malformed, "A carriage return stands alone."))
                }
                guard takenBytes < allBytes else { return .tooLarge }
                position += 1
                takenBytes += 1
                hasReturn = false
                return .line
            }
            let end = input.endOfText(from: position)
            if end > position {
                let (lineRoom, room) = (lineBytes - line.count, allBytes - takenBytes)
                if end - position > min(lineRoom, room) { return lineRoom <= room ? .lineTooLong : .tooLarge }
                if bytes.isEmpty { bytes.reserveCapacity(min(input.count - position, allBytes, 1024)) }
                bytes.append(input, position..<end)
                takenBytes += end - position
                position = end
            }
            guard position < input.count else { return .incomplete }
            guard input[position] == 13 else {
                let reason =
                    input[position] == 10 ? "A line feed stands alone." : "A control character stands in a line."
                return .fault(HTTPReadFault(.malformed, reason))
            }
            // A line that leaves no room for its end is too large when the line feed comes.
            position += 1
            takenBytes += 1
            hasReturn = true
        }
        return .incomplete
    }

    /// Stores the present line and begins the next one.
    mutating func keepLine() { lineStart = bytes.count }

    /// Discards the present line.
    mutating func dropLine() { bytes.removeLast(line.count) }

    /// Stores the present line as a field; false when it is malformed.
    ///
    /// A name is a token with the colon right behind it; a line that begins with a blank, obsolete line folding, is
    /// malformed (RFC 9112 sections 5.1 and 5.2).
    mutating func keepField() -> Bool {
        guard let name = fieldName() else { return false }
        let value = bytes.trimmed(name.upperBound + 1..<bytes.count)
        if places.isEmpty { places.reserveCapacity(12) }
        places.append(
            HTTPFieldList.FieldRanges(
                nameStart: UInt32(name.lowerBound), nameEnd: UInt32(name.upperBound),
                valueStart: UInt32(value.lowerBound), valueEnd: UInt32(value.upperBound)))
        keepLine()
        return true
    }

    /// Returns the range of the field name in the present line; nil when the line is no field.
    func fieldName() -> Range<Int>? {
        var end = lineStart
        while end < bytes.count, ASCIIByteClass.token.holds(bytes[end]) { end += 1 }
        guard end > lineStart, end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return nil }
        return lineStart..<end
    }

    /// Returns the stored fields and empties the buffer without keeping its memory.
    mutating func takeFields() -> HTTPFieldList {
        let fields = HTTPFieldList(bytes: bytes, places: places)
        self = HTTPHeadBuffer()
        return fields
    }

    /// The fields stored so far, without a copy.
    var fields: HTTPFieldList { HTTPFieldList(bytes: bytes, places: places) }
}
