import TestSupport
import Testing

@testable import Commands

@Suite struct DecoderTests {
    @Test func `inspected hexadecimal digits are read in whole bytes`() {
        let text = Array("020106\n0303aabb\n".utf8)
        let read = { (bytes: [UInt8]) in
            AdvertisementInspection.hexadecimalLines(String(decoding: bytes, as: UTF8.self))
        }
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: read) == [2, 4, 6, 7, 9, 11, 13, 15])
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: read) == [])
    }
}
