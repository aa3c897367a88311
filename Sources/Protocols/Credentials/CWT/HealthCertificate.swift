import CBOR
import CryptoSuite
import Determinism
import JSON

/// The health certificate in the claim -260 of a CBOR Web Token, with its signer.
///
/// Source: eHealth Network, "Electronic Health Certificate Specification" (hcert-spec 1.0.8); WHO, Global Digital
/// Health Certification Network.
package struct HealthCertificate {
    /// The label of the claim that holds the certificate under 1.
    static let label = -260

    /// The type that reports give every health certificate.
    package static let type = "HealthCertificate"

    /// The kinds of certificates, by their member.
    enum Kind: String, CaseIterable {
        case test = "t"
        case vaccination = "v"
        case recovery = "r"

        /// The name of the certificate's kind.
        var name: String { "\(self)" }

        /// The last number of the kind's extended key usage.
        var usage: Int {
            switch self {
            case .test: 1
            case .vaccination: 2
            case .recovery: 3
            }
        }
    }

    private static let entryNames: [String: String] = [
        "tg": "disease", "vp": "vaccine", "mp": "product", "ma": "manufacturer", "dn": "dose", "sd": "doses",
        "dt": "date", "co": "country", "is": "issuedBy", "ci": "certificateIdentifier", "tt": "testType",
        "nm": "testName", "sc": "sampleTime", "tr": "result", "tc": "testCentre", "fr": "firstPositive",
        "df": "validFrom", "du": "validUntil",
    ]
    /// The members of a name in the order in which they are shown.
    private static let nameNames: KeyValuePairs<String, String> = [
        "gn": "givenName", "fn": "familyName", "gnt": "givenNameInLatin", "fnt": "familyNameInLatin",
    ]

    /// The kind of the certificate; nil for one of another kind.
    let kind: Kind?
    /// The person and the entry, by readable names.
    let claims: JSONObject

    /// Reads the claim; nil for one without a certificate under 1.
    init?(_ value: CBORValue) {
        guard let content = value[1], let entries = content.map else { return nil }
        kind = Kind.allCases.first { content[$0.rawValue] != nil }
        var claims = JSONObject()
        for (name, readable) in Self.nameNames {
            if let text = content["nam"]?[name]?.text { claims[readable] = .string(text) }
        }
        if let date = content["dob"]?.text { claims["dateOfBirth"] = .string(date) }
        for entry in entries {
            guard let name = entry.key.text, !["nam", "dob"].contains(name) else { continue }
            guard let kind = Kind(rawValue: name) else {
                claims[name == "ver" ? "version" : name] = ElementDisplayJSON.json(of: entry.value)
                continue
            }
            let rows = (entry.value.array ?? [entry.value]).map { row -> JSONValue in
                var object = JSONObject()
                for member in row.map ?? [] {
                    let name = member.key.text ?? "\(member.key.int ?? 0)"
                    object[Self.entryNames[name] ?? name] = ElementDisplayJSON.json(of: member.value)
                }
                return .object(object)
            }
            claims[kind.name] = rows.count == 1 ? rows[0] : .array(rows)
        }
        self.claims = claims
    }

    /// Records `credential.key-purpose` when the signer's certificate is for other kinds alone.
    func checkUsage(of signer: Certificate, into list: inout CredentialCheckList) {
        let allowed = (signer.extensions.extendedKeyUsage ?? []).compactMap { Self.usage(of: "\($0)") }
        guard allowed.isEmpty || kind.map({ allowed.contains($0.usage) }) == true else {
            return list.fail(
                .keyPurpose, "The signer's certificate is for other kinds than \(kind?.name ?? "this one").")
        }
        list.pass(.keyPurpose, "The signer's certificate may sign this kind.")
    }

    private static func usage(of identifier: String) -> Int? {
        for root in ["1.3.6.1.4.1.1847.2021.1.", "1.3.6.1.4.1.0.1847.2021.1."] where identifier.hasPrefix(root) {
            return Int(identifier.dropFirst(root.count)).flatMap { (1...3).contains($0) ? $0 : nil }
        }
        return nil
    }
}
