import ByteCoding
import Compression

extension QRCode {
    /// The symbol with its quiet zone as a PNG image of one bit for each pixel; the same code gives the same bytes.
    ///
    /// Throws `qr.internal` when there is no memory for it.
    ///
    /// - Parameter moduleSize: the width of a module in pixels, 1…64.
    public func png(moduleSize: Int = 8) throws(QRCodeError) -> [UInt8] {
        precondition((1...64).contains(moduleSize), "a module is 1…64 pixels wide")
        let side = (size + 2 * Self.quietZone) * moduleSize
        return try PNGEncoder.encode(width: side, height: side) { row, column in
            !self[row / moduleSize - Self.quietZone, column / moduleSize - Self.quietZone]
        }
    }
}

/// Writes images of black and white pixels (PNG, third edition: colour type 0, bit depth 1, no filter).
enum PNGEncoder {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func encode(
        width: Int, height: Int, isWhite: (_ row: Int, _ column: Int) -> Bool
    ) throws(QRCodeError) -> [UInt8] {
        var header: [UInt8] = []
        header.appendBigEndian(UInt32(width))
        header.appendBigEndian(UInt32(height))
        header += [1, 0, 0, 0, 0]
        var rows: [UInt8] = []
        for row in 0..<height {
            rows.append(0)
            rows += packed(width) { isWhite(row, $0) }
        }
        guard let data = try? Zlib.compress(rows, level: 9) else {
            throw QRCodeError(.internal, "the image could not be compressed")
        }
        return signature + chunk("IHDR", header) + chunk("IDAT", data) + chunk("IEND", [])
    }

    /// Packs eight pixels into a byte, the first in the highest bit.
    private static func packed(_ count: Int, _ isSet: (Int) -> Bool) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        for pixel in 0..<count where isSet(pixel) { bytes[pixel / 8] |= 0x80 >> UInt8(pixel % 8) }
        return bytes
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt32(data.count))
        let body = Array(name.utf8) + data
        bytes += body
        bytes.appendBigEndian(CRC32.checksum(of: body))
        return bytes
    }
}
