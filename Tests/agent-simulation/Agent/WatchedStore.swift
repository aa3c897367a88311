import Aries
import CloudAgent
import Determinism
import JSON

/// A bug that can be planted in a simulated store or wallet, to see that the simulation finds it.
enum PlantedBug: String, CaseIterable {
    case answersTooEarly = "answers-too-early"
    case forgetsWhatItHandsOut = "forgets-what-it-hands-out"
    case handsOutBackwards = "hands-out-backwards"
    case keepsWhatIsAcknowledged = "keeps-what-is-acknowledged"
    case dropsTooEarly = "drops-too-early"
    case handsOutWhatIsUnderWay = "hands-out-what-is-under-way"
    case forgetsFormerKeys = "forgets-former-keys"
}

/// The store as one instance of the cloud agent uses it; the simulation records its operations.
final class WatchedStore: MediatorStore, @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.
    private let disk: Disk
    private let books: Books
    private let world: World
    private let born: MonotonicInstant
    private(set) var listener: (@Sendable (StoreNotification) -> Void)?
    /// The bug that is planted in the store, to see that the simulation finds it.
    private let planted: PlantedBug?
    let isShared: Bool
    /// True once the instance is dead; it does not use the store after that.
    var isDead = false
    /// The former primary that the instance still uses; nil when it uses the current one.
    var former: DatabaseStore?

    init(_ disk: Disk, _ books: Books, _ world: World, _ planted: PlantedBug?, isShared: Bool) {
        self.disk = disk
        self.books = books
        self.world = world
        self.planted = planted
        self.isShared = isShared
        born = world.now
    }

    func store() throws(CloudAgentError) -> DatabaseStore {
        guard !isDead else { throw CloudAgentError(.closed, "The instance is dead.") }
        if let former { return former }
        guard let store = disk.store else { throw CloudAgentError(.unavailable, "The server is not there.") }
        return store
    }

    func read<Value: Sendable>(
        _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value { try await store().read(step) }

    func write<Value: Sendable>(
        adding bytes: Int?, _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value { try await store().write(adding: bytes, step) }

    func accept(_ mail: NewMail) async throws(CloudAgentError) -> ForwardHandler.ForwardStoreResult {
        if planted == .answersTooEarly, world.random.chance(1, in: 10) { return .stored }
        if former != nil, let text = Books.text(of: mail.envelope) { books.takenByFormer(text) }
        return try await store().accept(mail)
    }

    func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int, claim: StoredClientRequest?
    ) async throws(CloudAgentError) -> StoredRequestOutcome<[QueuedMessage]> {
        var selection = selection
        if planted == .handsOutWhatIsUnderWay, case .after(let position, let key, _) = selection {
            selection = .after(position, key: key)
        }
        let outcome = try await store().fetch(
            selection, of: account, limit: limit, maximumBytes: maximumBytes, claim: claim)
        guard case .first(let found) = outcome else { return outcome }
        for message in found { books.learn(message, of: account) }
        if planted == .forgetsWhatItHandsOut, !found.isEmpty {
            _ = try await store().remove(found.map(\.id), of: account)
        }
        return .first(planted == .handsOutBackwards ? found.reversed() : found)
    }

    func remove(
        _ ids: [String], of account: Int64, except exceptions: [UInt64]
    ) async throws(CloudAgentError) -> QueueStatus {
        let store = try store()
        books.removing(ids, of: account)
        if planted == .keepsWhatIsAcknowledged {
            return try await store.read { try $0.mail.status(of: account, key: nil, except: exceptions) }
        }
        return try await store.remove(ids, of: account, except: exceptions)
    }

    /// Deletes old messages, and records which ones are gone.
    func prune(before time: WallTime, limit: Int) async throws(CloudAgentError) -> Int {
        let store = try store()
        // Messages that a former primary drops are still there.
        if former != nil { return try await store.prune(before: time, limit: limit) }
        let candidates = books.waiting
        let time = planted == .dropsTooEarly ? world.wallTime : time
        let result: Result<Int, CloudAgentError>
        do throws(CloudAgentError) {
            result = .success(try await store.prune(before: time, limit: limit))
        } catch {
            // Steps before the one that failed have dropped messages.
            result = .failure(error)
        }
        if (try? result.get()) != 0, let left = try? await Self.texts(in: store) {
            books.pruned(candidates, leaving: left, at: world.now, leastOffset: world.leastOffset(since: born))
        }
        return try result.get()
    }

    /// Returns the texts of all messages that are queued in the store.
    static func texts(in store: any MediatorStore) async throws(CloudAgentError) -> Set<String> {
        var texts: Set<String> = []
        for account in try await store.read({ try $0.accounts.list(after: 0, limit: 1000) }) {
            var last: UInt64 = 0
            while true {
                let found = try await store.fetch(
                    .after(last, key: nil), of: account.number, limit: 1000, maximumBytes: 1 << 30)
                guard let end = found.last else { break }
                last = end.position
                for message in found { texts.insert(Books.text(of: message.envelope) ?? "?") }
            }
        }
        return texts
    }

    func listen(_ listener: @escaping @Sendable (StoreNotification) -> Void) { self.listener = listener }

    /// Marks the instance as dead; the disk stays open for other instances.
    func close() async { isDead = true }
}
