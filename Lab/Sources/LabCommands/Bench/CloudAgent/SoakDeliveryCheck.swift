import Determinism
import Terminal

/// The counts of a soak.
struct SoakCounts: Hashable, Sendable {
    var accepted = 0
    /// Posts without a response: the message may have been accepted or not.
    var uncertain = 0
    /// Posts that were answered with another status than 202.
    var deferred = 0
    /// Messages that arrived, each counted once.
    var received = 0
    /// Repeated arrivals under the same identifier, as after a lost connection.
    var redelivered = 0
    /// Repeated arrivals under another identifier: the message was stored twice.
    var duplicates = 0
    /// First arrivals before which a message of the same sender to the same account should have come.
    var misordered = 0
    /// Arrivals of messages that were never sent.
    var strange = 0
    var keysAdded = 0
    var keysRemoved = 0
    var accountsMade = 0
    var accountsDeleted = 0
    var socketsOpened = 0
    /// WebSockets of live clients that ended while messages were sent.
    var liveSocketsLost = 0
    /// Failures of clients that were retried.
    var failures = 0

    var members: [JSONText.Member] {
        [
            .init("accepted", .integer(accepted)), .init("uncertain", .integer(uncertain)),
            .init("deferred", .integer(deferred)), .init("received", .integer(received)),
            .init("redelivered", .integer(redelivered)), .init("duplicates", .integer(duplicates)),
            .init("misordered", .integer(misordered)), .init("strange", .integer(strange)),
            .init("keysAdded", .integer(keysAdded)), .init("keysRemoved", .integer(keysRemoved)),
            .init("accountsMade", .integer(accountsMade)), .init("accountsDeleted", .integer(accountsDeleted)),
            .init("socketsOpened", .integer(socketsOpened)), .init("liveSocketsLost", .integer(liveSocketsLost)),
            .init("failures", .integer(failures)),
        ]
    }
}

/// Compares the responses that senders got with the messages that recipients got.
final class SoakDeliveryCheck: Sendable {
    private struct SentSoakMessage {
        let account: Int
        /// The time of its acceptance; nil before that.
        var accepted: ContinuousClock.Instant?
        /// True when the message had no response or was refused for now: it may have been stored, also later.
        var isUncertain = false
        /// The hash of the identifier of its first arrival; 0 before that.
        var idHash: UInt64 = 0
    }

    private struct GuardedState {
        var messages: [SentSoakMessage] = []
        var counts = SoakCounts()
        /// The number of the last message that arrived for the first time, by account.
        var last: [Int]
        /// The number of accepted messages that have not arrived yet, by account.
        var awaited: [Int]
        /// The number of posts that were answered with each status other than 202.
        var statuses: [Int: Int] = [:]
        var longestLiveDelay = Duration.zero
    }

    private let state: Lock<GuardedState>

    init(accounts: Int) {
        state = Lock(
            GuardedState(last: Array(repeating: -1, count: accounts), awaited: Array(repeating: 0, count: accounts)))
    }

    var counts: SoakCounts { state.withLock { $0.counts } }

    /// The number of accepted messages that have not arrived.
    var missing: Int { state.withLock { $0.awaited.reduce(0, +) } }

    /// Returns the number of accepted messages of an account that have not arrived.
    func awaited(by account: Int) -> Int { state.withLock { $0.awaited[account] } }

    func count(_ kind: WritableKeyPath<SoakCounts, Int>) { state.withLock { $0.counts[keyPath: kind] += 1 } }

    /// Notes that a message to an account is about to be sent, and returns its number.
    func begin(for account: Int) -> Int {
        state.withLock { state in
            state.messages.append(SentSoakMessage(account: account))
            return state.messages.count - 1
        }
    }

    /// Notes that a message was accepted.
    func accepted(_ number: Int) {
        state.withLock { state in
            state.counts.accepted += 1
            state.messages[number].accepted = .now
            // The message may arrive before the response of its post.
            if state.messages[number].idHash == 0 { state.awaited[state.messages[number].account] += 1 }
        }
    }

    /// Notes that a message was not accepted, although it may have been stored.
    func unanswered(_ number: Int, _ kind: WritableKeyPath<SoakCounts, Int>) {
        state.withLock { state in
            state.counts[keyPath: kind] += 1
            state.messages[number].isUncertain = true
        }
    }

    /// Notes that a message was answered with another status than 202.
    func deferred(_ number: Int, status: Int) {
        unanswered(number, \.deferred)
        state.withLock { $0.statuses[status, default: 0] += 1 }
    }

    /// The number of posts that were answered with each status other than 202, the lowest status first.
    var statuses: [(key: Int, value: Int)] { state.withLock { $0.statuses.sorted { $0.key < $1.key } } }

    /// The number of accepted messages that can no longer arrive.
    ///
    /// - Parameter held: the number that the agent holds for each account.
    func lost(held: [Int]) -> Int {
        state.withLock { state in zip(state.awaited, held).reduce(0) { $0 + max(0, $1.0 - $1.1) } }
    }

    /// The longest time between the acceptance of a message and its arrival at a live client since the last call, in
    /// milliseconds.
    func takeLongestLiveDelay() -> Int {
        state.withLock { state in
            defer { state.longestLiveDelay = .zero }
            return Int(state.longestLiveDelay / .milliseconds(1))
        }
    }

    /// Notes that a message arrived at an account.
    ///
    /// - Parameter isLive: whether it arrived at a client that gets each message at once.
    func arrived(_ number: Int?, id: String, at account: Int, isLive: Bool = false) {
        let hash = id.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 } | 1
        state.withLock { state in
            guard let number, state.messages.indices.contains(number), state.messages[number].account == account else {
                state.counts.strange += 1
                return
            }
            let known = state.messages[number].idHash
            guard known == 0 else {
                if known == hash { state.counts.redelivered += 1 } else { state.counts.duplicates += 1 }
                return
            }
            state.messages[number].idHash = hash
            state.counts.received += 1
            if let accepted = state.messages[number].accepted {
                state.awaited[account] -= 1
                if isLive { state.longestLiveDelay = max(state.longestLiveDelay, .now - accepted) }
            }
            // The sender continued without a response, so the order of the two is unknown.
            if number < state.last[account], !state.messages[number].isUncertain { state.counts.misordered += 1 }
            state.last[account] = max(number, state.last[account])
        }
    }
}
