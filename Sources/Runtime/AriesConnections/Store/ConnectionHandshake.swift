package import Aries
import DIDComm
package import Determinism
import JSON

/// A handshake of either side, for its driver.
package enum ConnectionHandshake: StateMachine, Sendable {
    case requester(HandshakeRequester)
    case responder(HandshakeResponder)

    init(
        stored reader: JSONValueReader, role: Connection.Role, policy: HandshakePolicy,
        key: (Verkey) throws -> AgentKey?
    ) throws {
        switch role {
        case .inviter: self = .responder(try HandshakeResponder(stored: reader, policy: policy))
        case .invitee:
            let verkey = try Verkey(parsing: reader.member("address").string("key"))
            guard let key = try key(verkey) else {
                throw AgentError(.keyMissing, "The key of a connection is not in the store.")
            }
            self = .requester(try HandshakeRequester(stored: reader, key: key, policy: policy))
        }
    }

    var stage: HandshakeStage {
        switch self {
        case .requester(let core): core.stage
        case .responder(let core): core.stage
        }
    }

    /// The connection as the handshake made it; nil before that.
    var connection: Connection? {
        switch self {
        case .requester(let core): core.connection
        case .responder(let core): core.connection
        }
    }

    var threadID: String {
        switch self {
        case .requester(let core): core.threadID
        case .responder(let core): core.threadID
        }
    }

    var state: JSONObject {
        switch self {
        case .requester(let core): core.state
        case .responder(let core): core.state
        }
    }

    var nextDeadline: MonotonicInstant? {
        switch self {
        case .requester(let core): core.nextDeadline
        case .responder(let core): core.nextDeadline
        }
    }

    /// True when the request cannot be handed over now, and there is no retry before the next start.
    var isUndeliverable: Bool {
        if case .requester(let core) = self { core.isUndeliverable } else { false }
    }

    /// True when there is nothing to do unless the other side writes again.
    var isSettled: Bool {
        switch stage {
        case .abandoned: true
        case .completed:
            // The invitee's confirmation is unfinished until it was handed over.
            state["phase"]?["isConfirmed"]?.bool ?? true
        case .ready, .requested, .responded, .resolving: false
        }
    }

    /// The key that only this connection uses.
    var ownKey: Verkey {
        switch self {
        case .requester(let core): core.configuration.address.key
        case .responder(let core): core.configuration.address.key
        }
    }

    package mutating func handle(
        _ input: HandshakeInput, at now: MonotonicInstant, into outputs: inout [HandshakeOutput]
    ) {
        switch self {
        case .requester(var core):
            core.handle(input, at: now, into: &outputs)
            self = .requester(core)
        case .responder(var core):
            core.handle(input, at: now, into: &outputs)
            self = .responder(core)
        }
    }
}
