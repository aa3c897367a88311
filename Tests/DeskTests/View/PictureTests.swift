import Foundation
import TestSupport
import Testing

@testable import Desk

@Suite struct PictureTests {
    private static func png(_ width: Int, _ height: Int) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + number(width)
            + number(height) + [8, 2, 0, 0, 0, 0, 0, 0, 0]
    }

    private static func jpeg(_ sizes: [(Int, Int)]) -> [UInt8] {
        let frames = sizes.flatMap { width, height -> [UInt8] in
            [
                0xFF, 0xC0, 0, 11, 8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255), 1,
                1, 17, 0,
            ]
        }
        return [0xFF, 0xD8] + frames + [0xFF, 0xD9]
    }

    private static func number(_ value: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func gif(_ width: Int, _ height: Int, _ frames: [(Int, Int, Int, Int)]) -> [UInt8] {
        AnimatedPicture.gif(width, height, frames)
    }

    static func gif(_ width: Int, _ height: Int) -> [UInt8] { gif(width, height, [(0, 0, width, height)]) }

    private static func apng(_ width: Int, _ height: Int, _ frames: [(Int, Int)]) -> [UInt8] {
        AnimatedPicture.apng(png(width, height), frames)
    }

    private static func webp(_ width: Int, _ height: Int, _ frames: [(Int, Int, (Int, Int))]) -> [UInt8] {
        AnimatedPicture.webp(width, height, frames)
    }

    /// The beginning of a bare codestream of JPEG 2000 whose grid begins 10 to the right and 20 below.
    static func codestream(_ width: Int, _ height: Int) -> [UInt8] {
        [0xFF, 0x4F, 0xFF, 0x51, 0, 47, 0, 0] + number(width + 10) + number(height + 20) + number(10) + number(20)
    }

    /// The beginning of a file of JPEG 2000.
    private static func jp2(_ width: Int, _ height: Int) -> [UInt8] {
        [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A] + [0, 0, 0, 12] + Array("ftypjp2 ".utf8)
            + [0, 0, 0, 30] + Array("jp2h".utf8) + [0, 0, 0, 22] + Array("ihdr".utf8) + number(height) + number(width)
            + [0, 3, 7, 7, 0, 0]
    }

    private func fault(_ body: () throws(Picture.Fault) -> Picture) -> Picture.Fault? {
        do throws(Picture.Fault) {
            _ = try body()
            return nil
        } catch { return error }
    }

    @Test func `the type and size of a picture come from its bytes, whatever the credential says`() throws {
        let picture = try Picture(bytes: Self.png(120, 80))
        #expect(picture.mediaType == "image/png")
        #expect((picture.width, picture.height) == (120, 80))
        #expect(try Picture(bytes: Self.jpeg([(640, 480)])).mediaType == "image/jpeg")
        #expect(try Picture(bytes: Self.gif(5, 6)).height == 6)
    }

    @Test(.shows("VD5")) func `a picture with a side at the pixel limit is accepted, and one pixel more is not`() throws
    {
        #expect(try Picture(bytes: Self.png(4096, 1)).width == 4096)
        #expect(
            fault { () throws(Picture.Fault) in try Picture(bytes: Self.png(4097, 1)) }
                == .tooManyPixels)
        #expect(
            fault { () throws(Picture.Fault) in try Picture(bytes: Self.png(1, 4097)) }
                == .tooManyPixels)
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: Self.png(20_000, 20_000)) } == .tooManyPixels)
    }

    @Test func `a picture of the most allowed bytes is accepted, and one byte more is not`() throws {
        let head = Self.png(10, 10)
        let padding = [UInt8](repeating: 0, count: Picture.maximumBytes - head.count)
        #expect(try Picture(bytes: head + padding).width == 10)
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: head + padding + [0]) } == .tooManyBytes)
        #expect(try Picture(text: Data(head + padding).base64EncodedString()).width == 10)
        for more in [1, 2] {
            let text = Data(head + padding + [UInt8](repeating: 0, count: more)).base64EncodedString()
            #expect(fault { () throws(Picture.Fault) in try Picture(text: text) } == .tooManyBytes)
        }
    }

    @Test func `a picture in JPEG 2000 is measured, and marked as one that browsers do not draw`() throws {
        let (boxed, bare) = (try Picture(bytes: Self.jp2(300, 400)), try Picture(bytes: Self.codestream(300, 400)))
        for picture in [boxed, bare] {
            #expect((picture.mediaType, picture.width, picture.height) == ("image/jp2", 300, 400))
            #expect(!picture.isDrawn)
        }
        #expect(try Picture(bytes: Self.png(5, 5)).isDrawn)
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: Self.jp2(20_000, 5)) } == .tooManyPixels)
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: Self.codestream(-10, 5)) } == .malformed)
        #expect(
            fault { () throws(Picture.Fault) in try Picture(bytes: Array(Self.jp2(5, 5).prefix(40))) } == .malformed)
    }

    @Test(.shows("VD5")) func `of several sizes in a JPEG picture the largest counts`() {
        #expect(
            fault { () throws(Picture.Fault) in try Picture(bytes: Self.jpeg([(10, 10), (9, 30_000)])) }
                == .tooManyPixels)
    }

    @Test(.shows("VD5")) func `every frame of an animated picture is measured`() throws {
        let limit = Picture.maximumSide
        let taken = [
            Self.gif(1, 1, [(0, 0, 1, 1), (0, 0, limit, 1)]), Self.gif(1, 1, [(limit - 1, 0, 1, 1)]),
            Self.apng(1, 1, [(1, 1), (limit, 1)]), Self.webp(1, 1, [(1, 1, (1, 1)), (limit, 1, (1, 1))]),
            Self.webp(1, 1, [(1, 1, (1, 1)), (1, 1, (limit, 1))]),
        ]
        for bytes in taken { #expect(try Picture(bytes: bytes).width == limit) }
        let past = limit + 1
        let refused = [
            Self.gif(1, 1, [(0, 0, 1, 1), (0, 0, past, 1)]), Self.gif(1, 1, [(0, 0, 1, 1), (0, 0, 1, past)]),
            Self.gif(1, 1, [(limit, 0, 1, 1)]), Self.gif(1, 1, [(0, limit, 1, 1)]),
            Self.gif(1, 1, [(0, 0, 16_000, 16_000)]), Self.apng(1, 1, [(1, 1), (past, 1)]),
            Self.apng(1, 1, [(1, 1), (1, past)]), Self.webp(1, 1, [(1, 1, (1, 1)), (past, 1, (1, 1))]),
            Self.webp(1, 1, [(1, 1, (1, 1)), (1, past, (1, 1))]), Self.webp(1, 1, [(1, 1, (1, 1)), (1, 1, (1, past))]),
        ]
        for bytes in refused {
            #expect(fault { () throws(Picture.Fault) in try Picture(bytes: bytes) } == .tooManyPixels)
        }
    }

    @Test(.shows("VD5")) func `a picture of the most allowed frames is accepted, and one frame more is not`() throws {
        func pictures(_ count: Int) -> [[UInt8]] {
            [
                Self.gif(2, 2, [(Int, Int, Int, Int)](repeating: (0, 0, 2, 2), count: count)),
                Self.apng(2, 2, [(Int, Int)](repeating: (2, 2), count: count - 1)),
                Self.webp(2, 2, [(Int, Int, (Int, Int))](repeating: (2, 2, (2, 2)), count: count)),
            ]
        }
        for bytes in pictures(64) { #expect(try Picture(bytes: bytes).pixels == 4 * 64) }
        for bytes in pictures(65) {
            #expect(fault { () throws(Picture.Fault) in try Picture(bytes: bytes) } == .tooManyFrames)
        }
    }

    @Test(.shows("VD5")) func `all frames of a picture together stay within the pixel limit, and not one line more`()
        throws
    {
        #expect(try Picture(bytes: Self.png(4096, 4096)).pixels == Picture.maximumPixels)
        let frames = { (count: Int, height: Int) in
            Self.gif(1024, height, [(Int, Int, Int, Int)](repeating: (0, 0, 1024, 1), count: count))
        }
        #expect(try Picture(bytes: frames(16, 1024)).pixels == Picture.maximumPixels)
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: frames(16, 1025)) } == .tooManyPixels)
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: frames(17, 1024)) } == .tooManyPixels)
    }

    @Test func `a GIF without frames, with a cut frame head, or with a block of no known kind is damaged`() throws {
        let whole = Self.gif(5, 6)
        for bytes in [Self.gif(5, 6, []), whole.dropLast() + [0x7F, 0x3B], Array(whole.prefix(25 + 8 + 9))] {
            #expect(fault { () throws(Picture.Fault) in try Picture(bytes: bytes) } == .malformed)
        }
        // Some writers leave the last byte out.
        #expect(try Picture(bytes: Array(whole.dropLast())).pixels == 30)
    }

    @Test func `pictures with zero size, a truncated header or an unknown format are refused`() {
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: Self.png(0, 5)) } == .malformed)
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: Self.png(5, 0)) } == .malformed)
        #expect(
            fault { () throws(Picture.Fault) in try Picture(bytes: Array(Self.png(5, 5).prefix(20))) } == .malformed)
        #expect(fault { () throws(Picture.Fault) in try Picture(bytes: Self.jpeg([])) } == .malformed)
        for text in ["<svg>", "RIFF0000WAVEfmt 0000000000000000", "JUNK0000WEBPVP8L0000000000000000", "RIFF0000WEB"] {
            #expect(fault { () throws(Picture.Fault) in try Picture(bytes: Array(text.utf8)) } == .unknownKind)
        }
        #expect(fault { () throws(Picture.Fault) in try Picture(text: "data:image/png;base64,@@") } == .notBase64)
        #expect(fault { () throws(Picture.Fault) in try Picture(text: "data:image/png") } == .notBase64)
    }

    @Test func `the shortest picture of each format is read, and one byte less is damaged`() throws {
        // The shortest lossless picture that browsers draw has 26 bytes.
        let lossless = Array("RIFF0000WEBPVP8L".utf8) + [6, 0, 0, 0, 0x2F, 4, 3, 0, 0, 0]
        #expect(try Picture(bytes: lossless).width == 0x304 + 1)
        for (bytes, least) in [
            (lossless, 25), (Self.png(5, 5), 33),
            (Array("RIFF0000WEBPVP8 ".utf8) + [UInt8](repeating: 1, count: 14), 30),
            (Array("RIFF0000WEBPVP8X".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 49, 0, 0], 30),
            (Self.codestream(5, 5), 24), (Self.jp2(5, 5), 48),
        ] {
            #expect(throws: Never.self) { try Picture(bytes: Array(bytes.prefix(least))) }
            #expect(
                fault { () throws(Picture.Fault) in try Picture(bytes: Array(bytes.prefix(least - 1))) } == .malformed)
        }
    }

    @Test func `a picture with chunks of unknown types or impossible lengths is damaged`() {
        let jp2 = Self.jp2(5, 5)
        // A header box behind one that is too short to be a box.
        let short = Array(jp2.prefix(12)) + Self.number(4) + Array(jp2.dropFirst(24))
        let renamed = jp2.map { $0 == UInt8(ascii: "i") ? UInt8(ascii: "I") : $0 }
        // A chunk before the header.
        let late = Array(Self.png(5, 5).prefix(8)) + Self.number(0) + Array("tEXt".utf8) + Self.number(0)
        let frame = Self.jpeg([(5, 5)])
        let segment = Array(frame.prefix(2)) + [0xFF, 0xE0, 0, 1] + Array(frame.dropFirst(2))
        let unnamed =
            Array("RIFF0000WEBPJUNK".utf8) + [2, 0, 0, 0, 0, 0] + Array("VP8L".utf8) + [5, 0, 0, 0, 0x2F, 4, 3, 0, 0]
        for bytes in [short, renamed, segment, unnamed, late + Array(Self.png(5, 5).dropFirst(8))] {
            #expect(fault { () throws(Picture.Fault) in try Picture(bytes: bytes) } == .malformed)
        }
    }

    @Test func `empty chunks of a picture are skipped`() throws {
        let (jp2, frame) = (Self.jp2(5, 6), Self.jpeg([(5, 6)]))
        let boxed = Array(jp2.prefix(24)) + Self.number(8) + Array("free".utf8) + Array(jp2.dropFirst(24))
        let segment = Array(frame.prefix(2)) + [0xFF, 0xE0, 0, 2] + Array(frame.dropFirst(2))
        for bytes in [boxed, segment] { #expect(try Picture(bytes: bytes).height == 6) }
    }

    @Test func `every truncated picture is refused or read, and none traps`() {
        for bytes in [
            Self.png(5, 5), Self.jpeg([(5, 5)]), Self.jp2(5, 5), Self.codestream(5, 5),
            Self.jp2(5, 5).map { $0 == 30 ? 255 : $0 }, Self.gif(5, 6), Self.apng(5, 5, [(5, 5), (3, 3)]),
            Self.webp(5, 5, [(5, 5, (5, 5)), (3, 3, (3, 3))]),
            Array("RIFF0000WEBPVP8X".utf8) + [UInt8](repeating: 1, count: 14),
            Array("RIFF0000WEBPVP8L".utf8) + [UInt8](repeating: 1, count: 14),
            Array("RIFF0000WEBPVP8 ".utf8) + [UInt8](repeating: 1, count: 14),
        ] {
            for count in 0...bytes.count { _ = try? Picture(bytes: Array(bytes.prefix(count))) }
        }
    }

    @Test func `the size of a WebP picture is read in each of its three forms`() throws {
        let extended = Array("RIFF0000WEBPVP8X".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 49, 0, 0]
        #expect(try Picture(bytes: extended).width == 100)
        #expect(try Picture(bytes: extended).height == 50)
        let lossy = Array("RIFF0000WEBPVP8 ".utf8) + [0, 0, 0, 0, 0, 0, 0, 0x9D, 1, 0x2A, 7, 0, 9, 0]
        #expect(try Picture(bytes: lossy).width == 7)
        let lossless = Array("RIFF0000WEBPVP8L".utf8) + [0, 0, 0, 0, 0x2F, 3, 0, 1, 0, 0, 0, 0, 0, 0]
        #expect(try Picture(bytes: lossless).width == 4)
        #expect(try Picture(bytes: lossless).height == 5)
    }
}
