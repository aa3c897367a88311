import Bluetooth
import Radio
import Testing
import Tuvali
import TuvaliHandover

@Suite struct LinkSpeedReportTests {
    let link = LinkParameters(phy: .le2M, intervalMicroseconds: 15_000)

    private func report(
        share: Double, mtu: Int = 498, sealedBytes: Int = 100_000, failureFrames: Int = 0,
        change: (inout LinkStatistics) -> Void = { _ in }
    ) -> LinkSpeedReport {
        var statistics = LinkStatistics(
            parameters: link, mtu: mtu, packetsSent: 400, packetsReceived: 10, retransmissions: 0, idleEvents: 0,
            busyEvents: 50)
        change(&statistics)
        return LinkSpeedReport(
            statistics: statistics, setupSeconds: 0.2,
            transferSeconds: Double(sealedBytes) / (share * link.limitBytesPerSecond),
            summary: TransferSummary(
                payloadBytes: 1, sealedBytes: sealedBytes, chunkCount: 1, failureFrameCount: failureFrames))
    }

    @Test func `a link report's share of the limit is its rate divided by what the link can carry`() throws {
        let share = try #require(report(share: 0.5).limitShare)
        #expect(abs(share - 0.5) < 1e-9)
    }

    @Test func `a link report names each possible bottleneck`() {
        #expect(report(share: 0.85).bottleneck == .link)
        #expect(report(share: 0.84).bottleneck == .roundTrips)
        #expect(report(share: 0.5, failureFrames: 1).bottleneck == .receiver)
        #expect(report(share: 0.5) { $0.retransmissions = 21 }.bottleneck == .interference)
        #expect(
            report(share: 0.5) {
                $0.retransmissions = 20
                $0.idleEvents = 6
            }.bottleneck == .sender)
        #expect(report(share: 0.5, mtu: 100).bottleneck == .mtu)
        #expect(report(share: 0.5, sealedBytes: 2000).bottleneck == .roundTrips)
        #expect(report(share: 0.5).bottleneck == .roundTrips)
        #expect(report(share: 0.5) { $0.parameters = nil }.bottleneck == .unknown)
    }

    @Test func `a transfer that did not complete has no data rate in its link report`() {
        let report = LinkSpeedReport(statistics: LinkStatistics())
        #expect(report.bytesPerSecond == nil && report.limitShare == nil && report.bottleneck == .unknown)
    }
}
