public import Aries
public import Determinism

/// Where a cloud agent keeps accounts, keys and messages; every engine behaves as `CloudAgentConformance` says.
///
/// When a function that changes something returns, the change is on the disk; when it throws, nothing of it is, but for one
/// case: a disk or a connection that fails while a step ends leaves open whether the step was made, and it is then made
/// whole or not at all. Steps that are asked for at the same time share one synchronisation of the disk. All of a step is
/// seen, or nothing; messages of one account are handed out in the order in which they were accepted.
///
/// Everything throws `cloud.store.closed`, `cloud.store.busy`, `cloud.store.unavailable`, `cloud.store.damaged` and
/// `cloud.internal`; what changes something throws `cloud.store.full` too.
public protocol AgentStore: Sendable {
    // Mail.

    /// Keeps an envelope for its recipient, if the routing key is the one that the recipient's owner registered it with.
    func accept(_ mail: NewMail) async throws(CloudAgentError) -> ForwardIntake.Outcome

    /// The oldest of the selected messages: at least one, however large, and as many as `limit` and `maximumBytes` allow.
    ///
    /// - Parameter claim: the request that has them handed out without an acknowledgement; one that came before yields none.
    func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int, claim: StoredRequest?
    ) async throws(CloudAgentError) -> RequestOutcome<[QueuedMessage]>

    /// How much waits, for one key or for all.
    func status(of account: Int64, key: KeyHash?) async throws(CloudAgentError) -> QueueStatus

    /// Forgets messages; identifiers that the account does not have are passed over. Returns how much waits now.
    func remove(_ ids: [String], of account: Int64) async throws(CloudAgentError) -> QueueStatus

    // Requests of clients.

    /// Makes a change of an account, and remembers the request in the same step; one that came before, through whichever
    /// instance, changes nothing.
    ///
    /// A key may be registered by any number of accounts: each has it for itself, and what it does with the key says nothing
    /// of the others. A key of the agent itself, and one more than the account may have, are errors of the client. With a key
    /// that has a routing key of its own, that one and all that waits for it go too. `AccountChange.place` yields the routing
    /// key that the key has now, the new one or the one that it had before; nil when it shares one with the account's other
    /// keys, is a key of the agent, or the account may have no more keys.
    ///
    /// - Parameters:
    ///   - request: nil for what no message of a client asks for.
    ///   - answer: what is kept of the answer; called in the step, on the store's thread.
    /// - Throws: `cloud.account.unknown`, `cloud.key.taken`.
    func change(
        _ change: AccountChange, of account: Int64, by request: StoredRequest?,
        answer: @escaping @Sendable (AccountChange.Result) -> [UInt8]
    ) async throws(CloudAgentError) -> RequestOutcome<AccountChange.Result>

    // Keys of clients.

    /// A part of an account's keys in the order of their registration, sealed, and how many there are.
    func keys(
        of account: Int64, offset: Int, limit: Int
    ) async throws(CloudAgentError) -> (bodies: [[UInt8]], total: Int)

    // Accounts.

    /// Opens an account, not served yet, with keys of the agent for it.
    ///
    /// - Throws: `cloud.accounts.full`; `cloud.key.taken`, also for the connection of an account that was closed.
    func openAccount(_ body: [UInt8], keys: [OwnKey], at now: WallTime) async throws(CloudAgentError) -> Int64

    /// An account; nil when there is none.
    func account(_ number: Int64) async throws(CloudAgentError) -> AccountEntry?

    /// The accounts with greater numbers than `number`, in the order of their numbers.
    func accounts(after number: Int64, limit: Int) async throws(CloudAgentError) -> [AccountEntry]

    /// The oldest accounts that were opened before `time` and are not served, behind `last` in the order of their opening.
    ///
    /// As long as few are not served it costs as little, however many accounts there are.
    func unserved(
        before time: WallTime, after last: AccountEntry?, limit: Int
    ) async throws(CloudAgentError) -> [AccountEntry]

    /// The accounts whose clients were not heard since `time`: those first that are not served, then those that were silent
    /// longest.
    ///
    /// - Parameter span: leaves out those whose clients were heard later than so long after they were opened; nil for none.
    func silent(
        since time: WallTime, heardWithin span: Duration?, limit: Int
    ) async throws(CloudAgentError) -> [AccountEntry]

    /// The accounts for which most messages wait, the one with most first; those without any are left out.
    func busiest(limit: Int) async throws(CloudAgentError) -> [AccountEntry]

    /// Changes what is kept of an account; nil leaves a part as it is.
    ///
    /// - Throws: `cloud.account.unknown`.
    func update(
        _ number: Int64, body: [UInt8]?, isServed: Bool?, seen: WallTime?
    ) async throws(CloudAgentError)

    /// Forgets an account with its keys and all that waits for it, and signals it; false when there was none.
    ///
    /// - Parameter allowsReopening: whether the same request of a client may open an account again; otherwise its connection
    ///   is remembered within `StoreLimits.rememberedConnections`.
    func closeAccount(_ number: Int64, allowsReopening: Bool) async throws(CloudAgentError) -> Bool

    // Keys of the agent.

    /// Adds keys of the agent.
    ///
    /// - Throws: `cloud.key.taken`.
    func addOwnKeys(_ keys: [OwnKey]) async throws(CloudAgentError)

    /// A key of the agent; nil when there is none.
    func ownKey(_ hash: KeyHash) async throws(CloudAgentError) -> OwnKey?

    // Wake-ups.

    /// Keeps by what the client of an account is woken, from the next message on; nil for not any more.
    ///
    /// - Throws: `cloud.account.unknown`.
    func setWake(_ body: [UInt8]?, of account: Int64) async throws(CloudAgentError)

    /// By what the client of an account is woken; nil for not.
    func wake(of account: Int64) async throws(CloudAgentError) -> WakeEntry?

    /// The accounts with greater numbers than `number` whose clients are to be woken: messages wait behind where that is
    /// settled.
    func accountsToWake(after number: Int64, limit: Int) async throws(CloudAgentError) -> [Int64]

    /// Nobody has to be woken for messages up to this place any more; nothing when that was so, or no one is woken.
    ///
    /// - Parameter woken: when the client was woken; nil when it was not.
    func settleWake(of account: Int64, upTo position: UInt64, woken: WallTime?) async throws(CloudAgentError)

    // Several instances.

    /// Whether several instances may use it.
    var isShared: Bool { get }

    /// An instance lives, until `end` if it is not heard of again; what those hold whose time is over is free.
    ///
    /// - Returns: false when it was not known to live.
    func beat(_ instance: Int64, until end: WallTime, at now: WallTime) async throws(CloudAgentError) -> Bool

    /// An instance ends, and what it holds is free.
    func leave(_ instance: Int64) async throws(CloudAgentError)

    /// Takes a hold for an instance that lives; the same again is as once.
    ///
    /// Of `live` the newest counts: it is taken from whoever has it, and signalled.
    /// - Returns: false when another instance that lives has it.
    func take(
        _ hold: StoreHold, of account: Int64, by instance: Int64, at now: WallTime
    ) async throws(CloudAgentError) -> Bool

    /// Frees a hold of an instance.
    func free(_ hold: StoreHold, of account: Int64, by instance: Int64) async throws(CloudAgentError)

    /// The instance that has a hold and lives; nil for none.
    func holder(
        of hold: StoreHold, of account: Int64, at now: WallTime
    ) async throws(CloudAgentError) -> Int64?

    /// The signals behind a number, in their order.
    ///
    /// - Returns: the signals, and whether these are all there were.
    func signals(
        after number: Int64, limit: Int
    ) async throws(CloudAgentError) -> (signals: [StoreSignal], isComplete: Bool)

    /// The number of the newest signal; 0 before the first.
    func newestSignal() async throws(CloudAgentError) -> Int64

    // Upkeep.

    /// A value kept under a name; nil when there is none.
    func setting(_ name: String) async throws(CloudAgentError) -> [UInt8]?

    /// Keeps a value under a name unless there is one, and returns the one that is kept then.
    func settle(_ name: String, _ value: [UInt8]) async throws(CloudAgentError) -> [UInt8]

    /// Drops messages that came before `time`, of the `limit` oldest ones; returns how many.
    func prune(before time: WallTime, limit: Int) async throws(CloudAgentError) -> Int

    /// How much there is.
    func totals() async throws(CloudAgentError) -> StoreTotals

    /// Holds every part against the others, and each envelope against its digest; sentences about what is wrong.
    func check() async throws(CloudAgentError) -> [String]

    /// How many messages have no digest, because they came before digests were kept.
    func uncheckedMessages() async throws(CloudAgentError) -> Int

    /// Tells of messages that came through any instance, and of signals.
    ///
    /// Signals of another process are not told of by every engine: look for them from time to time. Called on a thread of the
    /// store, which must not wait. One listener; the last one counts.
    func listen(_ listener: @escaping @Sendable (StoreNews) -> Void)

    /// Takes the store for a server, until `close`; commands beside it may use the store all the same.
    ///
    /// Several servers may use a store that `isShared`, and one alone any other.
    /// - Throws: `cloud.store.in-use` when another server has it, `cloud.store.path`.
    func beginServing() async throws(CloudAgentError)

    /// Ends the use of the store after the steps already asked for.
    func close() async
}

extension AgentStore {
    /// Takes the store for a server; nothing to do where any number may use it.
    public func beginServing() async throws(CloudAgentError) {}

    /// As `fetch(_:of:limit:maximumBytes:claim:)`, for what stays until it is acknowledged.
    public func fetch(
        _ selection: MailSelection, of account: Int64, limit: Int, maximumBytes: Int
    ) async throws(CloudAgentError) -> [QueuedMessage] {
        let found = try await fetch(selection, of: account, limit: limit, maximumBytes: maximumBytes, claim: nil)
        guard case .first(let messages) = found else { return [] }
        return messages
    }

    /// Forgets an account; the request that opened it opens no other.
    public func closeAccount(_ number: Int64) async throws(CloudAgentError) -> Bool {
        try await closeAccount(number, allowsReopening: false)
    }
}
