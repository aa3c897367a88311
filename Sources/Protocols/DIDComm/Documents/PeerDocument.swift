public import JSON

/// The peer of a connection: its DID, its keys and its services, with every reference resolved.
///
/// All keys have been checked to be safe. `json` writes it for a store and `init(stored:)` reads that again.
public struct PeerDocument: Hashable, Sendable {
    /// The DID that the document describes.
    public let did: DID

    /// The keys by which the subject authenticates, in the order of the document.
    public let authenticationKeys: [Verkey]

    /// The X25519 keys for key agreement, in the order of the document.
    public let agreementKeys: [Curve25519PublicKey]

    /// The services of the subject, lowest priority number first, then in the order of the document.
    public let services: [PeerService]

    /// The errors of the services that are not usable and therefore not in `services`; not stored.
    public let refusals: [DIDCommError]

    /// All keys that the peer may send a message with: its authentication and recipient keys, each once.
    public var verkeys: [Verkey] {
        var keys: [Verkey] = []
        for key in authenticationKeys + services.flatMap(\.recipientKeys) where !keys.contains(key) { keys.append(key) }
        return keys
    }

    init(
        did: DID, authenticationKeys: [Verkey], agreementKeys: [Curve25519PublicKey], services: [PeerService],
        refusals: [DIDCommError]
    ) {
        self.did = did
        self.authenticationKeys = authenticationKeys
        self.agreementKeys = agreementKeys
        self.services = services
        self.refusals = refusals
    }

    /// Returns true when `key` is a key that the document's subject may send with.
    public func owns(_ key: Verkey) -> Bool {
        authenticationKeys.contains(key) || services.contains { $0.recipientKeys.contains(key) }
    }

    /// Returns the first service that one of `transports` reaches; one of transport `queue` comes last.
    ///
    /// When none is left, throws the error of the first refused service, or `didcomm.service.none`.
    public func service(
        reachedBy transports: Set<ServiceEndpoint.Transport> = Set(ServiceEndpoint.Transport.allCases)
    ) throws(DIDCommError) -> PeerService {
        let found = services.filter { transports.contains($0.endpoint.transport) }
        if let service = found.first(where: { $0.endpoint.transport != .queue }) ?? found.first { return service }
        if services.isEmpty, let refusal = refusals.first { throw refusal }
        throw DIDCommError(.serviceNone, "the other side names no address that messages can be sent to")
    }

    /// The document as JSON for a store.
    public var json: JSONObject {
        JSONObject(present: [
            "did": .string(did.text), "authentication": .strings(authenticationKeys.map(\.base58)),
            "agreement": agreementKeys.isEmpty ? nil : .strings(agreementKeys.map(\.multibase)),
            "services": .array(services.map { .object($0.json) }),
        ])
    }

    /// Reads a stored document that `json` wrote.
    ///
    /// Throws `didcomm.document.malformed`, and the codes of DIDs, keys and endpoints.
    public init(stored reader: JSONValueReader) throws(DIDCommError) {
        let (did, signing, agreement, services) = try DIDCommError.reading { () throws(JSONError) in
            (
                try reader.string("did"), try reader.strings("authentication"),
                try reader.optionalStrings("agreement") ?? [], try reader.elements("services")
            )
        }
        self.did = try DID(parsing: did)
        authenticationKeys = try Verkey.list(signing)
        var keys: [Curve25519PublicKey] = []
        for text in agreement { keys.append(try Curve25519PublicKey(multibase: text)) }
        agreementKeys = keys
        var list: [PeerService] = []
        for service in services { list.append(try PeerService(stored: service)) }
        self.services = list
        refusals = []
    }
}

/// A service of a peer with its keys and endpoint: one way to send it messages.
public struct PeerService: Hashable, Sendable {
    /// The name of the service in its document; may be empty.
    public let id: String

    /// The priority of the service; senders prefer the lowest.
    public let priority: Int

    /// The keys that a message is encrypted to; never empty.
    public let recipientKeys: [Verkey]

    /// The routing keys of the mediators, nearest to the recipient first; the last one gets the outermost layer.
    public let routingKeys: [Verkey]

    /// The accepted envelope profiles, most preferred first; empty when the document names none.
    public let accept: [String]

    /// The endpoint to which the outermost layer is sent.
    public let endpoint: ServiceEndpoint

    /// Makes a peer service from its parts.
    public init(
        id: String = "", priority: Int = 0, recipientKeys: [Verkey], routingKeys: [Verkey] = [], accept: [String] = [],
        endpoint: ServiceEndpoint
    ) {
        self.id = id
        self.priority = priority
        self.recipientKeys = recipientKeys
        self.routingKeys = routingKeys
        self.accept = accept
        self.endpoint = endpoint
    }

    var json: JSONObject {
        JSONObject(present: [
            "id": .string(id), "priority": .int(priority), "recipientKeys": .strings(recipientKeys.map(\.base58)),
            "routingKeys": .strings(routingKeys.map(\.base58)), "accept": .strings(accept),
            "serviceEndpoint": .string(endpoint.text),
        ])
    }

    init(stored reader: JSONValueReader) throws(DIDCommError) {
        let (recipients, routing, address) = try DIDCommError.reading { () throws(JSONError) in
            (
                try reader.strings("recipientKeys"), try reader.strings("routingKeys"),
                try reader.string("serviceEndpoint")
            )
        }
        let (id, priority, accept) = try DIDCommError.reading { () throws(JSONError) in
            (try reader.string("id"), try reader.int("priority"), try reader.strings("accept"))
        }
        self.init(
            id: id, priority: priority, recipientKeys: try Verkey.list(recipients),
            routingKeys: try Verkey.list(routing), accept: accept, endpoint: try ServiceEndpoint(parsing: address))
    }
}

extension Verkey {
    static func list(_ texts: [String]) throws(DIDCommError) -> [Verkey] {
        var keys: [Verkey] = []
        for text in texts { keys.append(try Verkey(parsing: text)) }
        return keys
    }
}
