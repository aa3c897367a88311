public import Aries
public import DIDComm
import Determinism
import Vault

/// Asking the other side of a connection, and waiting for the answer.
///
/// Questions are sent once, and ask for the answer on the connection that carries them. An answer that comes to another
/// process of the wallet, because that one listens or fetches from the mediator, is kept in the store with the question until
/// the process that asks takes it by `catchUp`. While a question waits, a mediator is asked for messages every second.
extension Agent {
    /// Whether the other side is there: how long its answer to a ping took.
    ///
    /// - Throws: `agent.answer.missing`, `agent.delivery.failed`, `agent.connection.*`, `agent.*`, and errors of the store.
    public func ping(_ id: String, within limit: Duration, comment: String? = nil) async throws -> Duration {
        let start = timekeeper.now()
        let question = TrustPing.ping(id: makeID(), comment: comment)
        let answered = try await ask(.ping, question, on: id, within: limit) { event in
            event == .pingAnswered(threadID: question.id) ? true : nil
        }
        return answered.arrival - start
    }

    /// What the other side says that it can do; untrusted text.
    ///
    /// - Parameter pattern: which protocols are asked for; an asterisk at its end stands for anything.
    /// - Throws: as `ping`.
    public func features(of id: String, matching pattern: String = "*", within limit: Duration) async throws
        -> FeatureList
    {
        let question = FeatureList.query(pattern, version: .discoverFeatures10, id: makeID())
        return try await ask(.features, question, on: id, within: limit) { event in
            if case .features(let list) = event { list } else { nil }
        }.value
    }

    /// Changes our DID and key of a connection, and waits until the other side has acknowledged it.
    ///
    /// The change is stored before the other side is told, and it is told even after a restart; without an acknowledgement
    /// in time the old DID goes on to count until there is one.
    /// - Returns: our new DID.
    /// - Throws: as `ping`; `aries.message.unexpected` while an earlier change is not acknowledged, and
    ///   `aries.connection.rejected` when the other side cannot use the new DID.
    public func rotate(_ id: String, within limit: Duration) async throws -> DID {
        let expires = expiry(within: limit)
        let (events, thread) = try await withFreeKey {
            try await self.perform { agent in
                let events = agent.events()
                let thread = try await agent.settlingConflicts(on: id) { agent in
                    try await agent.beginRotation(of: id, expires: expires)
                }
                return (events, thread)
            }
        }
        defer { forgetQuestion(thread) }
        let found: Result<DID, AriesError>? = try await events.first(within: limit, by: timekeeper) { event in
            switch event {
            case .received(id, .ownRotated(let connection)): .success(connection.ourDID)
            case .received(id, .problem(let report)) where report.threadID == thread && !report.isWarning:
                .failure(.rejected(report))
            default: nil
            }
        }
        try Task.checkCancellation()
        guard let found else { throw Self.noAnswer }
        return try found.get()
    }

    /// - Returns: the thread of the exchange.
    private func beginRotation(of id: String, expires: WallTime) async throws -> String {
        let connection = try await livingConnection(id)
        var inbox = try await inboxRecord(of: connection)
        let (key, address) = try newKey(for: .connection(id))
        let name = Message.makeID(from: &random)
        let message = try inbox.inbox.rotate(to: address, form: configuration.form ?? .peer4, id: name)
        let outbox = OutboxRecord(connection: id, message: Self.asking(message, on: connection))
        let changed = inbox
        let question = PendingQuestion(.rotation, id: name, connection: id, expires: expires)
        let now = wallTime()
        try await store.write { store in
            try QuestionRecord(question).insert(into: store, now: now)
            try key.save(in: store)
            try changed.save(in: store)
            try outbox.insert(into: store)
        }
        noteUse(key)
        wait(for: question)
        lanes.append(.outbox(outbox), to: id)
        drive(id)
        return name
    }

    /// A connection that something can be sent on.
    func livingConnection(_ id: String) async throws -> Connection {
        guard let record = try await connectionRecord(id) else { throw Self.unknown }
        if let failure = record.failure {
            throw AgentError(.connectionAbandoned, "The connection was given up: \(failure.reason)")
        }
        guard let connection = record.connection else {
            throw AgentError(.connectionIncomplete, "The connection is not complete.")
        }
        guard !record.isEnded else { throw AgentError(.connectionEnded, "The other side has ended the connection.") }
        return connection
    }

    /// What travels inside of other envelopes says nothing of the way that it travels.
    private static func asking(_ message: Message, on connection: Connection) -> Message {
        let isDirect = (try? connection.theirs.service().routingKeys.isEmpty) ?? false
        return isDirect ? message.askingForReturnRoute : message
    }

    private static var noAnswer: AgentError {
        AgentError(.answerMissing, "The other side did not answer in the time allowed.")
    }
}

extension Agent {
    private func ask<Value: Sendable>(
        _ kind: PendingQuestion.Kind, _ question: Message, on id: String, within limit: Duration,
        _ answer: @escaping @Sendable (ConnectionInbox.Event) -> Value?
    ) async throws -> (value: Value, arrival: MonotonicInstant) {
        let pending = PendingQuestion(kind, id: question.id, connection: id, expires: expiry(within: limit))
        let events = try await perform { agent in
            let connection = try await agent.livingConnection(id)
            let message = Self.asking(question, on: connection)
            let now = agent.wallTime()
            try await agent.store.write { store in try QuestionRecord(pending).insert(into: store, now: now) }
            agent.wait(for: pending)
            let events = agent.events()
            agent.lanes.append(.single(try connection.outgoing(message), key: nil), to: id)
            agent.drive(id)
            return events
        }
        defer { forgetQuestion(question.id) }
        let reason = Lock<String?>(nil)
        let timekeeper = timekeeper
        let found = try await events.first(within: limit, by: timekeeper) { event -> Outcome<Value>? in
            switch event {
            case .received(id, .problem(let report)) where report.threadID == question.id && !report.isWarning:
                return .refused(.rejected(report))
            case .received(id, let event): return answer(event).map { .answered($0, timekeeper.now()) }
            case .passedOver(id, _, let text): reason.withLock { $0 = text }
            case .undelivered(id, question.id): return .failed(reason.withLock { $0 })
            default: break
            }
            return nil
        }
        try Task.checkCancellation()
        switch found {
        case .answered(let value, let arrival): return (value, arrival)
        case .failed(let reason): throw undelivered(on: id, reason)
        case .refused(let error): throw error
        case nil: throw Self.noAnswer
        }
    }

    /// Until when the asking process waits.
    private func expiry(within limit: Duration) -> WallTime {
        let milliseconds = Int64(limit / .milliseconds(1))
        return WallTime(millisecondsSinceEpoch: wallTime().millisecondsSinceEpoch + milliseconds)
    }

    /// Notes a question that was stored, and has the mediator asked soon.
    private func wait(for question: PendingQuestion) {
        questions[question.id] = question
        hurry()
    }

    /// Removes a question that is not waited for any more; a failure of the store is told by what comes next.
    private func forgetQuestion(_ id: String) {
        questions[id] = nil
        enqueue { agent in
            await agent.guarding { agent in
                try await agent.store.write { store in try QuestionRecord.remove(id, from: store) }
            }
        }
    }

    /// Takes the answers that came to another process.
    func catchUpWithQuestions() async throws {
        for id in questions.keys.sorted() {
            guard let waiting = questions[id] else { continue }
            let stored = try await store.record(id, in: AgentCategories.questions).map {
                try QuestionRecord($0).question
            }
            guard let event = try await event(answering: stored ?? waiting) else { continue }
            questions[id] = nil
            watchers.tell(.received(connection: waiting.connection, event))
        }
    }

    /// What has become known of a question; nil as long as there is no answer.
    private func event(answering question: PendingQuestion) async throws -> ConnectionInbox.Event? {
        guard question.kind == .rotation else { return question.event }
        guard let connection = try await connectionRecord(question.connection)?.connection else { return nil }
        let inbox = try await inboxRecord(of: connection).inbox
        guard inbox.rotation?.threadID != question.id else { return nil }
        // The change has ended: by an acknowledgement, by a message to the new key, or by a report.
        if case .problem(let report) = question.event { return .problem(report) }
        return .ownRotated(inbox.connection)
    }

    private enum Outcome<Value: Sendable>: Sendable {
        case answered(Value, MonotonicInstant)
        case refused(AriesError)
        case failed(String?)
    }
}
