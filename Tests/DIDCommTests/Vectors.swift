import JSON
import TestSupport

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// The known-answer values for keys, DIDs and signatures that others made.
struct AriesVectors: Decodable {
    struct Key: Decodable {
        let seedASCII: String
        let publicKeyHex: String
        let verkey: String
        let indyDID: String
        let didKey: String
        let didPeer0: String
        let x25519Hex: String
        let x25519Multibase: String

        enum CodingKeys: String, CodingKey {
            case seedASCII = "seed_ascii"
            case publicKeyHex = "ed25519_pub_hex"
            case verkey = "verkey_b58"
            case indyDID = "indy_did"
            case didKey = "did_key"
            case didPeer0 = "did_peer_0"
            case x25519Hex = "x25519_pub_hex"
            case x25519Multibase = "x25519_multibase"
        }
    }

    struct NamedKey: Decodable {
        let verkey: String
        let didKey: String

        enum CodingKeys: String, CodingKey {
            case verkey
            case didKey = "did_key"
        }
    }

    struct Peer2: Decodable { let did: String }

    struct Peer3: Decodable {
        let did2: String
        let did3: String
    }

    struct Peer4: Decodable {
        let long: String
        let short: String
        let inputDocument: String?

        enum CodingKeys: String, CodingKey {
            case long
            case short
            case inputDocument = "input_document_json"
        }
    }

    struct Decorator: Decodable {
        struct Fields: Decodable {
            let type: String
            let signature: String
            let data: String
            let signer: String

            enum CodingKeys: String, CodingKey {
                case type = "@type"
                case signature
                case data = "sig_data"
                case signer
            }
        }

        let seedASCII: String
        let timestamp: Int64
        let fields: Fields

        enum CodingKeys: String, CodingKey {
            case seedASCII = "signer_seed_ascii"
            case timestamp
            case fields = "connection~sig"
        }
    }

    let keys: [Key]
    let rfc0360: NamedKey
    let peer2: Peer2
    let peer3: Peer3
    let peer4: Peer4
    let generatedPeer2: Peer2
    let generatedPeer4: Peer4
    let decorator: Decorator

    enum CodingKeys: String, CodingKey {
        case keys
        case rfc0360
        case peer2 = "peer_did_2_spec"
        case peer3 = "peer_did_3"
        case peer4 = "peer_did_4"
        case generatedPeer2 = "generated_peer_did_2"
        case generatedPeer4 = "generated_peer_did_4"
        case decorator = "generated_signature_decorator"
    }

    /// The whole file, for values that are read as messages are.
    static func json() throws -> JSONValue { try JSONValue(parsing: OutsideVectors.contents(of: "aries-vectors.json")) }

    static func read() throws -> AriesVectors {
        try JSONDecoder().decode(AriesVectors.self, from: Data(OutsideVectors.contents(of: "aries-vectors.json")))
    }
}
