import LinkedData
import Testing

@Suite struct LinkedDataLimitsTests {
    @Test func `the default limits on RDF blank node work are far above any real document's need`() {
        #expect(LinkedDataLimits().maximumHashCalls == 4096)
        #expect(LinkedDataLimits().maximumRelatedHashes == 16_000)
    }
}
