public import Air
import Bluetooth
import Determinism
public import Tuvali

/// Carries a plan out and judges it: a first attempt under faults, and a second when they are over.
///
/// Wallet and verifier are our cores on simulated devices; a test may put something around either, to see whether the
/// judge notices.
public struct HandOverTrial<WalletHost: ObservedHost, VerifierHost: ObservedHost> {
    /// The plan of faults for the hand-over.
    public let plan: FaultPlan

    private let wrapWallet: (SimulatedWallet) -> WalletHost
    private let wrapVerifier: (SimulatedVerifier) -> VerifierHost
    private let lens: FrameClassifier
    private let missing: TuvaliCharacteristic?
    private let payload: [UInt8]
    private let decision: VerificationStatus
    private var random: SeededRandom
    private var world: SimulatedWorld
    private var model: ExpectedHandOver
    private var verdict: HandOverVerdict
    private var parties: (wallet: HandOverDevice, verifier: HandOverDevice)?

    private struct HandOverDevice {
        let device: AirDeviceID
        let address: DeviceAddress
    }

    /// The time for which both sides are left alone between the attempts, so that frames still on the air end.
    static var pause: Duration { .seconds(20) }

    /// Makes a trial; `trace` records the events on the air, nil records nothing.
    public init(
        _ plan: FaultPlan, trace: SimulationTrace? = nil, wallet: @escaping (SimulatedWallet) -> WalletHost,
        verifier: @escaping (SimulatedVerifier) -> VerifierHost
    ) {
        self.plan = plan
        wrapWallet = wallet
        wrapVerifier = verifier
        missing = plan.first(.characteristicMissing).map {
            TuvaliCharacteristic.allCases[min($0.level, TuvaliCharacteristic.allCases.count - 1)]
        }
        lens = FrameClassifier(profile: plan.profile, missing: missing)
        random = SeededRandom(seed: plan.seed)
        payload = random.bytes(count: plan.payloadBytes)
        decision = plan.first(.rejected) == nil ? .accepted : .rejected
        world = SimulatedWorld(seed: random.nextWord(), trace: trace)
        model = ExpectedHandOver(payload: payload, decision: decision)
        verdict = HandOverVerdict(plan: plan)
    }

    /// Carries it out.
    ///
    /// - Throws: what the sessions throw when they cannot be made, which with random keys does not happen.
    public mutating func run() throws(TuvaliError) -> HandOverVerdict {
        try populate()
        firstAttempt()
        try freshAttempt()
        verdict.elapsed = world.now - .zero
        verdict.violations = model.violations
        verdict.trace = world.air.trace
        return verdict
    }

    // MARK: - The people

    /// True when the verifier holds a request: in one plan of three.
    private var asks: Bool { plan.seed % 3 == 0 }

    private mutating func makeVerifier(user: SimulatedUser = SimulatedUser(), isFirst: Bool) throws(TuvaliError)
        -> SimulatedVerifier
    {
        var configuration = VerifierConfiguration()
        configuration.profile = plan.profile
        // A minute is as good as an hour for what is tested, and cheaper.
        configuration.advertisingWait = .seconds(60)
        var session = try VerifierSession(name: "Simulated", random: &random, configuration: configuration)
        if asks {
            let content = random.bytes(count: 200 + Int(plan.seed % 1500))
            let request = try VerifierRequestMessage(
                mediaType: VerifierRequestMessage.plainRequestType, content: content)
            try session.hold(request, salt: random.bytes(count: SealedRequest.saltBytes))
        }
        return SimulatedVerifier(
            session: session, profile: plan.profile, decision: decision, missing: isFirst ? missing : nil, user: user)
    }

    private mutating func makeWallet(_ uri: TuvaliURI, user: SimulatedUser = SimulatedUser()) throws(TuvaliError)
        -> SimulatedWallet
    {
        SimulatedWallet(session: try WalletSession(uri: uri, random: &random), payload: payload, user: user)
    }

    private func user(of side: FaultKind.Side) -> SimulatedUser {
        SimulatedUser(
            thinks: .milliseconds(plan.first(.userSlow, on: side)?.level ?? 0),
            cancelsAt: plan.first(.userCancels, on: side)?.start)
    }

    private func mayDie(_ side: FaultKind.Side) -> Bool {
        plan.first(.killed, on: side) != nil || plan.first(.powerLost, on: side) != nil
    }

    private mutating func populate() throws(TuvaliError) {
        let addresses = (DeviceAddress(staticRandom: random.nextWord()), DeviceAddress(staticRandom: random.nextWord()))
        let verifier = try makeVerifier(user: user(of: .verifier), isFirst: true)
        let uri = try plan.first(.staleCode) == nil ? verifier.session.uri : makeVerifier(isFirst: false).session.uri
        let wallet = try makeWallet(uri, user: user(of: .wallet))
        let spareVerifier = mayDie(.verifier) ? wrapVerifier(try makeVerifier(isFirst: true)) : nil
        let spareWallet = mayDie(.wallet) ? wrapWallet(try makeWallet(uri)) : nil
        let verifierDevice = world.add(
            FaultyHost(wrapVerifier(verifier), spare: spareVerifier, side: .verifier, plan: plan, lens: lens),
            address: addresses.1, conditions: conditions(of: .verifier))
        for fault in plan.faults where fault.kind == .slotsTaken || fault.kind == .babblers {
            for _ in 0..<min(8, fault.level) {
                _ = world.add(ConnectionHog(target: addresses.1, fault: fault, lens: lens, dice: random.split()))
            }
        }
        let walletDevice = world.add(
            FaultyHost(wrapWallet(wallet), spare: spareWallet, side: .wallet, plan: plan, lens: lens),
            address: addresses.0, conditions: conditions(of: .wallet))
        guard let walletDevice, let verifierDevice else { return }
        parties = (
            HandOverDevice(device: walletDevice, address: addresses.0),
            HandOverDevice(device: verifierDevice, address: addresses.1)
        )
    }

    /// The radio conditions of a device, its outages among them.
    private func conditions(of side: FaultKind.Side) -> DeviceRadioConditions {
        let outages: [AirOutage] = plan.faults.compactMap { fault in
            guard fault.side == side else { return nil }
            switch fault.kind {
            case .packetLoss:
                return AirOutage(from: fault.start, until: fault.end, lossShare: Double(fault.level) / 1000)
            case .burst, .silence, .powerLost: return AirOutage(from: fault.start, until: fault.end)
            case .oneWaySilence: return AirOutage(from: fault.start, until: fault.end, direction: .sending)
            default: return nil
            }
        }
        return DeviceRadioConditions(link: plan.linkParameters, outages: outages)
    }

    // MARK: - The attempts

    private typealias Wallet = FaultyHost<WalletHost>
    private typealias Verifier = FaultyHost<VerifierHost>

    private func hosts() -> (Wallet, Verifier)? { parties.flatMap { Self.hosts(at: $0, in: world) } }

    private static func hosts(
        at parties: (wallet: HandOverDevice, verifier: HandOverDevice), in world: borrowing SimulatedWorld
    ) -> (Wallet, Verifier)? {
        guard let wallet = world.host(parties.wallet.device, as: Wallet.self),
            let verifier = world.host(parties.verifier.device, as: Verifier.self)
        else { return nil }
        return (wallet, verifier)
    }

    private static func observations<Inner>(
        _ host: FaultyHost<Inner>, _ side: FaultKind.Side, _ plan: FaultPlan
    ) -> [ExpectedHandOver.Observation] {
        let mayCancel = plan.first(.userCancels, on: side) != nil
        return (host.killed + [host.inner].compactMap { $0 }).map {
            ExpectedHandOver.Observation($0, mayCancel: mayCancel)
        }
    }

    /// Runs until both sides are over and `quiet` has come, or until `limit`; judges after each change.
    private mutating func run(quiet: MonotonicInstant, limit: MonotonicInstant) {
        guard let parties else { return }
        var model = self.model
        let plan = self.plan
        var judged = -1
        let outcome = world.run(until: limit) { world in
            guard let (wallet, verifier) = Self.hosts(at: parties, in: world) else { return false }
            let changes = wallet.changes + verifier.changes
            if changes != judged {
                judged = changes
                model.judge(
                    wallets: Self.observations(wallet, .wallet, plan),
                    verifiers: Self.observations(verifier, .verifier, plan))
                model.judgeDeadline(wallet.waitsTooLong, name: "wallet")
                model.judgeDeadline(verifier.waitsTooLong, name: "verifier")
            }
            return !(wallet.isOver && verifier.isOver && world.now >= quiet)
        }
        if let (wallet, verifier) = hosts() {
            model.judge(
                wallets: Self.observations(wallet, .wallet, plan),
                verifiers: Self.observations(verifier, .verifier, plan))
        }
        if outcome == .stuck { model.report(.clockMoves, "A host asks again and again to be woken at once.") }
        self.model = model
    }

    private mutating func firstAttempt() {
        let quiet = plan.quietAfter
        run(quiet: quiet, limit: quiet + ExpectedHandOver.endsWithin + .seconds(60))
        guard let (wallet, verifier) = hosts() else { return }
        note(wallet, verifier)
        if let app = wallet.inner {
            model.judgeEnd(app.endings, endedAfterQuiet: wallet.endedAt.map { $0 - quiet }, name: "wallet")
        }
        if let app = verifier.inner {
            model.judgeEnd(app.endings, endedAfterQuiet: verifier.endedAt.map { $0 - quiet }, name: "verifier")
        }
        if plan.isTolerable, let walletObservation = Self.observations(wallet, .wallet, plan).last,
            let verifierObservation = Self.observations(verifier, .verifier, plan).last
        {
            model.judgeTolerable(wallet: walletObservation, verifier: verifierObservation)
        }
        world.advance(to: max(world.now, quiet) + Self.pause)
        guard let (wallet, verifier) = hosts(), model.violations.isEmpty else { return }
        for (book, name) in [(wallet.book, "wallet"), (verifier.book, "verifier")] where !book.isAtRest {
            model.report(.atRest, "The \(name)'s controller is left with \(book.summary).")
        }
    }

    private mutating func freshAttempt() throws(TuvaliError) {
        guard let parties, model.violations.isEmpty else { return }
        let plain = FaultPlan(seed: plan.seed, payloadBytes: plan.payloadBytes, profile: plan.profile)
        let verifier = try makeVerifier(isFirst: false)
        let wallet = try makeWallet(verifier.session.uri)
        world.replaceHost(
            on: parties.verifier.device,
            with: FaultyHost(wrapVerifier(verifier), spare: nil, side: .verifier, plan: plain, lens: lens),
            at: parties.verifier.address)
        world.replaceHost(
            on: parties.wallet.device,
            with: FaultyHost(wrapWallet(wallet), spare: nil, side: .wallet, plan: plain, lens: lens),
            at: parties.wallet.address)
        run(quiet: .zero, limit: world.now + ExpectedHandOver.freshWithin(payloadBytes: plan.payloadBytes))
        guard let (walletHost, verifierHost) = hosts(),
            let walletObservation = Self.observations(walletHost, .wallet, plan).last,
            let verifierObservation = Self.observations(verifierHost, .verifier, plan).last
        else { return }
        model.judgeFresh(wallet: walletObservation, verifier: verifierObservation)
    }

    // MARK: - What was seen

    private mutating func note(_ wallet: Wallet, _ verifier: Verifier) {
        verdict.wallet = text(wallet)
        verdict.verifier = text(verifier)
        for app in wallet.killed + [wallet.inner].compactMap({ $0 }) {
            verdict.walletStages += app.stageNames
            verdict.codes += app.codes
        }
        for app in verifier.killed + [verifier.inner].compactMap({ $0 }) {
            verdict.verifierStages += app.stageNames
            verdict.codes += app.codes
        }
        let struck = (wallet.armed + verifier.armed).filter { $0.strikes > 0 }.map(\.kind)
        verdict.struck = plan.faults.map(\.kind).filter { $0.isSeenToStrike ? struck.contains($0) : true }
    }

    private func text<Inner>(_ host: FaultyHost<Inner>) -> String {
        guard let app = host.inner else { return "killed" }
        return HandOverVerdict.text(app.endings)
    }
}

extension HandOverTrial where WalletHost == SimulatedWallet, VerifierHost == SimulatedVerifier {
    /// Makes a trial of our own cores.
    public init(_ plan: FaultPlan, trace: SimulationTrace? = nil) {
        self.init(plan, trace: trace, wallet: { $0 }, verifier: { $0 })
    }
}

extension FaultKind {
    /// True when the host counts the strikes.
    ///
    /// The others are faults of the air, or properties of a device or a person.
    var isSeenToStrike: Bool {
        switch self {
        case .packetLoss, .burst, .silence, .oneWaySilence, .slotsTaken, .babblers, .characteristicMissing, .userSlow,
            .userCancels, .rejected, .staleCode:
            false
        default: true
        }
    }
}
