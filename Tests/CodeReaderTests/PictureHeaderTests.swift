import TestSupport
import Testing

@testable import CodeReader

@Suite struct PictureHeaderTests {
    private func code(_ file: [UInt8]) -> CodeReaderErrorCode? {
        do {
            _ = try PictureHeader(of: file)
            return nil
        } catch { return error.code }
    }

    private func png(_ width: Int, _ height: Int) -> [UInt8] { DrawnPNG(width: width, height: height).start }

    private func jpeg(_ width: Int, _ height: Int) -> [UInt8] {
        var file = DrawnJPEG(columns: 1, rows: 1)
        let size = [height, width].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        file.middle = DrawnJPEG.segment(0xC0, [8] + size + [1, 1, 0x11, 0])
        return [0xFF, 0xD8] + file.middle + DrawnJPEG.segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0xFF, 0xD9]
    }

    @Test(.shows("PC1")) func `a side of 16,384 pixels is read and one of 16,385 refused`() {
        for file in [png, jpeg] {
            #expect(code(file(16_384, 1)) == nil && code(file(1, 16_384)) == nil)
            #expect(code(file(16_385, 1)) == .tooLarge && code(file(1, 16_385)) == .tooLarge)
        }
        #expect(code(png(20_000, 20_000)) == .tooLarge && code(jpeg(20_000, 20_000)) == .tooLarge)
    }

    @Test(.shows("PC1")) func `40 million pixels are read and one row more refused`() {
        for file in [png, jpeg] {
            #expect(code(file(16_000, 2_500)) == nil)
            #expect(code(file(16_000, 2_501)) == .tooLarge)
        }
    }

    @Test func `a side without pixels is refused`() {
        #expect(code(png(0, 1)) == .broken && code(png(1, 0)) == .broken)
        #expect(code(jpeg(0, 1)) == .broken && code(jpeg(1, 0)) == .broken)
        #expect(code(png(1, 1)) == nil && code(jpeg(1, 1)) == nil)
    }

    @Test(.shows("PC1")) func `a file of 16 MiB is read and one byte more refused`() {
        for start in [png(1, 1), jpeg(1, 1)] {
            let file = start + Array(repeating: 0, count: CodePicture.maximumFileBytes - start.count)
            #expect(code(file) == nil)
            #expect(code(file + [0]) == .tooLarge)
        }
    }

    @Test func `pixels of a camera keep to the same limits, and have one byte each`() {
        func code(_ count: Int, _ width: Int, _ height: Int) -> CodeReaderErrorCode? {
            let picture = CodePicture(luminance: Array(repeating: 0, count: count), width: width, height: height)
            do {
                _ = try picture.luminance()
                return nil
            } catch { return error.code }
        }
        #expect(code(6, 2, 3) == nil)
        #expect(code(5, 2, 3) == .broken && code(7, 2, 3) == .broken)
        #expect(code(0, 0, 0) == .broken && code(6, -2, -3) == .broken)
        #expect(code(16_384, 16_384, 1) == nil && code(16_385, 16_385, 1) == .tooLarge)
        #expect(code(1, .max, .max) == .tooLarge)
    }

    @Test func `a PNG whose header is cut off at any byte is refused`() {
        let whole = png(3, 4)
        #expect(code(whole) == nil)
        for count in 0..<whole.count {
            let expected: CodeReaderErrorCode = (1..<8).contains(count) ? .format : .broken
            #expect(code(Array(whole[..<count])) == expected, "\(count)")
        }
    }

    @Test func `a PNG whose header has one wrong byte is refused`() {
        let whole = png(3, 4)
        for index in whole.indices {
            var file = whole
            file[index] ^= 1
            #expect(code(file) == (index < 8 ? .format : .broken), "\(index)")
        }
    }

    @Test func `each colour type of PNG has its bit depths and no others`() {
        for type in UInt8(0)...7 {
            for depth in UInt8(0)...17 {
                var content: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, depth, type, 0, 0, 0]
                let colourType = PNGHeader.ColourType(rawValue: type)
                let isKnown = colourType?.depths.contains(depth) ?? false
                let file = { PNGHeader.signature + DrawnPNG.chunk("IHDR", content) }
                #expect(code(file()) == (isKnown ? nil : .broken), "\(type) \(depth)")
                guard isKnown else { continue }
                for index in 10...12 {
                    content[index] = index == 12 ? 2 : 1
                    #expect(code(file()) == .broken, "\(index)")
                    content[index] = 0
                }
            }
        }
    }

    @Test func `a JPEG that is cut off before its data is refused, and within its data accepted`() throws {
        let file = DrawnJPEG(columns: 2, rows: 2)
        let whole = file.bytes { _, _ in 77 }
        let data = file.start.count + 10
        for count in 3..<whole.count {
            #expect(code(Array(whole[..<count])) == (count < data ? .broken : nil), "\(count)")
        }
        for count in 0..<3 { #expect(code(Array(whole[..<count])) == (count == 0 ? .broken : .format)) }
        guard case .jpeg(let header) = try PictureHeader(of: whole) else {
            Issue.record("the file is a JPEG")
            return
        }
        #expect(header.width == 16 && header.height == 16)
    }

    @Test func `segments that a camera writes before and after the picture do not matter`() throws {
        var file = DrawnJPEG(columns: 1, rows: 1)
        // A thumbnail has a frame of its own, within a segment.
        let thumbnail = DrawnJPEG(columns: 9, rows: 9).bytes { _, _ in 0 }
        file.middle =
            DrawnJPEG.segment(0xE1, Array("Exif\0\0".utf8) + thumbnail) + [0xFF, 0xFF]
            + DrawnJPEG.segment(0xFE, [])
            .dropFirst()
        let bytes = file.bytes { _, _ in 1 } + [0xFF, 0xD8, 0xFF] + thumbnail
        guard case .jpeg(let header) = try PictureHeader(of: bytes) else {
            Issue.record("the file is a JPEG")
            return
        }
        #expect(header.width == 8)
    }

    @Test func `kinds of JPEG that are not read are named`() throws {
        func reason(_ change: (inout DrawnJPEG) -> Void) -> String {
            var file = DrawnJPEG(columns: 1, rows: 1)
            change(&file)
            do {
                _ = try PictureHeader(of: file.bytes { _, _ in 0 })
                return ""
            } catch {
                #expect(error.code == .format)
                return error.reason
            }
        }
        #expect(reason { $0.componentCount = 4 }.contains("CMYK"))
        #expect(reason { $0.componentCount = 2 }.contains("2 components"))
        #expect(reason { $0.precision = 12 }.contains("12 bits"))
        for marker in [UInt8(0xC3), 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF] {
            #expect(reason { $0.frameMarker = marker }.contains("SOF\(marker - 0xC0)"))
        }
        #expect(reason { $0.frameMarker = 0xC1 } == "")
    }

    @Test func `a JPEG with two frames, data before its frame, or 51 scans is refused`() {
        var file = DrawnJPEG(columns: 1, rows: 1)
        let scan = file.scan { _, _ in 5 }
        #expect(code(file.start + Array(repeating: scan, count: 50).joined() + [0xFF, 0xD9]) == nil)
        #expect(code(file.start + Array(repeating: scan, count: 51).joined() + [0xFF, 0xD9]) == .broken)
        #expect(code([0xFF, 0xD8] + scan + file.start.dropFirst(2)) == .broken)
        file.middle = file.frame
        #expect(code(file.bytes { _, _ in 5 }) == .broken)
        #expect(code([0xFF, 0xD8, 0xFF, 0xD9]) == .broken)
        #expect(code([0xFF, 0xD8, 0xFF, 0x00]) == .broken && code([0xFF, 0xD8, 0xFF, 0xD8]) == .broken)
        #expect(code([0xFF, 0xD8, 0xFF, 0xE0, 0, 1]) == .broken)
        #expect(code([0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 7]) == .broken)
    }

    @Test func `a file that is no picture is told by what it is, whatever its name`() {
        let heads: [(String, String)] = [
            ("%PDF-1.7\n", "This is a PDF. Make a picture of the page: pdftoppm -png -r 200 FILE page"),
            ("GIF89a", "This is a GIF"), ("GIF87a", "This is a GIF"), ("RIFF\u{1}\0\0\0WEBPVP8 ", "This is a WebP"),
            ("\0\0\0\u{18}ftypheic", "This is a HEIC"), ("\0\0\0\u{18}ftypmif1", "This is a HEIC"),
            ("\0\0\0\u{18}ftypavif", "This is an AVIF"), ("\0\0\0\u{C}jP  \r\n", "This is a JPEG 2000"),
            ("BM\u{1}", "This is a BMP"), ("II*\0", "This is a TIFF"), ("MM\0*", "This is a TIFF"),
            ("<?xml version=\"1.0\"?>\n<svg xmlns=\"x\">", "This is an SVG"), ("<svg>", "This is an SVG"),
            ("HC1:6BF+7", "This is a text, not a picture"), ("grüße\n", "This is a text, not a picture"),
            ("\u{1}\u{2}", "The file begins as no picture does that is known"),
        ]
        for (head, words) in heads {
            do {
                _ = try PictureHeader(of: Array(head.utf8))
                Issue.record("\(head) is no picture")
            } catch {
                #expect(error.code == .format && error.reason.hasPrefix(words), "\(error)")
            }
        }
        #expect(code([]) == .broken)
    }
}
