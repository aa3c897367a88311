import LinkedData
import Testing

@Suite struct LinkedDataLimitsTests {
    @Test func `the usual limits end the work on blank nodes that no real document needs`() {
        #expect(LinkedDataLimits().maximumHashCalls == 4096)
        #expect(LinkedDataLimits().maximumRelatedHashes == 16_000)
    }
}
