import Aries
import CryptoSuite
import DIDComm
import Determinism

/// Records in the store when clients were heard, at most once in `secondsBetweenNotes` for each connection of a client.
///
/// A message that states its sending time counts for that time. Other messages are remembered when they counted, so
/// that a replay does not count again: in the store, and in memory those that came soon after one that counted.
final class LastSeenRecorder: Sendable {
    /// The least seconds between two records of a client.
    static let secondsBetweenNotes = 60

    private let context: MediatorContext
    private let store: any MediatorStore
    private let signs = Lock(RecentSet(capacity: 20_000))

    init(_ context: MediatorContext, _ store: any MediatorStore) {
        self.context = context
        self.store = store
    }

    /// Notes a message of the client of an account.
    ///
    /// - Parameter seen: when the client was heard last, as the store has it.
    /// - Returns: the same afterwards.
    nonisolated(nonsending) func note(_ message: ReceivedMessage, of account: Int64, seen: WallTime) async -> WallTime {
        let (secret, id) = (context.secret, message.message.id)
        let request = ClientRequestIdentity(message.message, arrival: message.arrival)
        // A time in the future is ignored.
        let sent = request.sent.flatMap { $0 < message.arrival ? $0 : nil }
        let time = sent ?? context.wallTime()
        let mark = sent == nil ? SHA256.hash(Array("\(account) \(id)".utf8)) : nil
        guard MediatorStatus.seconds(from: seen, to: time) >= Self.secondsBetweenNotes else {
            if let mark { signs.withLock { $0.insert(mark) } }
            return seen
        }
        if let mark, signs.withLock({ $0.contains(mark) }) { return seen }
        let outcome = try? await store.change(
            .heard(time, unless: secret.claim(id)), of: account,
            by: sent == nil ? StoredClientRequest(secret.sign(id), .sign) : nil
        ) { _ in [] }
        guard case .first = outcome else { return seen }
        return max(seen, time)
    }
}
