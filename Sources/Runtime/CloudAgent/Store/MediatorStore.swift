public import Aries
public import Determinism

/// Where a mediator keeps accounts, keys and messages.
///
/// `DatabaseStore` is the one that keeps them. The simulation of several instances puts another one in front of it,
/// which loses the connection with it and watches the messages; so all that a mediator asks of a store comes through
/// these few functions.
///
/// When a function that changes something returns, the change is on the disk; when it throws, nothing of it is, but for
/// one case: a disk or a connection that fails while a step ends leaves open whether the step was made, and it is then
/// made whole or not at all. Steps that are asked for at the same time share one synchronisation of the disk. All of a
/// step is seen, or nothing; messages of one account are handed out in the order in which they were accepted.
///
/// Everything throws `cloud.store.closed`, `cloud.store.busy`, `cloud.store.unavailable`, `cloud.store.damaged` and
/// `cloud.internal`; what changes something throws `cloud.store.full` too.
public protocol MediatorStore: Sendable {
    /// Whether several instances may use it.
    var isShared: Bool { get }

    /// Runs a step that changes nothing, on a thread of the store.
    ///
    /// - Throws: what the step throws; `cloud.internal` for an error of another type than `CloudAgentError`.
    func read<Value: Sendable>(
        _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value

    /// Runs a step that may change something, on a thread of the store.
    ///
    /// - Parameter bytes: how many bytes the step adds at most; nil for one that adds nothing, or little, and runs on a
    ///   full disk too.
    /// - Throws: what the step throws, of which nothing is kept then; `cloud.internal` for an error of another type
    ///   than `CloudAgentError`.
    func write<Value: Sendable>(
        adding bytes: Int?, _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value

    /// Keeps an envelope for its recipient, if the routing key is the one that the recipient's owner registered it
    /// with.
    func accept(_ mail: NewMail) async throws(CloudAgentError) -> ForwardIntake.Outcome

    /// The oldest of the selected messages: at least one, however large, and as many as `limit` and `maximumBytes`
    /// allow.
    ///
    /// - Parameter claim: the request that has them handed out without an acknowledgement; one that came before yields
    ///   none.
    func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int, claim: StoredRequest?
    ) async throws(CloudAgentError) -> RequestOutcome<[QueuedMessage]>

    /// Removes messages; identifiers that the account does not have are passed over. Returns how much waits now.
    func remove(_ ids: [String], of account: Int64) async throws(CloudAgentError) -> QueueStatus

    /// Removes messages that came before `time`, of the `limit` oldest ones; returns how many.
    func prune(before time: WallTime, limit: Int) async throws(CloudAgentError) -> Int

    /// Tells of messages that came through any instance, and of signals.
    ///
    /// Signals of another process are not told of by every engine: look for them from time to time. Called on a thread
    /// of the store, which must not wait. One listener; the last one counts.
    func listen(_ listener: @escaping @Sendable (StoreNews) -> Void)

    /// Takes the store for a server, until `close`; commands beside it may use the store all the same.
    ///
    /// Several servers may use a store that `isShared`, and one alone any other.
    /// - Throws: `cloud.store.in-use` when another server has it, `cloud.store.path`.
    func beginServing() async throws(CloudAgentError)

    /// Ends the use of the store after the steps already asked for.
    func close() async
}

extension MediatorStore {
    /// How many envelopes are read and compared in one step.
    private var compareStep: Int { 16 }

    /// Takes the store for a server; nothing to do where any number may use it.
    public func beginServing() async throws(CloudAgentError) {}

    /// Runs a step that adds nothing, or little, and runs on a full disk too.
    public func write<Value: Sendable>(
        _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value {
        try await write(adding: nil, step)
    }

    /// As `fetch(_:of:limit:maximumBytes:claim:)`, for messages that stay until they are acknowledged.
    public func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int
    ) async throws(CloudAgentError) -> [QueuedMessage] {
        let found = try await fetch(selection, of: account, limit: limit, maximumBytes: maximumBytes, claim: nil)
        guard case .first(let messages) = found else { return [] }
        return messages
    }

    /// Makes a change of an account once for each request, through whichever instance the request comes.
    ///
    /// A key may be registered by any number of accounts: each has it for itself, and what it does with the key says
    /// nothing of the others. A key of the mediator itself, and one more than the account may have, are errors of the
    /// client. With a key that has a routing key of its own, that one and all that waits for it go too.
    /// `AccountChange.keyGrant` yields the routing key that the key has now, the new one or the one that it had before;
    /// nil when it shares one with the account's other keys, is a key of the mediator, or the account may have no more
    /// keys.
    ///
    /// - Parameters:
    ///   - request: nil for a change that no message of a client asks for.
    ///   - answer: makes what is kept of the answer; called in the step, on the store's thread.
    /// - Throws: `cloud.account.unknown`, `cloud.key.taken`.
    public func change(
        _ change: AccountChange, of account: Int64, by request: StoredRequest?,
        answer: @escaping @Sendable (AccountChange.Result) -> [UInt8]
    ) async throws(CloudAgentError) -> RequestOutcome<AccountChange.Result> {
        try await write(adding: change.adds ? 0 : nil) { transaction in
            try transaction.requests.perform(change, of: account, by: request, answer: answer)
        }
    }

    /// Compares every part with the others, and each envelope with its digest; sentences about what is wrong.
    public func check() async throws(CloudAgentError) -> [String] {
        let findings = try await read { try $0.inspection.check() }
        let changed = try await compareEnvelopes().changed
        return changed == 0 ? findings : findings + ["A message has other bytes than were accepted (\(changed) times)."]
    }

    /// How many messages have no digest, because they came before digests were kept.
    public func uncheckedMessages() async throws(CloudAgentError) -> Int { try await compareEnvelopes().unknown }

    /// Compares a few envelopes in each step, so that other steps need not wait long and the log can begin anew.
    private func compareEnvelopes() async throws(CloudAgentError) -> (changed: Int, unknown: Int) {
        var (sum, last): ((changed: Int, unknown: Int), Int64) = ((0, 0), 0)
        while true {
            let (from, step) = (last, compareStep)
            let found = try await read { try $0.inspection.compareEnvelopes(after: from, limit: step) }
            sum = (sum.changed + found.changed, sum.unknown + found.unknown)
            guard let end = found.last, !Task.isCancelled else { return sum }
            last = end
        }
    }
}
