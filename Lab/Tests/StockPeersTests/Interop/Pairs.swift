import Air
import Bluetooth
import Determinism
import TransferSimulation
import Tuvali

@testable import StockPeers

/// One side ours, one side a stock model, on one air.
struct Pair {
    var seed: UInt64 = 1
    var payload = Samples.noise(20_000)
    var conditions = DeviceRadioConditions()
    var timing = StockTiming()
    var limit: Duration = .seconds(900)
    /// The time that the user of our wallet waits before sending.
    var thinks: Duration = .zero
    /// The request of our verifier; nil for none.
    var request: VerifierRequestMessage?

    /// Our verifier and the outcome of a stock wallet.
    struct OurVerifier {
        let ours: HandOverEventLog<VerifierEvent>
        let received: [UInt8]?
        let stock: StockEventLog

        var endings: [SessionEnding] { ours.endings }
    }

    /// Our wallet and the outcome of a stock verifier.
    struct OurWallet {
        let ours: HandOverEventLog<WalletEvent>
        let stock: StockEventLog

        var endings: [SessionEnding] { ours.endings }

        /// The time at which the secure channel was established.
        var establishedAt: MonotonicInstant? {
            ours.instant { $0 == .secureChannelEstablished }
        }
    }

    func verify(
        _ wallet: StockRun.Wallet, verifierMTU: Int = 517, decision: VerificationStatus = .accepted,
        configure: (inout VerifierConfiguration) -> Void = { _ in },
        prepare: (inout StockWalletSetup) -> Void = { _ in }
    ) throws -> OurVerifier {
        var random = SeededRandom(seed: seed)
        var configuration = VerifierConfiguration()
        configuration.profile = wallet.generation == .v05 ? .tuvali05 : .tuvali04
        configure(&configuration)
        var session = try VerifierSession(name: "OVPMOSIP", random: &random, configuration: configuration)
        if let request { try session.hold(request, salt: random.bytes(count: 16)) }
        var setup = StockWalletSetup(uri: session.uri.text, payload: payload, seed: random.nextWord())
        setup.generation = wallet.generation
        setup.timing = timing
        prepare(&setup)
        var world = SimulatedWorld(seed: random.nextWord(), trace: nil)
        let verifier = world.add(
            SimulatedVerifier(
                session: session, profiles: configuration.profiles, decision: decision, maximumMTU: verifierMTU),
            conditions: conditions)
        let device: AirDeviceID?
        switch wallet {
        case .android(_, let system):
            device = world.add(StockAndroidWallet(setup, system: system), conditions: conditions)
        case .iOS(let systemMTU):
            device = world.add(StockIOSWallet(setup, systemMTU: systemMTU), conditions: conditions)
        }
        world.run(until: .zero + limit)
        guard let verifier, let device, let ours = world.host(verifier, as: SimulatedVerifier.self) else {
            throw Missing()
        }
        let journal =
            world.host(device, as: StockAndroidWallet.self)?.journal
            ?? world.host(device, as: StockIOSWallet.self)?.journal
        return OurVerifier(ours: ours.record, received: ours.payload, stock: journal ?? StockEventLog())
    }

    func send(
        to generation: StockGeneration, configure: (inout WalletConfiguration) -> Void = { _ in },
        prepare: (inout StockVerifierSetup) -> Void = { _ in }
    ) throws -> OurWallet {
        var random = SeededRandom(seed: seed)
        var setup = StockVerifierSetup(seed: random.nextWord())
        setup.generation = generation
        setup.timing = timing
        prepare(&setup)
        var configuration = WalletConfiguration()
        configure(&configuration)
        let session = try WalletSession(
            uri: TuvaliURI(parsing: setup.uri), random: &random, configuration: configuration)
        var world = SimulatedWorld(seed: random.nextWord(), trace: nil)
        let verifier = world.add(StockVerifier(setup), conditions: conditions)
        let wallet = world.add(
            SimulatedWallet(session: session, payload: payload, user: SimulatedUser(thinks: thinks)),
            conditions: conditions)
        world.run(until: .zero + limit)
        guard let verifier, let wallet, let stock = world.host(verifier, as: StockVerifier.self),
            let ours = world.host(wallet, as: SimulatedWallet.self)
        else { throw Missing() }
        return OurWallet(ours: ours.record, stock: stock.journal)
    }

    struct Missing: Error {}
}
