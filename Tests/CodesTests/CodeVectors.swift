import ByteCoding
import CBOR
import Codes
import Compression
import Credentials
import Determinism
import Foundation
import JSON
import TestSupport

/// A printed code of the outside vectors, with the clock and the trust under which it is judged.
struct CodeVector {
    let name: String
    let text: String
    let request: VerificationRequest

    /// The health certificates of 16 countries, each under its signer's certificate.
    static func healthCertificates() throws -> [(vector: CodeVector, certificate: Certificate)] {
        let file = try OutsideVectors.contents(of: "codes/hcert.jsonl")
        return try file.split(separator: 0x0A).map { line in
            let row = try JSONValue(parsing: Array(line), limits: VerificationLimits().json)
            let certificate = try Certificate(der: Base64.decode(row["certificate"]?.string ?? "") ?? [])
            var trust = TrustStore()
            trust.signerLists = [
                PinnedSigners(path: "signers", purposes: [.healthCertificates], certificates: [certificate])
            ]
            let seconds = try CredentialTime.seconds(dateTime: clock(row["clock"]?.string ?? ""), "The clock")
            let request = VerificationRequest(
                trust: trust, at: WallTime(millisecondsSinceEpoch: Int64(seconds * 1000)))
            let vector = CodeVector(
                name: row["file"]?.string ?? "", text: row["text"]?.string ?? "", request: request)
            return (vector, certificate)
        }
    }

    /// Returns a clock with a zone as RFC 3339 writes it; some countries leave out the zone or its colon.
    private static func clock(_ text: String) -> String {
        if text.hasSuffix("+0000") { return text.dropLast(2) + ":00" }
        let hasZone = text.hasSuffix("Z") || text.dropFirst(11).contains { "+-".contains($0) }
        return hasZone ? text : text + "Z"
    }

    /// Returns the text of base 45 that packs other bytes, with the prefix of health certificates.
    static func packed(_ bytes: [UInt8], prefix: String = "HC1:") throws -> [UInt8] {
        Array((prefix + Base45.encode(try Zlib.compress(bytes, level: 9))).utf8)
    }

    /// Returns the CBOR in a text of base 45 behind a prefix.
    static func unpacked(_ text: String, prefix: String = "HC1:") throws -> [UInt8] {
        let packed = Base45.decode(Array(text.utf8.dropFirst(prefix.utf8.count))) ?? []
        return try Zlib.decompress(packed, limits: .init(maximumBytes: 1 << 20, maximumRatio: 1000))
    }
}
