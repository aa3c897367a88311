import ByteCoding
import Determinism

/// A credential made up on the spot, for a demonstration without files.
///
/// A JSON object of about 60 kB; most of it is noise in the place of a portrait, which zips as badly as a real one.
enum SampleCredential {
    /// The credential; the same each time.
    static var bytes: [UInt8] {
        var random = SeededRandom(seed: 2026)
        let portrait = Base64.encode(random.bytes(count: 44_000))
        return Array(
            """
            {
              "@context": ["https://www.w3.org/ns/credentials/v2"],
              "type": ["VerifiableCredential", "SampleIdentityCredential"],
              "issuer": "did:example:sample-issuer",
              "validFrom": "2026-01-01T00:00:00Z",
              "credentialSubject": {
                "fullName": "Sample Holder",
                "documentNumber": "SAMPLE-0001",
                "face": "data:application/octet-stream;base64,\(portrait)"
              }
            }

            """.utf8)
    }
}
