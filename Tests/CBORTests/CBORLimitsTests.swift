import CBOR
import Testing

@Suite struct CBORLimitsTests {
    @Test func `the default CBOR limits allow a nesting depth of 32`() {
        #expect(CBORLimits.maximumDepth == 32)
    }
}
