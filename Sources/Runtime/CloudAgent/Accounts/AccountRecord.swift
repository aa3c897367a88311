import Aries
import DIDComm
import JSON

/// The sealed part of an account's record, as stored.
struct AccountRecord: Sendable {
    static let version = 1

    /// The stage of the connection with the client.
    enum ConnectionState: Sendable {
        /// The client's request was answered.
        case shaking(HandshakeResponder)
        /// The connection with the client is complete.
        case connected(Connection)
    }

    /// The routing key that the account's keys share.
    let routing: Verkey
    /// The name on the operator's list under which the account was opened; nil for none.
    let name: String?
    var state: ConnectionState

    init(routing: Verkey, name: String?, _ state: ConnectionState) {
        self.routing = routing
        self.name = name
        self.state = state
    }

    /// The connection; nil before the response.
    var connection: Connection? {
        switch state {
        case .shaking(let responder): responder.connection
        case .connected(let connection): connection
        }
    }

    func sealed(by secret: MediatorSecret) -> [UInt8] {
        var object: JSONObject = ["version": .int(Self.version), "routing": .string(routing.base58)]
        if let name { object["name"] = .string(name) }
        switch state {
        case .shaking(let responder): object["handshake"] = .object(responder.state)
        case .connected(let connection): object["connection"] = .object(connection.json)
        }
        return secret.seal(object.encoded, as: .account)
    }

    /// Decrypts a stored record.
    ///
    /// - Throws: `cloud.store.damaged`.
    init(_ sealed: [UInt8], by secret: MediatorSecret) throws(CloudAgentError) {
        let bytes = try secret.open(sealed, as: .account)
        do {
            let reader = JSONValueReader(try JSONValue(parsing: bytes))
            guard try reader.int("version") == Self.version else {
                throw CloudAgentError(.schema, "An account in the store is of another version.")
            }
            routing = try Verkey(parsing: reader.string("routing"))
            name = try reader.optionalString("name")
            if let handshake = try reader.optional("handshake") {
                state = .shaking(try HandshakeResponder(stored: handshake))
            } else {
                state = .connected(try Connection(stored: reader.member("connection")))
            }
        } catch let error as CloudAgentError {
            throw error
        } catch {
            throw CloudAgentError(.damaged, "An account in the store cannot be read: \(error)")
        }
    }
}
