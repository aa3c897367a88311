import Testing

@testable import MobileSession

@Suite struct DeviationTests {
    @Test func `each deviation has a clause, one sentence, and a number of its own kind or none`() {
        for deviation in MobileDeviation.allCases {
            #expect(!deviation.clause.isEmpty)
            #expect(deviation.sentence.last == "." && deviation.sentence.count { $0 == "." } >= 1)
            if let quirk = deviation.quirk {
                #expect(quirk.first == "F" && Int(quirk.dropFirst()).map((1...40).contains) == true)
            }
        }
        #expect(Set(MobileDeviation.allCases.map(\.sentence)).count == MobileDeviation.allCases.count)
    }
}
