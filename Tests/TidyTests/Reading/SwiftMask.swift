/// Blanks out comments and the contents of string literals, so that rules look at code alone.
///
/// Knows nested block comments, raw and multi-line strings, and interpolations, whose contents are code. Every line
/// keeps its number and every byte its column.
struct SwiftMask {
    private let bytes: UnsafePointer<UInt8>
    private let masked: UnsafeMutablePointer<UInt8>
    private let count: Int
    private var index = 0

    static func code(of bytes: [UInt8]) -> [UInt8] {
        var masked = bytes
        bytes.withUnsafeBufferPointer { source in
            masked.withUnsafeMutableBufferPointer { target in
                guard let bytes = source.baseAddress, let masked = target.baseAddress else { return }
                var mask = SwiftMask(bytes: bytes, masked: masked, count: source.count)
                mask.scanCode(insideInterpolation: false)
            }
        }
        return masked
    }

    private init(bytes: UnsafePointer<UInt8>, masked: UnsafeMutablePointer<UInt8>, count: Int) {
        self.bytes = bytes
        self.masked = masked
        self.count = count
    }

    private mutating func scanCode(insideInterpolation: Bool) {
        var depth = 0
        while index < count {
            // Bytes that matter in code lie between the quote and the slash; all others are skipped without a call.
            if bytes[index] < 34 || bytes[index] > 47 {
                index += 1
                continue
            }
            switch bytes[index] {
            case Byte.slash where isNext(Byte.slash):
                while index < count, bytes[index] != Byte.newline { blank() }
            case Byte.slash where isNext(Byte.star): scanBlockComment()
            case Byte.quote: scanString(hashes: 0)
            case Byte.hash:
                var end = index
                while end < count, bytes[end] == Byte.hash { end += 1 }
                if end < count, bytes[end] == Byte.quote { scanString(hashes: end - index) } else { index = end }
            case Byte.open:
                depth += 1
                index += 1
            case Byte.close where insideInterpolation && depth == 0:
                index += 1
                return
            case Byte.close:
                depth -= 1
                index += 1
            default: index += 1
            }
        }
    }

    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            if bytes[index] == Byte.slash, isNext(Byte.star) {
                depth += 1
                blank(2)
            } else if bytes[index] == Byte.star, isNext(Byte.slash) {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && index < count
    }

    private mutating func scanString(hashes: Int) {
        index += hashes
        let isLong = index + 2 < count && bytes[index + 1] == Byte.quote && bytes[index + 2] == Byte.quote
        let quotes = isLong ? 3 : 1
        index += quotes
        while index < count {
            if bytes[index] == Byte.quote, repeats(Byte.quote, quotes, at: index),
                repeats(Byte.hash, hashes, at: index + quotes)
            {
                index += quotes + hashes
                return
            } else if bytes[index] == Byte.backslash, repeats(Byte.hash, hashes, at: index + 1) {
                let isInterpolation = repeats(Byte.open, 1, at: index + 1 + hashes)
                blank(hashes + 2)
                if isInterpolation { scanCode(insideInterpolation: true) }
            } else if !isLong, bytes[index] == Byte.newline {
                return
            } else {
                blank()
            }
        }
    }

    private func isNext(_ byte: UInt8) -> Bool { index + 1 < count && bytes[index + 1] == byte }

    /// Returns true when `length` bytes from `start` on exist and all equal `byte`.
    private func repeats(_ byte: UInt8, _ length: Int, at start: Int) -> Bool {
        guard start + length <= count else { return false }
        var offset = 0
        while offset < length {
            if bytes[start + offset] != byte { return false }
            offset += 1
        }
        return true
    }

    private mutating func blank() {
        if bytes[index] != Byte.newline { masked[index] = Byte.blank }
        index += 1
    }

    private mutating func blank(_ length: Int) {
        let end = min(index + length, count)
        while index < end { blank() }
    }

    /// The bytes that the masking scan distinguishes; computed, because reading a stored one checks its initialisation.
    private enum Byte {
        /// The byte `\n`.
        static var newline: UInt8 { 10 }
        /// The byte of a blank.
        static var blank: UInt8 { 32 }
        /// The byte `"`.
        static var quote: UInt8 { 34 }
        /// The byte `#`.
        static var hash: UInt8 { 35 }
        /// The byte `(`.
        static var open: UInt8 { 40 }
        /// The byte `)`.
        static var close: UInt8 { 41 }
        /// The byte `*`.
        static var star: UInt8 { 42 }
        /// The byte `/`.
        static var slash: UInt8 { 47 }
        /// The byte `\`.
        static var backslash: UInt8 { 92 }
    }
}
