/// The kinds of failures of PostgreSQL, which a store maps to its own codes.
package enum PostgresFault: Hashable, Sendable, CaseIterable {
    /// Others hold what is needed, or the server has too much to do.
    case busy
    /// The disk is full.
    case full
    /// The data are damaged, or break a rule of the tables.
    case damaged
    /// The tables are others, or not this user's.
    case schema
    /// There is no connection, or the server does not let this user in or write.
    case unavailable
    /// This machine has no libpq, or one that is too old.
    case noLibrary
    /// A failure of any other kind.
    case other

    /// The kind of an SQLSTATE, as the manual's appendix A lists them.
    package init(state: String) {
        switch state {
        case "53100": self = .full
        case "40001", "40P01", "55P03", "57014": self = .busy
        case "25006": self = .unavailable
        default:
            switch state.prefix(2) {
            case "53": self = .busy
            case "08", "57", "28", "3D": self = .unavailable
            case "42", "3F": self = .schema
            case "23", "22", "XX": self = .damaged
            default: self = .other
            }
        }
    }
}

/// An error of PostgreSQL; the reason names a state and nothing of the data.
package struct PostgresError: Error, Hashable, Sendable {
    /// The kind of the failure.
    package let fault: PostgresFault
    /// One sentence about the failure.
    package let reason: String

    /// Makes an error with its code and a sentence about the cause.
    package init(_ fault: PostgresFault, _ reason: String) {
        self.fault = fault
        self.reason = reason
    }
}

/// A parameter of a statement, or the value of a column.
package enum PostgresValue: Hashable, Sendable {
    /// The value NULL.
    case null
    /// A value of type BIGINT.
    case integer(Int64)
    /// A BYTEA, or the bytes of any other kind.
    case bytes([UInt8])
    /// An array of BIGINT; only a parameter.
    case integers([Int64])
    /// An array of BYTEA; only a parameter.
    case byteArrays([[UInt8]])
}
