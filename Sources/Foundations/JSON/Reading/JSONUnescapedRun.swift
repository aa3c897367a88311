/// Finds the end of the part of a JSON string that has no escapes, eight bytes at a time.
enum JSONUnescapedRun {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Returns the index of the first byte, from `start` on, that cannot be copied unchanged, or the end.
    ///
    /// A quotation mark, a backslash, a control character, or with `stopsAtMultibyte` a byte beyond ASCII.
    static func end(in bytes: UnsafeBufferPointer<UInt8>, from start: Int, stopsAtMultibyte: Bool) -> Int {
        let raw = UnsafeRawBufferPointer(bytes)
        let stopping = stopsAtMultibyte ? highs : 0
        var position = start
        while raw.count - position >= 8 {
            let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            // Each term has a high bit set in some byte exactly when some byte is what it looks for.
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            let found =
                (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes | (word &- ones &* 0x20) & ~word
            if found & highs | word & stopping != 0 { break }
            position += 8
        }
        while position < raw.count {
            let byte = raw[position]
            if byte == 0x22 || byte == 0x5C || byte < 0x20 || (stopsAtMultibyte && byte >= 0x80) { break }
            position += 1
        }
        return position
    }
}
