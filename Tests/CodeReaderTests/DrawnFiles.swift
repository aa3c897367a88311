import ByteCoding
import Compression

@testable import CodeReader

/// A PNG that a test writes, faults included.
struct DrawnPNG {
    var width: Int
    var height: Int
    var bitDepth = 8
    var colourType: PNGHeader.ColourType = .grey
    var isInterlaced = false
    /// The filter of a row, by its number within its pass.
    var filter: (Int) -> UInt8 = { _ in 0 }
    /// Chunks between the header and the data.
    var middle: [UInt8] = []

    /// Writes the file; `pixel` gives the samples of a pixel, of which each is as wide as the bit depth.
    func bytes(_ pixel: (_ row: Int, _ column: Int) -> [Int]) throws -> [UInt8] {
        let header = try self.header
        var rows: [UInt8] = []
        for pass in header.passes {
            var above = [UInt8](repeating: 0, count: pass.rowBytes)
            for row in 0..<pass.rows {
                let samples = (0..<pass.columns).flatMap {
                    pixel(pass.row + row * pass.rowStep, pass.column + $0 * pass.columnStep)
                }
                let packed = Self.packed(samples, bitDepth)
                rows.append(filter(row))
                rows += Self.filtered(packed, above, filter(row), max(1, header.bitsPerPixel / 8))
                above = packed
            }
        }
        return try start + middle + Self.chunk("IDAT", Zlib.compress(rows)) + Self.chunk("IEND", [])
    }

    var header: PNGHeader { get throws { try PNGHeader(of: start) } }

    /// The signature and the chunk IHDR.
    var start: [UInt8] {
        var content: [UInt8] = []
        content.appendBigEndian(UInt32(width))
        content.appendBigEndian(UInt32(height))
        content += [UInt8(bitDepth), colourType.rawValue, 0, 0, isInterlaced ? 1 : 0]
        return PNGHeader.signature + Self.chunk("IHDR", content)
    }

    static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt32(content.count))
        bytes += name.utf8
        bytes += content
        bytes.appendBigEndian(CRC32.checksum(of: bytes[4...]))
        return bytes
    }

    private static func packed(_ samples: [Int], _ depth: Int) -> [UInt8] {
        if depth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
        var bytes = [UInt8](repeating: 0, count: (samples.count * depth + 7) / 8)
        for (index, sample) in samples.enumerated() {
            bytes[index * depth / 8] |= UInt8(sample << (8 - depth - index * depth % 8))
        }
        return bytes
    }

    private static func filtered(_ row: [UInt8], _ above: [UInt8], _ filter: UInt8, _ distance: Int) -> [UInt8] {
        row.indices.map { index in
            let left = index < distance ? 0 : Int(row[index - distance])
            let corner = index < distance ? 0 : Int(above[index - distance])
            let upper = Int(above[index])
            let estimate = left + upper - corner
            let nearest = [left, upper, corner].enumerated().min {
                (abs(estimate - $0.element), $0.offset) < (abs(estimate - $1.element), $1.offset)
            }
            let prediction =
                switch filter {
                case 1: left
                case 2: upper
                case 3: (left + upper) / 2
                case 4: nearest?.element ?? 0
                default: 0
                }
            return row[index] &- UInt8(prediction)
        }
    }
}

/// A JPEG that a test writes: each block of eight by eight pixels has one level, and so only the first frequency.
struct DrawnJPEG {
    /// The number of blocks in a row.
    var columns: Int
    /// The number of rows of blocks.
    var rows: Int
    var isProgressive = false
    var componentCount = 1
    var frameMarker: UInt8?
    var precision: UInt8 = 8
    /// Segments between the first marker and the frame.
    var middle: [UInt8] = []

    /// Writes the file; `level` gives the brightness of a block.
    func bytes(_ level: (_ row: Int, _ column: Int) -> UInt8) -> [UInt8] {
        // Without the scans of the other frequencies a decoder smooths the blocks.
        let others = isProgressive ? (1...componentCount).flatMap { emptyScan(of: UInt8($0)) } : []
        return start + scan(level) + others + [0xFF, 0xD9]
    }

    /// All before the first scan: the tables have one quantum of 8, twelve codes of four bits, and one of one bit.
    var start: [UInt8] {
        [0xFF, 0xD8] + middle + Self.segment(0xDB, [0] + Array(repeating: 8, count: 64)) + frame
            + Self.segment(0xC4, [0x00, 0, 0, 0, 12] + Array(repeating: 0, count: 12) + Array(0...11))
            + Self.segment(0xC4, [0x10, 1] + Array(repeating: 0, count: 15) + [0])
    }

    var frame: [UInt8] {
        let size = [8 * rows, 8 * columns].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let components = (0..<componentCount).flatMap { number -> [UInt8] in [UInt8(number + 1), 0x11, 0] }
        return Self.segment(
            frameMarker ?? (isProgressive ? 0xC2 : 0xC0), [precision] + size + [UInt8(componentCount)] + components)
    }

    func scan(_ level: (_ row: Int, _ column: Int) -> UInt8) -> [UInt8] {
        var bits = DrawnBits()
        var last = [Int](repeating: 0, count: componentCount)
        for row in 0..<rows {
            for column in 0..<columns {
                for component in 0..<componentCount {
                    // The components of colour are at their middle.
                    let value = component == 0 ? Int(level(row, column)) - 128 : 0
                    let difference = value - last[component]
                    last[component] = value
                    let size = Int.bitWidth - abs(difference).leadingZeroBitCount
                    bits.append(size, count: 4)
                    bits.append(difference < 0 ? difference + (1 << size) - 1 : difference, count: size)
                    if !isProgressive { bits.append(0, count: 1) }
                }
            }
        }
        let components = (0..<componentCount).flatMap { number -> [UInt8] in [UInt8(number + 1), 0] }
        let header = [UInt8(componentCount)] + components + [0, isProgressive ? 0 : 63, 0]
        return Self.segment(0xDA, header) + bits.stuffed
    }

    /// A scan of all frequencies but the first, in which each block is at its end.
    private func emptyScan(of component: UInt8) -> [UInt8] {
        var bits = DrawnBits()
        for _ in 0..<rows * columns { bits.append(0, count: 1) }
        return Self.segment(0xDA, [1, component, 0, 1, 63, 0]) + bits.stuffed
    }

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    }
}

/// The bits of a scan.
private struct DrawnBits {
    private var bits: [Bool] = []

    mutating func append(_ value: Int, count: Int) {
        for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
    }

    /// The bits as bytes, filled up with ones, with a zero after each byte 0xFF.
    var stuffed: [UInt8] {
        stride(from: 0, to: bits.count, by: 8).flatMap { start -> [UInt8] in
            let byte = (start..<start + 8).reduce(UInt8(0)) { $0 << 1 | ($1 >= bits.count || bits[$1] ? 1 : 0) }
            return byte == 0xFF ? [0xFF, 0] : [byte]
        }
    }
}
