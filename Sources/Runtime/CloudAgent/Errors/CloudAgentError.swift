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
        /// The file system or the connection to the database failed.
        case unavailable = "cloud.store.unavailable"
        /// There is no store to open.
        case missing = "cloud.store.missing"
        /// The database holds other bytes than were written.
        case damaged = "cloud.store.damaged"
        /// The database holds other tables than those of a cloud agent, or those of a newer version.
        case schema = "cloud.store.schema"
        /// The store's folder or file is another user's, open to others, a link, or missing.
        case path = "cloud.store.path"
        /// The file of a copy is there already, or cannot be made.
        case copyPath = "cloud.copy.path"
        /// The program was built without the engine that the store needs.
        case unsupported = "cloud.store.unsupported"
        /// Another server uses the file of the store.
        case inUse = "cloud.store.in-use"
        /// The file of the store was replaced while it was open.
        case replaced = "cloud.store.replaced"
        /// The store is empty, although its secret was in use before.
        case emptied = "cloud.store.emptied"
        /// There is no such account.
        case accountUnknown = "cloud.account.unknown"
        /// The store holds the most accounts that are allowed.
        case accountsFull = "cloud.accounts.full"
        /// A key to be added is in the store already.
        case keyTaken = "cloud.key.taken"
        /// A list of names that may open an account does not follow its format.
        case allowListMalformed = "cloud.allow-list.malformed"
        /// The agent's secret is malformed.
        case secretMalformed = "cloud.secret.malformed"
        /// The store was made with another secret.
        case secretWrong = "cloud.secret.wrong"
        /// A library below failed for another reason.
        case `internal` = "cloud.internal"
    }

    /// Which cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension CloudAgentError.Code {
    /// Whether the disk or the database failed; all other codes refuse one caller's request.
    var isOfStorage: Bool {
        switch self {
        case .full, .unavailable, .missing, .damaged, .schema, .path, .copyPath, .replaced, .emptied: true
        case .closed, .busy, .inUse, .accountUnknown, .accountsFull, .keyTaken, .allowListMalformed, .internal,
            .unsupported, .secretMalformed, .secretWrong:
            false
        }
    }
}
