import Testing

@testable import BlueZRadio

@Suite struct ConditionWaitersTests {
    @Test func `a wait of a radio is as long as it says, however long the radio has been open`() async throws {
        let executor = try #require(BusExecutor())
        let radio = BlueZRadio(BlueZRadio.Configuration(), on: executor)
        let age = Duration.seconds(2)
        try await Task.sleep(for: age)
        let clock = ContinuousClock()
        #expect(await clock.measure { await radio.waitBriefly() } < age)
        await radio.shut()
    }
}

extension BlueZRadio {
    fileprivate func waitBriefly() async { await daemon.waiters.pause(.milliseconds(10)) }
}
