/// The kind of replication of a database, which decides what is lost when its primary is lost.
public enum StoreReplication: String, Hashable, Sendable, CaseIterable {
    /// Commits wait for a standby.
    case synchronous
    /// There are standbys, and commits wait for none.
    case asynchronous
    /// There is no standby.
    case alone
    /// The database does not show it to the role.
    case unknown
}
