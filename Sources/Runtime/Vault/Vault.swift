import Determinism
import Dispatch

/// The options with which a vault is opened.
public struct VaultOptions: Hashable, Sendable {
    /// The longest wait of a transaction for those of other processes before `vault.busy`.
    public var busyDeadline: Duration = .seconds(10)

    /// The most transactions of this process that may wait; one more is `vault.busy`.
    package var waitingTransactions = 1024

    /// A file that holds the highest generation seen, best on another disk than the vault: an older copy of the
    /// whole vault is then refused with `vault.integrity.rolled-back`.
    ///
    /// Nil: only what this process has seen counts.
    public var markPath: String?

    /// Makes vault options with the default values.
    public init() {}
}

/// The facts of a vault that are readable without its key.
public struct VaultDescription: Hashable, Sendable {
    /// The cost of its passphrase; nil when it opens with a key file.
    public let passphraseCost: PassphraseCost?

    /// The version of its tables.
    public let schemaVersion: Int
}

/// A sealed store in a folder of one user: SQLite, in which every record, its name, its category and its tags are
/// sealed or hashed with keys.
///
/// Several processes of the user may have it open at once. Everything runs on the vault's own serial queue. The folder
/// has mode 0700 and its files 0600; wider permissions, other owners and symbolic links are refused.
public final class Vault: RecordStore, @unchecked Sendable {
    // Invariant: `session` is used on `queue` alone, which runs one block at a time; the rest never changes.
    private let queue: DispatchQueue
    private var session: VaultSession?
    private let waiting: Lock<Int>
    private let waitingLimit: Int

    private init(_ queue: DispatchQueue, _ session: VaultSession, waitingLimit: Int) {
        self.queue = queue
        self.session = session
        self.waitingLimit = waitingLimit
        waiting = Lock(0)
    }

    deinit {
        // Closing may wait for the disk, so it runs on the vault's queue.
        nonisolated(unsafe) let session = session
        queue.async { unsafe withExtendedLifetime(session) {} }
    }

    /// Makes a vault in the folder `path`, which is created, or exists, is empty and belongs to this user only.
    ///
    /// - Throws: `vault.exists`, `vault.path.*`, `vault.passphrase.length`, `vault.storage.*`, `vault.busy`.
    public static func create(
        at path: String, key: VaultKey, options: VaultOptions = VaultOptions()
    ) async throws -> Vault {
        try await create(in: VaultLocation(folder: path, options: options), key: key)
    }

    /// Opens the vault in the folder `path`; a passphrase takes the time that its cost sets.
    ///
    /// - Throws: `vault.not-found`, `vault.path.*`, `vault.key.wrong`, `vault.key.kind`, `vault.header.malformed`,
    ///   `vault.schema.*`, `vault.integrity.*`, `vault.storage.*`, `vault.busy`.
    public static func open(
        at path: String, key: VaultKey, options: VaultOptions = VaultOptions()
    ) async throws -> Vault {
        try await open(in: VaultLocation(folder: path, options: options), key: key)
    }

    /// Reads the facts of the vault in the folder `path` without its key.
    ///
    /// - Throws: as `open` does, but nothing of keys.
    public static func describe(at path: String) async throws -> VaultDescription {
        let location = VaultLocation(folder: path, options: VaultOptions())
        return try await Self.run(on: makeQueue()) {
            let wrapped = try VaultSession.inspect(location)
            return VaultDescription(passphraseCost: wrapped.cost, schemaVersion: VaultSchema.versions.count)
        }
    }

    /// Makes a vault at any location, as `create(at:key:options:)`.
    package static func create(in location: VaultLocation, key: VaultKey) async throws -> Vault {
        try await start(location) { try VaultSession.create(location, key: key) }
    }

    /// Opens a vault at any location, as `open(at:key:options:)`.
    package static func open(in location: VaultLocation, key: VaultKey) async throws -> Vault {
        try await start(location) { try VaultSession.open(location, key: key) }
    }

    /// Runs `body` on a snapshot of the vault.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordReading) throws -> Result
    ) async throws -> Result {
        try await run { try $0.step(isWriting: false, body) }
    }

    /// Runs `body` as the only writer; all that it wrote is on the disk when this returns, and nothing of it when it
    /// throws.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any RecordWriting) throws -> Result
    ) async throws -> Result {
        try await run { try $0.step(isWriting: true, body) }
    }

    /// Closes the vault after the transactions that were already requested; the keys are wiped.
    public func close() async {
        await withCheckedContinuation { continuation in
            queue.async {
                self.session = nil
                continuation.resume()
            }
        }
    }

    /// Changes the passphrase or key file; the old one no longer opens the vault.
    ///
    /// Earlier copies of the vault still open with the old one, and an owner of both has the data key; use `reencrypt`
    /// when the old one is known to others.
    ///
    /// - Throws: `vault.passphrase.length`, `vault.busy`, `vault.storage.*`, `vault.integrity.*`.
    public func rewrap(with key: VaultKey) async throws { try await run { try $0.rewrap(with: key) } }

    /// Draws another data key and rewrites every record; other processes must open the vault again.
    ///
    /// - Throws: the first finding of the check that runs before; otherwise as `rewrap` does.
    public func reencrypt(with key: VaultKey) async throws { try await run { try $0.reencrypt(with: key) } }

    /// Reads all of the vault and verifies that its parts agree; findings are reported, not thrown.
    ///
    /// - Throws: what prevents the check: `vault.busy`, `vault.closed`, `vault.integrity.*` of the header.
    public func check() async throws -> VaultCheckReport {
        try await run { session in
            try session.step(isWriting: false) { step in
                var check = VaultCheck(database: session.database, keys: session.keys, step: step)
                return check.run()
            }
        }
    }

    private static func makeQueue() -> DispatchQueue { DispatchQueue(label: "symbolon.vault") }

    private static func start(
        _ location: VaultLocation, _ make: @escaping @Sendable () throws -> VaultSession
    ) async throws -> Vault {
        let queue = makeQueue()
        return try await run(on: queue) { Vault(queue, try make(), waitingLimit: location.waitingTransactions) }
    }

    private static func run<Result: Sendable>(
        on queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        // The result goes through a lock: the thread sanitizer does not see what a continuation orders when it is
        // resumed before the task waits for it.
        let result = Lock(Swift.Result<Result, any Error>.failure(CancellationError()))
        await withCheckedContinuation { continuation in
            queue.async {
                let made = Swift.Result { try body() }
                result.withLock { $0 = made }
                continuation.resume()
            }
        }
        return try result.withLock { $0 }.get()
    }

    /// Runs `body` on the vault's queue.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (VaultSession) throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let isAdmitted = waiting.withLock { waiting in
            guard waiting <= waitingLimit else { return false }
            waiting += 1
            return true
        }
        guard isAdmitted else { throw VaultError(.busy, "More than \(waitingLimit) steps of this process wait.") }
        defer { waiting.withLock { $0 -= 1 } }
        return try await Self.run(on: queue) {
            guard let session = self.session else { throw VaultError(.closed, "The vault is closed.") }
            return try body(session)
        }
    }
}
