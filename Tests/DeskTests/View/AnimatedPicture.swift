/// Builders of pictures with frames; what stands for the data of the frames is no picture.
enum AnimatedPicture {
    /// A GIF of a logical screen with frames: the offset from left and top, width and height.
    static func gif(_ width: Int, _ height: Int, _ frames: [(Int, Int, Int, Int)]) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + little(width, 2) + little(height, 2)
        bytes += [0x81, 0, 0] + [UInt8](repeating: 9, count: 12)
        for (left, top, width, height) in frames {
            bytes += [0x21, 0xF9, 4, 0, 0, 0, 0, 0, 0x2C]
            for number in [left, top, width, height] { bytes += little(number, 2) }
            bytes += [0x80] + [UInt8](repeating: 7, count: 6)
            bytes += [2, 3, 0x2C, 0x21, 0x3B, 1, 0, 0]
        }
        return bytes + [0x3B]
    }

    /// A PNG that begins with `head`, and has a frame control for each size.
    static func apng(_ head: [UInt8], _ frames: [(Int, Int)]) -> [UInt8] {
        var bytes = head
        for (width, height) in frames {
            bytes += big(26) + Array("fcTL".utf8) + big(0)
            bytes += big(width) + big(height) + [UInt8](repeating: 0, count: 18)
        }
        return bytes + big(0) + Array("IDAT".utf8) + big(0)
    }

    /// A WebP with a canvas and frames: the size in the frame's chunk, and that of the picture in it.
    ///
    /// Each frame ends with a chunk that says to be longer than the frame.
    static func webp(_ width: Int, _ height: Int, _ frames: [(Int, Int, (Int, Int))]) -> [UInt8] {
        var bytes = Array("RIFF0000WEBP".utf8)
        bytes += chunk("VP8X", [2, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
        for (width, height, inner) in frames {
            var body = [UInt8](repeating: 0, count: 6) + little(width - 1, 3) + little(height - 1, 3)
            body += [0, 0, 0, 0] + chunk("JUNK", [1, 0])
            body += chunk("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A] + little(inner.0, 2) + little(inner.1, 2))
            body += Array("TAIL".utf8) + little(1 << 24, 4)
            bytes += chunk("ANMF", body)
        }
        return bytes
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(body.count, 4) + body
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func big(_ value: Int) -> [UInt8] { little(value, 4).reversed() }
}
