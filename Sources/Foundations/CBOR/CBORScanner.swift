/// Checks CBOR data items against all rules of the reader, without making values.
///
/// The rules are those of RFC 8949, section 5.3.1, and the limits.
struct CBORScanner {
    private let bytes: [UInt8]
    private let limit: Int
    private let limits: CBORLimits
    private var itemCount = 0

    init(_ bytes: [UInt8], limit: Int, limits: CBORLimits) {
        self.bytes = bytes
        self.limit = limit
        self.limits = limits
    }

    /// Checks the item at `start` and all items inside it; returns the index of the first byte after it.
    mutating func check(at start: Int, depth: Int = 0) throws(CBORError) -> Int {
        let head = try CBORHead(bytes, at: start, limit: limit)
        itemCount += 1
        guard itemCount <= limits.maximumItems else {
            throw CBORError(.tooManyItems, offset: start, "there are more items than \(limits.maximumItems)")
        }
        switch head.major {
        case 0, 1: return head.end
        case 2, 3: return head.isIndefinite ? try checkChunks(head) : try checkString(head)
        case 7: return try checkSimple(head, at: start)
        default: break
        }
        guard depth < CBORLimits.maximumDepth else {
            throw CBORError(.tooDeep, offset: start, "items lie deeper in one another than \(CBORLimits.maximumDepth)")
        }
        switch head.major {
        case 4: return try checkArray(head, depth: depth)
        case 5: return try checkMap(head, depth: depth)
        default: return try check(at: head.end, depth: depth + 1)
        }
    }

    private func checkSimple(_ head: CBORHead, at start: Int) throws(CBORError) -> Int {
        if head.isIndefinite { throw CBORError(.strayBreak, offset: start, "a break ends nothing") }
        if head.information == 24, head.argument < 32 {
            throw CBORError(.badSimple, offset: start, "a simple value below 32 takes one byte")
        }
        return head.end
    }

    private func checkString(_ head: CBORHead) throws(CBORError) -> Int {
        guard head.argument <= UInt64(limit - head.end) else {
            throw CBORError(.truncated, offset: limit, "a string is longer than the bytes that follow")
        }
        let end = head.end + Int(head.argument)
        if head.major == 3, String(validating: bytes[head.end..<end], as: UTF8.self) == nil {
            throw CBORError(.notUTF8, offset: head.end, "a text is not UTF-8")
        }
        return end
    }

    private mutating func checkChunks(_ head: CBORHead) throws(CBORError) -> Int {
        var position = head.end
        while try !isBreak(at: position) {
            let chunk = try CBORHead(bytes, at: position, limit: limit)
            guard chunk.major == head.major, !chunk.isIndefinite else {
                throw CBORError(.badChunk, offset: position, "a part of a string is another item")
            }
            itemCount += 1
            guard itemCount <= limits.maximumItems else {
                throw CBORError(.tooManyItems, offset: position, "there are more items than \(limits.maximumItems)")
            }
            position = try checkString(chunk)
        }
        return position + 1
    }

    private mutating func checkArray(_ head: CBORHead, depth: Int) throws(CBORError) -> Int {
        var position = head.end
        var left = try remaining(head, itemsEach: 1)
        while try goesOn(head, &left, at: position) { position = try check(at: position, depth: depth + 1) }
        return head.isIndefinite ? position + 1 : position
    }

    private mutating func checkMap(_ head: CBORHead, depth: Int) throws(CBORError) -> Int {
        var position = head.end
        var left = try remaining(head, itemsEach: 2)
        var keys = CBORMapKeys()
        while try goesOn(head, &left, at: position) {
            let end = try check(at: position, depth: depth + 1)
            keys.add(CBORValue(source: bytes, start: position, end: end))
            position = try check(at: end, depth: depth + 1)
        }
        try keys.refuseDuplicates()
        return head.isIndefinite ? position + 1 : position
    }

    /// Returns the number of elements or entries in a head; throws when the bytes left cannot hold as many.
    private func remaining(_ head: CBORHead, itemsEach: UInt64) throws(CBORError) -> UInt64 {
        guard head.argument <= UInt64(limit - head.end) / itemsEach else {
            throw CBORError(.truncated, offset: limit, "an array or map has more items than bytes follow")
        }
        return head.argument
    }

    private func goesOn(_ head: CBORHead, _ left: inout UInt64, at position: Int) throws(CBORError) -> Bool {
        if head.isIndefinite { return try !isBreak(at: position) }
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    private func isBreak(at position: Int) throws(CBORError) -> Bool {
        guard position < limit else {
            throw CBORError(.truncated, offset: limit, "the bytes end before an item of indefinite length does")
        }
        return bytes[position] == CBORHead.breakByte
    }
}

/// The keys of one map while it is checked: 16 bytes each, so that the memory stays in proportion to the input.
private struct CBORMapKeys {
    private struct MapKeyEntry {
        let hash: Int
        let start: UInt32
        let end: UInt32
    }

    private var entries: [MapKeyEntry] = []
    private var source: [UInt8] = []

    mutating func add(_ key: CBORValue) {
        var hasher = Hasher()
        switch key.content {
        case .unsigned(let number):
            hasher.combine(0)
            hasher.combine(number)
        case .negative(let number):
            hasher.combine(1)
            hasher.combine(number)
        case .bytes(let bytes):
            hasher.combine(2)
            hasher.combine(bytes)
        case .text(let text):
            hasher.combine(3)
            for byte in text.utf8 { hasher.combine(byte) }
        default:
            hasher.combine(4)
            for byte in key.encoding { hasher.combine(byte) }
        }
        if entries.isEmpty { source = key.source }
        entries.append(
            MapKeyEntry(hash: hasher.finalize(), start: UInt32(key.range.lowerBound), end: UInt32(key.range.upperBound))
        )
    }

    mutating func refuseDuplicates() throws(CBORError) {
        entries.sort { ($0.hash, $0.start) < ($1.hash, $1.start) }
        for (first, second) in zip(entries, entries.dropFirst()) where first.hash == second.hash {
            if value(first).isSameKey(as: value(second)) {
                throw CBORError(.duplicateKey, offset: Int(second.start), "a map has two entries of one key")
            }
        }
    }

    private func value(_ entry: MapKeyEntry) -> CBORValue {
        CBORValue(source: source, start: Int(entry.start), end: Int(entry.end))
    }
}

extension CBORValue {
    /// Returns true when two keys mean the same, however they are encoded; texts are compared byte by byte.
    ///
    /// Keys that are no integers, byte strings or texts, which no format here reads, are compared as they are encoded.
    fileprivate func isSameKey(as other: CBORValue) -> Bool {
        switch (content, other.content) {
        case (.unsigned(let left), .unsigned(let right)), (.negative(let left), .negative(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        default: encoding.elementsEqual(other.encoding)
        }
    }
}
