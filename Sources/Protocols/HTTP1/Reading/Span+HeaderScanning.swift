// Runs of bytes handled eight at a time. No other file of this module uses memory without bounds checks.

extension Span<UInt8> {
    /// Returns the index from `start` of the first byte that header text may not hold, or `count`.
    func endOfText(from start: Int) -> Int {
        // Swift 6.2 takes the same line as safe, and complains of the word.
        #if compiler(>=6.3)
            let bytes = unsafe self.bytes
        #else
            let bytes = self.bytes
        #endif
        var index = start
        let ones: UInt64 = 0x0101_0101_0101_0101
        while index + 8 <= count {
            let word = unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            // The high bit of each byte below 0x20, and of each byte 0x7F; a tab is sorted out below.
            let controls = (word &- ones &* 0x20) & ~word
            let deletes = word ^ (ones &* 0x7F)
            let found = (controls | ((deletes &- ones) & ~deletes)) & (ones &* 0x80)
            guard found != 0 else {
                index += 8
                continue
            }
            // The lowest mark is exact, the others may be borrowed from it.
            index += found.trailingZeroBitCount / 8
            if !ASCIIByteClass.isText(self[index]) { return index }
            index += 1
        }
        while index < count, ASCIIByteClass.isText(self[index]) { index += 1 }
        return index
    }
}

extension [UInt8] {
    /// Appends a part of a span.
    mutating func append(_ span: Span<UInt8>, _ range: Range<Int>) {
        unsafe span.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Applies a mask of RFC 6455 section 5.3 to the bytes from `start`.
    ///
    /// - Parameter mask: The four bytes of the mask, the first one uppermost, which is for the byte at `start`.
    mutating func applyMask(_ mask: UInt32, from start: Int) {
        unsafe withUnsafeMutableBytes { buffer in
            var index = start
            let wide = (UInt64(mask) << 32 | UInt64(mask)).bigEndian
            while index + 8 <= buffer.count {
                let word = unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                unsafe buffer.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
                index += 8
            }
            var rest = mask
            while index < buffer.count {
                unsafe buffer[index] ^= UInt8(truncatingIfNeeded: rest >> 24)
                rest = rest << 8 | rest >> 24
                index += 1
            }
        }
    }

    /// Returns the index from `start` of the first byte above 127, or `count`.
    func endOfASCII(from start: Int) -> Int {
        unsafe withUnsafeBytes { buffer in
            var index = start
            while index + 8 <= buffer.count {
                let word = unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 != 0 { break }
                index += 8
            }
            while index < buffer.count, unsafe buffer[index] < 128 { index += 1 }
            return index
        }
    }
}
