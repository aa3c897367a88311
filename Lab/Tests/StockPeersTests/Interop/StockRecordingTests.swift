import Air
import Bluetooth
import ByteCoding
import Determinism
import Foundation
import TestSupport
import Testing
import TransferSimulation
import Tuvali

@testable import StockPeers

/// Our side of hand-overs with stock peers, byte for byte as it was before requests went over the air; the times are
/// not compared.
///
/// The recordings in `Vectors/stock-hand-overs` are of the commit that the first line of each names.
@Suite struct StockRecordingTests {
    static let generations = StockGeneration.allCases

    private static func recorded(_ name: String) throws -> [String] {
        let file = OutsideVectors.packageRoot.appending(path: "Vectors/stock-hand-overs/\(name).txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        return frames(lines.filter { !$0.hasPrefix("#") })
    }

    /// The frames of lines, without their times.
    private static func frames(_ lines: [String]) -> [String] {
        lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }

    /// The name of a file: `verifier-android-14-0.5`.
    private static func name(_ wallet: StockRun.Wallet) -> String {
        switch wallet {
        case .android(let generation, let system): "verifier-\(system.rawValue)-\(generation.rawValue)"
        case .iOS(let mtu): "verifier-ios-\(mtu)"
        }
    }

    /// The frames of our verifier and a stock wallet.
    private static func verify(
        _ wallet: StockRun.Wallet, hold: (inout VerifierSession) throws -> Void = { _ in }
    ) throws -> [String] {
        var random = SeededRandom(seed: 20)
        var configuration = VerifierConfiguration()
        configuration.profile = wallet.generation == .v05 ? .tuvali05 : .tuvali04
        var session = try VerifierSession(name: "OVPMOSIP", random: &random, configuration: configuration)
        try hold(&session)
        var setup = StockWalletSetup(uri: session.uri.text, payload: Samples.noise(1200), seed: 21)
        setup.generation = wallet.generation
        var world = SimulatedWorld(seed: 22, trace: nil)
        let verifier = world.add(
            FrameRecorder(SimulatedVerifier(session: session, profiles: configuration.profiles)))
        switch wallet {
        case .android(_, let system): _ = world.add(StockAndroidWallet(setup, system: system))
        case .iOS(let systemMTU): _ = world.add(StockIOSWallet(setup, systemMTU: systemMTU))
        }
        world.run(until: .zero + .seconds(100))
        let recorder = verifier.flatMap { world.host($0, as: FrameRecorder<SimulatedVerifier>.self) }
        let ours = try #require(recorder)
        #expect(ours.host.payload == Samples.noise(1200))
        #expect(ours.host.record.endings == [.completed(.accepted)])
        return ours.lines
    }

    /// The frames of our wallet and a stock verifier.
    private static func send(
        to generation: StockGeneration, configure: (inout WalletConfiguration) -> Void = { _ in },
        prepare: (inout StockVerifierSetup) -> Void = { _ in }
    ) throws -> [String] {
        var random = SeededRandom(seed: 23)
        var setup = StockVerifierSetup(seed: 24)
        setup.generation = generation
        prepare(&setup)
        var configuration = WalletConfiguration()
        configure(&configuration)
        let session = try WalletSession(
            uri: TuvaliURI(parsing: setup.uri), random: &random, configuration: configuration)
        var world = SimulatedWorld(seed: 25, trace: nil)
        _ = world.add(StockVerifier(setup))
        let wallet = world.add(FrameRecorder(SimulatedWallet(session: session, payload: Samples.noise(1200))))
        world.run(until: .zero + .seconds(100))
        let recorder = wallet.flatMap { world.host($0, as: FrameRecorder<SimulatedWallet>.self) }
        let ours = try #require(recorder)
        #expect(ours.host.record.endings == [.completed(.accepted)])
        return ours.lines
    }

    @Test(arguments: Samples.wallets)
    func `our verifier's bytes on the air with every stock wallet are those recorded before requests`(
        wallet: StockRun.Wallet
    ) throws {
        #expect(try Self.frames(Self.verify(wallet)) == Self.recorded(Self.name(wallet)))
    }

    @Test(arguments: generations)
    func `our wallet's bytes on the air with a stock verifier are those recorded before requests`(
        generation: StockGeneration
    ) throws {
        #expect(try Self.frames(Self.send(to: generation)) == Self.recorded("wallet-\(generation.rawValue)"))
    }

    @Test(arguments: Samples.wallets)
    func `our verifier's bytes on the air are the same when it holds a request that stock wallets do not read`(
        wallet: StockRun.Wallet
    ) throws {
        let lines = try Self.verify(wallet) { session in
            let request = try VerifierRequestMessage(
                mediaType: VerifierRequestMessage.plainRequestType, content: [1, 2, 3])
            try session.hold(request, salt: Array(1...16))
        }
        #expect(try Self.frames(lines) == Self.recorded(Self.name(wallet)))
    }

    @Test(.shows("TUV-141"), arguments: generations)
    func `a wallet that reads requests adds one read of REQUEST_SIZE and its answer, after Identify`(
        generation: StockGeneration
    ) throws {
        let before = try Self.recorded("wallet-\(generation.rawValue)")
        let after = Self.frames(try Self.send(to: generation, configure: { $0.readsRequest = true }))
        // An L2CAP frame of the attribute channel: length, channel, and a Read Request or an empty Read Response.
        let added = after.filter { $0.hasPrefix("> 030004000a") || $0 == "< 010004000b" }
        #expect(after.filter { !added.contains($0) } == before)
        #expect(added.count == 2)
        let place = try #require(after.firstIndex(of: added[0]))
        #expect(after[place + 1] == added[1])
        // Just before it the verifier confirmed the write of Identify, which comes after every subscription.
        #expect(after[place - 1] == "< 0100040013")
        #expect(after[..<place].last { $0.hasPrefix(">") }?.hasPrefix("> 2f00040012") == true)
    }

    @Test(
        arguments: generations,
        [
            [], [0], [0, 0, 0, 0], [0, 0, 1, 0], Array("ASK2".utf8) + [0, 0, 1, 0], Array(repeating: 7, count: 512),
        ] as [[UInt8]])
    func `a stock verifier that answers REQUEST_SIZE without an announcement is served at once`(
        generation: StockGeneration, value: [UInt8]
    ) throws {
        let result = try Pair().send(
            to: generation, configure: { $0.readsRequest = true }, prepare: { $0.sizeRead = .value(value) })
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.payloads == [Pair().payload])
        #expect(result.stock.errors == [])
        // One round trip more than without the read, and no wait.
        let usual = try Pair().send(to: generation)
        let extra = try #require(result.establishedAt) - (try #require(usual.establishedAt))
        #expect(extra < .milliseconds(200))
    }

    @Test(arguments: generations)
    func `a stock verifier that refuses the read of REQUEST_SIZE is served at once`(generation: StockGeneration) throws
    {
        let result = try Pair().send(
            to: generation, configure: { $0.readsRequest = true },
            prepare: { $0.properties[.requestSize] = .indicate })
        #expect(result.endings == [.completed(.accepted)])
        let usual = try Pair().send(to: generation)
        #expect(try #require(result.establishedAt) - (try #require(usual.establishedAt)) < .milliseconds(200))
    }

    @Test(arguments: generations)
    func `a stock verifier that never answers REQUEST_SIZE gets the payload after 1.5 s, as write commands`(
        generation: StockGeneration
    ) throws {
        let result = try Pair().send(
            to: generation, configure: { $0.readsRequest = true }, prepare: { $0.sizeRead = .unanswered })
        #expect(result.endings == [.completed(.accepted)])
        #expect(result.stock.payloads == [Pair().payload])
        let usual = try Pair().send(to: generation)
        let extra = try #require(result.establishedAt) - (try #require(usual.establishedAt))
        #expect(extra > .milliseconds(1450) && extra < .milliseconds(1550))
        let lines = try Self.send(
            to: generation, configure: { $0.readsRequest = true }, prepare: { $0.sizeRead = .unanswered })
        let sent = lines.filter { $0.contains(" > ") }.compactMap { $0.split(separator: " ").last }
        let read = try #require(sent.firstIndex { $0.hasPrefix("030004000a") })
        // After the read every packet is a write command (0x52).
        #expect(sent[(read + 1)...].allSatisfy { $0.dropFirst(8).hasPrefix("52") })
        #expect(sent.count - read > 4)
    }

    @Test(arguments: generations)
    func `a stock verifier that never answers REQUEST_SIZE ends the session after ATT's 30 s`(
        generation: StockGeneration
    ) throws {
        let result = try Pair(thinks: .seconds(40)).send(
            to: generation, configure: { $0.readsRequest = true }, prepare: { $0.sizeRead = .unanswered })
        #expect(result.endings == [.failed(TuvaliError(.walletRequestUnanswered, ""))])
        #expect(result.stock.payloads == [])
    }
}
