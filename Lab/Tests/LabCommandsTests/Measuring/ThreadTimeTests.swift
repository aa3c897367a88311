import Testing

@testable import LabCommands

@Suite struct ThreadTimeTests {
    @Test func `the measured CPU time of a thread grows while it works`() {
        let start = ThreadTime.seconds
        var sum = 0
        while ThreadTime.seconds - start < 0.001 { sum &+= 1 }
        #expect(start >= 0 && sum >= 0)
    }
}
