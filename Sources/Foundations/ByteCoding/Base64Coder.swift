/// Encodes and decodes base 64 in all its forms, by tables for speed: every message is coded by it.
enum Base64Coder {
    static let padding = UInt8(ascii: "=")

    static func encode(_ bytes: some Sequence<UInt8>, alphabet: Base64Alphabet, isPadded: Bool) -> String {
        var text: [UInt8] = []
        append(Array(bytes), to: &text, alphabet: alphabet, isPadded: isPadded)
        return String(decoding: text, as: UTF8.self)
    }

    static func append(
        _ bytes: some Collection<UInt8>, to text: inout [UInt8], alphabet: Base64Alphabet, isPadded: Bool
    ) {
        let appended: Void? = bytes.withContiguousStorageIfAvailable {
            append($0, to: &text, alphabet, isPadded)
        }
        if appended == nil { Array(bytes).withUnsafeBufferPointer { append($0, to: &text, alphabet, isPadded) } }
    }

    private static func append(
        _ bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8], _ alphabet: Base64Alphabet, _ isPadded: Bool
    ) {
        let (groups, rest) = bytes.count.quotientAndRemainder(dividingBy: 3)
        let start = text.count
        text.append(contentsOf: repeatElement(padding, count: groups * 4 + (rest == 0 ? 0 : isPadded ? 4 : rest + 1)))
        text.withUnsafeMutableBytes { text in
            let output = UnsafeMutableRawBufferPointer(rebasing: text[start...])
            alphabet.pairs.withUnsafeBufferPointer { pairs in
                let done = encodeGroups(UnsafeRawBufferPointer(bytes), into: output, pairs: pairs)
                encodeRest(
                    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[done...]),
                    into: UnsafeMutableRawBufferPointer(rebasing: output[(done / 3 * 4)...]), pairs: pairs)
            }
        }
    }

    /// Encodes six bytes at a time while at least eight are left to load; returns the number of bytes encoded.
    private static func encodeGroups(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
        pairs: UnsafeBufferPointer<UInt16>
    ) -> Int {
        var source = 0
        var target = 0
        while bytes.count - source >= 8 {
            let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: source, as: UInt64.self))
            let low = UInt32(pairs[Int(word >> 52)]) | UInt32(pairs[Int(word >> 40 & 0xFFF)]) << 16
            let high = UInt32(pairs[Int(word >> 28 & 0xFFF)]) | UInt32(pairs[Int(word >> 16 & 0xFFF)]) << 16
            let digits = UInt64(low) | UInt64(high) << 32
            output.storeBytes(of: digits.littleEndian, toByteOffset: target, as: UInt64.self)
            source += 6
            target += 8
        }
        return source
    }

    /// Encodes the last bytes, fewer than eight, after `encodeGroups`.
    private static func encodeRest(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
        pairs: UnsafeBufferPointer<UInt16>
    ) {
        var target = 0
        for start in stride(from: 0, to: bytes.count, by: 3) {
            var bits = UInt32(bytes[start]) << 16
            if start + 1 < bytes.count { bits |= UInt32(bytes[start + 1]) << 8 }
            if start + 2 < bytes.count { bits |= UInt32(bytes[start + 2]) }
            let digits = UInt32(pairs[Int(bits >> 12)]) | UInt32(pairs[Int(bits & 0xFFF)]) << 16
            for position in 0..<min(4, bytes.count - start + 1) {
                output[target] = UInt8(truncatingIfNeeded: digits >> (8 * UInt32(position)))
                target += 1
            }
        }
    }

    static func read(_ text: some StringProtocol, _ digits: Base64Digits) -> [UInt8]? {
        let result = text.utf8.withContiguousStorageIfAvailable { decodeWhole($0, digits) }
        return result ?? Array(text.utf8).withUnsafeBufferPointer { decodeWhole($0, digits) }
    }

    private static func decodeWhole(_ text: UnsafeBufferPointer<UInt8>, _ digits: Base64Digits) -> [UInt8]? {
        guard let (bytes, end) = decodeRun(text[...], digits, room: 0), end == text.count else { return nil }
        return bytes
    }

    /// Decodes the run of base 64 digits that begins `text`; returns its bytes and the index behind run and padding.
    static func decodeRun(
        _ text: Slice<UnsafeBufferPointer<UInt8>>, _ digits: Base64Digits, room: Int
    ) -> (bytes: [UInt8], end: Int)? {
        let characters = UnsafeBufferPointer(rebasing: text)
        var end = 0
        var isValid = false
        // Whole words are stored, so there must be room for the two bytes at their end that are not meant.
        let bytes = [UInt8](unsafeUninitializedCapacity: characters.count / 4 * 3 + 8 + room) { buffer, count in
            let output = UnsafeMutableRawBufferPointer(buffer)
            end = digits.groups.withUnsafeBufferPointer { decodeGroups(characters, into: output, groups: $0) }
            count = end / 4 * 3
            isValid = decodeRest(characters, digits, from: &end, into: buffer, count: &count)
        }
        return isValid ? (bytes, text.startIndex + end) : nil
    }

    /// Decodes whole groups of four digits up to the first group with another character; returns that group's index.
    private static func decodeGroups(
        _ text: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableRawBufferPointer,
        groups: UnsafeBufferPointer<UInt32>
    ) -> Int {
        var source = 0
        var target = 0
        while text.count - source >= 8 {
            let first = group(text, source, groups)
            let second = group(text, source + 4, groups)
            guard (first | second) & Base64Digits.none == 0 else { break }
            let word = UInt64(first) << 40 | UInt64(second) << 16
            output.storeBytes(of: word.bigEndian, toByteOffset: target, as: UInt64.self)
            source += 8
            target += 6
        }
        while text.count - source >= 4 {
            let bits = group(text, source, groups)
            guard bits & Base64Digits.none == 0 else { break }
            output.storeBytes(of: (bits << 8).bigEndian, toByteOffset: target, as: UInt32.self)
            source += 4
            target += 3
        }
        return source
    }

    private static func group(
        _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ groups: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        groups[Int(text[start])] | groups[256 + Int(text[start + 1])] | groups[512 + Int(text[start + 2])]
            | groups[768 + Int(text[start + 3])]
    }

    /// Decodes up to three last digits and their padding; false for a single digit, loose bits or wrong padding.
    private static func decodeRest(
        _ text: UnsafeBufferPointer<UInt8>, _ digits: Base64Digits, from end: inout Int,
        into output: UnsafeMutableBufferPointer<UInt8>, count: inout Int
    ) -> Bool {
        var bits: UInt32 = 0
        var digitCount = 0
        while end < text.count, let value = digits.value(of: text[end]) {
            bits = bits << 6 | value
            digitCount += 1
            end += 1
        }
        let start = end
        while end < text.count, text[end] == padding { end += 1 }
        guard digitCount != 1, start == end || (digitCount > 0 && digitCount + end - start == 4) else { return false }
        let looseBits = UInt32(digitCount * 6 % 8)
        guard bits & (1 << looseBits - 1) == 0 else { return false }
        bits >>= looseBits
        for position in (0..<digitCount * 6 / 8).reversed() {
            output[count] = UInt8(truncatingIfNeeded: bits >> (8 * UInt32(position)))
            count += 1
        }
        return true
    }
}
