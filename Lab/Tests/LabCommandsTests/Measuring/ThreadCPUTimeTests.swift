import Testing

@testable import LabCommands

@Suite struct ThreadCPUTimeTests {
    @Test func `the measured CPU time of a thread grows while it works`() {
        let start = ThreadCPUTime.seconds
        var sum = 0
        while ThreadCPUTime.seconds - start < 0.001 { sum &+= 1 }
        #expect(start >= 0 && sum >= 0)
    }
}
