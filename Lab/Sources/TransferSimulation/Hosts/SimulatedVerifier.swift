public import Air
public import Bluetooth
public import Determinism
public import Tuvali

/// A verifier on a simulated device: the core, a GATT server for each link, and nothing that decides.
public struct SimulatedVerifier: SimulatedHost {
    /// The core, to look at.
    public private(set) var session: VerifierSession

    /// All that it said, with the instants.
    public private(set) var record = HandOverEventLog<VerifierEvent>()

    /// The payload that arrived from the wallet.
    public var payload: [UInt8]? { payloads.first }

    /// All that the core delivered; more than one is a defect.
    public private(set) var payloads: [[UInt8]] = []

    /// The stages that the core has been in, in the order of the first visits.
    public private(set) var stages: [VerifierSession.Stage] = [.idle]

    /// The steps of the hand-over as a model of it names them.
    public private(set) var steps = VerifierSteps()

    private let profiles: [WireProfile]
    private let decision: VerificationStatus
    private let ignoresReads: Bool
    private let user: SimulatedUser
    private var decidesAt: MonotonicInstant?
    private var hasCancelled = false
    private var stack: HostStack

    /// Makes a verifier that decides as soon as it may.
    ///
    /// - Parameters:
    ///   - profile: the one that `session` was configured with.
    ///   - profiles: all of them, where there are several.
    ///   - maximumMTU: what its GATT server agrees to, 23 to 517.
    ///   - missing: a characteristic that its service lacks.
    ///   - ignoresReads: leaves every read of a value without an answer.
    ///   - user: how long its user thinks before deciding, and when they give up.
    public init(
        session: VerifierSession, profile: WireProfile = .tuvali05, profiles: [WireProfile]? = nil,
        decision: VerificationStatus = .accepted, maximumMTU: Int = 517, missing: TuvaliCharacteristic? = nil,
        ignoresReads: Bool = false, user: SimulatedUser = SimulatedUser()
    ) {
        self.session = session
        self.profiles = profiles ?? [profile]
        self.decision = decision
        self.ignoresReads = ignoresReads
        self.user = user
        stack = HostStack(maximumMTU: maximumMTU)
        stack.publish(
            self.profiles.map { profile in
                var service = profile.serviceDefinition(servesRequest: session.holdsRequest)
                if let missing { service.characteristics.removeAll { $0.uuid == profile.uuid(of: missing) } }
                return service
            })
    }

    /// The earliest of the deadlines of core and user.
    public var nextDeadline: MonotonicInstant? {
        guard !session.isFinished else { return nil }
        let cancel = hasCancelled ? nil : user.cancelsAt
        return [session.nextDeadline, decidesAt, cancel].compactMap { $0 }.min()
    }

    /// Begins to advertise.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        feed(.start, at: now, into: &commands)
    }

    /// Handles the deadlines that have passed.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if let cancelsAt = user.cancelsAt, !hasCancelled, now >= cancelsAt {
            hasCancelled = true
            feed(.cancel, at: now, into: &commands)
        }
        if let instant = decidesAt, now >= instant { decide(at: now, into: &commands) }
        feed(.tick, at: now, into: &commands)
    }

    /// Tells the core that the radio cannot go on.
    public mutating func radioFailed(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        feed(.radioFailed("The radio was switched off."), at: now, into: &commands)
    }

    /// Handles an event of the controller.
    public mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        if ignoresReads, case .received(_, let frame) = event,
            attributePDU(in: frame)?.first == ATTOpcode.readRequest.rawValue
        {
            return
        }
        var events: [HostStackEvent] = []
        stack.handle(event, at: now, into: &commands, &events)
        if case .disconnected(let link, let reason, let statistics) = event {
            record.statistics = statistics
            feed(.disconnected(link, LinkEndCause(hci: reason)), at: now, into: &commands)
        }
        for event in events { take(event, at: now, into: &commands) }
    }

    private mutating func take(_ event: HostStackEvent, at now: MonotonicInstant, into commands: inout [AirCommand]) {
        switch event {
        case .connected(let link, _, _):
            record.connectedAt = now
            feed(.connected(link), at: now, into: &commands)
        case .mtu(let link, let mtu?): feed(.mtu(link, mtu), at: now, into: &commands)
        case .centralWrote(let link, let uuid, let value, let isCommand):
            guard let profile = profiles.first(where: { $0.characteristic(with: uuid) != nil }),
                let characteristic = profile.characteristic(with: uuid)
            else { return }
            feed(
                .written(link, characteristic, value, isCommand: isCommand, profile: profile), at: now, into: &commands)
        case .centralReads(let link, let uuid, let offset):
            guard let characteristic = profiles.lazy.compactMap({ $0.characteristic(with: uuid) }).first else { return }
            feed(.read(link, characteristic, offset: offset), at: now, into: &commands)
        case .heard, .connectCancelled, .discovered, .read, .wrote, .subscribed, .mtu, .pushed, .rssi, .disconnected,
            .centralSubscribed:
            break
        }
    }

    private mutating func feed(
        _ input: VerifierSession.Input, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        var outputs: [VerifierSession.Output] = []
        session.handle(input, at: now, into: &outputs)
        steps.add(input, causing: outputs, at: now)
        visitStage()
        apply(outputs, at: now, into: &commands)
    }

    private mutating func apply(
        _ outputs: [VerifierSession.Output], at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        for output in outputs { apply(output, at: now, into: &commands) }
    }

    private mutating func apply(
        _ output: VerifierSession.Output, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        switch output {
        case .startAdvertising(let advertisement):
            commands.append(
                .startAdvertising(
                    data: advertisement.data, scanResponse: advertisement.scanResponse,
                    intervalMicroseconds: 100_000, isConnectable: true))
        case .stopAdvertising: commands.append(.stopAdvertising)
        case .notify(let link, let uuid, let value):
            stack.notify(value, of: uuid, on: link, at: now, into: &commands)
        case .answerRead(let link, let value): stack.answerRead(value, on: link, at: now, into: &commands)
        case .disconnect(let link): commands.append(.disconnect(link))
        case .event(let event): observe(event, at: now, into: &commands)
        case .finished(let ending): record.finish(ending, at: now)
        }
    }

    private mutating func observe(
        _ event: VerifierEvent, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {
        record.add(event, at: now)
        guard case .received(let payload, _) = event else { return }
        payloads.append(payload)
        guard user.thinks > .zero else { return decide(at: now, into: &commands) }
        decidesAt = now + user.thinks
    }

    private mutating func decide(at now: MonotonicInstant, into commands: inout [AirCommand]) {
        decidesAt = nil
        var outputs: [VerifierSession.Output] = []
        do { try session.decide(decision, at: now, into: &outputs) } catch { return }
        steps.add(nil, causing: outputs, at: now)
        visitStage()
        apply(outputs, at: now, into: &commands)
    }

    private mutating func visitStage() {
        let stage = session.stage
        if stages.last != stage, !stages.contains(stage) { stages.append(stage) }
    }
}
