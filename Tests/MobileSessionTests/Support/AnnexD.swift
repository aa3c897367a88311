import ByteCoding
import CBOR
import COSE
import CryptoSuite
import JSON
import TestSupport

@testable import MobileSession

/// The published session of ISO/IEC 18013-5, annex D, from the outside vectors.
enum AnnexD {
    static func contents(_ name: String) throws -> [UInt8] {
        try OutsideVectors.contents(of: "mdoc/annex-d/\(name)")
    }

    /// Returns one of the private keys: `ephemeral_reader`, `ephemeral_device` or `static_device`.
    static func key(_ name: String) throws -> ECDSA.PrivateKey {
        let keys = try JSONValue(parsing: contents("keys.json"))
        var scalar = Hex.decode(keys["\(name)_key_d"]?.string ?? "") ?? []
        return try ECDSA.PrivateKey(curve: .p256, scalar: Secret(consuming: &scalar))
    }

    /// Returns the transcript without its tag.
    static func transcript() throws -> SessionTranscript {
        let value = try CBORValue(parsing: contents("session-transcript-bytes.cbor")).embedded()
        return SessionTranscript(encoded: Array(value.encoding))
    }
}
