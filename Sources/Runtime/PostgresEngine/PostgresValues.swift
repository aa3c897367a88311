/// The kinds of failures of PostgreSQL, which a store maps to its own codes.
package enum PostgresFault: Hashable, Sendable, CaseIterable {
    /// Others hold what is needed, or the server has too much to do.
    case busy
    /// The disk is full.
    case full
    /// The data are damaged, or break a rule of the tables.
    case damaged
    /// The tables are others.
    case schema
    /// There is no connection.
    case unavailable
    /// The server took no part in time.
    case silent
    /// The server is a standby, or otherwise not to be written to.
    case standby
    /// The server was the primary once, and another one is now.
    case formerPrimary
    /// A pooler between hands each transaction to another connection.
    case pooler
    /// The role may not do what a store needs.
    case rights
    /// The server does not let this role in.
    case login
    /// The server, or the role, has as many connections as it may have.
    case connections
    /// The address is malformed, or names what a store cannot use.
    case address
    /// This machine has no libpq, or one that is too old.
    case noLibrary
    /// A failure of any other kind.
    case other

    /// The kind of an SQLSTATE, as the manual's appendix A lists them.
    package init(state: String) {
        switch state {
        case "53100": self = .full
        case "53300": self = .connections
        case "40001", "40P01", "55P03", "57014": self = .busy
        case "25006": self = .standby
        // Prepared statements that are there already or not any more, and a protocol that is not spoken to the end.
        case "42P05", "26000", "08P01": self = .pooler
        case "42501": self = .rights
        default:
            switch state.prefix(2) {
            case "53": self = .busy
            case "28": self = .login
            case "08", "57", "3D": self = .unavailable
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

    /// Makes the error of a statement that the server refused.
    init(state: String) {
        let reason =
            switch state {
            case "57P03": "PostgreSQL is starting or shutting down."
            case "57P01", "57P02": "PostgreSQL is shut down."
            case "55P03": "Another session holds a lock for too long (55P03)."
            case "53100": "The disk of the database server is full (53100)."
            case "42P05", "26000": "A statement that was prepared belongs to another session (\(state))."
            default: "PostgreSQL refuses a statement with the state \(state)."
            }
        self.init(PostgresFault(state: state), reason)
    }

    /// Makes the error of a connection that was not made, from the line that libpq says; a refusal of the server has
    /// its SQLSTATE behind the severity, as `FATAL:  28P01: …`.
    package init(refusal line: String) {
        let parts = line.utf8.split(separator: UInt8(ascii: ":"))
        let state = parts.lazy.compactMap { part -> String? in
            let word = part.drop { $0 == UInt8(ascii: " ") }
            let isState =
                word.count == 5 && word.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            // A word of five capitals is a severity, such as ERROR or FATAL.
            return isState && word.contains { (0x30...0x39).contains($0) } ? String(Substring(word)) : nil
        }.first
        let fault = state.map { PostgresFault(state: $0) } ?? .unavailable
        let reason = "PostgreSQL cannot be reached: \(line)."
        // libpq's own check of a certificate has no state, and neither has a password that it was not given.
        if state == nil,
            line.utf8.split(separator: UInt8(ascii: " ")).contains(where: { word in
                ["certificate", "password"].contains { word.elementsEqual($0.utf8) }
            })
        {
            self.init(.login, reason)
            return
        }
        // A server that refuses a connection for any other reason is not to be reached.
        let isCause = [.login, .connections, .pooler, .rights, .standby].contains(fault)
        self.init(isCause ? fault : .unavailable, reason)
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
