import Determinism
import Terminal

/// What happened in a soak so far.
struct SoakCounts: Hashable, Sendable {
    var accepted = 0
    /// Posts whose answer did not come: the message may have been taken or not.
    var uncertain = 0
    /// Posts that were sent away, because a queue was full.
    var deferred = 0
    /// Messages that arrived, each counted once.
    var received = 0
    /// Arrivals of a message with the identifier that it came with before, as after a lost line.
    var redelivered = 0
    /// Arrivals of a message under another identifier: it was kept twice.
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
    /// Failures of clients that were tried again.
    var failures = 0

    var members: [JSONText.Member] {
        [
            .init("accepted", .integer(accepted)), .init("uncertain", .integer(uncertain)),
            .init("deferred", .integer(deferred)), .init("received", .integer(received)),
            .init("redelivered", .integer(redelivered)), .init("duplicates", .integer(duplicates)),
            .init("misordered", .integer(misordered)), .init("strange", .integer(strange)),
            .init("keysAdded", .integer(keysAdded)), .init("keysRemoved", .integer(keysRemoved)),
            .init("accountsMade", .integer(accountsMade)), .init("accountsDeleted", .integer(accountsDeleted)),
            .init("socketsOpened", .integer(socketsOpened)), .init("failures", .integer(failures)),
        ]
    }
}

/// Holds what senders were told against what recipients got.
final class SoakLedger: Sendable {
    private struct Message {
        let account: Int
        var isAccepted = false
        /// Whether its answer did not come, or was that it should come again: it may have been kept, and at any later time.
        var isUncertain = false
        /// Of the identifier that it came with; 0 before it came.
        var idHash: UInt64 = 0
    }

    private struct State {
        var messages: [Message] = []
        var counts = SoakCounts()
        /// The number of the last message that came first to an account.
        var last: [Int]
        /// By account, the messages that were answered as taken and did not come yet.
        var awaited: [Int]
    }

    private let state: Lock<State>

    init(accounts: Int) {
        state = Lock(State(last: Array(repeating: -1, count: accounts), awaited: Array(repeating: 0, count: accounts)))
    }

    var counts: SoakCounts { state.withLock { $0.counts } }

    /// How many messages were answered as taken and did not come.
    var missing: Int { state.withLock { $0.awaited.reduce(0, +) } }

    /// How many of an account's messages are still to come.
    func awaited(by account: Int) -> Int { state.withLock { $0.awaited[account] } }

    func count(_ kind: WritableKeyPath<SoakCounts, Int>) { state.withLock { $0.counts[keyPath: kind] += 1 } }

    /// A message to an account is about to be sent; its number.
    func begin(for account: Int) -> Int {
        state.withLock { state in
            state.messages.append(Message(account: account))
            return state.messages.count - 1
        }
    }

    /// A message was answered as taken.
    func accepted(_ number: Int) {
        state.withLock { state in
            state.counts.accepted += 1
            state.messages[number].isAccepted = true
            // It may be faster than its answer.
            if state.messages[number].idHash == 0 { state.awaited[state.messages[number].account] += 1 }
        }
    }

    /// A message was not answered as taken, which does not mean that it was not.
    func unanswered(_ number: Int, _ kind: WritableKeyPath<SoakCounts, Int>) {
        state.withLock { state in
            state.counts[keyPath: kind] += 1
            state.messages[number].isUncertain = true
        }
    }

    /// A message came to an account.
    func arrived(_ number: Int?, id: String, at account: Int) {
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
            if state.messages[number].isAccepted { state.awaited[account] -= 1 }
            // The sender went on without an answer: which of the two was accepted first is open.
            if number < state.last[account], !state.messages[number].isUncertain { state.counts.misordered += 1 }
            state.last[account] = max(number, state.last[account])
        }
    }
}
