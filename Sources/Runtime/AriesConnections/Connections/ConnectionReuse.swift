import Aries
import DIDComm
import Determinism
import Vault

/// Reuses existing connections for new invitations, as either side.
final class ConnectionReuse {
    /// The result of asking an inviter to reuse a connection.
    enum ReuseResult: Sendable {
        case reused
        case connectedAnew(String, because: AriesError)
        case failed(any Error)
    }

    /// A question under way whether to reuse an existing connection.
    private struct ReuseQuestion {
        let record: ReuseRecord
        var core: ReuseRequester
        /// The options of the handshake that begins when the inviter refuses to reuse the connection.
        let options: ConnectionHandshakes.HandshakeOptions
        /// The stream of the caller; nil after a restart.
        let waiter: AsyncStream<ReuseResult>.Continuation?
    }

    private let context: AgentContext
    private let handshakes: ConnectionHandshakes
    private let exchange: MessagingServices
    /// Questions under way, by their `@id`.
    private var questions: [String: ReuseQuestion] = [:]

    init(_ context: AgentContext, handshakes: ConnectionHandshakes, exchange: MessagingServices) {
        self.context = context
        self.handshakes = handshakes
        self.exchange = exchange
    }

    /// The number of questions about reuse that are under way.
    var count: Int { questions.count }

    var nextDeadline: MonotonicInstant? { questions.values.compactMap(\.core.nextDeadline).min() }

    func stop() {
        for id in questions.keys.sorted() { questions.removeValue(forKey: id)?.waiter?.finish() }
    }

    private func set(_ question: ReuseQuestion?, for id: String) {
        questions[id] = question
        if question == nil { exchange.awaited.end(.reuse(id)) } else { exchange.awaited.begin(.reuse(id)) }
    }

    // The invitee's side.

    /// Asks the inviter; the outcome comes on the stream, once.
    func ask(
        _ connection: String, _ invitation: Invitation, fallback: MessageProtocol,
        _ options: ConnectionHandshakes.HandshakeOptions
    ) async throws -> AsyncStream<ReuseResult> {
        guard let known = try await handshakes.record(connection)?.connection else {
            throw ConnectionHandshakes.unknown
        }
        let record = ReuseRecord(
            connection: connection, invitation: invitation, fallback: fallback, name: options.name,
            inviter: options.inviter, id: context.makeID())
        try await context.store.write { store in try record.insert(into: store) }
        let (stream, waiter) = AsyncStream.makeStream(of: ReuseResult.self)
        try await begin(record, known, waiter, options)
        return stream
    }

    private func begin(
        _ record: ReuseRecord, _ connection: Connection, _ waiter: AsyncStream<ReuseResult>.Continuation?,
        _ options: ConnectionHandshakes.HandshakeOptions
    ) async throws {
        let usual = ReuseRequester.usualWait
        let wait = min(usual, options.giveUpAfter ?? usual, options.reuseWait ?? usual)
        let core = ReuseRequester(connection, invitation: record.invitation, id: record.id, wait: wait)
        set(ReuseQuestion(record: record, core: core, options: options, waiter: waiter), for: record.id)
        try await step(record.id, .start)
    }

    /// Repeats the questions from before a restart.
    func resume() async throws {
        let limit = RecordLimits.pageRecords
        for stored in try await context.store.records(in: AgentCategories.reuses, limit: limit).records {
            let record = try ReuseRecord(stored)
            guard let connection = try await handshakes.record(record.connection)?.connection else {
                try await context.store.remove(record.id, in: AgentCategories.reuses)
                continue
            }
            try await begin(
                record, connection, nil,
                ConnectionHandshakes.HandshakeOptions(name: record.name, inviter: record.inviter))
        }
    }

    /// Gives `timeReached` to the questions whose deadline has come.
    func wake(at now: MonotonicInstant) async throws {
        for id in questions.keys.sorted() {
            guard let deadline = questions[id]?.core.nextDeadline, deadline <= now else { continue }
            try await step(id, .timeReached)
        }
    }

    /// Reports to a question that the transport did not take its message.
    func sendFailed(_ outgoing: OutgoingMessage, of id: String) async throws {
        try await step(id, .sendFailed(id: outgoing.message.id))
    }

    private func step(_ id: String, _ input: ReuseRequester.Input) async throws {
        guard var question = questions[id] else { return }
        var outputs: [ReuseRequester.Output] = []
        question.core.handle(input, at: context.now(), into: &outputs)
        questions[id] = question
        let connection = question.record.connection
        for output in outputs {
            switch output {
            case .send(let outgoing): exchange.delivery.append(.reuse(outgoing, id: id), to: connection)
            case .reused: try await reused(question.record, question.waiter)
            case .connectAnew(let error): try await connectAnew(question, because: error)
            case .ignored(let error): exchange.observers.passedOver(error, on: connection)
            }
        }
    }

    private func reused(_ record: ReuseRecord, _ waiter: AsyncStream<ReuseResult>.Continuation?) async throws {
        let requests = try AttachedRequest.all(of: record.invitation, boundTo: .connection(record.connection))
        try await context.store.write { store in
            // Another process on the store may have changed it first.
            guard try store.record(record.id, in: AgentCategories.reuses) != nil else { return }
            try store.remove(record.id, in: AgentCategories.reuses, expecting: nil)
            for request in requests { try AttachedRequestRecord(request).insert(into: store) }
        }
        if let name = record.name { try await handshakes.rename(record.connection, to: name) }
        ended(record, waiter)
        for request in requests { exchange.observers.report(.requested(request)) }
    }

    private func ended(_ record: ReuseRecord, _ waiter: AsyncStream<ReuseResult>.Continuation?) {
        set(nil, for: record.id)
        exchange.observers.report(.reused(connection: record.connection, invitationID: record.invitation.id))
        waiter?.yield(.reused)
        waiter?.finish()
    }

    private func connectAnew(_ question: ReuseQuestion, because error: AriesError) async throws {
        let record = question.record
        exchange.observers.passedOver(error, on: record.connection)
        set(nil, for: record.id)
        defer { question.waiter?.finish() }
        do {
            let connection = try await handshakes.begin(
                record.invitation, by: record.fallback, question.options, closing: record)
            question.waiter?.yield(.connectedAnew(connection, because: error))
        } catch  where error is AriesError || error is DIDCommError || error is AgentError {
            try await context.store.remove(record.id, in: AgentCategories.reuses)
            exchange.observers.passedOver(error, on: record.connection)
            question.waiter?.yield(.failed(error))
        }
    }

    /// Processes the answers that came to another process; such an answer is yes, because any other is processed by the
    /// asking one.
    func catchUp() async throws {
        for id in questions.keys.sorted() {
            guard let question = questions[id],
                try await context.store.record(id, in: AgentCategories.reuses) == nil
            else { continue }
            ended(question.record, question.waiter)
        }
    }

    // Both sides.

    /// Processes a message about reuse on a complete connection; returns true when the message is one.
    func take(
        _ received: ReceivedMessage, on record: ConnectionRecord, _ path: (any ReturnRoute)?
    ) async throws -> Bool {
        guard received.message.type.protocol.isCompatible(with: .outOfBand11), let connection = record.connection else {
            return false
        }
        if questions[received.message.threadID] != nil {
            questions[received.message.threadID]?.core.connection = connection
            try await step(received.message.threadID, .received(received))
            return true
        }
        if try await takeAnswer(toOtherProcess: received, on: record) { return true }
        let parent = received.message.thread.parentID ?? ""
        let stored =
            (1...RecordLimits.idBytes).contains(parent.utf8.count)
            ? try await context.store.record(parent, in: AgentCategories.invitations) : nil
        let invitations = try stored.map { [try InvitationRecord($0).issued] } ?? []
        var random = context.random
        let answer = try ReuseResponder.answer(received, on: connection, invitations: invitations, random: &random)
        exchange.delivery.setReturnPath(path, on: record.id)
        exchange.delivery.append(.once(answer), to: record.id)
        if !answer.message.type.isProblemReport {
            exchange.observers.report(.reused(connection: record.id, invitationID: parent))
        }
        return true
    }

    /// Processes the answer to a question of another process; only if it is yes, because that process waits for the
    /// rest.
    ///
    /// - Returns: whether there is such a question.
    private func takeAnswer(
        toOtherProcess received: ReceivedMessage, on record: ConnectionRecord
    ) async throws -> Bool {
        let id = received.message.threadID
        guard (1...RecordLimits.idBytes).contains(id.utf8.count), let connection = record.connection,
            let stored = try await context.store.record(id, in: AgentCategories.reuses)
        else { return false }
        let question = try ReuseRecord(stored)
        guard question.connection == record.id else { return false }
        var core = ReuseRequester(
            connection, invitation: question.invitation, id: id, wait: ReuseRequester.usualWait)
        _ = core.handle(.start, at: context.now())
        let outputs = core.handle(.received(received), at: context.now())
        guard outputs.contains(.reused) else { return true }
        try await reused(question, nil)
        return true
    }
}
