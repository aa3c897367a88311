import TestSupport
import Testing
import Tuvali

@Suite struct BackOffTests {
    private func waits(_ configuration: BackOff.Configuration) -> [Duration] {
        var backOff = BackOff(configuration)
        var waits: [Duration] = []
        while let wait = backOff.next() { waits.append(wait) }
        return waits
    }

    @Test(.shows("TUV-100", "TUV-102")) func `the back-off doubles from 2 ms up to 32 ms`() {
        let waits = waits(BackOff.Configuration(retryLimit: 8, totalWait: .seconds(1)))
        #expect(waits == [2, 4, 8, 16, 32, 32, 32, 32].map { .milliseconds($0) })
    }

    @Test(.shows("TUV-101")) func `the back-off ends before its waits exceed 100 ms in all`() {
        #expect(waits(BackOff.Configuration(retryLimit: 10)) == [2, 4, 8, 16, 32, 32].map { .milliseconds($0) })
        #expect(waits(BackOff.Configuration(retryLimit: 10, totalWait: .milliseconds(94))).count == 6)
        #expect(waits(BackOff.Configuration(retryLimit: 10, totalWait: .milliseconds(93))).count == 5)
    }

    @Test(.shows("TUV-101")) func `the back-off ends at the limit of retries`() {
        #expect(waits(BackOff.Configuration(retryLimit: 5)).count == 5)
        #expect(waits(BackOff.Configuration(retryLimit: 0)).isEmpty)
    }
}
