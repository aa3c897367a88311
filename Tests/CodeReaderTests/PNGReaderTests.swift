import Compression
import TestSupport
import Testing

@testable import CodeReader

@Suite struct PNGReaderTests {
    private func read(_ file: [UInt8]) throws(CodeReaderError) -> Luminance {
        try CodePicture(file: file).luminance().pixels
    }

    private func code(_ file: [UInt8]) -> CodeReaderErrorCode? {
        do {
            _ = try read(file)
            return nil
        } catch { return error.code }
    }

    /// A value that differs from pixel to pixel.
    private func sample(_ row: Int, _ column: Int, _ number: Int, depth: Int) -> Int {
        (row * 31 + column * 17 + number * 101 + row * column) % (1 << depth)
    }

    /// The samples of all pixels as PNG has them, scaled to eight bits.
    private func level(_ samples: [Int], _ type: PNGHeader.ColourType, depth: Int) -> Int {
        let bytes = samples.map { depth == 16 ? $0 >> 8 : $0 * 255 / (1 << depth - 1) }
        let grey = type.sampleCount < 3 ? bytes[0] : (306 * bytes[0] + 601 * bytes[1] + 117 * bytes[2] + 512) / 1024
        let alpha =
            switch type {
            case .greyWithAlpha, .colourWithAlpha: bytes[bytes.count - 1]
            default: 255
            }
        return (grey * alpha + 255 * (255 - alpha) + 127) / 255
    }

    @Test(arguments: [PNGHeader.ColourType.grey, .colour, .greyWithAlpha, .colourWithAlpha])
    func `each colour type is read at each bit depth, with each filter, interlaced or not`(
        type: PNGHeader.ColourType
    ) throws {
        for depth in type.depths.map(Int.init) {
            for isInterlaced in [false, true] {
                for (width, height) in [(1, 1), (3, 5), (13, 11)] {
                    var png = DrawnPNG(width: width, height: height, bitDepth: depth, colourType: type)
                    png.isInterlaced = isInterlaced
                    png.filter = { UInt8($0 % 5) }
                    let samples = { (row: Int, column: Int) in
                        (0..<type.sampleCount).map { sample(row, column, $0, depth: depth) }
                    }
                    let picture = try read(png.bytes(samples))
                    let expected = (0..<width * height).map {
                        UInt8(level(samples($0 / width, $0 % width), type, depth: depth))
                    }
                    #expect(picture.width == width && picture.height == height)
                    #expect(picture.bytes == expected, "\(type) \(depth) \(isInterlaced) \(width)")
                }
            }
        }
    }

    @Test func `the first row may have each filter`() throws {
        for filter in UInt8(0)...4 {
            var png = DrawnPNG(width: 5, height: 2)
            png.filter = { _ in filter }
            #expect(try read(png.bytes { [$0 * 90 + $1 * 7] }).bytes == [0, 7, 14, 21, 28, 90, 97, 104, 111, 118])
        }
    }

    @Test(arguments: [1, 2, 4, 8]) func `a palette is read at each bit depth, transparent entries as white`(depth: Int)
        throws
    {
        var png = DrawnPNG(width: 4, height: 1, bitDepth: depth, colourType: .palette)
        let colours: [UInt8] = [10, 10, 10, 200, 200, 200]
        png.middle = DrawnPNG.chunk("PLTE", colours)
        #expect(try read(png.bytes { [($0 + $1) % 2] }).bytes == [10, 200, 10, 200])
        png.middle += DrawnPNG.chunk("tRNS", [0])
        #expect(try read(png.bytes { [($0 + $1) % 2] }).bytes == [255, 200, 255, 200])
    }

    @Test func `a palette that is missing, too short or of no whole colours is refused`() throws {
        var png = DrawnPNG(width: 2, height: 1, bitDepth: 8, colourType: .palette)
        #expect(code(try png.bytes { [$1] }) == .broken)
        for (colours, alpha) in [(3, 0), (4, 0), (6, 3), (0, 0), (771, 0)] {
            png.middle = DrawnPNG.chunk("PLTE", Array(repeating: 9, count: colours))
            if alpha > 0 { png.middle += DrawnPNG.chunk("tRNS", Array(repeating: 9, count: alpha)) }
            #expect(code(try png.bytes { [$1] }) == .broken, "\(colours) \(alpha)")
        }
        png.middle = DrawnPNG.chunk("PLTE", Array(repeating: 9, count: 768))
        #expect(code(try png.bytes { [$1] }) == nil)
    }

    @Test func `the colour that is transparent counts as white`() throws {
        for (depth, type, transparent, pixel) in [
            (8, PNGHeader.ColourType.grey, [UInt8(0), 7], [7]), (16, .grey, [3, 7], [0x0307]), (2, .grey, [0, 2], [2]),
            (8, .colour, [0, 1, 0, 2, 0, 3], [1, 2, 3]), (16, .colour, [1, 1, 2, 2, 3, 3], [0x0101, 0x0202, 0x0303]),
        ] {
            var png = DrawnPNG(width: 2, height: 1, bitDepth: depth, colourType: type)
            png.middle = DrawnPNG.chunk("tRNS", transparent)
            let picture = try read(png.bytes { $1 == 0 ? pixel : pixel.map { _ in 1 } })
            #expect(picture.bytes[0] == 255 && picture.bytes[1] != 255, "\(depth) \(type)")
        }
    }

    @Test func `a PNG that is cut off at any byte is refused`() throws {
        let whole = try DrawnPNG(width: 6, height: 6).bytes { [$0 * 20 + $1] }
        #expect(code(whole) == nil)
        for count in 0..<whole.count { #expect(code(Array(whole[..<count])) != nil, "\(count)") }
    }

    @Test func `a PNG with one wrong byte is refused`() throws {
        let whole = try DrawnPNG(width: 6, height: 6).bytes { [$0 * 20 + $1] }
        for index in whole.indices {
            var file = whole
            file[index] ^= 0x10
            #expect(code(file) != nil, "\(index)")
        }
    }

    @Test func `what follows the last part of a PNG does not matter`() throws {
        let whole = try DrawnPNG(width: 6, height: 6).bytes { [$0 * 20 + $1] }
        #expect(try read(whole + [1, 2, 3]) == read(whole))
    }

    @Test func `parts that a reader need not know are passed over, and others refused`() throws {
        var png = DrawnPNG(width: 1, height: 1)
        png.middle = DrawnPNG.chunk("tEXt", Array("Title\0Card".utf8)) + DrawnPNG.chunk("acTL", [0])
        #expect(code(try png.bytes { _, _ in [5] }) == nil)
        for name in ["ABCD", "IHDR", "tEX1"] {
            png.middle = DrawnPNG.chunk(name, [])
            #expect(code(try png.bytes { _, _ in [5] }) == .broken, "\(name)")
        }
    }

    @Test func `data in several parts are read, and data with another part between them refused`() throws {
        let png = DrawnPNG(width: 2, height: 1)
        let data = try Zlib.compress([0, 8, 9])
        let halves = [Array(data[..<4]), Array(data[4...])].map { DrawnPNG.chunk("IDAT", $0) }
        let end = DrawnPNG.chunk("IEND", [])
        #expect(try read(png.start + halves[0] + halves[1] + end).bytes == [8, 9])
        #expect(code(png.start + halves[0] + DrawnPNG.chunk("tEXt", []) + halves[1] + end) == .broken)
        #expect(code(png.start + end) == .broken)
    }

    @Test func `a PNG with one byte of pixels too few or too many is refused`() throws {
        let png = DrawnPNG(width: 2, height: 2)
        for (count, expected) in [(6, nil), (5, CodeReaderErrorCode.broken), (7, .broken), (0, .broken)] {
            let data = try Zlib.compress(Array(repeating: 0, count: count))
            let file = png.start + DrawnPNG.chunk("IDAT", data) + DrawnPNG.chunk("IEND", [])
            #expect(code(file) == expected, "\(count)")
        }
    }

    @Test func `a PNG that unfolds to far more than its header says is refused`() throws {
        let bomb = try Zlib.compress(Array(repeating: 0, count: 8 << 20))
        #expect(bomb.count < 10_000)
        let file = DrawnPNG(width: 1, height: 1).start + DrawnPNG.chunk("IDAT", bomb) + DrawnPNG.chunk("IEND", [])
        #expect(code(file) == .broken)
    }

    @Test(.shows("PC1")) func `pixels that unfold to more than 160 MiB are refused before they do`() throws {
        // 8 bytes for each pixel, and one for each row.
        func code(_ rows: Int) throws -> CodeReaderErrorCode? {
            let png = DrawnPNG(width: 10_240, height: rows, bitDepth: 16, colourType: .colourWithAlpha)
            return self.code(png.start + DrawnPNG.chunk("IDAT", [0x78]) + DrawnPNG.chunk("IEND", []))
        }
        #expect(try code(2_047) == .broken)
        #expect(try code(2_048) == .tooLarge)
    }

    @Test func `a row with an unknown filter is refused`() throws {
        for filter in [UInt8(5), 255] {
            let data = try Zlib.compress([filter, 1])
            let png = DrawnPNG(width: 1, height: 1)
            #expect(code(png.start + DrawnPNG.chunk("IDAT", data) + DrawnPNG.chunk("IEND", [])) == .broken)
        }
    }
}
