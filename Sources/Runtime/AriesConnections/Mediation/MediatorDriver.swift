import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// Drives `MediatorUse`, the core for the mediator in use: stores its state, and dispatches its other outputs.
final class MediatorDriver {
    /// A WebSocket to open; its number tells its events from those of older ones.
    struct SocketRequest {
        let endpoint: ServiceEndpoint
        let number: Int
    }

    private let context: AgentContext
    private let stores: MediatorStores
    private let exchange: MessagingServices
    private let jobs: AgentJobQueue
    private var use: MediatorUse?
    private var record: MediatorRecord?
    /// The free keys of `use` with their records.
    private var spares: [Verkey: KeyRecord] = [:]
    private var socket: (any PersistentTransport)?
    /// The number of the present WebSocket; events of older ones are dropped.
    private var socketNumber = 0
    private var socketRequest: SocketRequest?
    private let signal: ChangeSignal

    init(_ context: AgentContext, stores: MediatorStores, exchange: MessagingServices, jobs: AgentJobQueue) {
        self.context = context
        self.stores = stores
        self.exchange = exchange
        self.jobs = jobs
        signal = ChangeSignal(clock: context.clock)
    }

    /// The mediator's answers that came to another process.
    var answers: CrossProcessAnswers { stores.answers }

    /// The core; nil when no mediator is in use.
    var current: MediatorUse? { use }

    /// The mediator as last stored; nil when none is in use.
    var stored: MediatorRecord? { record }

    /// The connection with the mediator.
    var connection: String? { use?.connectionID }

    /// The connection that must be complete before mediation is requested.
    var awaitedConnection: String? { use?.client == nil ? use?.connectionID : nil }

    var nextDeadline: MonotonicInstant? { use?.nextDeadline }

    private var mode: MediatorUse.Mode { context.configuration.mediator.mode }

    // Beginning and ending.

    /// Resumes with the mediator in the store; `connected` follows.
    func resume() async throws {
        guard let stored = try await context.store.record(MediatorRecord.name, in: AgentCategories.mediators) else {
            return
        }
        let record = try MediatorRecord(stored)
        use = makeUse(record, waitingArrivals: try await stores.arrivals.waitingCount())
        self.record = record
    }

    /// Begins with a mediator; it replaces one that has not granted.
    func begin(_ connection: String, invitation: String) async throws {
        var record = MediatorRecord(connection: connection, invitation: invitation)
        if let old = self.record {
            if old.connection == connection, old.stage == .granted { return }
            record.storeVersion = old.storeVersion
            // The same request is made again, so that an answer to the first one counts.
            if old.connection == connection, old.stage == .asking {
                record.stage = old.stage
                record.client = old.client
            }
        }
        end()
        let fresh = record
        record.storeVersion = try await context.store.write { store in try fresh.save(in: store) } ?? 0
        use = makeUse(record, waitingArrivals: 0)
        self.record = record
        report(.stage(connection: connection, fresh.stage))
    }

    private func makeUse(_ record: MediatorRecord, waitingArrivals: Int) -> MediatorUse {
        var configuration = context.configuration.mediator
        configuration.policy = context.configuration.policy
        if context.configuration.outboundTransports.isDisjoint(with: ServiceEndpoint.Transport.ofWebSocket) {
            configuration.keepsSocket = false
        }
        return MediatorUse(
            connectionID: record.connection, stage: record.stage, flavour: record.flavour,
            waitingArrivals: waitingArrivals, configuration: configuration, random: context.drawnRandom())
    }

    /// Requests mediation once the connection with it is complete.
    func connected(_ connection: Connection) async throws {
        guard let record, use?.client == nil else { return }
        let random = context.drawnRandom()
        var policy = context.configuration.policy
        // A mediator answers at once, and a command does not wait for long.
        if !context.configuration.mediator.keepsSocket { policy.resendAfter.insert(.seconds(3), at: 0) }
        var client =
            try record.client.map {
                try MediationClient(stored: JSONValueReader(.object($0)), random: random, policy: policy)
            } ?? MediationClient(connection, random: random, policy: policy)
        var used: [CrossProcessAnswers.AnswerForOtherProcess] = []
        // A grant that came to another process is not asked for again: some mediators refuse to repeat it.
        if client.grant == nil {
            let kept = try await stores.answers.kept(on: connection.id) + stores.answers.keptGrants(on: connection)
            for answer in kept where client.awaits(answer.received.message) {
                _ = client.handle(.received(answer.received), at: context.now())
                used.append(answer)
            }
        }
        try await feed(.connected(client, spares: try await readSpares()))
        for answer in used { try await stores.answers.remove(answer) }
    }

    /// Reports why the connection with the mediator was not made.
    func abandoned(_ error: AriesError) {
        report(.problem(code: error.code.rawValue, reason: error.reason, retryIn: nil))
    }

    /// Drops everything that is only in memory.
    func end() {
        guard let connection else { return }
        use = nil
        record = nil
        spares = [:]
        dropSocket(of: connection)
    }

    /// Drops what is only in memory, and ends all waits for changes of the mediator's state.
    func stop() {
        end()
        signal.finish()
    }

    // Waiting for changes.

    /// A value now and after each change of the mediator's state; ends at `end`.
    func changes(until end: MonotonicInstant) -> AsyncStream<Void> { signal.changes(until: end) }

    /// Wakes the tasks that wait for a change.
    func changed() { signal.changed() }

    func report(_ event: MediationClientEvent) {
        exchange.observers.report(.mediator(event))
        changed()
    }

    // Events.

    /// Gives an event to the core, and performs its outputs in their order.
    func feed(_ input: MediatorUse.Input) async throws {
        guard let connection else { return }
        let now = context.now()
        var outputs: [MediatorUse.Output] = []
        use?.handle(.answersExpected(exchange.awaited.isAny(besides: connection)), at: now, into: &outputs)
        use?.handle(input, at: now, into: &outputs)
        for output in outputs { try await follow(output, connection) }
    }

    private func follow(_ output: MediatorUse.Output, _ connection: String) async throws {
        // Another process may have left the mediator, or the agent may have been stopped.
        guard self.connection == connection else { return }
        switch output {
        case .persist: try await persist()
        case .send(let outgoing): exchange.delivery.append(.mediator(outgoing), to: connection)
        case .withdraw(let id): exchange.delivery.withdraw(id, from: connection)
        case .deliver(let envelope, let id):
            if id == nil { stores.arrivals.count.begin() }
            jobs.add(.fetched(envelope, id: id))
        case .quarantine(let raw):
            let error = AgentError(.mediatorQuarantine, "A message of the mediator's queue cannot be read.")
            if try await stores.arrivals.quarantine(raw.encoded) == .isNew { reportQuarantined(error) }
        case .makeKeys(let count): try await makeKeys(count)
        case .removeKey(let key): try await removeRefused(key)
        case .verify(let changes): try await feed(.verified(try await stillValid(changes)))
        case .compare(let listed):
            try await feed(.compared(ours: try await knownKeys(), listed: listed))
        case .resumeArrivals: jobs.add(.resumeArrivals)
        case .openSocket(let endpoint):
            socketNumber += 1
            socketRequest = SocketRequest(endpoint: endpoint, number: socketNumber)
        case .closeSocket: socket?.close()
        case .dropSocket: dropSocket(of: connection)
        case .event(let event): report(event)
        case .changed: changed()
        case .ignored(let error): exchange.observers.passedOver(error, on: connection)
        }
    }

    func reportQuarantined(_ error: any Error) {
        let (code, reason) = AgentError.text(of: error)
        report(.quarantined(code: code, reason: reason))
    }

    /// Stores the mediator; another process may have left it.
    private func persist() async throws {
        guard var record, let use else { return }
        record.stage = use.stage
        record.flavour = use.flavour
        record.client = use.client?.state
        let copy = record
        guard let version = try await context.store.write({ store in try copy.save(in: store) }) else { return end() }
        record.storeVersion = version
        if connection == record.connection { self.record = record }
    }

    // The WebSocket.

    /// The WebSocket that is to be opened, once.
    func takeSocketRequest() -> SocketRequest? {
        defer { socketRequest = nil }
        return socketRequest
    }

    /// Returns true when the WebSocket with this number is the present one.
    func isCurrent(_ number: Int) -> Bool { use != nil && socketNumber == number }

    /// Takes over the WebSocket that was opened to the mediator: answers go by it, and the core learns of it.
    func socketOpened(_ socket: any PersistentTransport) async throws {
        guard let connection else { return socket.close() }
        self.socket = socket
        exchange.delivery.setReturnPath(socket, on: connection)
        try await feed(.socketOpened)
        guard use?.isLive == false else { return }
        self.socket = nil
        exchange.delivery.removeReturnPath(on: connection)
    }

    func socketFailed(_ error: any Error) async throws {
        socketNumber += 1
        let (code, reason) = AgentError.text(of: error)
        try await feed(.socketFailed(code: code, reason: reason))
    }

    func socketEnded(_ end: TransportEndReason) async throws {
        guard let connection else { return }
        socketNumber += 1
        socket = nil
        exchange.delivery.removeReturnPath(on: connection)
        try await feed(.socketEnded(refusal: end.refusal))
    }

    private func dropSocket(of connection: String) {
        socketNumber += 1
        socketRequest = nil
        guard let socket else { return }
        self.socket = nil
        exchange.delivery.removeReturnPath(on: connection)
        socket.close()
    }

    // Keys.

    /// A key for a new connection or invitation, with the address that goes with it; nothing is stored yet.
    ///
    /// - Throws: `agent.mediator.key-missing` when the mediator is to be used and knows no free key.
    func newKey(for owner: KeyRecord.Owner) throws -> (record: KeyRecord, address: AgentAddress) {
        switch use?.freeKey ?? .notMediated {
        case .notMediated:
            let key = context.makeKey()
            let configuration = context.configuration
            let address = AgentAddress(
                key: key.verkey, routingKeys: [], endpoint: configuration.endpoint)
            return (KeyRecord(key, owner: owner), address)
        case .none: throw Self.noFreeKey
        case .key(let key, let address):
            guard let spare = spares[key] else { preconditionFailure("the core has free keys of the store alone") }
            return (spare.given(to: owner), address)
        }
    }

    static var noFreeKey: AgentError {
        AgentError(.mediatorKeyMissing, "The mediator has confirmed no free key for a new connection yet.")
    }

    /// Notes that a key was stored for its owner, and prepares another one.
    func noteUse(_ record: KeyRecord) async throws {
        stores.keys.insert(record)
        guard record.mediator != nil, use != nil else { return }
        spares[record.key.verkey] = nil
        try await feed(.used(record.key.verkey))
        jobs.add(.keyTaken(record.key.verkey))
    }

    /// Reads the free keys again, because another process may have used some or made more.
    func reloadSpares() async throws {
        guard use != nil else { return }
        try await feed(.spares(try await readSpares()))
    }

    /// Reloads the spare keys, as `reloadSpares`, when their number in the store has changed.
    func catchUpWithSpares() async throws {
        guard let use, use.stage == .granted, use.client != nil, !use.isLeaving, mode == .full else { return }
        let tags = [KeyRecord.Owner.spareTag, KeyRecord.mediatorTag(use.connectionID)]
        let count = try await context.store.read { store in try store.count(in: AgentCategories.keys, tags: tags) }
        if count != use.spareCount { try await reloadSpares() }
    }

    private func readSpares() async throws -> [Verkey] {
        guard let connection else { return [] }
        let tags = [KeyRecord.Owner.spareTag, KeyRecord.mediatorTag(connection)]
        let page = try await context.store.records(
            in: AgentCategories.keys, tags: tags, limit: MediatorUse.maximumSpareKeys)
        let records = try page.records.map { try KeyRecord($0) }
        spares = [:]
        for record in records { spares[record.key.verkey] = record }
        return records.map(\.key.verkey)
    }

    private func makeKeys(_ count: Int) async throws {
        guard let connection else { return }
        let fresh = (0..<count).map { _ in KeyRecord(context.makeKey(), owner: .spare, mediator: connection) }
        try await context.store.write { store in for key in fresh { try key.save(in: store) } }
        for key in fresh {
            spares[key.key.verkey] = key
            stores.keys.insert(key)
        }
        try await feed(.keysMade(fresh.map(\.key.verkey)))
    }

    /// Removes a free key that the mediator refuses.
    func removeRefused(_ key: Verkey) async throws {
        spares[key] = nil
        stores.keys.forget(key)
        try await context.store.write { store in
            // Another process may have used it, or have removed it.
            guard let stored = try store.record(key.base58, in: AgentCategories.keys),
                stored.tags.contains(KeyRecord.Owner.spareTag)
            else { return }
            try store.remove(key.base58, in: AgentCategories.keys, expecting: nil)
        }
    }

    /// The changes of keys that still apply: additions of keys that were removed from the store meanwhile are left out.
    private func stillValid(_ changes: [KeylistUpdate]) async throws -> [KeylistUpdate] {
        try await context.store.read { store in
            try changes.filter { try !$0.isAddition || store.record($0.key.base58, in: AgentCategories.keys) != nil }
        }
    }

    /// All keys that the mediator should know.
    private func knownKeys() async throws -> [Verkey] {
        guard let connection else { return [] }
        var found: [Verkey] = []
        var cursor: RecordCursor?
        repeat {
            let page = try await context.store.records(
                in: AgentCategories.keys, tags: [KeyRecord.mediatorTag(connection)], after: cursor,
                limit: RecordLimits.pageRecords)
            found += page.records.compactMap { try? Verkey(parsing: $0.id) }
            cursor = page.next
        } while cursor != nil && found.count < MediationClient.maximumListed
        return found
    }

    // Leaving.

    /// Asks the mediator to remove all our keys.
    ///
    /// - Returns: whether it was asked; a mediator that does not serve us has nothing to remove.
    /// - Throws: `agent.mediator.unknown`, and `agent.mediator.in-use` unless `isForced`.
    func beginLeaving(isForced: Bool) async throws -> Bool {
        guard let use else { throw Self.noMediator }
        let tag = KeyRecord.mediatorTag(use.connectionID)
        let used = try await context.store.read { store in
            try store.count(in: AgentCategories.keys, tags: [tag])
                - store.count(in: AgentCategories.keys, tags: [tag, KeyRecord.Owner.spareTag])
        }
        guard used == 0 || isForced else {
            throw AgentError(.mediatorInUse, "Connections or invitations (\(used)) are reached through the mediator.")
        }
        let isAsked = use.stage == .granted && ![.offline, .none].contains(mode)
        try await feed(.leave(isAsked ? try await knownKeys() : []))
        return isAsked
    }

    /// Registers our keys at the mediator again, because the user stays with it after all.
    func stay() async throws {
        guard use != nil else { return }
        try await feed(.stay(try await knownKeys()))
    }

    static var noMediator: AgentError { AgentError(.mediatorUnknown, "No mediator is in use.") }
}

extension TransportEndReason {
    /// The reason why no WebSocket is reopened after this end; nil when one is.
    fileprivate var refusal: MediatorUse.WebSocketRefusal? {
        let error: AgentError
        switch self {
        case .lost: return nil
        case .replaced:
            error = AgentError(
                .mediatorReplaced, "Another program of this wallet has taken over the connection to the mediator.")
        case .closed:
            error = AgentError(.mediatorClosed, "The mediator has closed the account of this wallet.")
        }
        return MediatorUse.WebSocketRefusal(code: error.code.rawValue, reason: error.reason)
    }
}
