import Aries
import DIDComm
import Determinism
import Vault

/// The calls about the mediator, and the changes that other processes of the wallet make to it.
final class MediatorOperations {
    /// The interval at which the store is read for changes of the mediator.
    private static let comparedEvery = Duration.milliseconds(500)

    private let context: AgentContext
    private let stores: MediatorStores
    private let handshakes: ConnectionHandshakes
    private let mediator: MediatorDriver
    private let removal: ConnectionRemoval
    private var comparedAt: MonotonicInstant?

    init(
        _ context: AgentContext, stores: MediatorStores, handshakes: ConnectionHandshakes, mediator: MediatorDriver,
        removal: ConnectionRemoval
    ) {
        self.context = context
        self.stores = stores
        self.handshakes = handshakes
        self.mediator = mediator
        self.removal = removal
    }

    /// Resumes with the mediator in the store.
    func resume() async throws {
        try await mediator.resume()
        try await handshakes.connectMediator()
    }

    /// Throws when another mediator is in use already.
    ///
    /// - Throws: `agent.mediator.in-use` when another mediator than the one of `invitation` serves us.
    func checkFree(for invitation: Invitation) throws {
        guard let stored = mediator.stored, stored.invitation != invitation.id, stored.stage == .granted else { return }
        throw AgentError(.mediatorInUse, "Another mediator is in use already.")
    }

    /// Begins to use the mediator at the other end of a connection.
    func begin(_ connection: String, _ invitation: Invitation) async throws {
        try await mediator.begin(connection, invitation: invitation.id)
        guard mediator.awaitedConnection == connection else { return }
        if let failure = try await handshakes.record(connection)?.failure { return mediator.abandoned(failure) }
        try await handshakes.connectMediator()
    }

    /// The mediator for display; nil for none.
    func summary() async throws -> MediationClientSummary? {
        guard let use = mediator.current else { return nil }
        let connection = try await handshakes.record(use.connectionID)
        let tag = KeyRecord.mediatorTag(use.connectionID)
        let (all, spare, quarantined) = try await context.store.read { store in
            (
                try store.count(in: AgentCategories.keys, tags: [tag]),
                try store.count(in: AgentCategories.keys, tags: [tag, KeyRecord.Owner.spareTag]),
                try store.count(in: AgentCategories.arrivals, tags: [UnprocessedEnvelope.tag(.quarantined)])
            )
        }
        let grant = use.client?.grant
        return MediationClientSummary(
            connection: use.connectionID, label: connection?.connection?.label ?? connection?.invitation.label,
            stage: use.stage, endpoint: grant?.endpoint, routingKeys: grant?.routingKeys ?? [],
            socket: connection?.connection?.socketEndpoint, flavour: use.flavour, isLive: use.isLive,
            freeKeys: use.readySpareCount, usedKeys: all - spare, quarantined: quarantined,
            failure: connection?.failure)
    }

    /// The mediator when it is ready for new connections; nil as long as it is not.
    ///
    /// - Throws: `agent.mediator.unknown`, `aries.mediation.refused`, `aries.connection.rejected` with the mediator's
    ///   words, and why the connection was abandoned.
    func readySummary() async throws -> MediationClientSummary? {
        guard let summary = try await summary() else { throw MediatorDriver.noMediator }
        if let failure = summary.failure { throw failure }
        if summary.stage == .denied {
            throw AriesError(.mediationRefused, "The mediator does not take messages for us.")
        }
        if summary.stage != .granted, let rejection = mediator.current?.rejection { throw rejection }
        let isReady = summary.freeKeys > 0 || context.configuration.mediator.spareKeys == 0
        return summary.stage == .granted && isReady && mediator.current?.isIdle == true ? summary : nil
    }

    /// Returns true when a new connection can begin without waiting for a key; nil as long as it has to wait.
    func hasFreeKey() -> Bool? {
        guard let use = mediator.current else { return true }
        return use.stage != .granted || use.readySpareCount > 0 ? true : nil
    }

    /// Deletes the mediator with its connection, its free keys, and its quarantined messages.
    func forget() async throws {
        guard let connection = mediator.connection else { return }
        let tags = [KeyRecord.Owner.spareTag, KeyRecord.mediatorTag(connection)]
        // Another process may have used a key, made more of them, or left the mediator itself.
        let spares = try await context.store.write { store in
            let names = try store.removeAll(AgentCategories.keys, tags: tags)
            try store.removeAll(AgentCategories.arrivals, tags: [])
            try store.removeAll(AgentCategories.mediatorAnswers, tags: [])
            if try store.record(MediatorRecord.name, in: AgentCategories.mediators) != nil {
                try store.remove(MediatorRecord.name, in: AgentCategories.mediators, expecting: nil)
            }
            return names
        }
        for spare in spares.compactMap({ try? Verkey(parsing: $0) }) { stores.keys.forget(spare) }
        mediator.end()
        if try await handshakes.record(connection) != nil { try await removal.forget(connection) }
        mediator.changed()
    }

    /// Begins a request about wake-ups.
    ///
    /// - Throws: `agent.mediator.unknown`, and `agent.mediator.unreachable` when the mediator does not serve us.
    func wake(_ action: WebhookRequest.Action) async throws {
        guard let use = mediator.current else { throw MediatorDriver.noMediator }
        guard use.stage == .granted, use.client != nil else {
            throw AgentError(.mediatorUnreachable, "The mediator does not take messages for us.")
        }
        try await mediator.feed(.wake(action))
    }

    /// Begins to use a mediator that another process has set up, stops using one that it has left, and replaces the
    /// keys that it has used.
    ///
    /// A mediator with which another process still connects is left to that process until the grant. Answers of the
    /// mediator that came to another process are taken each time.
    ///
    /// - Parameter isFinishing: whether nothing but answers is taken, because the agent is about to stop.
    func catchUp(isFinishing: Bool) async throws {
        try await takeAnswers()
        let now = context.now()
        guard !isFinishing, ![.offline, .none].contains(context.configuration.mediator.mode),
            comparedAt.map({ $0 + Self.comparedEvery <= now }) ?? true
        else { return }
        comparedAt = now
        let stored = try await context.store.record(MediatorRecord.name, in: AgentCategories.mediators).map {
            try MediatorRecord($0)
        }
        switch (mediator.stored, stored) {
        case (nil, nil): break
        case (nil, let stored?): if stored.stage == .granted { try await adopt() }
        case (_?, nil):
            mediator.end()
            mediator.report(.left)
        case (let running?, let stored?):
            let isGrantedElsewhere = stored.stage == .granted && running.stage != .granted
            if stored.connection != running.connection || isGrantedElsewhere { return try await adopt() }
            try await mediator.catchUpWithSpares()
        }
    }

    private func takeAnswers() async throws {
        guard let connection = mediator.connection, mediator.current?.awaitsAnswer == true else { return }
        if let id = mediator.current?.awaitedPickupID, try await stores.answers.takeNote(of: id) {
            try await mediator.feed(.answeredElsewhere(id: id))
        }
        for answer in try await stores.answers.kept(on: connection)
        where mediator.current?.concerns(answer.received.message) == true {
            try await mediator.feed(.received(answer.received))
            try await stores.answers.remove(answer)
        }
    }

    private func adopt() async throws {
        mediator.end()
        try await resume()
        guard let use = mediator.current else { return }
        mediator.report(.stage(connection: use.connectionID, use.stage))
    }
}
