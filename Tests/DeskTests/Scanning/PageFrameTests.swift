import QRCode
import Testing

@testable import CodeReader
@testable import Desk

@Suite struct PageFrameTests {
    private static func message(_ width: Int, _ height: Int, kind: UInt8 = 0, count: Int? = nil) -> [UInt8] {
        [kind, UInt8(width >> 8), UInt8(width & 255), UInt8(height >> 8), UInt8(height & 255)]
            + [UInt8](repeating: 255, count: count ?? width * height)
    }

    @Test func `a frame has the bytes of its width and height, at most those of 1920 by 1080 pixels`() throws {
        let largest = try #require(PageFrame(Self.message(1920, 1080)))
        #expect(largest.width == 1920)
        #expect(largest.effort == .frame)
        #expect(PageFrame(Self.message(1, 1, kind: 1))?.effort == .thorough)
        #expect(PageFrame(Self.message(1921, 1080)) == nil)
        #expect(PageFrame(Self.message(1920, 1080, count: 1920 * 1080 - 1)) == nil)
        #expect(PageFrame(Self.message(2, 2, kind: 2)) == nil)
        #expect(PageFrame(Self.message(0, 0)) == nil)
        #expect(PageFrame([]) == nil)
    }

    @Test(.enabled(if: CodeReader.isAvailable, "skipped: no library that reads codes"))
    func `a frame gives the bytes of its code, or says that it has none`() async throws {
        let code = try QRCode("NOT A CREDENTIAL")
        let (scale, edge) = (4, 4)
        let side = (code.size + 2 * edge) * scale
        var message = Self.message(side, side)
        for row in 0..<side {
            for column in 0..<side {
                let (y, x) = (row / scale - edge, column / scale - edge)
                guard (0..<code.size).contains(y), (0..<code.size).contains(x), code[y, x] else { continue }
                message[5 + row * side + column] = 0
            }
        }
        #expect(try await PageFrame(message)?.codes().get() == [Array("NOT A CREDENTIAL".utf8)])
        let empty = try #require(PageFrame(Self.message(side, side)))
        guard case .failure(let error) = await empty.codes() else { return #expect(Bool(false), "it has no code") }
        #expect(error.code == .noCode)
    }
}
