import Testing

@testable import CodeReader

@Suite struct ReadingOrderTests {
    private func code(_ name: String, x: Int, y: Int, side: Int = 100) -> FoundCode {
        let corners = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]
        return FoundCode(
            bytes: Array(name.utf8), symbology: .qrCode,
            corners: corners.map { FoundCode.PicturePoint(x: $0.0, y: $0.1) })
    }

    private func order(_ codes: [FoundCode]) -> [String] {
        ReadingOrder.sorted(codes).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func `codes are in one row as long as the middle of the lower one is beside the higher one`() {
        let left = { code("left", x: 0, y: $0) }
        let right = code("right", x: 200, y: 0)
        #expect(order([right, left(0)]) == ["left", "right"])
        #expect(order([right, left(50)]) == ["left", "right"])
        #expect(order([right, left(51)]) == ["right", "left"])
        #expect(order([left(300), right]) == ["right", "left"])
    }

    @Test func `a small code beside a large one is in its row`() {
        #expect(
            order([code("large", x: 100, y: 0, side: 300), code("small", x: 0, y: 200, side: 40)])
                == ["small", "large"])
        #expect(
            order([code("small", x: 350, y: 0, side: 40), code("large", x: 0, y: 10, side: 300)])
                == ["large", "small"])
    }

    @Test func `the order does not depend on the order in which codes were found`() {
        let codes = (0..<9).map { code("\($0)", x: $0 % 3 * 120, y: $0 / 3 * 120 + $0 % 3 * 10) }
        let expected = (0..<9).map(String.init)
        #expect(order(codes) == expected)
        #expect(order(codes.reversed()) == expected)
        #expect(order(codes.sorted { $0.bytes[0] % 4 < $1.bytes[0] % 4 }) == expected)
    }

    @Test func `a code that two searches find is one code, and one elsewhere with the same bytes is another`() {
        let one = code("a", x: 0, y: 0)
        #expect(one.isSeenAgain(as: code("a", x: 3, y: -2)))
        #expect(!one.isSeenAgain(as: code("a", x: 101, y: 0)))
        #expect(!one.isSeenAgain(as: code("b", x: 0, y: 0)))
    }
}
