import ByteCoding

/// Memory that a decoder may need for a picture: the largest size that its bytes name, and how many frames it has.
///
/// Every frame is measured: a browser enlarges an animation to a frame that is larger than the size at its head.
struct PictureDecodeCost: Hashable {
    /// The largest width of the picture and of its frames, in pixels.
    private(set) var width = 0
    /// The largest height of the picture and of its frames, in pixels.
    private(set) var height = 0
    /// The number of frames; 1 for a picture that does not move.
    private(set) var frames = 1

    /// The pixels of all frames, each as large as the picture; `Int.max` when there are more.
    var pixels: Int {
        let (area, isLarge) = width.multipliedReportingOverflow(by: height)
        let (pixels, isLarger) = area.multipliedReportingOverflow(by: frames)
        return isLarge || isLarger ? .max : pixels
    }

    /// Measures a picture; nil when its bytes are not of that kind or end before its frames do.
    init?(_ kind: PictureFormat, _ bytes: [UInt8]) {
        let reader = PictureByteReader(bytes)
        let isWhole =
            switch kind {
            case .jpeg: measureJPEG(reader)
            case .png: measurePNG(reader)
            case .webp: measureWebP(reader)
            case .gif: measureGIF(reader)
            case .jpeg2000: bytes.first == 0 ? measureBoxed(reader) : measureCodestream(reader)
            }
        guard isWhole, width > 0, height > 0 else { return nil }
    }

    private mutating func take(_ width: Int?, _ height: Int?) {
        self.width = max(self.width, width ?? 0)
        self.height = max(self.height, height ?? 0)
    }

    /// Measures a JPEG by the largest of all its frame headers, because a decoder might use any of them.
    private mutating func measureJPEG(_ bytes: PictureByteReader) -> Bool {
        var index = 2
        while let first = bytes[index], let marker = bytes[index + 1] {
            switch (first, marker) {
            case (0xFF, 0xFF): index += 1
            case (0xFF, 0x00), (0xFF, 0x01), (0xFF, 0xD0...0xD8): index += 2
            case (0xFF, 0xD9): return true
            case (0xFF, _):
                guard let length = bytes.big(at: index + 2, 2) else { return true }
                guard length >= 2 else { return false }
                if Self.isFrame(marker) {
                    guard let height = bytes.big(at: index + 5, 2), let width = bytes.big(at: index + 7, 2) else {
                        return false
                    }
                    take(width, height)
                }
                index += 2 + length
            default: index += 1
            }
        }
        return true
    }

    private static func isFrame(_ marker: UInt8) -> Bool {
        switch marker {
        case 0xC4, 0xC8, 0xCC: false
        case 0xC0...0xCF: true
        default: false
        }
    }

    /// Measures a PNG by its header and the frame controls of an animated one (third edition, section 11.3.6.2).
    private mutating func measurePNG(_ bytes: PictureByteReader) -> Bool {
        guard bytes.isName("IHDR", at: 12), bytes[32] != nil else { return false }
        var (index, controls) = (8, 0)
        while let length = bytes.big(at: index, 4) {
            if bytes.isName("IHDR", at: index + 4) {
                take(bytes.big(at: index + 8, 4), bytes.big(at: index + 12, 4))
            } else if bytes.isName("fcTL", at: index + 4) {
                controls += 1
                take(bytes.big(at: index + 12, 4), bytes.big(at: index + 16, 4))
            }
            index += 12 + length
        }
        // The picture that older decoders show need not be one of the frames.
        frames = 1 + controls
        return true
    }

    /// Measures a WebP by the canvas of an extended file and each picture in it (RFC 9649).
    private mutating func measureWebP(_ bytes: PictureByteReader) -> Bool {
        guard ["VP8X", "VP8L", "VP8 "].contains(where: { bytes.isName($0, at: 12) }) else {
            return false
        }
        var (index, animated) = (12, 0)
        while let length = bytes.little(at: index + 4, 4) {
            measureWebPChunk(bytes, at: index)
            let body = index + 8
            index = body + length + length % 2
            guard bytes.isName("ANMF", at: body - 8) else { continue }
            animated += 1
            take(bytes.little(at: body + 6, 3).map { $0 + 1 }, bytes.little(at: body + 9, 3).map { $0 + 1 })
            // The picture of a frame stands in chunks behind sixteen bytes.
            var inner = body + 16
            while inner < index, let length = bytes.little(at: inner + 4, 4) {
                measureWebPChunk(bytes, at: inner)
                inner += 8 + length + length % 2
            }
        }
        frames = max(1, animated)
        return true
    }

    private mutating func measureWebPChunk(_ bytes: PictureByteReader, at index: Int) {
        let body = index + 8
        if bytes.isName("VP8X", at: index) {
            take(bytes.little(at: body + 4, 3).map { $0 + 1 }, bytes.little(at: body + 7, 3).map { $0 + 1 })
        } else if bytes.isName("VP8L", at: index), let bits = bytes.little(at: body + 1, 4) {
            take((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        } else if bytes.isName("VP8 ", at: index) {
            take(bytes.little(at: body + 6, 2).map { $0 & 0x3FFF }, bytes.little(at: body + 8, 2).map { $0 & 0x3FFF })
        }
    }

    /// Measures a GIF by its logical screen and each image descriptor (GIF89a, sections 18 and 20), up to the end.
    private mutating func measureGIF(_ bytes: PictureByteReader) -> Bool {
        guard let flags = bytes[10] else { return false }
        take(bytes.little(at: 6, 2), bytes.little(at: 8, 2))
        var (index, pictures) = (13 + Self.tableBytes(flags), 0)
        while let introducer = bytes[index] {
            switch introducer {
            case 0x21: index += 2
            case 0x2C:
                guard let left = bytes.little(at: index + 1, 2), let top = bytes.little(at: index + 3, 2),
                    let width = bytes.little(at: index + 5, 2), let height = bytes.little(at: index + 7, 2),
                    let flags = bytes[index + 9]
                else { return false }
                pictures += 1
                take(left + width, top + height)
                index += 11 + Self.tableBytes(flags)
            case 0x3B:
                frames = pictures
                return pictures > 0
            default: return false
            }
            // Blocks of data, each behind its length, up to an empty one.
            while let length = bytes[index], length > 0 { index += 1 + Int(length) }
            index += 1
        }
        frames = max(1, pictures)
        return pictures > 0
    }

    private static func tableBytes(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

    /// Measures a JPEG 2000 file by its image header box, which comes first in its header box.
    private mutating func measureBoxed(_ bytes: PictureByteReader) -> Bool {
        var index = 12
        while let length = bytes.big(at: index, 4) {
            guard !bytes.isName("jp2h", at: index + 4) else {
                let header = index + 8
                guard bytes.isName("ihdr", at: header + 4) else { return false }
                take(bytes.big(at: header + 12, 4), bytes.big(at: header + 8, 4))
                return true
            }
            guard length >= 8 else { return false }
            index += length
        }
        return false
    }

    /// Measures a JPEG 2000 codestream by its segment SIZ: the reference grid less its offset.
    private mutating func measureCodestream(_ bytes: PictureByteReader) -> Bool {
        guard let right = bytes.big(at: 8, 4), let bottom = bytes.big(at: 12, 4), let left = bytes.big(at: 16, 4),
            let top = bytes.big(at: 20, 4)
        else { return false }
        take(right - left, bottom - top)
        return true
    }
}

/// Bytes that are read at any place; nil past their end.
struct PictureByteReader {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    subscript(index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    /// A number of `count` bytes, the first of the highest order.
    func big(at index: Int, _ count: Int) -> Int? {
        guard index >= 0, index <= bytes.count - count else { return nil }
        return Int(bigEndianBytes: bytes[index..<(index + count)])
    }

    /// A number of `count` bytes, the first of the lowest order.
    func little(at index: Int, _ count: Int) -> Int? {
        guard index >= 0, index <= bytes.count - count else { return nil }
        return Int(littleEndianBytes: bytes[index..<(index + count)])
    }

    /// True when the four letters of `name` are at an index.
    func isName(_ name: String, at index: Int) -> Bool {
        index >= 0 && index <= bytes.count - 4 && bytes[index..<(index + 4)].elementsEqual(name.utf8)
    }
}
