import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Vault

/// The mediator's answers that came to another process on the store than the one that asked: a mediator that answers to
/// our address answers to the process that listens there.
///
/// They wait in the store until the process that asked, or the next one that uses the mediator, takes them.
final class CrossProcessAnswers {
    /// An answer that waits.
    struct AnswerForOtherProcess {
        let received: ReceivedMessage
        fileprivate let category: String
        fileprivate let name: String
    }

    /// The most answers that wait; the oldest one is deleted for a new one.
    static let maximumKept = 32

    private let store: any RecordStore
    private let opener: EnvelopeOpener
    private let wallTime: @Sendable () -> WallTime

    init(_ context: AgentContext, opener: EnvelopeOpener) {
        store = context.store
        wallTime = context.wallTime
        self.opener = opener
    }

    /// True when a message on a connection may answer a request that another process has made: the store says that the
    /// connection is the one with the mediator.
    func mayAnswerAnother(_ message: Message, on connection: String) async throws -> Bool {
        guard let stored = try await store.record(MediatorRecord.name, in: AgentCategories.mediators) else {
            return false
        }
        let record = try MediatorRecord(stored)
        guard record.connection == connection else { return false }
        if message.isOfMediation { return true }
        // A report names the request for mediation.
        return ProblemReport(message) != nil && record.client?["asked"]?.string == message.threadID
    }

    /// Keeps an envelope for the process that waits for the answer in it.
    func keep(_ envelope: [UInt8], on connection: String) async throws {
        guard envelope.count <= RecordLimits.valueBytes else { return }
        try await insert(Hex.encode(SHA256.hash(envelope)), on: connection, value: envelope)
    }

    private func insert(_ name: String, on connection: String, value: [UInt8]) async throws {
        let (category, tags) = (AgentCategories.mediatorAnswers, [RecordTag("connection", connection)])
        try await store.write { store in
            guard try store.record(name, in: category) == nil else { return }
            if try store.count(in: category, tags: []) >= Self.maximumKept,
                let oldest = try store.records(in: category, tags: [], limit: 1).records.first
            {
                try store.remove(oldest.id, in: category, expecting: nil)
            }
            try store.insert(name, in: category, tags: tags, value: value)
        }
    }

    /// Notes that this process has processed the answer of pickup to another process's request.
    func noteTaken(_ thread: String, on connection: String) async throws {
        try await insert(Self.name(ofTaken: thread), on: connection, value: [])
    }

    /// Removes the note of another process; true when there was one.
    func takeNote(of thread: String) async throws -> Bool {
        let (name, category) = (Self.name(ofTaken: thread), AgentCategories.mediatorAnswers)
        guard try await store.record(name, in: category) != nil else { return false }
        try await store.remove(name, in: category)
        return true
    }

    private static func name(ofTaken thread: String) -> String {
        "taken-" + Hex.encode(SHA256.hash(Array(thread.utf8)))
    }

    /// The answers that wait on a connection, oldest first.
    func kept(on connection: String) async throws -> [AnswerForOtherProcess] {
        let category = AgentCategories.mediatorAnswers
        let page = try await store.records(
            in: category, tags: [RecordTag("connection", connection)], limit: Self.maximumKept)
        var found: [AnswerForOtherProcess] = []
        for record in page.records {
            guard let (received, _) = try? await opener.open(record.value) else { continue }
            found.append(AnswerForOtherProcess(received: received, category: category, name: record.id))
        }
        return found
    }

    /// Grants that an earlier version kept as requests.
    func keptGrants(on connection: Connection) async throws -> [AnswerForOtherProcess] {
        let category = AgentCategories.requests
        guard let sender = try? connection.theirs.service().recipientKeys.first else { return [] }
        let page = try await store.records(
            in: category, tags: [RecordTag("connection", connection.id)], limit: AttachedRequestRecord.maximumArrived)
        let requests = page.records.compactMap { try? AttachedRequestRecord($0).request.message }
        return requests.filter(\.isOfMediation).map { message in
            // Its sender was checked when it came.
            let received = ReceivedMessage(
                message, sender: .authenticated(sender, isExclusive: true), recipient: connection.ours.key,
                arrival: wallTime())
            return AnswerForOtherProcess(received: received, category: category, name: message.id)
        }
    }

    /// Removes an answer that was used.
    func remove(_ answer: AnswerForOtherProcess) async throws {
        try await store.write { store in
            guard try store.record(answer.name, in: answer.category) != nil else { return }
            try store.remove(answer.name, in: answer.category, expecting: nil)
        }
    }
}
