import Air
import Bluetooth
import Determinism
import TestSupport
import Testing
import TransferSimulation
import Tuvali

@testable import StockPeers

/// Our verifier and the deployed wallets.
@Suite struct OurVerifierTests {
    static let completed: [StockEvent] = [
        .connected, .secureChannelEstablished, .dataSent, .verificationStatus(0), .disconnected,
    ]

    @Test(arguments: Samples.wallets, Samples.links)
    func `our verifier completes with every stock wallet on every named link`(
        wallet: StockRun.Wallet, link: String
    ) throws {
        let pair = Pair(conditions: Samples.conditions(link))
        let result = try pair.verify(wallet)
        #expect(result.received == pair.payload)
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.events == Self.completed)
    }

    @Test(arguments: Samples.wallets)
    func `our verifier of both Tuvali profiles completes with every stock wallet`(wallet: StockRun.Wallet) throws {
        let pair = Pair()
        let result = try pair.verify(wallet, configure: { $0.profiles = WireProfile.allCases })
        #expect(result.received == pair.payload)
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.events == Self.completed)
    }

    @Test(arguments: Samples.wallets)
    func `our verifier with a request serves a stock wallet, and reports that the request was not read`(
        wallet: StockRun.Wallet
    ) throws {
        var pair = Pair()
        pair.request = try VerifierRequestMessage(mediaType: "application/json", content: Array("{}".utf8))
        let result = try pair.verify(wallet)
        #expect(result.received == pair.payload)
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.events == Self.completed)
        #expect(result.ours.events.contains { $0.event == .refused(TuvaliError(.verifierRequestUnread, "")) })
    }

    @Test(arguments: Samples.wallets)
    func `our verifier that requires answers disconnects a stock wallet, and stores no chunk`(
        wallet: StockRun.Wallet
    ) throws {
        var pair = Pair()
        pair.request = try VerifierRequestMessage(mediaType: "application/json", content: Array("{}".utf8))
        let result = try pair.verify(wallet, configure: { $0.requiresAnswer = true })
        #expect(result.received == nil)
        #expect(result.endings == [.failed(TuvaliError(.verifierRequestUnread, ""))])
        #expect(result.stock.events == [.connected, .secureChannelEstablished, .disconnected])
        for (event, _) in result.ours.events {
            switch event {
            case .announced, .progress, .reported, .received: Issue.record("\(event)")
            default: break
            }
        }
        // Android writes without waiting: what is under way when the size arrives is all that leaves the wallet.
        let begin = try #require(result.stock.firstChunkAt)
        let end = try #require(result.stock.entries.last?.at)
        #expect(end - begin < .milliseconds(250))
    }

    @Test(arguments: Samples.wallets)
    func `our verifier's rejection reaches every stock wallet`(wallet: StockRun.Wallet) throws {
        let result = try Pair().verify(wallet, decision: .rejected)
        #expect(result.endings == [.completed(.rejected)])
        #expect(result.stock.events.contains(.verificationStatus(1)))
    }

    @Test(
        arguments: [
            (.upTo13, 517), (.upTo13, 512), (.upTo13, 247), (.upTo13, 185), (.upTo13, 100), (.from14, 517),
            (.from14, 512),
            (.from14, 185), (.from14, 100),
        ] as [(StockAndroidWallet.MTUBehaviour, Int)], StockGeneration.allCases)
    func `our verifier completes with an Android wallet at every MTU that it accepts`(
        offer: (system: StockAndroidWallet.MTUBehaviour, mtu: Int), generation: StockGeneration
    ) throws {
        let pair = Pair()
        let result = try pair.verify(.android(generation, offer.system), verifierMTU: offer.mtu)
        #expect(result.received == pair.payload)
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.events == Self.completed)
    }

    @Test(arguments: [517, 247, 185, 100, 67], [517, 185])
    func `our verifier completes with an iOS wallet at every MTU from 67 up`(mtu: Int, systemMTU: Int) throws {
        let pair = Pair()
        let result = try pair.verify(.iOS(systemMTU: systemMTU), verifierMTU: mtu)
        #expect(result.received == pair.payload)
        #expect(result.stock.events == Self.completed)
    }

    @Test(
        arguments: [(.from14, 247), (.from14, 511), (.from14, 99), (.upTo13, 99)]
            as [(StockAndroidWallet.MTUBehaviour, Int)])
    func `an Android wallet leaves at an MTU that it did not request, and our verifier reports that`(
        system: StockAndroidWallet.MTUBehaviour, mtu: Int
    ) throws {
        // A wallet that never identified itself is no session: the verifier goes on to wait for another.
        let result = try Pair(limit: .seconds(30)).verify(
            .android(.v05, system), verifierMTU: mtu, configure: { $0.advertisingWait = .seconds(20) })
        #expect(result.stock.errors == [.mtuNegotiation])
        #expect(result.received == nil)
        #expect(result.endings == [.failed(TuvaliError(.verifierNobodyCame, ""))])
    }

    @Test(
        .shows("TUV-096"),
        arguments: [StockRun.Wallet.android(.v05, .upTo13), .android(.v05, .from14), .iOS(systemMTU: 517)])
    func `our verifier refuses an MTU of 66 with the documented code`(wallet: StockRun.Wallet) throws {
        let result = try Pair().verify(wallet, verifierMTU: 66, configure: { $0.advertisingWait = .seconds(20) })
        let refusals = result.ours.events.compactMap { (event, _) -> TuvaliError? in
            if case .refused(let error) = event { error } else { nil }
        }
        #expect(refusals.first?.wireCode == .unsupportedMTUSize)
        // Another wallet may still connect.
        #expect(result.endings == [.failed(TuvaliError(.verifierNobodyCame, ""))])
        // iOS looks at the MTU as well, and fails on its own side too.
        #expect(result.stock.events.last == .disconnected)
        #expect(result.stock.errors == (wallet == .iOS(systemMTU: 517) ? [.mtuNegotiation] : []))
    }

    @Test(arguments: 1...10)
    func `an iOS wallet survives dropped write commands with our verifier`(seed: UInt64) throws {
        let share = Double(seed) * 0.05
        for link in Samples.links {
            let pair = Pair(seed: seed, conditions: Samples.conditions(link, dropShare: share, lossShare: 0.05))
            let result = try pair.verify(.iOS(systemMTU: 517))
            #expect(result.received == pair.payload)
            #expect(result.stock.events == Self.completed)
        }
    }

    /// Android's identify request, length and report requests are write commands too: it survives the loss of chunks
    /// alone. Whatever is lost, our verifier ends with one coded event, and has the payload or nothing.
    @Test(arguments: [0.05, 0.2])
    func `an Android wallet completes despite dropped chunks, and other losses end with a code`(share: Double) throws {
        var completed = 0
        for seed in UInt64(1)...40 {
            let pair = Pair(seed: seed, conditions: Samples.conditions("phone-5", dropShare: share))
            let result = try pair.verify(.android(.v05, .from14), configure: { $0.advertisingWait = .seconds(60) })
            #expect(result.endings.count == 1)
            if result.endings == [.completed(.accepted)] {
                completed += 1
                #expect(result.received == pair.payload)
                #expect(result.stock.events == Self.completed)
            } else {
                #expect(result.endings.allSatisfy { $0.error != nil })
            }
        }
        #expect(completed >= (share < 0.1 ? 25 : 5))
    }

    @Test(.shows("TUV-096"), arguments: [StockRun.Wallet.android(.v05, .from14), .iOS(systemMTU: 185)])
    func `a transfer of which more than 70 per cent is lost fails at our verifier and disconnects the wallet`(
        wallet: StockRun.Wallet
    ) throws {
        // A payload of one chunk, and the first seed that loses it and none of Android's three requests.
        let results = try (1...100).lazy.map { seed in
            try Pair(
                seed: seed, payload: Samples.noise(300), conditions: Samples.conditions("phone-5", dropShare: 0.3)
            ).verify(wallet, configure: { $0.advertisingWait = .seconds(5) })
        }
        let result = try #require(
            results.first { $0.endings == [.failed(TuvaliError(.verifierTooManyMissingChunks, ""))] })
        #expect(result.endings.map(\.error?.wireCode) == [.tooManyFailureChunks])
        #expect(result.stock.events.last == .disconnected)
        #expect(result.stock.errors == [])
    }

    @Test(.shows("TUV-096"), arguments: [StockRun.Wallet.android(.v05, .from14), .iOS(systemMTU: 517)])
    func `a length of zero fails at our verifier and disconnects the wallet`(wallet: StockRun.Wallet) throws {
        let result = try Pair().verify(wallet, prepare: { $0.announcedBytes = 0 })
        #expect(result.endings == [.failed(TuvaliError(.verifierSizeZero, ""))])
        #expect(result.endings.map(\.error?.wireCode) == [.corruptedChunkReceived])
        #expect(result.stock.events.last == .disconnected)
        #expect(result.stock.errors == [])
    }

    @Test func `an iOS wallet whose retries are used up fails, and our verifier reports that it left`() throws {
        // Of 3,000 small chunks more get lost than 15 reports of one page can list.
        var pair = Pair(payload: Samples.noise(280_000), conditions: Samples.conditions("phone-5", dropShare: 0.4))
        pair.seed = 3
        let result = try pair.verify(.iOS(systemMTU: 100))
        #expect(result.stock.errors == [.transferFailed])
        #expect(result.endings == [.disconnected(TuvaliError(.peerDisconnected, ""))])
        #expect(result.received == nil)
    }

    @Test func `no stock wallet connects to our verifier with an old QR code`() throws {
        for wallet in Samples.wallets {
            let result = try Pair(limit: .seconds(30)).verify(
                wallet, configure: { $0.advertisingWait = .seconds(20) },
                prepare: {
                    $0.uri = StockURI.text(
                        name: "OVPMOSIP", key: Samples.bytes(StockURITests.key), generation: wallet.generation)
                })
            #expect(result.stock.events == [])
            #expect(result.endings == [.failed(TuvaliError(.verifierNobodyCame, ""))])
        }
    }

    /// The events of an original Android wallet whose transfer's thread is so late; our verifier decides at once.
    private func events(lateBy milliseconds: Int, statusDelay: Duration?) throws -> [StockEvent] {
        var pair = Pair(payload: Samples.noise(3000), conditions: Samples.conditions("phone-5"))
        pair.timing.transferLatency = .milliseconds(milliseconds)
        return try pair.verify(
            .android(.v05, .from14),
            configure: { configuration in statusDelay.map { configuration.commandStatusDelay = $0 } }
        ).stock.events
    }

    @Test(arguments: [0, 5, 29, 60, 95])
    func `an Android wallet learns the transfer's success before our decision, even an immediate one`(
        milliseconds: Int
    ) throws {
        #expect(try events(lateBy: milliseconds, statusDelay: nil) == Self.completed)
    }

    @Test func `without the status delay an Android wallet gets our decision first, or no success report`() throws {
        let late = try events(lateBy: 60, statusDelay: .zero)
        #expect(late != Self.completed)
        #expect(late.contains(.verificationStatus(0)))
        #expect(try events(lateBy: 500, statusDelay: .zero).contains(.dataSent) == false)
    }

    @Test func `without a report delay our verifier's report is lost on an Android wallet that subscribes late`() throws
    {
        var pair = Pair(payload: Samples.noise(3000), conditions: Samples.conditions("ideal-2m"))
        pair.timing = StockTiming(appLatency: .milliseconds(1), listenLatency: .milliseconds(10))
        let result = try pair.verify(.android(.v05, .from14), configure: { $0.commandReportDelay = .zero })
        #expect(result.stock.lostPushes > 0)
        #expect(!result.stock.events.contains(.dataSent))
    }

    @Test(arguments: [0, 1, 5, 10, 20, 30, 40], Samples.links)
    func `our verifier's report reaches an Android wallet that subscribes late`(milliseconds: Int, link: String) throws
    {
        for (appLatency, lossShare) in [(0, 0.0), (3, 0.0), (0, 0.3)] {
            var pair = Pair(payload: Samples.noise(3000), conditions: Samples.conditions(link))
            pair.timing = StockTiming(
                appLatency: .milliseconds(appLatency), listenLatency: .milliseconds(milliseconds))
            pair.conditions.packetLossShare = lossShare
            let result = try pair.verify(.android(.v05, .from14))
            #expect(result.stock.lostPushes == 0)
            #expect(result.stock.events == Self.completed)
        }
    }
}
