public import DIDComm

/// An input of a handshake: a fact, a command of the caller, or the passing of time.
public enum HandshakeInput: Hashable, Sendable {
    /// The handshake begins. The caller gives this input once, when the handshake is new.
    case start
    /// The handshake was read from a store, and messages that may not have been sent are sent again.
    case resume
    /// A message arrived for one of the handshake's keys.
    case received(ReceivedMessage)
    /// The message with this `@id` was delivered to the transport.
    case sent(id: String)
    /// The message with this `@id` could not be delivered, with the reason where it is known.
    case sendFailed(id: String, because: HandshakeDeliveryFailure? = nil)
    /// The user requests another attempt, for example by accepting the same invitation again.
    case again
    /// The DID document that the output `resolve` requested.
    case resolved(DIDDocument, for: DID)
    /// The DID document that the output `resolve` requested was not found.
    case unresolved(DID, DIDCommError)
    /// The time given by `nextDeadline` is reached.
    case timeReached
    /// The user cancels the handshake.
    case cancel
}

/// An output of a handshake: an action or an event.
///
/// The caller handles outputs in their order.
public enum HandshakeOutput: Hashable, Sendable {
    /// Store `state` durably before carrying out the outputs that follow.
    case persist
    /// Send this message; give `sent` or `sendFailed` afterwards.
    case send(OutgoingMessage)
    /// The request cannot be delivered now; there is no retry before `resume` or `again`.
    case undeliverable(HandshakeDeliveryFailure)
    /// Resolve this DID; give `resolved` or `unresolved` afterwards.
    case resolve(DID)
    /// The connection is complete; output once.
    case completed(Connection)
    /// The handshake failed; output once, unless `again` restarts it.
    case abandoned(AriesError)
    /// A message or event was ignored, for this reason.
    case ignored(AriesError)
}

/// The stage of a handshake for display to the user.
public enum HandshakeStage: String, Hashable, Sendable, CaseIterable {
    /// The handshake has sent nothing yet.
    case ready
    /// The request was sent.
    case requested
    /// The response was sent.
    case responded
    /// The document of the other side is being resolved.
    case resolving
    /// The connection is complete.
    case completed
    /// The handshake failed.
    case abandoned
}

/// The reason why a handshake rejects a message.
struct HandshakeRejection: Error {
    let error: AriesError

    /// True when the message is proven to be from the other side.
    ///
    /// Such a message ends the handshake; another one is ignored, so that an attacker cannot end it.
    let isAuthentic: Bool

    static func outsider(_ error: AriesError) -> HandshakeRejection {
        HandshakeRejection(error: error, isAuthentic: false)
    }

    static func authentic(_ error: AriesError) -> HandshakeRejection {
        HandshakeRejection(error: error, isAuthentic: true)
    }

    /// Runs a check; its failure counts as unauthenticated, because an attacker may have written the message.
    static func guarding<Value>(_ check: () throws(AriesError) -> Value) throws(HandshakeRejection) -> Value {
        do throws(AriesError) {
            return try check()
        } catch {
            throw .outsider(error)
        }
    }

    /// Parses a part of a message; a failure is authenticated as a fault of the other side.
    static func reading<Value>(
        _ code: AriesError.Code, _ read: () throws -> Value
    ) throws(HandshakeRejection) -> Value {
        do {
            return try read()
        } catch {
            throw .authentic(AriesError(code, "What the other side sent cannot be used: \(error)."))
        }
    }
}

/// The identity that one side presents in a handshake: its DID, document and label, and the proof for them.
struct HandshakeParty {
    let did: DID
    /// The document attached to the message; nil when the DID must be resolved.
    let document: DIDDocument?
    var label: String?
    /// The keys that signed the attached document; nil when no signature is needed.
    var signers: [Verkey]?
    /// True when the key of the invitation signed this identity, or the invitation itself names the DID.
    var isProven = true

    var resolution: DIDResolution { document.map { DIDResolution($0) } ?? DIDResolution(did) }
}

/// The form in which this agent sends its DID and document to the other side.
public enum DIDForm: String, Hashable, Sendable, CaseIterable {
    /// An unqualified DID with a document as in RFC 0160.
    case legacy
    /// A did:peer:2 of this agent.
    case peer2 = "did:peer:2"
    /// A did:peer:4 of this agent.
    case peer4 = "did:peer:4"

    /// Returns the default form of this agent's DID for a handshake protocol.
    public static func preferred(for handshake: MessageProtocol) -> DIDForm {
        handshake.isCompatible(with: .didExchange11) && handshake.minor > 0 ? .peer4 : .legacy
    }

    /// Returns this agent's DID for an address, in this form.
    ///
    /// Throws `aries.state.malformed` when the address does not fit into a DID.
    func did(of address: AgentAddress) throws(AriesError) -> DID {
        try AriesError.checking(.stateMalformed) { () throws(DIDCommError) in
            switch self {
            case .legacy: address.unqualifiedDID
            case .peer2: try address.peer2()
            case .peer4: try address.peer4()
            }
        }
    }

    /// Returns the form of the other side's DID, which our answer uses too.
    static func mirroring(_ did: DID) -> DIDForm {
        switch did.method {
        case .peer(.parts), .peer(.partsHash): .peer2
        case .peer(.long), .peer(.short): .peer4
        case .key, .peer, .sov, .other: .legacy
        }
    }
}
