import Air
import Bluetooth
import TestSupport
import Testing
import TransferSimulation
import Tuvali

@testable import StockPeers

/// Our wallet and the deployed verifiers.
@Suite struct OurWalletTests {
    @Test(arguments: StockGeneration.allCases, Samples.links)
    func `our wallet completes with every stock verifier on every named link`(
        generation: StockGeneration, link: String
    ) throws {
        let pair = Pair(conditions: Samples.conditions(link))
        let result = try pair.send(to: generation)
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.payloads == [pair.payload])
        #expect(result.stock.events.last == .disconnected)
        #expect(result.stock.errors == [])
    }

    @Test(arguments: [517, 512, 498, 247, 185, 100, 67], StockGeneration.allCases)
    func `our wallet completes with a stock verifier at every MTU from 67 up`(
        mtu: Int, generation: StockGeneration
    ) throws {
        let pair = Pair()
        let result = try pair.send(to: generation, prepare: { $0.maximumMTU = mtu })
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.payloads == [pair.payload])
    }

    @Test(arguments: [nil, 498] as [Int?])
    func `our wallet completes whichever MTU it prefers`(preferred: Int?) throws {
        let pair = Pair()
        let result = try pair.send(to: .v05, configure: { $0.preferredMTU = preferred })
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.payloads == [pair.payload])
    }

    @Test(arguments: StockGeneration.allCases, Samples.links)
    func `our wallet completes with a stock verifier that notifies only subscribers`(
        generation: StockGeneration, link: String
    ) throws {
        let pair = Pair(conditions: Samples.conditions(link))
        let result = try pair.send(to: generation, prepare: { $0.pushRule = .subscribersOnly })
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.payloads == [pair.payload])
        #expect(result.stock.lostPushes == 0)
    }

    @Test func `a stock verifier's rejection with any non-zero status reaches our wallet`() throws {
        for decision in [1, 2, -1] {
            let result = try Pair().send(to: .v05, prepare: { $0.decision = decision })
            #expect(result.endings == [.completed(.rejected)])
        }
    }

    @Test(arguments: 1...10)
    func `our wallet survives dropped write commands with a stock verifier`(seed: UInt64) throws {
        let share = Double(seed) * 0.05
        for link in Samples.links {
            let pair = Pair(seed: seed, conditions: Samples.conditions(link, dropShare: share, lossShare: 0.05))
            let result = try pair.send(to: .v05)
            #expect(result.endings == [.completed(.accepted)])
            #expect(result.stock.payloads == [pair.payload])
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `a payload of 550 kB completes over an ATT MTU of 100 that loses 30 per cent of chunks`(seed: UInt64) throws {
        // 1,770 chunks are missing after the first pass, and a report lists 47 of them: fifteen pages are too few.
        let pair = Pair(
            seed: seed, payload: Samples.noise(550_000), conditions: Samples.conditions("phone-5", dropShare: 0.3))
        let result = try pair.send(to: .v05, prepare: { $0.maximumMTU = 100 })
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.payloads == [pair.payload])
        let rounds = result.ours.events.count { if case .failureFrame = $0.event { true } else { false } }
        #expect(rounds <= 8, "\(rounds)")
    }

    // MARK: - Scenario 1: the verifier fails, the wallet is disconnected

    @Test func `a stock verifier that misses more than 70 per cent fails, and our wallet is disconnected`() throws {
        let result = try Pair(conditions: Samples.conditions("phone-5", dropShare: 0.95)).send(to: .v05)
        #expect(result.stock.errors == [.tooManyFailures])
        #expect(result.endings == [.disconnected(TuvaliError(.peerDisconnected, ""))])
    }

    @Test func `a stock verifier refuses an MTU of 66, and our wallet ends with its own code`() throws {
        let result = try Pair().send(to: .v05, prepare: { $0.maximumMTU = 66 })
        #expect(result.stock.errors == [.unsupportedMTU])
        #expect(result.endings.map(\.error?.wireCode) == [.mtuNegotiation])
    }

    // MARK: - Scenario 2: the wallet fails, the verifier is disconnected

    @Test(.shows("TUV-096")) func `our wallet fails when no MTU is negotiated, and the stock verifier is disconnected`()
        throws
    {
        // A verifier too slow to complain itself.
        let result = try Pair().send(
            to: .v05,
            prepare: {
                $0.maximumMTU = 66
                $0.timing.appLatency = .seconds(20)
            })
        #expect(result.endings == [.failed(TuvaliError(.walletMTUTooSmall, ""))])
        #expect(result.endings.map(\.error?.wireCode) == [.mtuNegotiation])
        #expect(result.stock.events.last == .disconnected)
        #expect(!result.stock.events.contains(.secureChannelEstablished))
    }

    @Test(.shows("TUV-096"))
    func `our wallet fails when its retries are used up, and the stock verifier is disconnected`() throws {
        // The only failure frame loses some of its chunks too.
        let result = try Pair(conditions: Samples.conditions("phone-5", dropShare: 0.4)).send(
            to: .v05, configure: { $0.failureFrameLimit = 1 })
        #expect(result.endings == [.failed(TuvaliError(.walletTooManyFailureFrames, ""))])
        #expect(result.endings.map(\.error?.wireCode) == [.transferFailed])
        #expect(result.stock.events.last == .disconnected)
        #expect(result.stock.errors == [])
    }

    @Test(.shows("TUV-096"))
    func `our wallet fails when a report cannot be requested, and the stock verifier is disconnected`() throws {
        let result = try Pair().send(to: .v05, prepare: { $0.properties = [.reportRequest: .read] })
        #expect(result.endings == [.failed(TuvaliError(.walletReportRequestFailed, ""))])
        #expect(result.endings.map(\.error?.wireCode) == [.transferFailed])
        #expect(result.stock.events == [.connected, .secureChannelEstablished, .disconnected])
    }

    // MARK: - What stock verifiers get wrong

    @Test func `our wallet reports a missing service where a stock wallet may wait for ever`() throws {
        let result = try Pair().send(to: .v05, prepare: { $0.publishesService = false })
        #expect(result.endings == [.failed(TuvaliError(.walletServiceNotFound, ""))])
        #expect(result.endings.map(\.error?.wireCode) == [.serviceNotFound])
    }

    @Test func `our wallet gives up waiting for a decision that never comes`() throws {
        let result = try Pair().send(to: .v05, prepare: { $0.decision = nil })
        #expect(result.endings == [.failed(TuvaliError(.walletStatusTimeout, ""))])
        #expect(result.stock.events.last == .disconnected)
    }
}
