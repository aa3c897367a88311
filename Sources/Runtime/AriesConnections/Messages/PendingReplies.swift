import Aries
import DIDComm
import Determinism
import Vault

/// The questions of this process that wait for an answer: pings, features and changes of our DID.
///
/// A question is sent once, and asks for the answer on the connection that carries it. An answer that comes to another
/// process of the wallet, because that one listens or fetches from the mediator, is kept in the store with the question
/// until the asking process takes it by `catchUp`. While a question waits, a mediator is polled every second.
final class PendingReplies {
    private let context: AgentContext
    private let handshakes: ConnectionHandshakes
    private let messages: ConnectionMessages
    private let mediator: MediatorDriver
    private let exchange: MessagingServices
    /// The questions, by their `@id`; one whose answer came to this process is no longer in `awaited`.
    private var pending: [String: PendingQuery] = [:]

    init(
        _ context: AgentContext, handshakes: ConnectionHandshakes, messages: ConnectionMessages,
        mediator: MediatorDriver,
        exchange: MessagingServices
    ) {
        self.context = context
        self.handshakes = handshakes
        self.messages = messages
        self.mediator = mediator
        self.exchange = exchange
    }

    func stop() { pending = [:] }

    /// Stores a question, and sends it on its connection.
    func ask(_ kind: PendingQuery.Kind, _ question: Message, on id: String, within limit: Duration) async throws {
        let pending = PendingQuery(kind, id: question.id, connection: id, expires: expiry(within: limit))
        let connection = try await handshakes.living(id)
        let message = Self.asking(question, on: connection)
        let now = context.wallTime()
        try await context.store.write { store in try PendingQueryRecord(pending).insert(into: store, now: now) }
        try await wait(for: pending)
        exchange.delivery.append(.single(try connection.outgoing(message), key: nil), to: id)
    }

    /// Stores a change of our DID and key of a connection, and sends it; one that is under way is waited for again.
    ///
    /// - Returns: the change, whose thread is that of the question.
    /// - Throws: `agent.mediator.in-use` for the connection with the mediator, which knows us by its key.
    func beginRotation(of id: String, within limit: Duration) async throws -> PendingDIDRotation {
        guard mediator.connection != id else {
            throw AgentError(.mediatorInUse, "The connection is the one with the mediator, which knows us by its DID.")
        }
        let expires = expiry(within: limit)
        return try await handshakes.retryingConflicts(on: id) { try await beginRotation(of: id, expires: expires) }
    }

    private func beginRotation(of id: String, expires: WallTime) async throws -> PendingDIDRotation {
        let connection = try await handshakes.living(id)
        var inbox = try await messages.inbox(of: connection)
        if let rotation = inbox.inbox.rotation {
            try await waitAgain(for: rotation, on: connection, expires)
            return rotation
        }
        let (key, address) = try mediator.newKey(for: .connection(id))
        let name = context.makeID()
        let now = context.wallTime()
        let message = try inbox.inbox.rotate(
            to: address, form: context.configuration.form ?? .peer4, id: name, at: now)
        guard let rotation = inbox.inbox.rotation else { preconditionFailure("a rotation was begun") }
        let outbox = OutboxRecord(connection: id, message: Self.asking(message, on: connection))
        let changed = inbox
        let question = PendingQuery(.rotation, id: name, connection: id, expires: expires)
        try await context.store.write { store in
            try PendingQueryRecord(question).insert(into: store, now: now)
            try key.save(in: store)
            try changed.save(in: store)
            try outbox.insert(into: store)
        }
        try await mediator.noteUse(key)
        try await wait(for: question)
        exchange.delivery.append(.outbox(outbox), to: id)
        return rotation
    }

    /// Waits again for the acknowledgement of a change that was announced before, and announces it again where the last
    /// time is long ago.
    private func waitAgain(for rotation: PendingDIDRotation, on connection: Connection, _ expires: WallTime)
        async throws
    {
        let (id, now) = (connection.id, context.wallTime())
        let question = PendingQuery(.rotation, id: rotation.threadID, connection: id, expires: expires)
        let message = DIDRotate.rotation(to: rotation.did, id: rotation.threadID)
        let outbox = OutboxRecord(connection: id, message: Self.asking(message, on: connection))
        let isRepeated = try await context.store.write { store in
            try PendingQueryRecord.remove(question.id, from: store)
            try PendingQueryRecord(question).insert(into: store, now: now)
            guard rotation.isRepeatedOnRequest(at: now), try store.record(outbox.id, in: AgentCategories.outbox) == nil
            else { return false }
            try outbox.insert(into: store)
            return true
        }
        try await wait(for: question)
        if isRepeated { exchange.delivery.append(.outbox(outbox), to: id) }
    }

    /// Makes a message ask for its answer on the same transport connection, unless mediators wrap it.
    private static func asking(_ message: Message, on connection: Connection) -> Message {
        let isDirect = (try? connection.theirs.service().routingKeys.isEmpty) ?? false
        return isDirect ? message.askingForReturnRoute : message
    }

    /// The time until which the asking process waits for the answer.
    private func expiry(within limit: Duration) -> WallTime {
        let milliseconds = Int64(limit / .milliseconds(1))
        return WallTime(millisecondsSinceEpoch: context.wallTime().millisecondsSinceEpoch + milliseconds)
    }

    /// Notes a stored question, and polls the mediator soon.
    private func wait(for question: PendingQuery) async throws {
        pending[question.id] = question
        exchange.awaited.begin(.question(question.id))
        try await mediator.feed(.pollSooner)
    }

    /// Removes a question whose caller does not wait any more.
    func forget(_ id: String) async throws {
        pending[id] = nil
        exchange.awaited.end(.question(id))
        try await context.store.write { store in try PendingQueryRecord.remove(id, from: store) }
    }

    /// Processes the answers that came to another process.
    func catchUp() async throws {
        for id in pending.keys.sorted() where exchange.awaited.contains(.question(id)) {
            guard let waiting = pending[id] else { continue }
            let stored = try await context.store.record(id, in: AgentCategories.questions).map {
                try PendingQueryRecord($0).question
            }
            guard let event = try await event(answering: stored ?? waiting) else { continue }
            pending[id] = nil
            exchange.awaited.end(.question(id))
            exchange.observers.report(.received(connection: waiting.connection, event))
        }
    }

    /// The answer to a question as an event; nil without an answer.
    private func event(answering question: PendingQuery) async throws -> ConnectionMessageHandler.Event? {
        guard question.kind == .rotation else { return question.event }
        guard let connection = try await handshakes.record(question.connection)?.connection else { return nil }
        let inbox = try await messages.inbox(of: connection).inbox
        guard inbox.rotation?.threadID != question.id else { return nil }
        // The change has ended: by an acknowledgement, by a message to the new key, or by a report.
        if case .problem(let report) = question.event { return .problem(report) }
        return .ownRotated(inbox.connection)
    }
}

/// The result of the wait for an answer.
enum ReplyOutcome<Value: Sendable>: Sendable {
    case answered(Value, MonotonicInstant)
    case refused(AriesError)
    case failed(String?)
}

extension AsyncStream<AgentEvent> {
    /// The answer to a question that was sent once; nil when none came in time.
    func answer<Value: Sendable>(
        to question: String, on id: String, within limit: Duration, by clock: any MonotonicClock,
        _ answer: @escaping @Sendable (ConnectionMessageHandler.Event) -> Value?
    ) async throws -> ReplyOutcome<Value>? {
        let reason = Lock<String?>(nil)
        return try await first(within: limit, by: clock) { event -> ReplyOutcome<Value>? in
            switch event {
            case .received(id, .problem(let report)) where report.threadID == question && !report.isWarning:
                return .refused(.rejected(report))
            case .received(id, let event): return answer(event).map { .answered($0, clock.now()) }
            case .passedOver(id, _, let text): reason.withLock { $0 = text }
            case .undelivered(id, question): return .failed(reason.withLock { $0 })
            default: break
            }
            return nil
        }
    }
}
