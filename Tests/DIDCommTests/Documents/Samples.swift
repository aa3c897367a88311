import CryptoSuite
import Determinism
import JSON
import Testing

@testable import DIDComm

/// Keys and documents that several suites need.
enum Samples {
    static func seed(_ number: UInt8) -> Secret { Secret(copying: [UInt8](repeating: number, count: 32)) }

    static func verkey(_ number: UInt8) throws -> Verkey {
        try #require(Verkey(try Ed25519.publicKey(for: seed(number))))
    }

    static func agreementKey(_ number: UInt8) throws -> Curve25519PublicKey {
        try #require(Curve25519PublicKey(.x25519, try X25519.publicKey(for: seed(number))))
    }

    static func address(_ number: UInt8, routing: [UInt8] = []) throws -> AgentAddress {
        AgentAddress(
            key: try verkey(number), routingKeys: try routing.map(verkey),
            endpoint: try ServiceEndpoint(parsing: "http://example.com:8000"))
    }

    /// A document of today: one key of each kind and the services given.
    static func document(_ id: String = "did:sov:V4SGRU86Z58d6TV7PBUe6f", services: [JSONValue] = []) throws
        -> JSONObject
    {
        [
            "@context": ["https://www.w3.org/ns/did/v1"], "id": .string(id),
            "verificationMethod": [
                [
                    "id": "#key-1", "type": "Ed25519VerificationKey2020", "controller": .string(id),
                    "publicKeyMultibase": .string(try verkey(1).multibase),
                ],
                [
                    "id": .string(id + "#key-2"), "type": "X25519KeyAgreementKey2020", "controller": .string(id),
                    "publicKeyMultibase": .string(try agreementKey(2).multibase),
                ],
            ],
            "authentication": [.string(id + "#key-1")], "keyAgreement": ["#key-2"], "service": .array(services),
        ]
    }

    static func service(_ changes: JSONObject = [:]) -> JSONValue {
        var service: JSONObject = [
            "id": "#s", "type": "did-communication", "recipientKeys": ["#key-1"],
            "serviceEndpoint": "http://example.com",
        ]
        for member in changes { service[member.name] = member.value.isNull ? nil : member.value }
        return .object(service)
    }

    static func read(_ object: JSONObject) throws -> DIDDocument { try DIDDocument(parsing: object.encoded) }

    static func resolve(_ object: JSONObject, with resolver: StaticDIDResolver = StaticDIDResolver()) throws
        -> PeerDocument
    {
        try resolver.resolve(try read(object))
    }
}
