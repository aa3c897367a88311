public import Air
public import Determinism
public import Tuvali

/// One hand-over in virtual time: a wallet, a verifier and an air, all decided by a seed.
public struct HandOverScenario: Sendable {
    /// Decides keys, addresses and all misfortune.
    public var seed: UInt64

    /// The payload.
    public var payload: [UInt8]

    /// The radio conditions of both devices.
    public var conditions = DeviceRadioConditions()

    /// The profile that the verifier serves.
    public var profile = WireProfile.tuvali05

    /// The verifier's decision about the payload.
    public var decision = VerificationStatus.accepted

    /// The MTU that the verifier's GATT server agrees to.
    public var verifierMTU = 517

    /// The wallet's limits and deadlines.
    public var walletConfiguration = WalletConfiguration()

    /// The request that the verifier holds; nil for none.
    public var request: VerifierRequestMessage?

    /// A characteristic that the verifier's service lacks on the air.
    public var missing: TuvaliCharacteristic?

    /// True when reads of a value get no answer from the verifier.
    public var ignoresReads = false

    /// The wallet's user: the time to think, and the time at which they give up.
    public var walletUser = SimulatedUser()

    /// The wallet's answer to the request that it read; nil sends the payload whatever is asked.
    public var answer: SimulatedWallet.Answer?

    /// The longest time that the run may take, in virtual time.
    public var limit: Duration = .seconds(7200)

    /// Makes a scenario with everything else at its default.
    public init(seed: UInt64, payload: [UInt8]) {
        self.seed = seed
        self.payload = payload
    }

    /// The result.
    public struct Result: Sendable {
        /// The outcome: the run came to rest before its limit, or not.
        public var outcome: SimulatedWorld.SimulationEndReason
        /// The events of the wallet.
        public var wallet: HandOverEventLog<WalletEvent>
        /// The events of the verifier.
        public var verifier: HandOverEventLog<VerifierEvent>
        /// The payload that the verifier received; nil when none arrived.
        public var received: [UInt8]?
        /// The times at which the wallet's core first reached each stage.
        public var walletStages: [(stage: WalletSession.Stage, at: MonotonicInstant)]
        /// The steps of both ends, in the order of time.
        public var steps: [HandOverStep]
        /// The trace of all events on the air.
        public var trace: SimulationTrace
    }

    /// The verifier's public key, 32 bytes, which the seed decides: what a request is bound to.
    public var verifierKey: [UInt8] {
        get throws(TuvaliError) {
            var random = SeededRandom(seed: seed)
            return try VerifierSession(name: "Simulated", random: &random).uri.key
        }
    }

    /// Runs it to the end.
    ///
    /// - Throws: what the sessions throw when they cannot be made, which with random keys does not happen.
    public func run(trace: SimulationTrace? = SimulationTrace()) throws(TuvaliError) -> Result {
        var random = SeededRandom(seed: seed)
        var verifierConfiguration = VerifierConfiguration()
        verifierConfiguration.profile = profile
        var verifier = try VerifierSession(name: "Simulated", random: &random, configuration: verifierConfiguration)
        if let request { try verifier.hold(request, salt: random.bytes(count: SealedRequest.saltBytes)) }
        let wallet = try WalletSession(uri: verifier.uri, random: &random, configuration: walletConfiguration)
        var world = SimulatedWorld(seed: random.nextWord(), trace: trace)
        let verifierDevice = world.add(
            SimulatedVerifier(
                session: verifier, profile: profile, decision: decision, maximumMTU: verifierMTU,
                missing: missing, ignoresReads: ignoresReads),
            conditions: conditions)
        let walletDevice = world.add(
            SimulatedWallet(session: wallet, payload: payload, user: walletUser, answer: answer),
            conditions: conditions)
        let outcome = world.run(until: .zero + limit)
        guard let verifierDevice, let walletDevice,
            let verifierHost = world.host(verifierDevice, as: SimulatedVerifier.self),
            let walletHost = world.host(walletDevice, as: SimulatedWallet.self)
        else { preconditionFailure("two devices fit on an air") }
        return Result(
            outcome: outcome, wallet: walletHost.record, verifier: verifierHost.record, received: verifierHost.payload,
            walletStages: walletHost.stageTimes, steps: Self.merged(verifierHost.steps.steps, walletHost.steps.steps),
            trace: world.trace)
    }

    /// Both lists in the order of time; what happens at one instant happens at the verifier first.
    private static func merged(
        _ verifier: [(step: HandOverStep, at: MonotonicInstant)], _ wallet: [(step: HandOverStep, at: MonotonicInstant)]
    ) -> [HandOverStep] {
        let all = verifier.map { ($0.step, $0.at, 0) } + wallet.map { ($0.step, $0.at, 1) }
        return all.enumerated().sorted {
            ($0.element.1, $0.element.2, $0.offset) < ($1.element.1, $1.element.2, $1.offset)
        }
        .map(\.element.0)
    }
}
