import Aries
import DIDComm
import Determinism
import JSON
import Vault

/// Drives the handshakes that are under way, and reads connections from the store.
final class ConnectionHandshakes {
    /// The number of retries of a change when another process changed the record first.
    static let maximumConflicts = 8

    private let context: AgentContext
    private let keys: KeyStore
    private let mediator: MediatorDriver
    private let exchange: MessagingServices
    /// The handshakes that are under way, by connection.
    private var runs: [String: ConnectionRecord] = [:]
    /// The documents that handshakes wait for and that are not looked for yet.
    private var lookups: [(did: DID, connection: String)] = []

    init(_ context: AgentContext, keys: KeyStore, mediator: MediatorDriver, exchange: MessagingServices) {
        self.context = context
        self.keys = keys
        self.mediator = mediator
        self.exchange = exchange
    }

    /// The number of handshakes that are under way.
    var count: Int { runs.count }

    var nextDeadline: MonotonicInstant? { runs.values.compactMap(\.handshake.nextDeadline).min() }

    func stop() {
        runs = [:]
        lookups = []
    }

    private func set(_ record: ConnectionRecord?, for id: String) {
        runs[id] = record
        if record == nil { exchange.awaited.end(.handshake(id)) } else { exchange.awaited.begin(.handshake(id)) }
    }

    // Reading.

    /// The record of a connection, from memory while its handshake is under way, else from the store; nil for none.
    func record(_ id: String) async throws -> ConnectionRecord? {
        if let record = runs[id] { return record }
        guard let stored = try await context.store.record(id, in: AgentCategories.connections) else { return nil }
        return try await read(stored)
    }

    /// A complete connection that has not ended, so that messages can be sent on it.
    ///
    /// - Throws: `agent.connection.*`, and errors of the store.
    func living(_ id: String) async throws -> Connection {
        guard let record = try await record(id) else { throw Self.unknown }
        if let failure = record.failure {
            throw AgentError(.connectionAbandoned, "The connection was given up: \(failure.reason)")
        }
        guard let connection = record.connection else {
            throw AgentError(.connectionIncomplete, "The connection is not complete.")
        }
        guard !record.isEnded else { throw AgentError(.connectionEnded, "The other side has ended the connection.") }
        return connection
    }

    /// A page of connections for a list, oldest first.
    func page(
        after cursor: RecordCursor?, limit: Int
    ) async throws -> (connections: [ConnectionSummary], next: RecordCursor?) {
        let (page, inboxes) = try await context.store.read { store in
            let page = try store.records(in: AgentCategories.connections, after: cursor, limit: limit)
            return (page, try page.records.map { try store.record($0.id, in: AgentCategories.inboxes) })
        }
        let connections = try zip(page.records, inboxes).map { stored, inbox in
            try ConnectionSummary.read(stored, inbox: self.inbox(inbox)).summary
        }
        return (connections, page.next)
    }

    private func inbox(_ stored: StoredRecord?) -> ConnectionMessageHandler? {
        stored.flatMap { try? InboxRecord($0, features: FeatureList.usual).inbox }
    }

    /// A connection for a list, which needs no key; nil for none.
    func summary(_ id: String) async throws -> ConnectionSummary? {
        let (stored, inbox) = try await context.store.read { store in
            (try store.record(id, in: AgentCategories.connections), try store.record(id, in: AgentCategories.inboxes))
        }
        return try (runs[id]?.stored ?? stored).map { try ConnectionSummary.read($0, inbox: self.inbox(inbox)).summary }
    }

    static var unknown: AgentError { AgentError(.connectionUnknown, "There is no connection of that name.") }

    func read(_ stored: StoredRecord) async throws -> ConnectionRecord {
        // The key of an invitee is needed to read its state; it is one of the connection's keys, which may have changed
        // since.
        let owner = KeyRecord.Owner.connection(stored.id)
        let found = try await context.store.records(in: AgentCategories.keys, tags: [owner.tag], limit: 32).records
        let own = try found.map { try KeyRecord($0) }
        for key in own { keys.insert(key) }
        return try ConnectionRecord(stored) { summary in
            policy(of: summary.role, begun: summary.created, expires: summary.invitation.expires)
        } key: { verkey in
            own.first { $0.key.verkey == verkey }?.key
        }
    }

    /// The waits of a handshake that was begun at a time, by an invitation that ends at another.
    private func policy(of role: Connection.Role, begun: WallTime, expires: WallTime?) -> HandshakePolicy {
        switch role {
        case .invitee:
            return context.configuration.policy.limited(begun: begun, expires: expires, now: context.wallTime())
        case .inviter:
            // Other agents decide how many of these there are, so each ends soon; a late confirmation still completes
            // one.
            var policy = context.configuration.policy
            policy.giveUpAfter = min(policy.giveUpAfter, .seconds(3600))
            return policy
        }
    }

    /// The connection that a request to the invitation began.
    func connection(ofThread thread: String, invitation: String) async throws -> String? {
        let found = try await context.store.records(
            in: AgentCategories.connections, tags: [ConnectionRecord.thread(thread)], limit: 16)
        for stored in found.records {
            let record = try await read(stored)
            if record.role == .inviter, record.invitation.id == invitation { return record.id }
        }
        return nil
    }

    // Sharing a store with other processes.

    /// Runs `body`, which reads and then writes; when another process wrote in between, runs it again.
    ///
    /// - Parameter id: the connection that it is about, which is read again.
    func retryingConflicts<Result>(on id: String?, _ body: () async throws -> Result) async throws -> Result {
        for attempt in 0..<Self.maximumConflicts {
            do {
                if attempt > 0 { try await mediator.reloadSpares() }
                if attempt > 0, let id { try await reload(id) }
                return try await body()
            } catch let error as VaultError where error.isConflict {}
        }
        return try await body()
    }

    /// Reads a handshake again that another process has changed, and reports its stage.
    private func reload(_ id: String) async throws {
        guard let old = runs[id] else { return }
        set(nil, for: id)
        guard let record = try await record(id) else { return dropped(id) }
        guard !record.handshake.isSettled else { return reportStage(of: record, before: old.handshake.stage) }
        // Its messages are sent again, because it is unknown what the other process has sent.
        var resumed = record
        let outputs = resumed.handshake.handle(.resume, at: context.now())
        try await settle(resumed, outputs, from: old.handshake.stage)
    }

    /// Reads the changes of another process to the handshakes that are under way.
    func catchUp() async throws { for id in runs.keys.sorted() { try await catchUp(with: id) } }

    private func catchUp(with id: String) async throws {
        guard let ours = runs[id] else { return }
        guard let stored = try await context.store.record(id, in: AgentCategories.connections) else {
            set(nil, for: id)
            return dropped(id)
        }
        guard stored.version != ours.storeVersion else { return }
        let record = try await read(stored)
        set(record.handshake.isSettled ? nil : record, for: id)
        reportStage(of: record, before: ours.handshake.stage)
    }

    /// Another process has deleted a connection.
    private func dropped(_ id: String) {
        exchange.delivery.remove(id)
        exchange.observers.finish(id)
    }

    private func reportStage(of record: ConnectionRecord, before: HandshakeStage) {
        let stage = record.handshake.stage
        guard stage != before else { return }
        exchange.observers.report(
            .stage(connection: record.id, stage, record.failure, invitation: record.invitation.id))
    }

    /// Forgets a connection that was removed from the store.
    func removed(_ id: String) {
        set(nil, for: id)
        exchange.delivery.removeReturnPath(on: id)
        dropped(id)
    }

    /// Renames a connection; nil removes the name.
    func rename(_ id: String, to name: String?) async throws {
        try await retryingConflicts(on: id) {
            guard var record = try await record(id) else { throw Self.unknown }
            record.name = name
            let copy = record
            record.storeVersion = try await context.store.write { store in try copy.save(in: store) }
            if runs[id] != nil { set(record, for: id) }
        }
    }

    // Beginning.

    /// The choices of the caller for a connection, besides its invitation.
    struct HandshakeOptions: Sendable {
        var name: String?
        var giveUpAfter: Duration?
        var reuseWait: Duration?
        var form: DIDForm?
        /// The inviter's service, where its document was looked for; nil where the invitation itself has it.
        var inviter: PeerService?
        /// True to make a new connection also where one with the inviter exists.
        var connectsAnew = false
    }

    /// Begins a connection as the invitee.
    ///
    /// - Parameter reuse: the question that this takes the place of.
    /// - Returns: the name of the connection.
    func begin(
        _ invitation: Invitation, by handshake: MessageProtocol, _ options: HandshakeOptions,
        closing reuse: ReuseRecord? = nil
    ) async throws -> String {
        try checkRoom()
        let configuration = context.configuration
        let inviter = try options.inviter ?? context.service(of: invitation)
        let id = context.makeID()
        let (key, address) = try mediator.newKey(for: .connection(id))
        let now = context.wallTime()
        var policy = self.policy(of: .invitee, begun: now, expires: invitation.expires)
        if let limit = options.giveUpAfter { policy.giveUpAfter = limit }
        var random = context.random
        let requester = try HandshakeRequester(
            HandshakeRequester.Configuration(
                connectionID: id, handshake: handshake, invitation: invitation, inviter: inviter,
                address: address, label: configuration.label, form: options.form ?? configuration.form,
                policy: policy),
            key: key.key, random: &random)
        let record = ConnectionRecord(
            id: id, role: .invitee, invitation: invitation, created: now, name: options.name,
            handshake: .requester(requester))
        try await add(record, key, closing: reuse)
        return id
    }

    /// Begins a connection as the inviter, after `invitation` has admitted the request.
    func respond(to received: ReceivedMessage, _ invitation: InvitationRecord, _ path: (any ReturnRoute)?) async throws
    {
        guard let invitationKey = try await keys.key(invitation.issued.address.key)?.key else {
            throw AgentError(.keyMissing, "The key of an invitation is not in the store.")
        }
        let id = context.makeID()
        let (key, address) = try mediator.newKey(for: .connection(id))
        let configuration = HandshakeResponder.Configuration(
            connectionID: id, issued: invitation.issued, address: address,
            policy: policy(of: .inviter, begun: context.wallTime(), expires: nil))
        var random = context.random
        let responder = try HandshakeResponder(
            configuration, answering: received, key: invitationKey, random: &random)
        let record = ConnectionRecord(
            id: id, role: .inviter, invitation: invitation.issued.invitation, created: context.wallTime(), name: nil,
            handshake: .responder(responder))
        exchange.delivery.setReturnPath(path, on: id)
        try await add(record, key, using: invitation)
    }

    /// Throws when no more handshakes may be under way.
    ///
    /// - Throws: `agent.busy` when no more handshakes may be under way.
    func checkRoom() throws {
        let maximum = context.configuration.maximumHandshakes
        guard runs.count < maximum else {
            throw AgentError(.busy, "More than \(maximum) connections are being made.")
        }
    }

    /// Stores a new connection with its key, and the invitation that it used, in one transaction; then begins it.
    private func add(
        _ record: ConnectionRecord, _ key: KeyRecord, using invitation: InvitationRecord? = nil,
        closing reuse: ReuseRecord? = nil
    ) async throws {
        var record = record
        let outputs = record.handshake.handle(.start, at: context.now())
        let copy = record
        record.storeVersion = try await context.store.write { store in
            try key.save(in: store)
            try invitation?.save(in: store)
            if let reuse { try store.remove(reuse.id, in: AgentCategories.reuses, expecting: nil) }
            return try copy.save(in: store)
        }
        try await mediator.noteUse(key)
        try await settle(record, outputs.filter { $0 != .persist }, from: .ready)
    }

    // Going on.

    /// Resumes the handshakes in the store that are not complete.
    func resume() async throws {
        var cursor: RecordCursor?
        repeat {
            let page = try await context.store.records(
                in: AgentCategories.connections, tags: [RecordTag("open", "yes")], after: cursor)
            for stored in page.records {
                let record = try await read(stored)
                set(record, for: record.id)
                try await step(record.id, .resume)
            }
            cursor = page.next
        } while cursor != nil
    }

    /// Gives `timeReached` to the handshakes whose deadline has come.
    func wake(at now: MonotonicInstant) async throws {
        for id in runs.keys.sorted() {
            guard let deadline = runs[id]?.handshake.nextDeadline, deadline <= now else { continue }
            try await step(id, .timeReached)
        }
    }

    /// Gives an event to a handshake, stores the new state, and then performs the other outputs.
    func step(_ id: String, _ input: HandshakeInput) async throws {
        try await retryingConflicts(on: id) { try await stepOnce(id, input) }
    }

    private func stepOnce(_ id: String, _ input: HandshakeInput) async throws {
        guard var record = try await record(id) else { return }
        let before = record.handshake.stage
        let outputs = record.handshake.handle(input, at: context.now())
        for output in outputs {
            if case .completed(let connection) = output { record.connection = connection }
            if case .abandoned(let error) = output { record.failure = error }
        }
        if record.handshake.stage != .abandoned { record.failure = nil }
        try await settle(record, outputs, from: before)
    }

    /// Stores the new state of a handshake and its requests, then sends its messages and reports its stage.
    private func settle(
        _ record: ConnectionRecord, _ outputs: [HandshakeOutput], from before: HandshakeStage
    ) async throws {
        var record = record
        let requests = requests(of: record, outputs)
        if outputs.contains(where: \.mustBeStored) {
            let copy = record
            record.storeVersion = try await context.store.write { store in
                for request in requests { try AttachedRequestRecord(request).insert(into: store) }
                return try copy.save(in: store)
            }
        }
        set(record.handshake.isSettled ? nil : record, for: record.id)
        for output in outputs { follow(output, on: record.id) }
        reportStage(of: record, before: before)
        for request in requests { exchange.observers.report(.requested(request)) }
        guard mediator.awaitedConnection == record.id else { return }
        if let failure = record.failure { return mediator.abandoned(failure) }
        if let connection = record.connection { try await mediator.connected(connection) }
    }

    /// Begins to use the mediator of the store, if the connection with it is complete.
    func connectMediator() async throws {
        guard let id = mediator.awaitedConnection, let connection = try await record(id)?.connection else { return }
        try await mediator.connected(connection)
    }

    /// Keeps the requests of the invitation, once the connection is complete.
    private func requests(of record: ConnectionRecord, _ outputs: [HandshakeOutput]) -> [AttachedRequest] {
        let isComplete = outputs.contains { if case .completed = $0 { true } else { false } }
        guard isComplete, record.role == .invitee else { return [] }
        // They were read when the invitation was accepted.
        return (try? AttachedRequest.all(of: record.invitation, boundTo: .connection(record.id))) ?? []
    }

    private func follow(_ output: HandshakeOutput, on id: String) {
        switch output {
        case .persist, .completed, .abandoned: break
        case .send(let outgoing): exchange.delivery.append(.handshake(outgoing), to: id)
        case .undeliverable(let failure): exchange.observers.report(.undeliverable(connection: id, failure))
        case .resolve(let did): lookups.append((did, id))
        case .ignored(let error): exchange.observers.passedOver(error, on: id)
        }
    }

    /// The documents to find for handshakes since the last call.
    func takeLookups() -> [(did: DID, connection: String)] {
        defer { lookups = [] }
        return lookups
    }

    /// Gives the answer of a look-up to a handshake.
    func resolved(_ did: DID, for id: String, _ answer: Result<DIDDocument, DIDCommError>) async throws {
        switch answer {
        case .success(let document): try await step(id, .resolved(document, for: did))
        case .failure(let error): try await step(id, .unresolved(did, error))
        }
    }

    /// Reports the result of an attempt to send to a handshake.
    func delivered(_ outgoing: OutgoingMessage, on id: String, failure: (any Error)?) async throws {
        let message = outgoing.message.id
        guard let failure else { return try await step(id, .sent(id: message)) }
        // A message that only waits for the other side, or in a command that sends nothing, has no failure to report.
        let cause = failure.isDeliveryAwaited ? nil : HandshakeDeliveryFailure(failure)
        try await step(id, .sendFailed(id: message, because: cause))
    }

    /// The stages of a connection from the present one on.
    func stages(of id: String) async throws -> AsyncStream<HandshakeStage> {
        let handshake = try await record(id)?.handshake
        let stages = exchange.observers.stages(of: id, from: handshake?.stage ?? .abandoned)
        if handshake?.isUndeliverable == true { exchange.observers.finish(id) }
        return stages
    }
}

extension HandshakeOutput {
    fileprivate var mustBeStored: Bool {
        switch self {
        case .persist, .completed, .abandoned: true
        case .send, .resolve, .ignored, .undeliverable: false
        }
    }
}

extension VaultError {
    /// True when another process changed the record first, so that reading and trying again may help.
    var isConflict: Bool {
        switch code {
        case .recordVersion, .recordNotFound, .recordExists: true
        default: false
        }
    }
}

extension AgentContext {
    /// The inviter's service that a handshake uses: the first one that a transport reaches, else one that none reaches.
    func service(of invitation: Invitation) throws -> PeerService {
        var (failure, unreached): (DIDCommError?, PeerService?) = (nil, nil)
        for service in invitation.services {
            do throws(DIDCommError) {
                let found = try configuration.service(of: configuration.resolver.resolve(service.resolution))
                if configuration.reaches(found) { return found }
                unreached = unreached ?? found
            } catch {
                failure = failure ?? error
            }
        }
        if let unreached { return unreached }
        throw failure ?? DIDCommError(.serviceNone, "the invitation names no service")
    }
}
