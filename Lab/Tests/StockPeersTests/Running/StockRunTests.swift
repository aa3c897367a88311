import Air
import Bluetooth
import Testing

@testable import StockPeers

/// The models against each other.
@Suite struct StockRunTests {
    static let payload = Samples.noise(20_000)

    @Test(arguments: Samples.wallets, Samples.links)
    func `every stock wallet completes a hand-over to the stock verifier of its generation on every named link`(
        wallet: StockRun.Wallet, link: String
    ) {
        let result = StockRun(seed: 1, payload: Self.payload, wallet: wallet, conditions: Samples.conditions(link))
            .run()
        #expect(
            result.wallet.events == [
                .connected, .secureChannelEstablished, .dataSent, .verificationStatus(0), .disconnected,
            ])
        #expect(result.verifier.payloads == [Self.payload])
        #expect(result.verifier.events.last == .disconnected)
        #expect(result.verifier.errors == [])
        #expect(result.wallet.lostPushes == 0)
        #expect(result.transferSeconds < 10)
    }

    @Test(
        arguments: [
            (.upTo13, 517, 509), (.upTo13, 512, 509), (.upTo13, 247, 182), (.upTo13, 185, 182), (.upTo13, 100, 97),
            (.upTo13, 99, nil), (.from14, 517, 509), (.from14, 512, 509), (.from14, 511, nil), (.from14, 247, nil),
            (.from14, 185, 182), (.from14, 184, nil), (.from14, 100, 97), (.from14, 67, nil),
        ] as [(StockAndroidWallet.MTUBehaviour, Int, Int?)])
    func `a stock Android wallet works with the MTUs that it asks for and with no other`(
        system: StockAndroidWallet.MTUBehaviour, verifierMTU: Int, writeBytes: Int?
    ) {
        var run = StockRun(seed: 1, payload: Self.payload, wallet: .android(.v05, system))
        run.prepareVerifier = { $0.maximumMTU = verifierMTU }
        let result = run.run()
        guard let writeBytes else {
            #expect(result.wallet.events == [.error(.mtuNegotiation), .disconnected])
            #expect(result.verifier.events.last == .disconnected)
            return
        }
        #expect(result.verifier.payloads == [Self.payload])
        let expected = StockChunker.count(total: Self.payload.count + 39, writeBytes: writeBytes)
        #expect(
            result.verifier.events.contains(
                .dataReceived(Self.payload, corruptChunkCount: 0, chunkCount: expected)))
    }

    @Test(arguments: [517, 247, 185, 100, 67])
    func `a stock iOS wallet works with any MTU from 67 up`(verifierMTU: Int) {
        var run = StockRun(seed: 1, payload: Self.payload, wallet: .iOS(systemMTU: 517))
        run.prepareVerifier = { $0.maximumMTU = verifierMTU }
        #expect(run.run().verifier.payloads == [Self.payload])
    }

    @Test(arguments: [StockRun.Wallet.android(.v05, .upTo13), .iOS(systemMTU: 517)])
    func `an MTU of 66 is an error of the stock verifier, or of the wallet when that is faster`(wallet: StockRun.Wallet)
    {
        var run = StockRun(seed: 1, payload: Self.payload, wallet: wallet)
        run.prepareVerifier = { $0.maximumMTU = 66 }
        let first = run.run()
        #expect(first.verifier.events == [.connected, .error(.unsupportedMTU), .disconnected])
        #expect(!first.wallet.events.contains(.connected))
        run.prepareVerifier = {
            $0.maximumMTU = 66
            $0.timing.appLatency = .seconds(10)
        }
        let second = run.run()
        #expect(second.wallet.errors == [.mtuNegotiation])
        #expect(second.verifier.events.last == .disconnected)
    }

    @Test func `a stock iOS wallet reports disconnected before its error, and again when the link is down`() {
        var run = StockRun(seed: 1, payload: Self.payload, wallet: .iOS(systemMTU: 66))
        run.prepareVerifier = { $0.timing.appLatency = .seconds(10) }
        #expect(run.run().wallet.events == [.disconnected, .error(.mtuNegotiation), .disconnected])
    }

    @Test func `a stock Android wallet matches an MTU callback later than half a second to the wrong request`() {
        let slow = DeviceRadioConditions(link: LinkParameters(phy: .le1M, intervalMicroseconds: 600_000))
        let result = StockRun(
            seed: 1, payload: Self.payload, wallet: .android(.v05, .upTo13), conditions: slow
        ).run()
        #expect(result.wallet.events == [.error(.mtuNegotiation), .disconnected])
    }

    @Test func `a missing Tuvali service is an error on a stock Android wallet and a silent wait on iOS`() {
        for wallet in [StockRun.Wallet.android(.v05, .from14), .iOS(systemMTU: 517)] {
            var run = StockRun(seed: 1, payload: Self.payload, wallet: wallet)
            run.prepareVerifier = { $0.publishesService = false }
            let result = run.run()
            #expect(result.wallet.errors == (wallet == .iOS(systemMTU: 517) ? [] : [.serviceNotFound]))
            #expect((result.wallet.stuck != nil) == (wallet == .iOS(systemMTU: 517)))
        }
    }

    @Test func `lost chunks are sent again, and a stock verifier that misses too many gives up`() {
        for (share, succeeds) in [(0.5, true), (0.9, false)] {
            let result = StockRun(
                seed: 1, payload: Self.payload, wallet: .iOS(systemMTU: 185),
                conditions: Samples.conditions("phone-5", dropShare: share)
            ).run()
            #expect(result.verifier.payloads == (succeeds ? [Self.payload] : []))
            #expect(result.verifier.errors == (succeeds ? [] : [.tooManyFailures]))
            #expect(result.wallet.events.last == .disconnected)
        }
    }

    @Test func `a stock Android wallet whose report request is lost waits for ever`() {
        let results = (1...40).map { seed in
            StockRun(
                seed: seed, payload: Samples.noise(300),
                conditions: Samples.conditions("phone-5", dropShare: 0.3)
            ).run()
        }
        let silent = results.filter {
            $0.wallet.errors.isEmpty && $0.wallet.succeededAt == nil && $0.verifier.crash == nil
        }
        #expect(!silent.isEmpty)
        #expect(silent.allSatisfy { $0.transferSeconds == StockRun.failureSeconds })
        #expect(results.contains { $0.verifier.crash != nil })
        #expect(results.contains { $0.transferSeconds < 1 })
    }

    @Test func `a stock Android wallet that subscribes late loses the report of a fast verifier`() {
        var run = StockRun(seed: 1, payload: Self.payload)
        run.timing = StockTiming(appLatency: .zero, listenLatency: .milliseconds(40))
        run.prepareVerifier = { $0.decisionDelay = .zero }
        let result = run.run()
        #expect(result.wallet.lostPushes == 2)
        #expect(result.wallet.events == [.connected, .secureChannelEstablished])
        #expect(result.transferSeconds == StockRun.failureSeconds)
    }

    @Test func `a stock iOS wallet works with a server that notifies only subscribers, and Android waits`() {
        for wallet in [StockRun.Wallet.android(.v05, .from14), .iOS(systemMTU: 517)] {
            var run = StockRun(seed: 1, payload: Self.payload, wallet: wallet)
            run.prepareVerifier = { $0.pushRule = .subscribersOnly }
            let result = run.run()
            #expect(result.verifier.payloads == [Self.payload])
            #expect(result.wallet.events.contains(.dataSent) == (wallet == .iOS(systemMTU: 517)))
            #expect(result.verifier.lostPushes == (wallet == .iOS(systemMTU: 517) ? 0 : 2))
        }
    }

    @Test func `a stock iOS wallet takes 20 milliseconds for each chunk on any link`() {
        let payload = Samples.noise(50_000)
        for link in ["ideal-1m", "ideal-2m", "phone-5"] {
            let seconds = StockRun.transferSeconds(
                of: payload, from: .iOS(systemMTU: 517), conditions: Samples.conditions(link), seed: 1)
            // 100 chunks of 505 bytes, then one request and one report.
            #expect((2.0...2.1).contains(seconds))
        }
    }

    @Test func `an Android phone sends one chunk per interval, and a phone without latency all that fit`() {
        let conditions = Samples.conditions("phone-5")
        let payload = Samples.noise(50_000)
        let seconds = [StockTiming(), .immediate].map { timing in
            StockRun.transferSeconds(
                of: payload, from: .android(.v05, .from14), conditions: conditions, timing: timing, seed: 1)
        }
        // 100 chunks of 505 bytes at 15 ms, then the request and its report.
        #expect((1.5...1.55).contains(seconds[0]))
        #expect(seconds[1] < seconds[0] / 3)
    }

    @Test func `one seed gives one trace of a run with stock peers`() {
        let digests = (0..<2).map { _ in
            StockRun(
                seed: 7, payload: Self.payload, wallet: .iOS(systemMTU: 517),
                conditions: Samples.conditions("phone-4.2", dropShare: 0.2, lossShare: 0.1)
            ).run(trace: SimulationTrace()).trace.digest
        }
        #expect(digests[0] == digests[1])
    }
}
