public import DIDComm

/// What happens to a handshake.
public enum HandshakeInput: Hashable, Sendable {
    /// It may begin; given once, when it is new.
    case start
    /// It goes on after its state was read from a store: what may not have been sent is sent again.
    case resume
    /// A message came to one of its keys.
    case received(ReceivedMessage)
    /// The message with this `@id` was handed over to the transport.
    case sent(id: String)
    /// The message with this `@id` could not be handed over, and why, where that is known.
    case sendFailed(id: String, because: DeliveryFailure? = nil)
    /// The user wants it once more, such as by accepting the same invitation again.
    case again
    /// The document that was asked for by `resolve`.
    case resolved(DIDDocument, for: DID)
    /// The document that was asked for was not found.
    case unresolved(DID, DIDCommError)
    /// `nextDeadline` has come.
    case timeReached
    /// The user does not want it any more.
    case cancel
}

/// What a handshake wants done, in this order.
public enum HandshakeOutput: Hashable, Sendable {
    /// Store `state` durably before anything that follows.
    case persist
    /// Send this; say `sent` or `sendFailed` afterwards.
    case send(OutgoingMessage)
    /// The request cannot be handed over now; nothing more is tried before `resume` or `again`.
    case undeliverable(DeliveryFailure)
    /// Find the document of this DID; say `resolved` or `unresolved` afterwards.
    case resolve(DID)
    /// It is done; said once.
    case completed(Connection)
    /// It will not be done; said once, unless `again` revives it.
    case abandoned(AriesError)
    /// A message or event was passed over, and why.
    case ignored(AriesError)
}

/// Where a handshake is, as it is shown.
public enum HandshakeStage: String, Hashable, Sendable, CaseIterable {
    /// Nothing was sent yet.
    case ready
    /// A request was sent.
    case requested
    /// A response was sent.
    case responded
    /// The document of the other side is looked for.
    case resolving
    /// Done.
    case completed
    /// Given up.
    case abandoned
}

/// Why a message of a handshake was not followed.
struct HandshakeFault: Error {
    let error: AriesError

    /// Whether the right sender proved to have sent it: then it ends the handshake, and otherwise it is passed over, so
    /// that an outsider cannot end it.
    let isAuthentic: Bool

    static func outsider(_ error: AriesError) -> HandshakeFault { HandshakeFault(error: error, isAuthentic: false) }

    static func authentic(_ error: AriesError) -> HandshakeFault { HandshakeFault(error: error, isAuthentic: true) }

    /// Runs a check whose failure shows an outsider at work.
    static func guarding<Value>(_ check: () throws(AriesError) -> Value) throws(HandshakeFault) -> Value {
        do throws(AriesError) {
            return try check()
        } catch {
            throw .outsider(error)
        }
    }

    /// Runs a reading of what the right sender wrote.
    static func reading<Value>(
        _ code: AriesError.Code, _ read: () throws -> Value
    ) throws(HandshakeFault) -> Value {
        do {
            return try read()
        } catch {
            throw .authentic(AriesError(code, "What the other side sent cannot be used: \(error)."))
        }
    }
}

/// What one side tells the other about itself.
struct HandshakeParty {
    let did: DID
    /// The document when it was handed over, and otherwise nil: the DID has to be resolved.
    let document: DIDDocument?
    var label: String?
    /// The keys that signed the document; nil when no signature is needed.
    var signers: [Verkey]?
    /// Whether the key of the invitation signed this, or the invitation itself names the DID.
    var isProven = true

    var resolution: DIDResolution { document.map { DIDResolution($0) } ?? DIDResolution(did) }
}

/// In which form we tell the other side who we are.
public enum DIDForm: String, Hashable, Sendable, CaseIterable {
    /// An unqualified DID with a document of RFC 0160.
    case legacy
    /// A did:peer:2.
    case peer2 = "did:peer:2"
    /// A did:peer:4.
    case peer4 = "did:peer:4"

    /// The form that fits a protocol best.
    public static func preferred(for handshake: MessageProtocol) -> DIDForm {
        handshake.isCompatible(with: .didExchange11) && handshake.minor > 0 ? .peer4 : .legacy
    }

    /// Our DID of an address.
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

    /// The form of a DID of the other side, which an answer mirrors.
    static func mirroring(_ did: DID) -> DIDForm {
        switch did.method {
        case .peer(.parts), .peer(.partsHash): .peer2
        case .peer(.long), .peer(.short): .peer4
        case .key, .peer, .sov, .other: .legacy
        }
    }
}
