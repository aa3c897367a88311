import CBOR
import Testing

@Suite struct CBORLimitsTests {
    @Test func `the usual limits allow the depth that a mobile document may have and no more`() {
        #expect(CBORLimits.maximumDepth == 32)
    }
}
