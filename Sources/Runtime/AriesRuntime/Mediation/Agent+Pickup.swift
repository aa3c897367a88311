import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// Fetching what the mediator keeps for us.
extension Agent {
    /// How long answers are expected after something came.
    private static let hurriedTime = Duration.seconds(30)
    /// How often a mediator that sends by itself is asked while answers are expected.
    private static let hurriedPoke = Duration.seconds(2)

    /// Begins to fetch: by WebSocket where the mediator has one, else by asking again and again.
    func beginPickup() async throws {
        guard let run = mediator, run.pickup == nil, let client = run.client, !isLeftAlone, !isFinishing
        else { return }
        mediator?.pickup = PickupClient(
            client.connection, flavour: configuration.pickup ?? run.record.flavour, random: drawnRandom(),
            policy: HandshakePolicy(resendAfter: [.seconds(5)], giveUpAfter: .seconds(20)))
        if configuration.pickup == nil, configuration.keepsSocket, client.connection.socketEndpoint != nil {
            return openLine()
        }
        try await stepPickup(.start(isLive: false))
    }

    /// Asks for nothing more; what was asked for is still taken.
    func finishFetching() async throws {
        mediator?.pollAt = nil
        mediator?.lineAt = nil
        try await stepPickup(.finish)
    }

    /// Has no more to do with a mediator that does not serve us.
    func endFetching() {
        guard var run = mediator else { return }
        let line = run.line
        (run.pickup, run.line, run.isOpening) = (nil, nil, false)
        (run.pollAt, run.lineAt, run.retryAt) = (nil, nil, nil)
        mediator = run
        lineNumber += 1
        guard let line else { return }
        paths[run.connection] = nil
        line.close()
        tellMediator(.socket(isOpen: false))
    }

    /// Randomness for the identifiers of messages.
    func drawnRandom() -> SeededRandom {
        SeededRandom(seed: random.bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    func stepPickup(_ input: PickupClient.Input) async throws {
        guard let connection = mediator?.connection, var pickup = mediator?.pickup else { return }
        let asked = pickup.flavour == .pickup1 ? pickup.awaitedID : nil
        var outputs: [PickupClient.Output] = []
        pickup.handle(input, at: timekeeper.now(), into: &outputs)
        mediator?.pickup = pickup
        // What was answered is not asked for again: it would be handed over once more, to nobody.
        if let asked, asked != pickup.awaitedID { lanes.withdraw(asked, from: connection) }
        for output in outputs { try await follow(output) }
    }

    private func follow(_ output: PickupClient.Output) async throws {
        switch output {
        case .send(let outgoing): sendToMediator(outgoing)
        case .deliver(let envelope, let id?):
            enqueue { agent in await agent.guarding { try await $0.takeDelivery(envelope, id) } }
        case .deliver(let envelope, nil):
            arriving.withLock { $0 += 1 }
            enqueueArrived { agent in _ = try await agent.takeHandedOver(envelope) }
        case .quarantine(let raw):
            let error = AgentError(.mediatorQuarantine, "A message of the mediator's queue cannot be read.")
            _ = try await quarantine(raw.encoded, error)
        case .caughtUp(let remaining): caughtUp(remaining)
        case .fellBack(let flavour):
            // What was chosen for this run alone says nothing of the next.
            guard configuration.pickup == nil else { break }
            mediator?.record.flavour = flavour
            try await saveMediator()
            mediatorChanged()
        case .refused(let error): retryPickup(after: error)
        case .failed(let error): pickupFailed(error)
        case .ignored(let error): tellPassedOver(error, on: mediator?.connection)
        }
    }

    private func caughtUp(_ remaining: Int) {
        guard let run = mediator else { return }
        let now = timekeeper.now()
        let isHurried = isHurried(at: now)
        mediator?.pickupFailures = 0
        if run.line != nil {
            mediator?.lineFailures = 0
            mediator?.pollAt = isHurried ? now + Self.hurriedPoke : nil
        } else {
            mediator?.pollAt = now + (isHurried ? configuration.hurriedPoll : configuration.pollEvery)
        }
        tellMediator(.caughtUp(remaining: remaining))
        resumeWaitingArrivals()
    }

    private func isHurried(at now: MonotonicInstant) -> Bool {
        guard let run = mediator else { return false }
        return now < run.hurriedUntil || runs.keys.contains { $0 != run.connection } || !reuses.isEmpty
            || !questions.isEmpty
    }

    /// Asks soon, because an answer is expected.
    func hurry() {
        guard let run = mediator, run.pickup != nil else { return }
        let now = timekeeper.now()
        mediator?.hurriedUntil = now + Self.hurriedTime
        let soon = now + (run.line != nil ? Self.hurriedPoke : configuration.hurriedPoll)
        // Where nothing is planned, something is under way that plans the next time itself.
        if run.line != nil || run.pollAt != nil { mediator?.pollAt = min(run.pollAt ?? soon, soon) }
    }

    private func pickupFailed(_ error: AriesError) {
        guard let run = mediator else { return }
        if let line = run.line {
            // A line that brings no answers is no better than none.
            line.close()
            return tellMediator(.problem(code: error.code.rawValue, reason: error.reason, retryIn: nil))
        }
        retryPickup(after: error)
    }

    /// Asks for messages again later, the longer the more often it failed in a row; a WebSocket that is open stays so.
    private func retryPickup(after error: AriesError) {
        guard let run = mediator else { return }
        let wait = mediatorWait(after: run.pickupFailures)
        mediator?.pickupFailures += 1
        mediator?.pollAt = isFinishing ? nil : timekeeper.now() + wait
        tellMediator(.problem(code: error.code.rawValue, reason: error.reason, retryIn: wait))
    }
}

/// What the mediator hands over.
extension Agent {
    /// Takes what was asked for; what is stored then is acknowledged.
    private func takeDelivery(_ envelope: [UInt8], _ id: String) async throws {
        let (isKept, _) = try await takeHandedOver(envelope)
        if isKept { try await stepPickup(.stored(ids: [id])) }
    }

    /// Takes what came by itself, or as the answer to something sent to the mediator.
    func takeArrived(_ envelope: [UInt8]) async throws {
        let (_, isOfMediator) = try await takeHandedOver(envelope)
        if !isOfMediator { try await stepPickup(.envelopeArrived) }
    }

    /// - Returns: whether all that is to be kept of it is stored, and whether the mediator itself wrote it.
    private func takeHandedOver(_ envelope: [UInt8]) async throws -> (isKept: Bool, isOfMediator: Bool) {
        do {
            let (_, owner) = try await process(envelope, nil)
            let isOfMediator = owner == mediator.map { .connection($0.connection) }
            if !isOfMediator { hurry() }
            return (true, isOfMediator)
        } catch let error as AriesError {
            tellPassedOver(error, on: nil)
            return (true, false)
        } catch let error as DIDCommError {
            return (try await quarantine(envelope, error), false)
        } catch  where Self.mayPass(error) {
            return (try await keepWaiting(envelope, because: error), false)
        } catch let error as AgentError {
            return (try await quarantine(envelope, error), false)
        }
    }

    /// Whether what failed may be done later.
    private static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case let error as AgentError: error.code == .mediatorKeyMissing || error.code == .busy
        case let error as VaultError: error.isConflict
        default: false
        }
    }

    /// Keeps aside what cannot be opened; false when there is no room left for it.
    ///
    /// - Parameter waited: whether it waited until now.
    private func quarantine(_ bytes: [UInt8], _ error: any Error, waited: Bool = false) async throws -> Bool {
        let arrival = ArrivalRecord(bytes, .quarantined)
        let keeping = try await store.write { store in
            if waited { try arrival.remove(from: store) }
            return try arrival.keep(in: store)
        }
        switch keeping {
        case .noRoom:
            tellPassedOver(error, on: nil)
            return false
        case .wasThere: break
        case .isNew:
            let (code, reason) = Self.words(for: error)
            tellMediator(.quarantined(code: code, reason: reason))
        }
        return true
    }

    private func keepWaiting(_ envelope: [UInt8], because error: any Error) async throws -> Bool {
        let arrival = ArrivalRecord(envelope, .waiting)
        let (keeping, count) = try await store.write { store in
            (
                try arrival.keep(in: store),
                try store.count(in: AgentCategories.arrivals, tags: [ArrivalRecord.tag(.waiting)])
            )
        }
        mediator?.waitingArrivals = count
        try await replenish()
        if keeping == .noRoom { tellPassedOver(error, on: nil) }
        return keeping != .noRoom
    }

    /// Goes on with what waited, as for a free key.
    func takeWaitingArrivals() async throws {
        let tags = [ArrivalRecord.tag(.waiting)]
        let page = try await store.records(in: AgentCategories.arrivals, tags: tags, limit: Self.maximumSpares)
        for stored in page.records {
            do {
                _ = try await process(stored.value, nil)
                try await forgetArrival(stored.value)
            } catch  where Self.mayPass(error) {
                return try await replenish()
            } catch let error as AriesError {
                tellPassedOver(error, on: nil)
                try await forgetArrival(stored.value)
            } catch  where error is DIDCommError || error is AgentError {
                _ = try await quarantine(stored.value, error, waited: true)
            }
            mediator?.waitingArrivals -= 1
        }
        if page.next == nil { mediator?.waitingArrivals = 0 }
    }

    private func forgetArrival(_ envelope: [UInt8]) async throws {
        let arrival = ArrivalRecord(envelope, .waiting)
        try await store.write { store in try arrival.remove(from: store) }
    }

    /// Has what waits taken, when something is there to take it with.
    func resumeWaitingArrivals() {
        guard let run = mediator, run.waitingArrivals > 0, !run.readySpares.isEmpty else { return }
        enqueue { agent in await agent.guarding { try await $0.takeWaitingArrivals() } }
    }
}

/// The WebSocket with the mediator.
extension Agent {
    func openLine() {
        guard isRunning, !isFinishing, let run = mediator, let endpoint = run.client?.connection.socketEndpoint,
            run.line == nil,
            !run.isOpening
        else { return }
        mediator?.isOpening = true
        lineNumber += 1
        let number = lineNumber
        Task { [wire] in
            do {
                let line = try await wire.connect(to: endpoint) { [weak self] envelope in
                    await self?.lineBrought(envelope, number)
                } ended: { [weak self] end in
                    guard let self else { return }
                    Task { await self.afterLine(number) { try await $0.lineEnded(end) } }
                }
                if !isLine(number) { line.close() }
                afterLine(number) { try await $0.lineOpened(line) }
            } catch {
                afterLine(number) { try await $0.lineFailed(error) }
            }
        }
    }

    /// Whether a line is still the one that is wanted.
    private func isLine(_ number: Int) -> Bool { isRunning && mediator != nil && lineNumber == number }

    /// Does something about the present line.
    private func afterLine(_ number: Int, _ body: @escaping @Sendable (isolated Agent) async throws -> Void) {
        guard isLine(number) else { return }
        enqueue { agent in
            guard agent.isLine(number) else { return }
            await agent.guarding(body)
        }
    }

    /// Takes one envelope of the line; nothing more is read before.
    private func lineBrought(_ envelope: [UInt8], _ number: Int) async {
        guard isLine(number) else { return }
        let comesOnce = isMediatorForgetful
        if comesOnce { arriving.withLock { $0 += 1 } }
        await withCheckedContinuation { continuation in
            enqueue { agent in
                await agent.guarding { try await $0.takeArrived(envelope) }
                if comesOnce { agent.arriving.withLock { $0 -= 1 } }
                continuation.resume()
            }
        }
    }

    private func lineOpened(_ line: any PersistentTransport) async throws {
        mediator?.isOpening = false
        guard let run = mediator, !isFinishing else { return line.close() }
        mediator?.line = line
        mediator?.pollAt = nil
        paths[run.connection] = line
        tellMediator(.socket(isOpen: true))
        try await stepPickup(.disconnected)
        try await stepPickup(.start(isLive: true))
    }

    private func lineEnded(_ end: TransportEnd) async throws {
        guard let run = mediator else { return }
        mediator?.isOpening = false
        if let error = Self.reason(of: end) {
            // Whoever came back would only end the other one's line in turn.
            endFetching()
            return tellMediator(.problem(code: error.code.rawValue, reason: error.reason, retryIn: nil))
        }
        mediator?.line = nil
        paths[run.connection] = nil
        planLine()
        try await stepPickup(.disconnected)
        tellMediator(.socket(isOpen: false))
    }

    private static func reason(of end: TransportEnd) -> AgentError? {
        switch end {
        case .lost: nil
        case .replaced:
            AgentError(
                .mediatorReplaced, "Another program of this wallet has taken over the connection to the mediator.")
        case .closed: AgentError(.mediatorClosed, "The mediator has closed the account of this wallet.")
        }
    }

    private func lineFailed(_ error: any Error) async throws {
        guard let run = mediator else { return }
        mediator?.isOpening = false
        let wait = planLine()
        let (code, reason) = Self.words(for: error)
        tellMediator(.problem(code: code, reason: reason, retryIn: wait))
        // Meanwhile it may be reached by the address that it prefers.
        if run.pollAt == nil, run.pickup?.awaitedID == nil { try await stepPickup(.start(isLive: false)) }
    }

    /// Plans the next line, later each time that one failed or ended before it was of use.
    @discardableResult
    private func planLine() -> Duration {
        let wait = mediatorWait(after: mediator?.lineFailures ?? 0)
        mediator?.lineFailures += 1
        // A new number, so that nothing of the old line is heard any more.
        lineNumber += 1
        if !isFinishing { mediator?.lineAt = timekeeper.now() + wait }
        return wait
    }
}
