import Air
import Bluetooth
import Determinism
import Testing
import TransferSimulation
import Tuvali

@testable import StockPeers

/// Deployed wallets whose control writes are lost, or whose link stalls, and our verifier's reports without a request.
@Suite struct LostControlWriteTests {
    static let androids = Samples.wallets.filter { if case .android = $0 { true } else { false } }

    /// 20,000 bytes make 40 chunks at an ATT MTU of 512: Android's commands are Identify, length, 40 chunks, and
    /// request 43.
    private func pair(dropping commands: Set<Int>, notifications: Set<Int> = []) -> Pair {
        var pair = Pair(conditions: Samples.conditions("phone-5"))
        pair.conditions.droppedWriteCommands = commands
        pair.conditions.droppedNotifications = notifications
        return pair
    }

    @Test(arguments: androids)
    func `an Android wallet whose report request is lost completes only with unsolicited reports`(
        wallet: StockRun.Wallet
    ) throws {
        let pair = pair(dropping: [43])
        let rescued = try pair.verify(wallet)
        #expect(rescued.received == pair.payload)
        #expect(rescued.stock.events == OurVerifierTests.completed)
        let lost = try pair.verify(wallet, configure: { $0.unsolicitedReportLimit = 0 })
        #expect(lost.endings == [.failed(TuvaliError(.verifierTransferTimeout, ""))])
        #expect(lost.received == nil)
    }

    @Test(arguments: androids)
    func `an Android wallet that loses a chunk and two report requests completes within six seconds`(
        wallet: StockRun.Wallet
    ) throws {
        let pair = pair(dropping: [5, 43, 45])
        let result = try pair.verify(wallet)
        #expect(result.received == pair.payload)
        #expect(result.stock.events == OurVerifierTests.completed)
        let (begin, end) = (try #require(result.stock.firstChunkAt), try #require(result.stock.succeededAt))
        #expect(end - begin < .seconds(6))
    }

    @Test(arguments: androids)
    func `a report that does not reach an Android wallet is sent again`(wallet: StockRun.Wallet) throws {
        let pair = pair(dropping: [5], notifications: [1])
        let result = try pair.verify(wallet)
        #expect(result.received == pair.payload)
        #expect(result.stock.events == OurVerifierTests.completed)
        #expect(try pair.verify(wallet, configure: { $0.unsolicitedReportLimit = 0 }).received == nil)
    }

    @Test(arguments: androids)
    func `an Android wallet whose length message is lost is disconnected within ten seconds`(wallet: StockRun.Wallet)
        throws
    {
        let result = try pair(dropping: [2]).verify(wallet)
        #expect(result.endings == [.failed(TuvaliError(.verifierSizeMissing, ""))])
        let end = try #require(result.stock.entries.last)
        #expect(end.event == .disconnected)
        #expect(end.at < .zero + .seconds(10))
    }

    @Test(arguments: androids)
    func `an Android wallet whose Identify is lost is disconnected within two seconds, and its user scans again`(
        wallet: StockRun.Wallet
    ) throws {
        let result = try pair(dropping: [1]).verify(wallet, configure: { $0.advertisingWait = .seconds(20) })
        let end = try #require(result.stock.entries.last)
        #expect(end.event == .disconnected)
        #expect(end.at < .zero + .seconds(2))
        let refusals = result.ours.events.filter { if case .refused = $0.event { true } else { false } }
        #expect(refusals.map(\.event) == [.refused(TuvaliError(.verifierOutOfTurn, ""))])
        #expect(result.endings == [.failed(TuvaliError(.verifierNobodyCame, ""))])
    }

    @Test func `an Android wallet that loses each second report request completes by reports in each silence`() throws {
        // Requests 43, 45, 47 … follow the resent chunk each time; half of the chunk's copies are lost too.
        let pair = pair(dropping: [5, 43, 44, 45, 46, 48, 49, 50])
        let result = try pair.verify(.android(.v05, .from14))
        #expect(result.received == pair.payload)
        #expect(result.stock.events == OurVerifierTests.completed)
    }

    /// Where in the transfer a link stalls, in tenths, and for how long, in milliseconds.
    static let stalls: [(tenth: Int, milliseconds: Int)] = [0, 5, 9, 10].flatMap { tenth in
        [1600, 3000, 6000].map { (tenth, $0) }
    }

    @Test(arguments: Samples.wallets, [[], [5, 20, 35]] as [Set<Int>])
    func `unsolicited reports harm no stock wallet whose chunks are delayed by a stalled link`(
        wallet: StockRun.Wallet, lostCommands: Set<Int>
    ) throws {
        var pair = pair(dropping: lostCommands)
        pair.conditions.link?.supervisionTimeoutMilliseconds = 20_000
        let smooth = try pair.verify(wallet)
        let (begin, end) = (try #require(smooth.stock.firstChunkAt), try #require(smooth.stock.succeededAt))
        for stall in Self.stalls {
            let from = begin + .nanoseconds((end - begin).wholeNanoseconds * Int64(stall.tenth) / 10)
            pair.conditions.outages = [AirOutage(from: from, until: from + .milliseconds(stall.milliseconds))]
            let with = try pair.verify(wallet)
            let without = try pair.verify(wallet, configure: { $0.unsolicitedReportLimit = 0 })
            #expect(with.received == without.received, "\(stall)")
            #expect(with.endings == without.endings, "\(stall)")
            #expect(Set(with.stock.events) == Set(without.stock.events), "\(stall)")
            #expect(with.stock.errors == without.stock.errors && with.stock.crash == nil, "\(stall)")
            if case .android = wallet { #expect(without.received == pair.payload, "\(stall)") }
            let late = (with.stock.succeededAt ?? .zero) - (without.stock.succeededAt ?? .zero)
            #expect(late < .milliseconds(500), "\(stall) \(late)")
        }
    }
}
