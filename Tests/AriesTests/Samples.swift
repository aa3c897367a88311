import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Testing

/// Keys, addresses and texts that the tests of this module share; all made up.
enum Samples {
    static let keyText = "8HH5gYEeNc3z7PYXmd54d4x6qAfCNrqQqEB3nS7Zfu7K"
    static let otherKeyText = "3mo3P6XzDzBvuktCgDQarACzzeV7zxrSExnicpuH7t83"
    static let now = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

    static func key(_ text: String = keyText) throws -> Verkey { try Verkey(parsing: text) }

    static func address(_ endpoint: String = "https://agent.example/in", routing: [Verkey] = []) throws -> AgentAddress
    {
        AgentAddress(key: try key(), routingKeys: routing, endpoint: try ServiceEndpoint(parsing: endpoint))
    }

    /// An out-of-band invitation with members changed; nil removes one.
    static func outOfBand(_ changes: KeyValuePairs<String, JSONValue?> = [:]) -> JSONObject {
        changed(
            [
                "@type": "https://didcomm.org/out-of-band/1.1/invitation", "@id": "inv-1", "label": "Faber",
                "handshake_protocols": ["https://didcomm.org/didexchange/1.1", "https://didcomm.org/connections/1.0"],
                "services": [
                    [
                        "id": "#inline", "type": "did-communication", "recipientKeys": [.string(didKey)],
                        "routingKeys": [], "serviceEndpoint": "https://agent.example/in",
                    ]
                ],
            ], changes)
    }

    /// An invitation of connections 1.0 with members changed; nil removes one.
    static func connections(_ changes: KeyValuePairs<String, JSONValue?> = [:]) -> JSONObject {
        changed(
            [
                "@type": "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/connections/1.0/invitation", "@id": "inv-2",
                "label": "Acme", "recipientKeys": [.string(keyText)], "serviceEndpoint": "https://agent.example/in",
            ], changes)
    }

    static let didKey = "did:key:z6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7th"

    static let request: JSONValue = [
        "@id": "request-0", "mime-type": "application/json",
        "data": ["json": ["@type": "https://didcomm.org/questionanswer/1.0/question", "@id": "q1"]],
    ]

    private static func changed(_ object: JSONObject, _ changes: KeyValuePairs<String, JSONValue?>) -> JSONObject {
        var object = object
        for (name, value) in changes { object[name] = value }
        return object
    }
}
