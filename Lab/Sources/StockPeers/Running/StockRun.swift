public import Air
import Determinism

/// One hand-over between a stock wallet and a stock verifier in virtual time, all decided by a seed.
public struct StockRun: Sendable {
    /// The wallet library that takes part in the run.
    public enum Wallet: Hashable, Sendable {
        /// The Android library of this generation on this system.
        case android(StockGeneration, StockAndroidWallet.MTUBehaviour)
        /// The iOS library, 0.5.0, on a system that asks for this MTU.
        case iOS(systemMTU: Int)

        /// The generation that it speaks.
        public var generation: StockGeneration {
            if case .android(let generation, _) = self { generation } else { .v05 }
        }
    }

    /// The seconds that count for a run without a success report.
    public static let failureSeconds = 1e9

    /// Decides keys, addresses and all misfortune.
    public var seed: UInt64

    /// The payload that the wallet sends.
    public var payload: [UInt8]

    /// The wallet library that sends the payload.
    public var wallet: Wallet

    /// The radio conditions of the simulated air between both devices.
    public var conditions: DeviceRadioConditions

    /// The delays of both phones.
    public var timing = StockTiming()

    /// The longest time that the run may take, in virtual time.
    public var limit: Duration = .seconds(600)

    /// Changes the set-up of the verifier, whose key and generation are decided already.
    public var prepareVerifier: @Sendable (inout StockVerifierSetup) -> Void = { _ in }

    /// Makes a run with everything else at its default.
    public init(
        seed: UInt64, payload: [UInt8], wallet: Wallet = .android(.v05, .from14),
        conditions: DeviceRadioConditions = DeviceRadioConditions()
    ) {
        self.seed = seed
        self.payload = payload
        self.wallet = wallet
        self.conditions = conditions
    }

    /// The result of the run.
    public struct Result: Sendable {
        /// The outcome: the run came to rest before its limit, or not.
        public var outcome: SimulatedWorld.SimulationEndReason
        /// The events of the wallet.
        public var wallet: StockEventLog
        /// The events of the verifier.
        public var verifier: StockEventLog
        /// The trace of all events on the air.
        public var trace: SimulationTrace

        /// The seconds from the first chunk at the controller to the success report at the wallet; 1e9 when there was
        /// none.
        public var transferSeconds: Double {
            guard let start = wallet.firstChunkAt, let end = wallet.succeededAt else { return StockRun.failureSeconds }
            return (end - start).inSeconds
        }
    }

    /// Runs it to the end.
    public func run(trace: SimulationTrace? = nil) -> Result {
        var random = SeededRandom(seed: seed)
        var verifierSetup = StockVerifierSetup(seed: random.nextWord())
        verifierSetup.generation = wallet.generation
        verifierSetup.timing = timing
        prepareVerifier(&verifierSetup)
        var walletSetup = StockWalletSetup(uri: verifierSetup.uri, payload: payload, seed: random.nextWord())
        walletSetup.generation = wallet.generation
        walletSetup.timing = timing
        var world = SimulatedWorld(seed: random.nextWord(), trace: trace)
        let verifier = world.add(StockVerifier(verifierSetup), conditions: conditions)
        let device: AirDeviceID?
        switch wallet {
        case .android(_, let system):
            device = world.add(StockAndroidWallet(walletSetup, system: system), conditions: conditions)
        case .iOS(let systemMTU):
            device = world.add(StockIOSWallet(walletSetup, systemMTU: systemMTU), conditions: conditions)
        }
        let outcome = world.run(until: .zero + limit)
        guard let verifier, let device, let verifierHost = world.host(verifier, as: StockVerifier.self) else {
            preconditionFailure("two devices fit on an air")
        }
        let journal =
            world.host(device, as: StockAndroidWallet.self)?.journal
            ?? world.host(device, as: StockIOSWallet.self)?.journal
        return Result(
            outcome: outcome, wallet: journal ?? StockEventLog(), verifier: verifierHost.journal, trace: world.trace)
    }

    /// The transfer time of a stock wallet against a stock verifier, in virtual seconds; 1e9 when it fails.
    ///
    /// `conditions` bring the link and the share of write commands that the verifier's host drops; `timing` is how fast
    /// both phones are.
    public static func transferSeconds(
        of payload: [UInt8], from wallet: Wallet, conditions: DeviceRadioConditions,
        timing: StockTiming = StockTiming(),
        seed: UInt64
    ) -> Double {
        var run = StockRun(seed: seed, payload: payload, wallet: wallet, conditions: conditions)
        run.timing = timing
        return run.run().transferSeconds
    }
}
