/// The kinds of failures of PostgreSQL, which a store maps to its own codes.
package enum PostgresFault: Hashable, Sendable, CaseIterable {
    /// Another transaction holds a lock, or the server is overloaded.
    case busy
    /// The server's disk is full.
    case full
    /// The data are damaged, or break a rule of the tables.
    case damaged
    /// The tables are missing or of another version.
    case schema
    /// The server cannot be reached, or the connection is lost.
    case unavailable
    /// The server did not answer in time.
    case silent
    /// The server is a standby, or otherwise not to be written to.
    case standby
    /// The server was the primary once, and another one is now.
    case formerPrimary
    /// A pooler between this program and the server changes connections between transactions.
    case pooler
    /// The role lacks a right that a store needs.
    case rights
    /// The server does not let this role in.
    case login
    /// The server has no database of this name.
    case noDatabase
    /// The server, or the role, has as many connections as it may have.
    case connections
    /// The address is malformed, or has a part that a store cannot use.
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
        // Other sessions are in the way: deadlocks, locks, and limits of time.
        case "40001", "40P01", "55P03", "55006", "57014", "25P04", "72000": self = .busy
        case "25006": self = .standby
        // A session that stood still within a step was ended.
        case "25P03": self = .unavailable
        // Prepared statements that are there already or not any more, and a protocol that is not spoken to the end.
        case "42P05", "26000", "08P01": self = .pooler
        case "42501": self = .rights
        case "3D000", "57P04": self = .noDatabase
        // A prepared statement whose tables another version has changed.
        case "0A000": self = .schema
        default:
            switch state.prefix(2) {
            case "28": self = .login
            case "08", "53", "57": self = .unavailable
            case "42", "3F": self = .schema
            case "23", "22", "58", "XX": self = .damaged
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
    ///
    /// - Parameter words: the server's own words, where they are told.
    init(state: String, words: String? = nil) {
        let reason =
            switch state {
            case "57P03": "PostgreSQL is starting or shutting down."
            case "57P01", "57P02": "PostgreSQL is shut down."
            case "57P04": "The database was dropped (57P04)."
            case "55P03": "Another session holds a lock for too long (55P03)."
            case "53100": "The disk of the database server is full (53100)."
            case "53200": "The database server has no memory left (53200)."
            case "58030": "The database server cannot read or write its disk (58030)."
            case "25P03": "The session stood still within a step and was ended (25P03)."
            case "42501": "The role lacks a right (42501)" + (words.map { ": \(Self.line($0.utf8))." } ?? ".")
            case "42P05", "26000": "A statement that was prepared belongs to another session (\(state))."
            default: "PostgreSQL refuses a statement with the state \(state)."
            }
        self.init(PostgresFault(state: state), reason)
    }

    /// The most bytes of a line of libpq that a reason repeats.
    private static let maximumLineBytes = 300

    private static func line(_ words: some Sequence<UInt8>) -> String {
        String(decoding: words.prefix { $0 != UInt8(ascii: "\n") }.prefix(maximumLineBytes), as: UTF8.self)
    }

    /// Makes the error of a connection that was not made, from the words of libpq.
    ///
    /// A name with several addresses has a line for each that was tried; the line of a server that answered says more
    /// than that of one that did not. An answer has its SQLSTATE behind the severity, as `FATAL:  28P01: …`, and may
    /// have a line `DETAIL:  …` after it.
    package init(refusal words: String) {
        let lines = words.utf8.split(separator: UInt8(ascii: "\n")).map { Self.line($0) }
        let isContinued = { (line: String) in
            line.utf8.first == UInt8(ascii: "\t")
                || ["DETAIL:", "HINT:", "LOCATION:"].contains { line.utf8.starts(with: $0.utf8) }
        }
        let index = lines.firstIndex { Self.state(in: $0) != nil } ?? 0
        let line = index < lines.count ? lines[index] : "nothing was said"
        let detail = lines.dropFirst(index + 1).prefix(while: isContinued).first { $0.hasPrefix("DETAIL:") }
        let reason =
            "PostgreSQL cannot be reached: \(line)."
            + (detail.map { " " + String($0.dropFirst(7).drop { $0 == " " }) } ?? "")
        self.init(Self.fault(ofRefusal: line), reason)
    }

    /// The SQLSTATE in a line of libpq; nil for none.
    private static func state(in line: String) -> String? {
        line.utf8.split(separator: UInt8(ascii: ":")).lazy.compactMap { part -> String? in
            let word = part.drop { $0 == UInt8(ascii: " ") }
            let isState =
                word.count == 5 && word.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            // A word of five capitals is a severity, such as ERROR or FATAL.
            return isState && word.contains { (0x30...0x39).contains($0) } ? String(Substring(word)) : nil
        }.first
    }

    /// The words of libpq and of poolers, which have no state of their own, and what they are about.
    private static let refusals: [(words: String, fault: PostgresFault)] = [
        ("no such database", .noDatabase), ("no more connections allowed", .connections), ("certificate", .login),
        ("password", .login), ("authentication", .login), ("no such user", .login), ("private key", .login),
        ("support SSL", .login),
    ]

    private static func fault(ofRefusal line: String) -> PostgresFault {
        let state = state(in: line)
        // A pooler has one state for all that it refuses.
        if state == nil || state == "08P01" {
            return refusals.first { line.contains($0.words) }?.fault ?? .unavailable
        }
        let fault = state.map { PostgresFault(state: $0) } ?? .unavailable
        // A server that refuses a connection for any other reason is not to be reached.
        return [.login, .noDatabase, .connections, .rights, .standby].contains(fault) ? fault : .unavailable
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
