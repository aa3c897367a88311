import ByteCoding
public import DIDComm
public import Determinism

/// The use of one mediator by this agent: grant, registered keys, fetching of messages, and wake-ups.
///
/// It decides when mediation is requested again, when messages are fetched and how, when a WebSocket is opened, and how
/// many keys are registered ahead of their use. Failures in a row lengthen each wait. The caller stores `client.state`,
/// `flavour` and `stage`, opens connections, and processes fetched envelopes.
public struct MediatorUse: StateMachine, Sendable {
    /// The most keys that are registered before they are used, whatever the configuration says.
    public static let maximumSpareKeys = SpareKeys.maximumCount

    /// The next request for mediation, after failed ones in a row.
    private struct MediationRetry: Sendable {
        let waits: RetryDelays
        private var failures = 0
        /// The time of the request; nil when none is due.
        var due: MonotonicInstant?

        init(_ waits: RetryDelays) { self.waits = waits }

        mutating func succeeded() { failures = 0 }

        /// Counts a failure, each of which lengthens the wait, and returns the wait.
        mutating func failed(at now: MonotonicInstant) -> Duration {
            let wait = waits.wait(after: failures)
            failures += 1
            due = now + wait
            return wait
        }
    }

    /// The identifier of the connection with the mediator.
    public let connectionID: String

    /// The stage that the use of a mediator has reached.
    public private(set) var stage: Stage

    /// The protocol by which messages are fetched; an older one that had to be used is kept for the next run.
    public private(set) var flavour: PickupClient.PickupProtocol

    /// The client of mediation; nil before the connection is complete.
    public var client: MediationClient? { service?.client }

    /// The answer to the last webhook request; nil while it is pending.
    public private(set) var wakeAnswer: Result<WebhookState?, AriesError>?

    /// The reason why the mediator rejected the last mediation request; nil for none, and once it grants.
    public private(set) var rejection: AriesError?

    private let configuration: Configuration
    private var random: any RandomSource
    private var service: ProtocolClients?
    private var spares = SpareKeys()
    private var schedule: MediatorFetchSchedule
    private var retry: MediationRetry
    private var expectsAnswers = false

    /// Makes the use of a mediator by this agent.
    ///
    /// - Parameters:
    ///   - connectionID: the connection with the mediator.
    ///   - stage: the stage of mediation, as it was stored.
    ///   - flavour: the protocol to begin with, as it was stored.
    ///   - waitingArrivals: the number of stored envelopes that wait for a free key.
    public init(
        connectionID: String, stage: Stage = .connecting, flavour: PickupClient.PickupProtocol = .pickup2,
        waitingArrivals: Int = 0, configuration: Configuration, random: any RandomSource
    ) {
        self.connectionID = connectionID
        self.stage = stage
        self.flavour = flavour
        self.configuration = configuration
        self.random = random
        retry = MediationRetry(RetryDelays(configuration.retryAfter))
        schedule = MediatorFetchSchedule(
            waits: retry.waits, pollEvery: configuration.pollEvery, shortPollInterval: Configuration.shortPollInterval)
        spares.setWaitingArrivals(waitingArrivals)
    }

    /// The time at which the caller gives the input `timeReached`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? {
        [
            service?.client.nextDeadline, service?.pickup?.nextDeadline, service?.wake?.nextDeadline, retry.due,
            schedule.nextDeadline,
        ]
        .compactMap(\.self).min()
    }

    /// Returns true when a poll for messages is due at `now`.
    public func isPollDue(at now: MonotonicInstant) -> Bool { schedule.isPollDue(at: now) }

    /// True while a WebSocket to the mediator is open.
    public var isLive: Bool { schedule.isLive }

    /// True while the user is ending the use of the mediator.
    public var isLeaving: Bool { spares.isLeaving }

    /// True when the mediator has confirmed the removal of all our keys; nil while it may still do so.
    public var isLeft: Bool? {
        guard let isLeft = spares.isLeft else { return false }
        if isLeft { return true }
        return isIdle && !spares.hasChanges ? false : nil
    }

    /// True when no mediation request or key change is pending.
    public var isIdle: Bool { service?.client.isIdle ?? false }

    /// True while messages are fetched; after `finish`, until no answer is pending.
    public var isFetching: Bool { service?.pickup?.isFinished == false }

    /// True when the mediator deletes messages on delivery, before this agent confirms that they are stored.
    public var handsOverOnce: Bool { service?.pickup.map { $0.flavour != .pickup2 } ?? false }

    /// The number of stored envelopes that wait for an unused key.
    public var waitingArrivals: Int { spares.waitingArrivals }

    /// The number of unused keys, registered or not.
    public var spareCount: Int { spares.keys.count }

    /// The number of unused keys that are registered at the mediator.
    public var readySpareCount: Int { spares.keys.count { client?.address(of: $0) != nil } }

    /// The key for a new connection or invitation, if one is available.
    public var freeKey: FreeKey {
        guard configuration.mode.givesAddresses, stage == .granted, !isLeaving else { return .notMediated }
        for key in spares.keys { if let address = client?.address(of: key) { return .key(key, address) } }
        return .none
    }

    /// Returns true when a message from the mediator belongs here: a pending answer, or a pickup message.
    public func concerns(_ message: Message) -> Bool { service?.concerns(message) ?? false }

    /// True while an answer of the mediator is pending.
    public var awaitsAnswer: Bool { stage == .asking || service?.awaitsAnswer ?? false }

    /// The `@id` of the pickup message whose answer is pending; nil for none.
    public var awaitedPickupID: String? { service?.pickup?.awaitedID }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .connected(let client, let keys): connected(client, keys, at: now, into: &outputs)
        case .received(let received): receive(received, at: now, into: &outputs)
        case .sent(let id): stepPickup(.sent(id: id), at: now, into: &outputs)
        case .sendFailed(let id): sendFailed(id, at: now, into: &outputs)
        case .spares(let keys):
            load(keys, at: now)
            replenish(at: now, into: &outputs)
        case .keysMade(let keys):
            spares.add(keys)
            announce(at: now, into: &outputs)
        case .used(let key):
            spares.remove(key)
            pollSooner(at: now)
        case .taken(let key):
            stepClient(.taken(key), at: now, into: &outputs)
            replenish(at: now, into: &outputs)
        case .verified(let changes):
            spares.verified()
            if !changes.isEmpty { stepClient(.change(changes), at: now, into: &outputs) }
            changeMore(into: &outputs)
        case .compared(let ours, let listed):
            if !isLeaving { change(SpareKeys.difference(ours: ours, listed: listed), into: &outputs) }
        case .retired(let keys):
            if stage == .granted { change(keys.map { KeylistUpdate($0, isAddition: false) }, into: &outputs) }
        case .leave(let keys):
            spares.leave(keys)
            changeMore(into: &outputs)
        case .stay(let keys):
            spares.stay(keys)
            changeMore(into: &outputs)
        case .waitingArrivals(let count):
            spares.setWaitingArrivals(count)
            if count > 0 { replenish(at: now, into: &outputs) }
        case .arrivalResumed: spares.setWaitingArrivals(max(0, spares.waitingArrivals - 1))
        case .socketOpened: socketOpened(at: now, into: &outputs)
        case .socketFailed(let code, let reason): socketFailed(code, reason, at: now, into: &outputs)
        case .socketEnded(let refusal): socketEnded(refusal, at: now, into: &outputs)
        case .stored(let id): stepPickup(.stored(ids: [id]), at: now, into: &outputs)
        case .answeredElsewhere(let id): stepPickup(.answeredElsewhere(id: id), at: now, into: &outputs)
        case .envelopeArrived: stepPickup(.envelopeArrived, at: now, into: &outputs)
        case .pollSooner: pollSooner(at: now)
        case .answersExpected(let isExpected): expectsAnswers = isExpected
        case .wake(let action): beginWake(action, at: now, into: &outputs)
        case .finish:
            schedule.finish()
            stepPickup(.finish, at: now, into: &outputs)
        case .timeReached: timeReached(at: now, into: &outputs)
        }
    }

    private mutating func timeReached(at now: MonotonicInstant, into outputs: inout [Output]) {
        func isDue(_ deadline: MonotonicInstant?) -> Bool { deadline.map { $0 <= now } ?? false }
        if isDue(service?.client.nextDeadline) { stepClient(.timeReached, at: now, into: &outputs) }
        if isDue(service?.pickup?.nextDeadline) { stepPickup(.timeReached, at: now, into: &outputs) }
        if isDue(service?.wake?.nextDeadline) { stepWake(.timeReached, at: now, into: &outputs) }
        if isDue(retry.due) {
            retry.due = nil
            stepClient(.start, at: now, into: &outputs)
            if stage == .granted { replenish(at: now, into: &outputs) }
        }
        if schedule.takeSocketDue(at: now) { openSocket(into: &outputs) }
        if schedule.takePollDue(at: now) {
            stepPickup(isLive ? .poke : .start(isLive: false), at: now, into: &outputs)
        }
    }

    private mutating func receive(_ received: ReceivedMessage, at now: MonotonicInstant, into outputs: inout [Output]) {
        let (message, type) = (received.message, received.message.type.protocol)
        if type.isCompatible(with: .mediation10) {
            stepClient(.received(received), at: now, into: &outputs)
        } else if [.pickup10, .pickup20].contains(where: type.isCompatible) {
            stepPickup(.received(received), at: now, into: &outputs)
        } else if type.isCompatible(with: .pushWebhook10) {
            stepWake(.received(received), at: now, into: &outputs)
        } else if message.threadID == service?.client.awaitedID {
            stepClient(.received(received), at: now, into: &outputs)
        } else if message.threadID == service?.wake?.awaitedID {
            stepWake(.received(received), at: now, into: &outputs)
        } else {
            stepPickup(.received(received), at: now, into: &outputs)
        }
    }

    private mutating func sendFailed(_ id: String, at now: MonotonicInstant, into outputs: inout [Output]) {
        stepClient(.sendFailed(id: id), at: now, into: &outputs)
        stepWake(.sendFailed(id: id), at: now, into: &outputs)
        stepPickup(.sendFailed(id: id), at: now, into: &outputs)
    }

    private mutating func send(_ outgoing: OutgoingMessage, into outputs: inout [Output]) {
        if configuration.mode.sends { outputs.append(.send(outgoing)) }
    }

    private func problem(_ error: AriesError, retryIn: Duration?) -> Output {
        .event(.problem(code: error.code.rawValue, reason: error.reason, retryIn: retryIn))
    }

    // Mediation.

    private mutating func connected(
        _ client: MediationClient, _ keys: [Verkey], at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        service = ProtocolClients(client: client, pickup: service?.pickup, wake: service?.wake)
        load(keys, at: now)
        guard configuration.mode.sends, stage != .denied else { return outputs.append(.changed) }
        if client.grant != nil {
            if stage != .granted { enter(.granted, into: &outputs) }
        } else if stage == .connecting {
            enter(.asking, into: &outputs)
        }
        stepClient(.start, at: now, into: &outputs)
        if stage == .granted {
            stepClient(.query, at: now, into: &outputs)
            replenish(at: now, into: &outputs)
        }
        beginPickup(client.connection, at: now, into: &outputs)
    }

    private mutating func enter(_ stage: Stage, into outputs: inout [Output]) {
        self.stage = stage
        outputs.append(.persist)
        outputs.append(.event(.stage(connection: connectionID, stage)))
    }

    private mutating func stepClient(
        _ input: MediationClient.Input, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard service != nil else { return }
        var steps: [MediationClient.Output] = []
        service?.client.handle(input, at: now, into: &steps)
        if steps.contains(.persist) { outputs.append(.persist) }
        for step in steps { follow(step, at: now, into: &outputs) }
        if isIdle { changeMore(into: &outputs) }
        outputs.append(.changed)
    }

    private mutating func follow(
        _ output: MediationClient.Output, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        switch output {
        case .persist: break
        case .send(let outgoing): send(outgoing, into: &outputs)
        case .granted:
            retry.succeeded()
            retry.due = nil
            rejection = nil
            enter(.granted, into: &outputs)
            replenish(at: now, into: &outputs)
        case .denied:
            enter(.denied, into: &outputs)
            endFetching(into: &outputs)
        case .added(let key):
            retry.succeeded()
            if spares.contains(key) {
                resumeArrivals(into: &outputs)
            } else {
                stepClient(.taken(key), at: now, into: &outputs)
            }
        case .removed(let key): spares.removed(key)
        case .refused(let key, let error):
            if spares.remove(key) { outputs.append(.removeKey(key)) }
            if retry.due == nil { serviceFailed(error, at: now, into: &outputs) }
        case .listed(let keys): outputs.append(.compare(listed: keys))
        case .failed(let error):
            if stage == .asking, error.code == .rejected { rejection = error }
            serviceFailed(error, at: now, into: &outputs)
        case .ignored(let error): outputs.append(.ignored(error))
        }
    }

    /// Requests mediation again later; each failure in a row lengthens the wait.
    private mutating func serviceFailed(
        _ error: AriesError, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        let wait = retry.failed(at: now)
        outputs.append(problem(error, retryIn: wait))
    }

    // Keys.

    private mutating func load(_ keys: [Verkey], at now: MonotonicInstant) {
        spares.replace(with: keys)
        // Another process has used the other keys that the client knows.
        for key in client?.keys ?? [] where !spares.contains(key) { _ = service?.client.handle(.taken(key), at: now) }
    }

    /// Requests new keys and registers them until enough are unused.
    private mutating func replenish(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard stage == .granted, retry.due == nil, !isLeaving, configuration.mode == .full else { return }
        let missing = spares.missing(of: configuration.spareKeys)
        if missing > 0 { return outputs.append(.makeKeys(count: missing)) }
        announce(at: now, into: &outputs)
    }

    /// Registers the unused keys that the mediator does not know yet.
    private mutating func announce(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard let client else { return }
        let unknown = spares.keys.filter { client.address(of: $0) == nil && !client.isWaiting(for: $0) }
        change(unknown.map { KeylistUpdate($0, isAddition: true) }, into: &outputs)
    }

    private mutating func change(_ changes: [KeylistUpdate], into outputs: inout [Output]) {
        spares.queue(changes)
        changeMore(into: &outputs)
    }

    /// Passes queued key changes to the client, as long as it has room.
    private mutating func changeMore(into outputs: inout [Output]) {
        guard let client else { return }
        let next = spares.takeChanges(room: MediationClient.maximumWaiting - client.waitingCount)
        if !next.isEmpty { outputs.append(.verify(next)) }
    }

    private func resumeArrivals(into outputs: inout [Output]) {
        if spares.waitingArrivals > 0, readySpareCount > 0 { outputs.append(.resumeArrivals) }
    }
}

// Fetching.
extension MediatorUse {
    private mutating func beginPickup(
        _ connection: Connection, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard service?.pickup == nil, !schedule.isFinishing else { return }
        let pickup = PickupClient(
            connection, flavour: configuration.pickup ?? flavour, random: drawnRandom(),
            policy: HandshakePolicy(resendAfter: [.seconds(5)], giveUpAfter: .seconds(20)))
        service?.pickup = pickup
        // Some mediators lose one of two answers at a time, so the grant comes first where there is time for it.
        if stage == .asking, !configuration.keepsSocket { return schedule.pollLater(at: now) }
        if configuration.pickup == nil, configuration.keepsSocket, connection.socketEndpoint != nil {
            return openSocket(into: &outputs)
        }
        stepPickup(.start(isLive: false), at: now, into: &outputs)
    }

    private mutating func drawnRandom() -> SeededRandom {
        SeededRandom(seed: UInt64(bigEndianBytes: random.bytes(count: 8)))
    }

    private mutating func stepPickup(
        _ input: PickupClient.Input, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let before = service?.pickup else { return }
        let asked = before.flavour == .pickup1 ? before.awaitedID : nil
        var steps: [PickupClient.Output] = []
        service?.pickup?.handle(input, at: now, into: &steps)
        // A request that was answered is not sent again: the mediator would deliver messages and delete them.
        if let asked, asked != service?.pickup?.awaitedID { outputs.append(.withdraw(id: asked)) }
        for step in steps { follow(step, at: now, into: &outputs) }
    }

    private mutating func follow(
        _ output: PickupClient.Output, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        switch output {
        case .send(let outgoing): send(outgoing, into: &outputs)
        case .deliver(let envelope, let id): outputs.append(.deliver(envelope, id: id))
        case .quarantine(let raw): outputs.append(.quarantine(raw))
        case .caughtUp(let remaining):
            schedule.caughtUp(expectsAnswers: expectsAnswers, at: now)
            outputs.append(.event(.caughtUp(remaining: remaining)))
            resumeArrivals(into: &outputs)
        case .fellBack(let older):
            // A protocol that was chosen for this run only is not stored for the next one.
            guard configuration.pickup == nil else { break }
            flavour = older
            outputs.append(.persist)
            outputs.append(.changed)
        case .refused(let error): pollFailed(error, at: now, into: &outputs)
        case .failed(let error):
            guard isLive else { return pollFailed(error, at: now, into: &outputs) }
            // A WebSocket that brings no answers is closed, and opened again.
            outputs.append(.closeSocket)
            outputs.append(problem(error, retryIn: nil))
        case .ignored(let error): outputs.append(.ignored(error))
        }
    }

    private mutating func pollFailed(_ error: AriesError, at now: MonotonicInstant, into outputs: inout [Output]) {
        let wait = schedule.pollFailed(at: now)
        outputs.append(problem(error, retryIn: wait))
    }

    private mutating func pollSooner(at now: MonotonicInstant) {
        if service?.pickup != nil { schedule.pollSooner(at: now) }
    }

    /// Ends fetching from a mediator that denied mediation.
    private mutating func endFetching(into outputs: inout [Output]) {
        let wasLive = isLive
        service?.pickup = nil
        retry.due = nil
        schedule.end()
        outputs.append(.dropSocket)
        if wasLive { outputs.append(.event(.socket(isOpen: false))) }
    }

    // The WebSocket.

    private mutating func openSocket(into outputs: inout [Output]) {
        guard let endpoint = client?.connection.socketEndpoint, schedule.beginOpening() else { return }
        outputs.append(.openSocket(endpoint))
    }

    private mutating func socketOpened(at now: MonotonicInstant, into outputs: inout [Output]) {
        guard schedule.opened() else { return outputs.append(.closeSocket) }
        outputs.append(.event(.socket(isOpen: true)))
        stepPickup(.disconnected, at: now, into: &outputs)
        stepPickup(.start(isLive: true), at: now, into: &outputs)
    }

    private mutating func socketFailed(
        _ code: String, _ reason: String, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        let isPlanned = schedule.isPollPlanned
        let wait = schedule.socketEnded(at: now)
        outputs.append(.event(.problem(code: code, reason: reason, retryIn: wait)))
        // Meanwhile the mediator may be reached by its preferred address.
        if !isPlanned, service?.pickup?.awaitedID == nil { stepPickup(.start(isLive: false), at: now, into: &outputs) }
    }

    private mutating func socketEnded(
        _ refusal: WebSocketRefusal?, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        if let refusal {
            // Two processes that reopen it would close each other's WebSocket again and again.
            endFetching(into: &outputs)
            let text = (refusal.code, refusal.reason)
            return outputs.append(.event(.problem(code: text.0, reason: text.1, retryIn: nil)))
        }
        schedule.socketEnded(at: now)
        stepPickup(.disconnected, at: now, into: &outputs)
        outputs.append(.event(.socket(isOpen: false)))
    }

    // Wake-ups.

    private mutating func beginWake(
        _ action: WebhookRequest.Action, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let connection = client?.connection else { return }
        var random = drawnRandom()
        wakeAnswer = nil
        service?.wake = WebhookRequest(action, connection, random: &random)
        stepWake(.start, at: now, into: &outputs)
    }

    private mutating func stepWake(
        _ input: WebhookRequest.Input, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard service?.wake != nil else { return }
        var steps: [WebhookRequest.Output] = []
        service?.wake?.handle(input, at: now, into: &steps)
        for step in steps {
            switch step {
            case .send(let outgoing): send(outgoing, into: &outputs)
            case .current(let state): wakeAnswer = .success(state)
            case .failed(let error): wakeAnswer = .failure(error)
            case .ignored(let error): outputs.append(.ignored(error))
            }
        }
        guard wakeAnswer != nil else { return }
        service?.wake = nil
        outputs.append(.changed)
    }
}
