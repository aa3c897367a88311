/// The parts of values that a client has prepared and not yet executed.
struct PreparedWrites: Sendable {
    private struct PreparedWrite: Sendable {
        let handle: UInt16
        let offset: Int
        let value: [UInt8]
    }

    private var parts: [PreparedWrite] = []

    /// Queues a part; false when there are too many, or too many bytes.
    mutating func add(
        _ value: [UInt8], at offset: Int, of handle: UInt16, maximumParts: Int, maximumBytes: Int
    ) -> Bool {
        let bytes = parts.reduce(value.count) { $0 + $1.value.count }
        guard parts.count < maximumParts, bytes <= maximumBytes else { return false }
        parts.append(PreparedWrite(handle: handle, offset: offset, value: value))
        return true
    }

    /// Joins the parts of each attribute, in the order of its first part.
    ///
    /// A value grows from nothing, because written values are handed out and not stored: a part may overlap what came
    /// before it and may not leave a gap.
    func assembled() throws(ATTRefusal) -> [(handle: UInt16, value: [UInt8])] {
        var values: [(handle: UInt16, value: [UInt8])] = []
        for part in parts {
            let index = values.firstIndex { $0.handle == part.handle } ?? values.count
            if index == values.count { values.append((part.handle, [])) }
            let count = values[index].value.count
            guard part.offset <= count else { throw ATTRefusal(error: .invalidOffset, handle: part.handle) }
            let end = part.offset + part.value.count
            guard end <= ATTPDU.maximumValueBytes else {
                throw ATTRefusal(error: .invalidValueLength, handle: part.handle)
            }
            values[index].value.replaceSubrange(part.offset..<min(end, count), with: part.value)
        }
        return values
    }
}
