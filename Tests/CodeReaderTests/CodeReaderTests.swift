import QRCode
import TestSupport
import Testing

@testable import CodeReader

/// Codes in drawings, read by zxing-cpp of this machine.
@Suite(.enabled(if: ZXingBackEnd.isAvailable, "skipped: libZXing is not installed"))
struct CodeReaderTests {
    private let text = "NCFOXN%TSMAHN-H6SK:*"

    private func texts(_ drawing: Drawing, _ effort: CodeReader.Effort = .thorough) throws -> [String] {
        try CodeReader.codes(in: drawing.picture, effort: effort).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func drawing(width: Int = 240, height: Int = 240, paper: UInt8 = 255) -> Drawing {
        Drawing(width: width, height: height, paper: paper)
    }

    @Test(arguments: [CodeReader.Effort.frame, .thorough])
    func `a code that stands upright is read with its kind and its corners in the picture`(
        effort: CodeReader.Effort
    ) throws {
        var drawing = drawing()
        let modules = try CodeModules(qr: text)
        drawing.draw(modules, x: 20, y: 30, side: 200)
        let codes = try CodeReader.codes(in: drawing.picture, effort: effort)
        let code = try #require(codes.first)
        #expect(codes.count == 1 && code.bytes == Array(text.utf8) && code.symbology == .qrCode)
        let (edge, size) = (200 * 4 / (modules.columns + 8), 200 * modules.columns / (modules.columns + 8))
        let expected = [(0, 0), (size, 0), (size, size), (0, size)].map { (20 + edge + $0.0, 30 + edge + $0.1) }
        for (corner, place) in zip(code.corners, expected) {
            #expect(abs(corner.x - place.0) <= 8 && abs(corner.y - place.1) <= 8, "\(corner)")
        }
    }

    @Test(arguments: [15.0, 30, 45, 77, 90, 123, 180, 200, 270, 333])
    func `a code is read at any angle`(degrees: Double) throws {
        var drawing = drawing()
        drawing.draw(try CodeModules(qr: text), turnedBy: degrees, around: DrawnPoint(x: 120, y: 120), side: 160)
        #expect(try texts(drawing) == [text])
        #expect(try texts(drawing, .frame) == [text])
    }

    @Test func `a mirrored code is read`() throws {
        var drawing = drawing()
        drawing.draw(try CodeModules(qr: text), turnedBy: 10, around: DrawnPoint(x: 120, y: 120), side: 160)
        #expect(try texts(drawing.mirrored()) == [text])
    }

    @Test func `a light code on a dark page is read`() throws {
        var drawing = drawing(paper: 20)
        drawing.draw(try CodeModules(qr: text), x: 40, y: 40, side: 160, dark: 230, light: 20)
        #expect(try texts(drawing) == [text])
        #expect(try texts(drawing, .frame) == [text])
    }

    @Test(arguments: [(UInt8(100), UInt8(130)), (20, 40), (225, 245)])
    func `a code of low contrast is read from a file`(dark: UInt8, light: UInt8) throws {
        var drawing = drawing(paper: light)
        drawing.draw(
            try CodeModules(qr: text), turnedBy: 5, around: DrawnPoint(x: 120, y: 120), side: 180, dark: dark,
            light: light)
        #expect(try texts(drawing) == [text])
    }

    @Test func `a code in the perspective of a card in a hand is read`() throws {
        var drawing = drawing(paper: 180)
        // The upper edge is a fifth shorter than the lower one.
        drawing.draw(
            try CodeModules(qr: text),
            onto: [
                DrawnPoint(x: 52, y: 40), DrawnPoint(x: 196, y: 48), DrawnPoint(x: 215, y: 205),
                DrawnPoint(x: 30, y: 190),
            ], dark: 40, light: 220)
        #expect(try texts(drawing) == [text])
        #expect(try texts(drawing, .frame) == [text])
    }

    @Test func `a blurred code is read`() throws {
        var drawing = drawing()
        drawing.draw(try CodeModules(qr: text), turnedBy: 20, around: DrawnPoint(x: 120, y: 120), side: 160)
        #expect(try texts(drawing.blurred(radius: 2)) == [text])
    }

    @Test func `a code of small modules is read from a file`() throws {
        var drawing = Drawing(width: 80, height: 80)
        drawing.draw(try CodeModules(qr: text), x: 7, y: 9, side: 66)
        #expect(try texts(drawing) == [text])
    }

    @Test func `the bytes of a code are returned as they are, without a character set`() throws {
        for text in ["grüße", "HC1:6BF+70790T9WJWG.FKY*4GO0", "31415926535897932384626433832795"] {
            var drawing = drawing()
            drawing.draw(try CodeModules(qr: text), x: 20, y: 20, side: 200)
            #expect(try CodeReader.codes(in: drawing.picture).map(\.bytes) == [Array(text.utf8)])
        }
    }

    @Test(.shows("MDR-016")) func `the code of a phone is read from its picture`() throws {
        // The engagement of a phone in both modes has 185 characters.
        let code = "mdoc:" + String((0..<180).map { Character(Unicode.Scalar(UInt8(0x41 + $0 * 7 % 26))) })
        var drawing = drawing()
        drawing.draw(try CodeModules(qr: code), x: 10, y: 10, side: 220)
        #expect(try texts(drawing) == [code])
    }

    @Test func `a code of two thousand bytes is read`() throws {
        var drawing = Drawing(width: 560, height: 560)
        let long = String((0..<2000).map { Character(Unicode.Scalar(UInt8(0x61 + $0 * 7 % 26))) })
        drawing.draw(try CodeModules(qr: long, level: .low), x: 2, y: 2, side: 555)
        #expect(try texts(drawing) == [long])
    }

    @Test func `Aztec, Data Matrix and PDF417 codes are read with their kind`() throws {
        for (modules, symbology) in [
            (CodeModules.aztec, FoundCode.Symbology.aztec), (.dataMatrix, .dataMatrix), (.pdf417, .pdf417),
        ] {
            for degrees in [0.0, 90, 180] {
                var drawing = Drawing(width: 420, height: 420)
                let high = 360 * Double(modules.rows + 8) / Double(modules.columns + 8)
                drawing.draw(modules, x: 30, y: 200 - high / 2, side: 360)
                if degrees > 0 { drawing = drawing.turned(byQuarters: Int(degrees) / 90) }
                let codes = try CodeReader.codes(in: drawing.picture)
                #expect(codes.map(\.symbology) == [symbology], "\(degrees)")
                #expect(codes.map(\.bytes) == [Array("SYMBOLON 18013".utf8)], "\(symbology) \(degrees)")
            }
        }
    }

    @Test(arguments: [11.0, 67, 140])
    func `Aztec, Data Matrix and PDF417 codes are read at any angle from a file`(degrees: Double) throws {
        for modules in [CodeModules.aztec, .dataMatrix, .pdf417] {
            var drawing = Drawing(width: 420, height: 420)
            drawing.draw(modules, turnedBy: degrees, around: DrawnPoint(x: 210, y: 210), side: 380)
            #expect(try texts(drawing) == ["SYMBOLON 18013"], "\(modules.columns)")
        }
    }

    @Test func `all codes of a picture are returned from top to bottom and from left to right`() throws {
        var drawing = Drawing(width: 480, height: 330)
        // Those of a row are not at quite the same height.
        let places = [("ONE", 10, 14), ("TWO", 165, 4), ("THREE", 320, 22), ("FOUR", 90, 175), ("FIVE", 260, 170)]
        for (text, x, y) in places.reversed() {
            drawing.draw(try CodeModules(qr: text), x: Double(x), y: Double(y), side: 145)
        }
        #expect(try texts(drawing) == places.map(\.0))
    }

    @Test func `two codes with the same bytes are both returned`() throws {
        var drawing = Drawing(width: 330, height: 170)
        for x in [5.0, 165] { drawing.draw(try CodeModules(qr: text), x: x, y: 5, side: 155) }
        #expect(try texts(drawing) == [text, text])
    }

    @Test func `at most sixteen codes of a picture are returned`() throws {
        var drawing = Drawing(width: 500, height: 400)
        for index in 0..<20 {
            let (x, y) = (Double(index % 5) * 100, Double(index / 5) * 100)
            drawing.draw(try CodeModules(qr: "CODE \(index)"), x: x, y: y, side: 98)
        }
        let found = try texts(drawing)
        #expect(found.count == CodeReader.maximumCodes && Set(found).count == found.count, "\(found)")
    }

    @Test func `a picture without a code is told, at either effort`() {
        for effort in [CodeReader.Effort.frame, .thorough] {
            for side in [1, 2, 7, 64] {
                #expect(throws: CodeReaderError(.noCode, "")) {
                    try CodeReader.codes(in: Drawing(width: side, height: side).picture, effort: effort)
                }
            }
            #expect(throws: CodeReaderError(.noCode, "")) {
                try CodeReader.codes(in: CodePicture(luminance: [0, 255, 0], width: 3, height: 1), effort: effort)
            }
        }
    }

    // zxing-cpp 1.4 compares each three marks with each other, which takes hours.
    @Test(.shows("PC1")) func `a frame full of the marks of QR codes ends without a code`() {
        let mark = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######", "......."]
        let dark = mark.map { $0.map { $0 == "#" } + [false] }
        let pixels = (0..<480_000).map { dark[$0 / 800 % 8][$0 % 800 % 8] ? UInt8(0) : 255 }
        #expect(throws: CodeReaderError(.noCode, "")) {
            try CodeReader.codes(in: CodePicture(luminance: pixels, width: 800, height: 600), effort: .frame)
        }
    }

    @Test func `a code that is cut through is not found`() throws {
        var whole = drawing()
        whole.draw(try CodeModules(qr: text), x: 20, y: 20, side: 200)
        let half = CodePicture(luminance: Array(whole.pixels[..<(240 * 110)]), width: 240, height: 110)
        #expect(throws: CodeReaderError(.noCode, "")) { try CodeReader.codes(in: half) }
    }

    @Test func `a code is read from the PNG that this package draws`() throws {
        let code = try QRCode(text)
        for size in [1, 2, 8] {
            let picture = CodePicture(file: try code.png(moduleSize: size))
            #expect(try CodeReader.codes(in: picture).map(\.bytes) == [Array(text.utf8)], "\(size)")
        }
    }

    @Test(.enabled(if: TurboJPEGBackEnd.isAvailable, "skipped: libturbojpeg is not installed"), arguments: [1, 3])
    func `a code is read from a JPEG, baseline or progressive, grey or of colours`(components: Int) throws {
        let modules = try CodeModules(qr: text)
        for isProgressive in [false, true] {
            var file = DrawnJPEG(columns: modules.columns + 8, rows: modules.rows + 8)
            (file.isProgressive, file.componentCount) = (isProgressive, components)
            let bytes = file.bytes { modules.isDark($0 - 4, $1 - 4) ? 0 : 255 }
            #expect(try CodeReader.codes(in: CodePicture(file: bytes)).map(\.bytes) == [Array(text.utf8)])
        }
    }
}

extension Drawing {
    /// Turns the picture, which is square, clockwise by right angles.
    func turned(byQuarters quarters: Int) -> Drawing {
        var turned = self
        for _ in 0..<quarters {
            let last = turned
            for row in 0..<height {
                for column in 0..<width { turned.set(row, column, last.pixels[(width - 1 - column) * width + row]) }
            }
        }
        return turned
    }
}
