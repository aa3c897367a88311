import ByteCoding
import Determinism

/// A generated credential, for a demonstration without files.
///
/// A JSON object of about 60 kB; most of it is noise instead of a portrait, which compresses as badly as a real one.
enum SampleCredential {
    /// The bytes of the sample credential; the same each time.
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
