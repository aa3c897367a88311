import Testing

@testable import CodeReader

/// JPEG files, read by libturbojpeg of this machine.
@Suite(.enabled(if: TurboJPEGBackEnd.isAvailable, "skipped: libturbojpeg is not installed"))
struct JPEGReaderTests {
    private func read(_ file: [UInt8]) throws(CodeReaderError) -> (pixels: Luminance, isDamaged: Bool) {
        try CodePicture(file: file).luminance()
    }

    private func level(_ row: Int, _ column: Int) -> UInt8 { UInt8((row * 80 + column * 33) % 256) }

    @Test(arguments: [1, 3], [false, true])
    func `the brightness of each pixel is read, grey or of colours, baseline or progressive`(
        components: Int, isProgressive: Bool
    ) throws {
        let file = DrawnJPEG(columns: 5, rows: 3, isProgressive: isProgressive, componentCount: components)
        let (pixels, isDamaged) = try read(file.bytes(level))
        #expect(!isDamaged && pixels.width == 40 && pixels.height == 24)
        for (index, pixel) in pixels.bytes.enumerated() {
            let expected = level(index / 40 / 8, index % 40 / 8)
            #expect(abs(Int(pixel) - Int(expected)) <= 1, "\(index)")
        }
    }

    @Test func `a JPEG that is cut off at any byte of its data is damaged or refused`() throws {
        let file = DrawnJPEG(columns: 4, rows: 4)
        let whole = file.bytes(level)
        for count in file.start.count..<whole.count - 2 {
            do {
                #expect(try read(Array(whole[..<count])).isDamaged, "\(count)")
            } catch { #expect(error.code == .broken, "\(count)") }
        }
    }

    @Test(.enabled(if: ZXingBackEnd.isAvailable, "skipped: libZXing is not installed"))
    func `a damaged picture without a code is called broken, and a whole one is not`() throws {
        let whole = DrawnJPEG(columns: 4, rows: 4).bytes { _, _ in 200 }
        #expect(throws: CodeReaderError(.noCode, "")) { try CodeReader.codes(in: CodePicture(file: whole)) }
        #expect(throws: CodeReaderError(.broken, "")) {
            try CodeReader.codes(in: CodePicture(file: Array(whole.dropLast(4))))
        }
    }

    @Test func `a JPEG whose bytes are changed one at a time is read or refused`() {
        let whole = DrawnJPEG(columns: 3, rows: 3, isProgressive: true).bytes(level)
        for index in whole.indices {
            for change in [UInt8(0x01), 0x80, 0xFF] {
                var file = whole
                file[index] ^= change
                do {
                    let pixels = try read(file).pixels
                    #expect(pixels.bytes.count == pixels.width * pixels.height)
                } catch { #expect([.broken, .format, .tooLarge].contains(error.code)) }
            }
        }
    }
}
