import ByteCoding
import Determinism

/// Credentials for measurements: JSON around a portrait that is already compressed, as real ones are.
public enum BenchmarkCredential {
    /// A credential of exactly `count` bytes, at least 400, which gzip shrinks by less than 30 %.
    ///
    /// `seed` decides the portrait.
    public static func make(count: Int, seed: UInt64) -> [UInt8] {
        let head = #"""
            {"@context":["https://www.w3.org/ns/credentials/v2"],"type":["VerifiableCredential","MeasurementCredential"],\#
            "issuer":"did:example:issuer","validFrom":"2026-01-01T00:00:00Z","credentialSubject":\#
            {"id":"did:example:holder","face":"data:image/jpeg;base64,
            """#
        let tail = #""}}"#
        precondition(count >= 400, "a credential has more than its frame")
        var random = SeededRandom(seed: seed)
        let room = count - head.utf8.count - tail.utf8.count
        let portrait = Base64.encode(random.bytes(count: room)).utf8.prefix(room)
        return Array(head.utf8) + portrait + Array(tail.utf8)
    }
}
