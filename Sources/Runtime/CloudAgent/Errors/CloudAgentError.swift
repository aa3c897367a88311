@_exported public import CodedErrors

/// Why a cloud agent, or its store, failed.
///
/// The reason holds no key, no identifier of an account and nothing of a message.
public typealias CloudAgentError = CodedFailure<CloudAgentErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum CloudAgentErrorCode: String, CaseIterable, Sendable {
    case closed = "cloud.store.closed"
    case busy = "cloud.store.busy"
    case full = "cloud.store.full"
    case unavailable = "cloud.store.unavailable"
    case silent = "cloud.store.silent"
    case standby = "cloud.store.standby"
    case formerPrimary = "cloud.store.former-primary"
    case standbyMissing = "cloud.store.standby-missing"
    case unreplicated = "cloud.store.unreplicated"
    case pooler = "cloud.store.pooler"
    case rights = "cloud.store.rights"
    case login = "cloud.store.login"
    case connections = "cloud.store.connections"
    case missing = "cloud.store.missing"
    case damaged = "cloud.store.damaged"
    case schema = "cloud.store.schema"
    case path = "cloud.store.path"
    case copyPath = "cloud.copy.path"
    case unsupported = "cloud.store.unsupported"
    case noLibrary = "cloud.store.library"
    case inUse = "cloud.store.in-use"
    case replaced = "cloud.store.replaced"
    case emptied = "cloud.store.emptied"
    case accountUnknown = "cloud.account.unknown"
    case accountsFull = "cloud.accounts.full"
    case keyTaken = "cloud.key.taken"
    case allowListMalformed = "cloud.allow-list.malformed"
    case secretMalformed = "cloud.secret.malformed"
    case secretWrong = "cloud.secret.wrong"
    case `internal` = "cloud.internal"
}

extension CloudAgentErrorCode {
    /// True when the disk or the database failed; all other codes refuse one caller's request.
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

extension CloudAgentError {
    /// The most characters of a reason that are shown: room for those of several servers of a database.
    package static var shownCharacters: Int { 2400 }
}
