public import CodedErrors

/// Why a cloud agent, or its store, failed.
///
/// The reason holds no key, no identifier of an account and nothing of a message.
public struct CloudAgentError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The store was closed, or is being closed.
        case closed = "cloud.store.closed"
        /// Too many steps wait for the store, or other processes block it for too long.
        case busy = "cloud.store.busy"
        /// The disk, or the database's share of it, is full.
        case full = "cloud.store.full"
        /// The store cannot be reached: the file system or the connection to the database failed.
        case unavailable = "cloud.store.unavailable"
        /// A server of the database did not answer in time.
        case silent = "cloud.store.silent"
        /// The database is a standby, or a server that may only be read from.
        case standby = "cloud.store.standby"
        /// The database was the primary once, and another server is now.
        case formerPrimary = "cloud.store.former-primary"
        /// The database holds commits back until its synchronous standby has them.
        case standbyMissing = "cloud.store.standby-missing"
        /// A commit is, or would be, on one server alone, although a synchronous standby is asked for.
        case unreplicated = "cloud.store.unreplicated"
        /// A pooler in transaction mode stands before the database.
        case pooler = "cloud.store.pooler"
        /// The role lacks a right in the database that the store needs.
        case rights = "cloud.store.rights"
        /// The database does not let the role in, or its certificate is not trusted.
        case login = "cloud.store.login"
        /// The database, or the role, has as many connections as it may have.
        case connections = "cloud.store.connections"
        /// There is no store at the path or in the database given.
        case missing = "cloud.store.missing"
        /// The database of the store holds other bytes than were written.
        case damaged = "cloud.store.damaged"
        /// The database holds other tables than those of a cloud agent, or those of a newer version.
        case schema = "cloud.store.schema"
        /// The store's address, folder or file is malformed, another user's, open to others, a link, or missing.
        case path = "cloud.store.path"
        /// The file of the copy is there already, or cannot be made.
        case copyPath = "cloud.copy.path"
        /// This program was built without PostgreSQL.
        case unsupported = "cloud.store.unsupported"
        /// This machine has no libpq, which a store in PostgreSQL needs, or one that is too old.
        case noLibrary = "cloud.store.library"
        /// Another agent serves from this store.
        case inUse = "cloud.store.in-use"
        /// The file of the store was removed or replaced while it was in use.
        case replaced = "cloud.store.replaced"
        /// The store is empty or gone, although its secret was in use before.
        case emptied = "cloud.store.emptied"
        /// There is no such account.
        case accountUnknown = "cloud.account.unknown"
        /// The store holds as many accounts as are allowed.
        case accountsFull = "cloud.accounts.full"
        /// The key to be added is registered already.
        case keyTaken = "cloud.key.taken"
        /// The list of names that may open an account does not follow its format.
        case allowListMalformed = "cloud.allow-list.malformed"
        /// The agent's secret is malformed.
        case secretMalformed = "cloud.secret.malformed"
        /// The store was made with another secret.
        case secretWrong = "cloud.secret.wrong"
        /// A library failed for a reason that has no code.
        case `internal` = "cloud.internal"
    }

    /// The most characters of a reason that are shown: room for those of several servers of a database.
    package static let shownCharacters = 2400

    /// The stable code of the cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension CloudAgentError.Code {
    /// Whether the disk or the database failed; all other codes refuse one caller's request.
    var isOfStorage: Bool {
        switch self {
        case .full, .unavailable, .noLibrary, .missing, .damaged, .schema, .path, .copyPath, .replaced, .emptied,
            .silent, .standby, .formerPrimary, .standbyMissing, .unreplicated, .pooler, .rights, .login, .connections:
            true
        case .closed, .busy, .inUse, .accountUnknown, .accountsFull, .keyTaken, .allowListMalformed, .internal,
            .unsupported, .secretMalformed, .secretWrong:
            false
        }
    }

    /// True when the connection with the database is of no use after it.
    var endsConnection: Bool {
        switch self {
        case .unavailable, .silent, .standby, .formerPrimary, .standbyMissing, .unreplicated, .pooler: true
        default: false
        }
    }
}
