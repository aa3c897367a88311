import ByteCoding
import JSON

/// Reads a file with certificates of signers: one in DER, one or several in PEM, or a list in JSON.
package enum SignerFile {
    /// Returns the DER of each certificate in order; empty for a file of another form.
    ///
    /// A list in JSON is an array of texts in base 64, or an object with an array `certificates` whose entries have the
    /// text under `rawData`, as the gateways of health certificates write it.
    package static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        if bytes.first == 0x30 { return [bytes] }
        guard let text = String(validating: bytes, as: UTF8.self) else { return [] }
        if text.holds("-----BEGIN CERTIFICATE-----") { return PEMText.certificates(text) }
        if let value = try? JSONValue(parsing: bytes, limits: VerificationLimits().json) {
            let entries = value.array ?? value["certificates"]?.array ?? []
            return entries.compactMap { ($0.string ?? $0["rawData"]?.string).flatMap { Base64.decode($0) } }
        }
        return Base64.decode(text.filter { !$0.isWhitespace }).map { $0.first == 0x30 ? [$0] : [] } ?? []
    }
}
