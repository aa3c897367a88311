#if PostgreSQL
    import PostgresEngine
#endif

/// The location of a cloud agent's store: `sqlite:PATH`, or `postgres://…` as libpq reads it.
public enum StoreAddress: Hashable, Sendable, CustomStringConvertible {
    /// A file of SQLite.
    case sqlite(path: String)
    /// A database of PostgreSQL, which may hold a password.
    case postgres(address: String)

    /// Reads an address.
    ///
    /// - Throws: `cloud.store.path` for another kind.
    public init(parsing text: String) throws(CloudAgentError) {
        let kinds = [("sqlite:", false), ("postgres://", true), ("postgresql://", true)]
        guard let (prefix, isPostgres) = kinds.first(where: { text.utf8.starts(with: $0.0.utf8) }),
            text.utf8.count > prefix.utf8.count, !text.utf8.contains(0)
        else {
            throw CloudAgentError(.path, "The address of a store is sqlite:PATH or postgres://…")
        }
        self =
            isPostgres ? .postgres(address: text) : .sqlite(path: String(text.utf8.dropFirst(prefix.utf8.count)) ?? "")
    }

    /// Opens the store; a missing one is made when `makes` is true.
    ///
    /// - Parameter makes: true when a store is made in a file or a database that holds none; if not, that is
    ///   `cloud.store.missing`, and for a file without tables `cloud.store.emptied`.
    /// - Throws: `cloud.store.unsupported` for PostgreSQL in a program that was built without it, and what opening
    /// throws.
    public func open(
        limits: StoreLimits = StoreLimits(), makes: Bool = true
    ) async throws(CloudAgentError) -> any MediatorStore {
        switch self {
        case .sqlite(let path): return try await DatabaseStore.sqlite(at: path, limits: limits, makes: makes)
        case .postgres(let address):
            #if PostgreSQL
                return try await DatabaseStore.postgres(at: address, limits: limits, makes: makes)
            #else
                throw CloudAgentError(.unsupported, "This program was built without PostgreSQL.")
            #endif
        }
    }

    /// True for the address of a database that holds a password.
    package var holdsPassword: Bool {
        #if PostgreSQL
            guard case .postgres(let address) = self else { return false }
            return (try? PostgresAddress(address))?.holdsPassword ?? false
        #else
            return false
        #endif
    }

    /// The kind, and the path of a file; nothing of a database's address, which may hold a password.
    public var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .postgres: "postgres"
        }
    }
}
