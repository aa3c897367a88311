import Testing

@testable import CodeReader

@Suite struct LuminanceTests {
    private let picture = Luminance(bytes: [0, 10, 20, 30, 40, 50], width: 3, height: 2)

    @Test func `an inverted or mirrored picture is itself after a second time`() {
        #expect(picture.inverted().bytes == [255, 245, 235, 225, 215, 205])
        #expect(picture.mirrored().bytes == [20, 10, 0, 50, 40, 30])
        #expect(picture.inverted().inverted() == picture && picture.mirrored().mirrored() == picture)
    }

    @Test func `a half picture has the means of four pixels, and drops an odd row and column`() {
        let half = Luminance(bytes: [0, 10, 99, 20, 33, 99, 99, 99, 99], width: 3, height: 3).halved()
        #expect(half == Luminance(bytes: [16], width: 1, height: 1))
    }

    @Test func `a doubled picture has pixels between those of the picture`() {
        let doubled = Luminance(bytes: [0, 160], width: 2, height: 1).doubled()
        #expect(doubled == Luminance(bytes: [0, 40, 120, 160, 0, 40, 120, 160], width: 4, height: 2))
        let square = Luminance(bytes: [0, 0, 160, 160], width: 2, height: 2).doubled()
        #expect(square.bytes == [0, 40, 120, 160].flatMap { [UInt8](repeating: $0, count: 4) })
        #expect(Luminance(bytes: [7], width: 1, height: 1).doubled().bytes == [7, 7, 7, 7])
    }

    @Test func `contrast is stretched to the whole range, and left alone where it is whole or none`() {
        let dim = Luminance(bytes: [100, 110, 120, 130], width: 4, height: 1)
        #expect(dim.stretched().bytes == [0, 85, 170, 255])
        let whole = Luminance(bytes: [0, 224], width: 2, height: 1)
        #expect(whole.stretched() == whole)
        #expect(Luminance(bytes: [0, 223], width: 2, height: 1).stretched().bytes == [0, 255])
        let flat = Luminance(bytes: [9, 9], width: 2, height: 1)
        #expect(flat.stretched() == flat)
    }

    @Test func `a sharpened picture is the pixel four times less the mean around it three times`() {
        let size = 12
        let bytes = (0..<size * size).map { UInt8(($0 * 37 + $0 / size * 11) % 200) }
        let sharpened = Luminance(bytes: bytes, width: size, height: size).sharpened()
        for row in 0..<size {
            for column in 0..<size {
                var (sum, count) = (0, 0)
                for y in max(0, row - 3)...min(size - 1, row + 3) {
                    for x in max(0, column - 3)...min(size - 1, column + 3) {
                        sum += Int(bytes[y * size + x])
                        count += 1
                    }
                }
                let expected = min(255, max(0, 4 * Int(bytes[row * size + column]) - 3 * sum / count))
                #expect(Int(sharpened.bytes[row * size + column]) == expected, "\(row) \(column)")
            }
        }
        for (width, height) in [(1, 1), (2, 1), (1, 5), (4, 3)] {
            let flat = Luminance(bytes: Array(repeating: 8, count: width * height), width: width, height: height)
            #expect(flat.sharpened() == flat)
        }
    }

    @Test func `a place in a turned picture leads back to the pixel of the picture`() throws {
        for angle in TurnedLuminance.Angle.allCases {
            var bytes = [UInt8](repeating: 0, count: 60 * 40)
            for (row, column) in [(0, 1), (1, 0), (1, 1)] { bytes[(9 + row) * 60 + 17 + column] = 255 }
            bytes[9 * 60 + 17] = 255
            let turned = try #require(TurnedLuminance(Luminance(bytes: bytes, width: 60, height: 40), by: angle))
            let index = turned.pixels.bytes.firstIndex(of: 255) ?? 0
            let place = turned.place(
                of: FoundCode.PicturePoint(x: index % turned.pixels.width, y: index / turned.pixels.width))
            #expect((16...19).contains(place.x) && (8...11).contains(place.y), "\(place)")
        }
        let point = TurnedLuminance(Luminance(bytes: [5], width: 1, height: 1), by: .thirty)
        #expect(point?.pixels.bytes.count == 1)
    }

    @Test func `a long and narrow picture that would become large when turned is not turned`() {
        let strip = Luminance(bytes: Array(repeating: 0, count: 16_384 * 8), width: 16_384, height: 8)
        for angle in TurnedLuminance.Angle.allCases { #expect(TurnedLuminance(strip, by: angle) == nil) }
    }

    @Test func `a code that was found is painted white, in the picture and across its edge`() {
        func code(_ points: [(Int, Int)]) -> FoundCode {
            FoundCode(
                bytes: [1], symbology: .qrCode, corners: points.map { FoundCode.PicturePoint(x: $0.0, y: $0.1) })
        }
        let dark = Luminance(bytes: Array(repeating: 0, count: 25), width: 5, height: 5)
        func painted(_ points: [(Int, Int)]) -> Set<Int> {
            Set(dark.covering([code(points)]).bytes.enumerated().filter { $0.element == 255 }.map(\.offset))
        }
        #expect(painted([(1, 1), (3, 1), (3, 2), (1, 2)]) == [6, 7, 8, 11, 12, 13])
        #expect(painted([(2, 0), (4, 2), (2, 4), (0, 2)]) == [2, 6, 7, 8, 10, 11, 12, 13, 14, 16, 17, 18, 22])
        #expect(painted([(-9, -9), (0, -9), (0, 0), (-9, 0)]) == [0])
        #expect(painted([(-9, -9), (99, -9), (99, 99), (-9, 99)]).count == 25)
        for points in [[(9, 9), (12, 9), (12, 12), (9, 12)], [(-5, 1), (-1, 1), (-1, 3), (-5, 3)]] {
            #expect(painted(points).isEmpty, "\(points)")
        }
    }
}
