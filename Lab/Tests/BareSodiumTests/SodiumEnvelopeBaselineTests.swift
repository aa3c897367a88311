import BareSodium
import Testing

@Suite struct SodiumEnvelopeBaselineTests {
    @Test func `the bare sodium operations of the benchmark seal and open a message`() throws {
        var bare = try SodiumEnvelopeBaseline(messageCount: 1000, boxedCount: 44, headerCount: 600)
        let sealed = bare.seal()
        let opened = bare.open()
        #expect(sealed && opened)
        #expect(bare.result.boxed == [UInt8](repeating: 1, count: 44))
        #expect(bare.result.message == [UInt8](repeating: 2, count: 1000))
    }
}
