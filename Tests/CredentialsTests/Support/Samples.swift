import CryptoSuite
import JSON
import TestSupport

@testable import Credentials

/// Published credentials and key documents that this repository does not hold.
enum Samples {
    static var arePresent: Bool { OutsideVectors.arePresent }

    static func json(_ name: String) throws -> JSONValue {
        try JSONValue(parsing: try OutsideVectors.contents(of: name))
    }

    /// Makes the pin of a JSON-LD context in a file.
    static func pin(_ address: String, _ name: String, acceptsLabels: Bool = false) throws -> PinnedJSONLDContext {
        let document = try json(name)
        return PinnedJSONLDContext(
            address: address, digest: SHA256.hash(try document.canonical()), document: document,
            acceptsLabels: acceptsLabels)
    }

    /// Makes the pin of a JSON-LD context that documents contain inline.
    static func pin(inline text: String, acceptsLabels: Bool = false) throws -> PinnedJSONLDContext {
        let digest = SHA256.hash(try JSONValue(parsing: text).canonical())
        return PinnedJSONLDContext(address: nil, digest: digest, document: nil, acceptsLabels: acceptsLabels)
    }
}
