public import Aries
public import Determinism

/// The store of a mediator: accounts, keys and messages.
///
/// `DatabaseStore` is the implementation. The simulation of several instances puts a layer in front of it that loses
/// connections and checks the messages; so all that a mediator asks of a store goes through these few functions.
///
/// When a changing function returns, the change is on the disk; when it throws, none of it is, except in one case: a
/// disk or a connection that fails while a step commits leaves open whether the step was made, and it was either made
/// whole or not at all. Steps that are requested at the same time share one synchronisation of the disk. Readers see
/// all of a step, or nothing of it; messages of one account are delivered in the order in which they were accepted.
///
/// All functions throw `cloud.store.closed`, `cloud.store.busy`, `cloud.store.unavailable`, `cloud.store.damaged` and
/// `cloud.internal`; changing functions throw `cloud.store.full` too.
public protocol MediatorStore: Sendable {
    /// True when several instances may use the store.
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

    /// Queues an envelope for its recipient, if the routing key is the one that the recipient's owner registered it
    /// with.
    func accept(_ mail: NewMail) async throws(CloudAgentError) -> ForwardHandler.ForwardStoreResult

    /// The oldest of the selected messages: at least one, however large, and as many as `limit` and `maximumBytes`
    /// allow.
    ///
    /// - Parameter claim: the request that has them handed out without an acknowledgement; one that came before yields
    ///   none.
    func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int, claim: StoredClientRequest?
    ) async throws(CloudAgentError) -> StoredRequestOutcome<[QueuedMessage]>

    /// Removes messages; identifiers that the account does not have are ignored.
    ///
    /// - Parameter exceptions: the positions of messages that the returned state does not count.
    /// - Returns: the state of the queue.
    func remove(
        _ ids: [String], of account: Int64, except exceptions: [UInt64]
    ) async throws(CloudAgentError) -> QueueStatus

    /// Removes messages that came before `time`, of the `limit` oldest ones; returns how many.
    func prune(before time: WallTime, limit: Int) async throws(CloudAgentError) -> Int

    /// Announces messages that came through any instance, and signals.
    ///
    /// Not every engine announces signals of another process: poll for them. Called on a thread of the store, which
    /// must not wait. One listener; the last one counts.
    func listen(_ listener: @escaping @Sendable (StoreNotification) -> Void)

    /// Claims the store for a server, until `close`; commands may use the store beside it.
    ///
    /// Several servers may use a store that `isShared`, and only one any other.
    /// - Throws: `cloud.store.in-use` when another server has it, `cloud.store.path`.
    func beginServing() async throws(CloudAgentError)

    /// Closes the store after the steps already requested.
    func close() async
}

extension MediatorStore {
    /// The number of envelopes that are read and compared in one step.
    private var compareStep: Int { 16 }

    /// Claims the store for a server; does nothing where any number may use it.
    public func beginServing() async throws(CloudAgentError) {}

    /// Runs a step that adds little or nothing, and runs on a full disk too.
    public func write<Value: Sendable>(
        _ step: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws(CloudAgentError) -> Value {
        try await write(adding: nil, step)
    }

    /// Fetches messages, as `fetch(_:of:limit:maximumBytes:claim:)`, which stay stored until they are acknowledged.
    public func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int
    ) async throws(CloudAgentError) -> [QueuedMessage] {
        let found = try await fetch(selection, of: account, limit: limit, maximumBytes: maximumBytes, claim: nil)
        guard case .first(let messages) = found else { return [] }
        return messages
    }

    /// Removes messages; the returned state counts all that are left.
    public func remove(_ ids: [String], of account: Int64) async throws(CloudAgentError) -> QueueStatus {
        try await remove(ids, of: account, except: [])
    }

    /// Makes a change of an account once for each request, at any instance.
    ///
    /// A key may be registered by any number of accounts: each has its own registration, and changes of it show
    /// nothing of the others. A key of the mediator itself, and one more than the account may have, are errors of the
    /// client. A key's own routing key, if it has one, and all messages that wait for it are removed with it.
    /// `AccountChange.keyGrant` yields the routing key that the key has now, the new one or the one that it had before;
    /// nil when it shares one with the account's other keys, is a key of the mediator, or the account may have no more
    /// keys.
    ///
    /// - Parameters:
    ///   - request: nil for a change without a request of a client.
    ///   - answer: makes the answer to store; called in the step, on the store's thread.
    /// - Throws: `cloud.account.unknown`, `cloud.key.taken`.
    public func change(
        _ change: AccountChange, of account: Int64, by request: StoredClientRequest?,
        answer: @escaping @Sendable (AccountChange.Result) -> [UInt8]
    ) async throws(CloudAgentError) -> StoredRequestOutcome<AccountChange.Result> {
        try await write(adding: change.adds ? 0 : nil) { transaction in
            try transaction.requests.perform(change, of: account, by: request, answer: answer)
        }
    }

    /// Compares all parts with each other, and each envelope with its digest; returns sentences about the faults.
    public func check() async throws(CloudAgentError) -> [String] {
        let findings = try await read { try $0.inspection.check() }
        let changed = try await compareEnvelopes().changed
        return changed == 0 ? findings : findings + ["A message has other bytes than were accepted (\(changed) times)."]
    }

    /// Returns the number of messages without a digest: they came before digests were stored.
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
