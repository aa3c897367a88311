import ByteCoding
import CryptoSuite
public import JSON

/// The agent's key, routing keys and endpoints on one connection; DID documents and invitations contain them.
public struct AgentAddress: Hashable, Sendable {
    /// The agent's own key on this connection.
    public let key: Verkey

    /// The keys of the agent's mediators, nearest to the agent first.
    public let routingKeys: [Verkey]

    /// The endpoint to which peers send messages.
    public let endpoint: ServiceEndpoint

    /// Further endpoints, such as of another transport; DID documents contain them, invitations do not.
    public let alternatives: [ServiceEndpoint]

    /// Makes an agent's address from its parts.
    public init(
        key: Verkey, routingKeys: [Verkey] = [], endpoint: ServiceEndpoint, alternatives: [ServiceEndpoint] = []
    ) {
        self.key = key
        self.routingKeys = routingKeys
        self.endpoint = endpoint
        self.alternatives = alternatives
    }

    /// All endpoints of the agent with their numbers, the preferred one first.
    private var endpoints: [(offset: Int, element: ServiceEndpoint)] { Array(([endpoint] + alternatives).enumerated()) }

    /// The unqualified DID of the agent's key.
    public var unqualifiedDID: DID { .unqualified(of: key) }

    /// The DID document for `unqualifiedDID` that every agent of RFC 0160 understands.
    public var legacyDocument: JSONObject { legacyDocument(of: unqualifiedDID.text) }

    /// The legacy document with `did:sov:` before the DID everywhere, as readers of DID exchange compare it.
    public var qualifiedLegacyDocument: JSONObject { legacyDocument(of: "did:sov:" + unqualifiedDID.text) }

    private func legacyDocument(of did: String) -> JSONObject {
        let keyID = JSONValue.string(did + "#1")
        return [
            "@context": "https://w3id.org/did/v1", "id": .string(did),
            "publicKey": [
                [
                    "id": keyID, "type": "Ed25519VerificationKey2018", "controller": .string(did),
                    "publicKeyBase58": .string(key.base58),
                ]
            ],
            "authentication": [["type": "Ed25519SignatureAuthentication2018", "publicKey": keyID]],
            "service": .array(
                endpoints.map { number, endpoint -> JSONValue in
                    [
                        "id": .string(did + ";indy" + (number == 0 ? "" : "-\(number)")), "type": "IndyAgent",
                        "priority": .int(number), "recipientKeys": [.string(key.base58)],
                        "routingKeys": .strings(routingKeys.map(\.base58)), "serviceEndpoint": .string(endpoint.text),
                    ]
                }),
        ]
    }

    /// Makes the did:peer:2 with the key, the same key for agreement, and the service.
    ///
    /// Throws `didcomm.key.unsafe` when the key cannot be converted.
    public func peer2() throws(DIDCommError) -> DID {
        guard
            let agreement = (try? Ed25519.x25519PublicKey(for: key.bytes)).flatMap({ Curve25519PublicKey(.x25519, $0) })
        else {
            throw DIDCommError(.keyUnsafe, "the key cannot be converted for key agreement")
        }
        let services = endpoints.map { number, endpoint in
            let service: JSONObject = [
                "id": .string("#didcomm-\(number)"), "t": "did-communication", "priority": .int(number),
                "recipientKeys": ["#key-1"], "r": .strings(routingKeys.map(\.didKeyReference)),
                "s": .string(endpoint.text),
            ]
            return service.encoded
        }
        return try .peer2(keys: [(.authentication, key.publicKey), (.agreement, agreement)], services: services)
    }

    /// Makes the long did:peer:4 with the key and the service.
    ///
    /// Throws `didcomm.did.too-long` when there are too many routing keys.
    public func peer4() throws(DIDCommError) -> DID {
        let document: JSONObject = [
            "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1"],
            "verificationMethod": [
                ["id": "#key-0", "type": "Multikey", "publicKeyMultibase": .string(key.multibase)]
            ],
            "authentication": ["#key-0"],
            "service": .array(
                endpoints.map { number, endpoint -> JSONValue in
                    [
                        "id": .string("#didcomm-\(number)"), "type": "did-communication", "priority": .int(number),
                        "recipientKeys": ["#key-0"], "routingKeys": .strings(routingKeys.map(\.didKeyReference)),
                        "serviceEndpoint": .string(endpoint.text),
                    ]
                }),
        ]
        return try .peer4(document: document.encoded)
    }

    /// Returns the DID Core document of a public DID of the agent, such as a did:web: one key and the service.
    public func document(of did: DID) -> JSONObject {
        let (id, keyID) = (did.text, JSONValue.string(did.text + "#key-1"))
        return [
            "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/ed25519-2018/v1"],
            "id": .string(id),
            "verificationMethod": [
                [
                    "id": keyID, "type": "Ed25519VerificationKey2018", "controller": .string(id),
                    "publicKeyBase58": .string(key.base58),
                ]
            ],
            "authentication": [keyID], "assertionMethod": [keyID],
            "service": .array(
                endpoints.map { number, endpoint -> JSONValue in
                    [
                        "id": .string(id + "#didcomm-\(number)"), "type": "did-communication",
                        "priority": .int(number), "recipientKeys": [keyID],
                        "routingKeys": .strings(routingKeys.map(\.didKeyReference)),
                        "serviceEndpoint": .string(endpoint.text),
                    ]
                }),
        ]
    }

    /// The agent's service as an invitation contains it inline, with keys as did:key.
    public var inlineService: JSONObject {
        [
            "id": "#inline", "type": "did-communication", "recipientKeys": [.string(key.didKey)],
            "routingKeys": .strings(routingKeys.map(\.didKey)), "serviceEndpoint": .string(endpoint.text),
        ]
    }
}
