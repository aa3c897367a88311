public import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// What callers can ask for about a mediator.
extension Agent {
    /// Connects with a mediator and asks it to take messages for us; `mediated(within:)` waits for its answer.
    ///
    /// The same invitation again asks again. A mediator that has not granted is replaced.
    /// - Throws: `agent.mediator.in-use` when another mediator is in use, `aries.invitation.handshake-unsupported` for an
    ///   invitation that offers no connection, and as `accept`.
    public func useMediator(_ invitation: Invitation) async throws -> AgentConnection {
        try await perform { agent in try agent.checkMediatorIsFree(for: invitation) }
        let connection = try await accept(invitation)
        guard connection.outcome != .requestOnly else {
            throw AriesError(.handshakeUnsupported, "The invitation offers no connection.")
        }
        try await perform { agent in try await agent.beginMediator(connection.id, invitation) }
        return connection
    }

    /// Waits until the mediator has granted and knows a key that is free.
    ///
    /// - Throws: `agent.mediator.unknown` when there is none, `agent.mediator.unreachable` when `duration` has passed,
    ///   `aries.mediation.refused` when it denied, and why the connection with it was abandoned.
    @discardableResult
    public func mediated(within duration: Duration) async throws -> MediatorSummary {
        let found: MediatorSummary? = try await awaitMediator(within: duration) { agent in
            guard let summary = try await agent.mediatorSummary() else { throw Self.noMediator }
            if let failure = summary.failure { throw failure }
            if summary.stage == .denied { throw Self.mediatorDenied }
            let isReady = summary.freeKeys > 0 || agent.configuration.spareKeys == 0
            return summary.stage == .granted && isReady && agent.mediator?.client?.isIdle == true ? summary : nil
        }
        guard let found else {
            throw AgentError(.mediatorUnreachable, "The mediator did not do what it was asked for within \(duration).")
        }
        return found
    }

    /// The mediator in use; nil when there is none.
    public func mediator() async throws -> MediatorSummary? {
        try await perform { agent in try await agent.mediatorSummary() }
    }

    /// Takes our keys from the mediator, and forgets it with its connection and with what it brought that was kept aside.
    ///
    /// Whoever knows only its address does not reach us any more.
    /// - Parameters:
    ///   - isForced: also when connections or invitations are still reached through it.
    ///   - duration: how long to wait for the mediator; it is forgotten without its word then.
    /// - Returns: whether it confirmed that it has forgotten our keys.
    /// - Throws: `agent.mediator.unknown`, `agent.mediator.in-use`, `agent.*`, and errors of the store.
    @discardableResult
    public func leaveMediator(isForced: Bool = false, within duration: Duration = .seconds(10)) async throws -> Bool {
        let isAsked = try await perform { agent in try await agent.beginLeaving(isForced: isForced) }
        var isConfirmed: Bool?
        do {
            isConfirmed = try await awaitMediator(within: duration) { agent in
                guard isAsked, let run = agent.mediator, let left = run.leaving else { return false }
                if left.isEmpty { return true }
                return run.client?.isIdle == true && run.changes.isEmpty ? false : nil
            }
        } catch {
            try? await perform { agent in try await agent.stay() }
            throw error
        }
        try await perform { agent in try await agent.forgetMediator() }
        return isConfirmed ?? false
    }

    static var noMediator: AgentError { AgentError(.mediatorUnknown, "No mediator is in use.") }
    private static var mediatorDenied: AriesError {
        AriesError(.mediationRefused, "The mediator does not take messages for us.")
    }
}

/// Waiting.
extension Agent {
    /// Looks after each change of the mediator's state until `look` finds something; nil when `duration` has passed first.
    func awaitMediator<Value: Sendable>(
        within duration: Duration, _ look: @escaping @Sendable (isolated Agent) async throws -> Value?
    ) async throws -> Value? {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        mediatorWatchers.append(continuation)
        let end = timekeeper.now() + duration
        let alarm = Task { [timekeeper] in
            try? await timekeeper.wait(until: end)
            continuation.finish()
        }
        defer {
            alarm.cancel()
            continuation.finish()
        }
        continuation.yield()
        for await _ in changes { if let value = try await perform(look) { return value } }
        try Task.checkCancellation()
        guard isRunning else { throw AgentError(.stopped, "The agent was stopped.") }
        return nil
    }

    /// Tells those who wait that something changed.
    func mediatorChanged() {
        mediatorWatchers.removeAll { watcher in
            if case .terminated = watcher.yield() { return true }
            return false
        }
    }

    func tellMediator(_ event: MediatorEvent) {
        watchers.tell(.mediator(event))
        mediatorChanged()
    }
}

/// Beginning and ending.
extension Agent {
    private func mediatorSummary() async throws -> MediatorSummary? {
        guard let run = mediator else { return nil }
        let connection = try await connectionRecord(run.connection)
        let id = run.connection
        let (all, spare, quarantined) = try await store.read { store in
            let tag = KeyRecord.mediatorTag(id)
            return (
                try store.count(in: AgentCategories.keys, tags: [tag]),
                try store.count(in: AgentCategories.keys, tags: [tag, KeyRecord.Owner.spareTag]),
                try store.count(in: AgentCategories.arrivals, tags: [ArrivalRecord.tag(.quarantined)])
            )
        }
        let grant = run.client?.grant
        return MediatorSummary(
            connection: id, label: connection?.connection?.label ?? connection?.invitation.label,
            stage: run.record.stage,
            endpoint: grant?.endpoint, routingKeys: grant?.routingKeys ?? [],
            socket: connection?.connection?.socketEndpoint, flavour: run.record.flavour, isLive: run.line != nil,
            freeKeys: run.readySpares.count, usedKeys: all - spare, quarantined: quarantined,
            failure: connection?.failure)
    }

    private func checkMediatorIsFree(for invitation: Invitation) throws {
        guard let run = mediator, run.record.invitation != invitation.id, run.record.stage == .granted else { return }
        throw AgentError(.mediatorInUse, "Another mediator is in use already.")
    }

    private func beginMediator(_ connection: String, _ invitation: Invitation) async throws {
        var record = MediatorRecord(connection: connection, invitation: invitation.id)
        if let old = mediator?.record {
            if old.connection == connection, old.stage == .granted { return }
            record.storeVersion = old.storeVersion
        }
        endMediator()
        let fresh = record
        record.storeVersion = try await store.write { store in try fresh.save(in: store) } ?? 0
        mediator = MediatorRun(record)
        tellMediator(.stage(connection: connection, .connecting))
        if let failure = try await connectionRecord(connection)?.failure { return mediatorAbandoned(failure) }
        try await mediatorConnected()
    }

    /// - Returns: whether the mediator was asked to forget our keys.
    private func beginLeaving(isForced: Bool) async throws -> Bool {
        guard let run = mediator else { throw Self.noMediator }
        let tag = KeyRecord.mediatorTag(run.connection)
        let used = try await store.read { store in
            try store.count(in: AgentCategories.keys, tags: [tag])
                - store.count(in: AgentCategories.keys, tags: [tag, KeyRecord.Owner.spareTag])
        }
        guard used == 0 || isForced else {
            throw AgentError(.mediatorInUse, "Connections or invitations (\(used)) are reached through the mediator.")
        }
        guard run.record.stage == .granted, !isLeftAlone else {
            mediator?.leaving = []
            return false
        }
        let keys = try await keys(knownTo: run.connection)
        mediator?.leaving = Set(keys)
        try await change(keys.map { KeyChange($0, isAddition: false) })
        return true
    }

    /// Makes known again what was taken back, because the mediator is not left after all.
    private func stay() async throws {
        guard let run = mediator else { return }
        mediator?.leaving = nil
        mediator?.changes = []
        try await change(try await keys(knownTo: run.connection).map { KeyChange($0, isAddition: true) })
    }

    private func forgetMediator() async throws {
        guard let run = mediator else { return }
        let tags = [KeyRecord.Owner.spareTag, KeyRecord.mediatorTag(run.connection)]
        // Another process may have given a key away, made more of them, or left the mediator itself.
        let spares = try await store.write { store in
            let names = try Self.removeAll(AgentCategories.keys, tags: tags, from: store)
            try Self.removeAll(AgentCategories.arrivals, tags: [], from: store)
            if try store.record(MediatorRecord.name, in: AgentCategories.mediators) != nil {
                try store.remove(MediatorRecord.name, in: AgentCategories.mediators, expecting: nil)
            }
            return names
        }
        for spare in spares.compactMap({ try? Verkey(parsing: $0) }) { keys.forget(spare) }
        endMediator()
        if try await connectionRecord(run.connection) != nil { try await forget(run.connection) }
        mediatorChanged()
    }

    /// Lets go of everything that is only in memory.
    func endMediator() {
        guard let run = mediator else { return }
        mediator = nil
        lineNumber += 1
        if run.line != nil { paths[run.connection] = nil }
        run.line?.close()
    }
}
