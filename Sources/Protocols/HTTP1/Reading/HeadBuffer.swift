/// Collects lines that end with CR LF, and the places of fields in them (RFC 9112 sections 2.2 and 5).
struct HeadBuffer: Sendable {
    /// The result of taking bytes into the buffer.
    enum Outcome: Hashable, Sendable {
        /// The line is not whole; all bytes were taken.
        case incomplete
        /// A line ended; `line` has it.
        case line
        /// The line is longer than allowed.
        case lineTooLong
        /// All lines together are longer than allowed.
        case tooLarge
        /// A byte that no line may hold.
        case fault(HTTPReadFault)
    }

    /// All lines without their ends.
    private(set) var bytes: [UInt8] = []
    private var places: [HTTPFieldList.FieldRanges] = []
    private var lineStart = 0
    private var takenBytes = 0
    private var hasReturn = false

    /// True when no byte was taken.
    var isEmpty: Bool { takenBytes == 0 }

    /// The range of `bytes` in which the present line lies.
    var line: Range<Int> { lineStart..<bytes.count }

    /// Takes bytes up to the end of a line, which is CR LF and nothing else.
    ///
    /// - Parameters:
    ///   - lineBytes: The most bytes of this line, without its end.
    ///   - allBytes: The most bytes of all lines, with their ends.
    mutating func takeLine(
        in input: Span<UInt8>, from position: inout Int, lineBytes: Int, allBytes: Int
    ) -> Outcome {
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

    /// Keeps the present line and begins the next one.
    mutating func keepLine() { lineStart = bytes.count }

    /// Drops the present line.
    mutating func dropLine() { bytes.removeLast(line.count) }

    /// Takes the present line for a field and keeps it; false where it is malformed.
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

    /// The range of the name in the present line; nil where the line is no field.
    func fieldName() -> Range<Int>? {
        var end = lineStart
        while end < bytes.count, ByteClass.token.holds(bytes[end]) { end += 1 }
        guard end > lineStart, end < bytes.count, bytes[end] == UInt8(ascii: ":") else { return nil }
        return lineStart..<end
    }

    /// Hands over the fields that were kept and starts anew, with no memory kept.
    mutating func takeFields() -> HTTPFieldList {
        let fields = HTTPFieldList(bytes: bytes, places: places)
        self = HeadBuffer()
        return fields
    }

    /// The fields so far, without a copy.
    var fields: HTTPFieldList { HTTPFieldList(bytes: bytes, places: places) }
}
