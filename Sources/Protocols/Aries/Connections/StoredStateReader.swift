package import DIDComm
package import JSON

/// Reads the parts of stored states in this module; every fault has the same error code.
enum StoredStateReader {
    /// The format version of all stored states.
    static let version = 1

    static func reading<Value>(_ read: () throws -> Value) throws(AriesError) -> Value {
        do {
            return try read()
        } catch {
            throw AriesError(.stateMalformed, "A stored state cannot be read: \(error).")
        }
    }

    /// Reads a value of an enumeration by its name.
    static func choice<Value: RawRepresentable<String>>(_ reader: JSONValueReader) throws -> Value {
        guard let value = Value(rawValue: try reader.string()) else {
            throw reader.error(.wrongKind, "another word is")
        }
        return value
    }

    /// Reads a number that is not negative.
    static func count(_ reader: JSONValueReader, _ name: String) throws -> Int {
        let count = try reader.int(name)
        guard count >= 0 else { throw reader.error(.numberOutOfRange, "a negative \(name) is") }
        return count
    }

    /// Checks the version and the kind of a stored state.
    static func check(_ reader: JSONValueReader, kind: String) throws {
        let version = try reader.int("version")
        guard version == Self.version, try reader.string("kind") == kind else {
            throw reader.error(.wrongKind, "a \(kind) of version \(Self.version) is needed, but another state")
        }
    }
}

extension AgentAddress {
    /// The agent's address as JSON for a store.
    var json: JSONObject {
        JSONObject(present: [
            "key": .string(key.base58), "routingKeys": .strings(routingKeys.map(\.base58)),
            "endpoint": .string(endpoint.text),
            "alternatives": alternatives.isEmpty ? nil : .strings(alternatives.map(\.text)),
        ])
    }

    init(stored reader: JSONValueReader) throws {
        self.init(
            key: try Verkey(parsing: reader.string("key")),
            routingKeys: try reader.strings("routingKeys").map { try Verkey(parsing: $0) },
            endpoint: try ServiceEndpoint(parsing: reader.string("endpoint")),
            alternatives: try (reader.optionalStrings("alternatives") ?? []).map { try ServiceEndpoint(parsing: $0) })
    }
}

extension PeerService {
    /// The service as JSON for a store.
    package var stored: JSONObject {
        [
            "id": .string(id), "priority": .int(priority), "recipientKeys": .strings(recipientKeys.map(\.base58)),
            "routingKeys": .strings(routingKeys.map(\.base58)), "endpoint": .string(endpoint.text),
        ]
    }

    /// Reads a stored service that `stored` wrote.
    ///
    /// - Throws: the errors of `JSON` and `DIDComm` for any other value; one without a key among them.
    package init(storedService reader: JSONValueReader) throws {
        let keys = try reader.strings("recipientKeys").map { try Verkey(parsing: $0) }
        guard !keys.isEmpty else { throw reader.error(.missing, "no key is") }
        self.init(
            id: try reader.string("id"), priority: try reader.int("priority"), recipientKeys: keys,
            routingKeys: try reader.strings("routingKeys").map { try Verkey(parsing: $0) },
            endpoint: try ServiceEndpoint(parsing: reader.string("endpoint")))
    }
}

extension AriesError {
    /// The error as JSON for a store.
    var json: JSONObject {
        JSONObject(present: [
            "code": .string(code.rawValue), "reason": .string(reason), "wireCode": wireCode.map { .string($0) },
        ])
    }

    init(stored reader: JSONValueReader) throws {
        self.init(
            try StoredStateReader.choice(reader.member("code")), try reader.string("reason"),
            wireCode: try reader.optionalString("wireCode"))
    }
}
