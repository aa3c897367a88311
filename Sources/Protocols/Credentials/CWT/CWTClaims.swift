import CBOR
import JSON

/// The claims of a CBOR Web Token (RFC 8392, section 3).
struct CWTClaims {
    /// The labels of the registered CWT claims.
    enum Label {
        static let issuer = 1
        static let subject = 2
        static let audience = 3
        static let expiration = 4
        static let notBefore = 5
        static let issuedAt = 6
        static let confirmation = 8
        static let identifierList = 65530
        static let statusList = 65533
        static let lifetime = 65534
        static let status = 65535
    }

    /// The names of the labels in reports; a token must not use such a name in place of its label.
    private static let names = [
        1: "iss", 2: "sub", 3: "aud", 4: "exp", 5: "nbf", 6: "iat", 7: "cti", 8: "cnf", 65533: "status_list",
        65534: "ttl", 65535: "status",
    ]

    /// The issuer that the token names; nil without one.
    let issuer: String?
    /// The subject that the token names; nil without one.
    let subject: String?
    /// The audience of the token: the verifiers that it is for; nil without one.
    var audience: CBORValue? { value[Label.audience] }
    /// The holder's key (claim `cnf`); nil without one.
    var confirmation: CBORValue? { value[Label.confirmation] }
    /// The reference to a status list; nil without one.
    var status: CBORValue? { value[Label.status] }

    /// The list of a status list token; nil without one.
    var statusList: CBORValue? { value[Label.statusList] }

    /// The list of an identifier list token; nil without one.
    var identifierList: CBORValue? { value[Label.identifierList] }

    private let value: CBORValue

    /// Reads the claims of a token.
    ///
    /// Throws `credential.parse-cbor` for no map, for keys that are neither integer nor text, and for a registered
    /// claim by its name; `credential.vc-type` for an issuer or subject that is no text.
    init(_ value: CBORValue) throws(CredentialError) {
        guard let entries = value.map else {
            throw CredentialError(.parseCBOR, "The claims are not a map.", at: value.place)
        }
        for entry in entries {
            if let name = entry.key.text, Self.names.values.contains(name) {
                throw CredentialError(.parseCBOR, "A claim stands under its name.", at: entry.key.place)
            }
            switch entry.key.content {
            case .unsigned, .negative, .text: break
            default: throw CredentialError(.parseCBOR, "A claim has no name.", at: entry.key.place)
            }
        }
        self.value = value
        issuer = try Self.text(value[Label.issuer])
        subject = try Self.text(value[Label.subject])
    }

    private static func text(_ value: CBORValue?) throws(CredentialError) -> String? {
        guard let value else { return nil }
        guard let text = value.text else {
            throw CredentialError(.vcType, "An issuer or subject is not text.", at: value.place)
        }
        return text
    }

    /// Returns a NumericDate claim in seconds since 1970; nil when it is absent.
    ///
    /// Throws `credential.time-format` for all but finite numbers without a tag.
    func time(_ label: Int) throws(CredentialError) -> Double? {
        guard let value = value[label] else { return nil }
        switch value.content {
        case .unsigned(let number): return Double(number)
        case .negative(let number): return -1 - Double(number)
        case .float(let number) where number.isFinite: return number
        default: throw CredentialError(.timeFormat, "A time is not a finite number.", at: value.place)
        }
    }

    /// The most claims of a token, with the attributes of claim 169: 256; `code.limit-claims`.
    static let maximumCount = 256

    /// The number of claims, with the attributes of claim 169.
    var count: Int { (value.map?.count ?? 0) + (value[Claim169.label]?.map?.count ?? 0) }

    /// Returns a claim by its label; nil when it is absent.
    func value(_ label: Int) -> CBORValue? { value[label] }

    /// Returns the claims as JSON with their usual names, for the report.
    ///
    /// The attributes of a person and a health certificate stand beside the other claims, as people look for them.
    func json(_ person: Claim169?, _ health: HealthCertificate?) -> JSONObject {
        var object = JSONObject()
        for entry in (value.map ?? []).prefix(ElementDisplayJSON.maximumParts) {
            let label = entry.key.int
            let inner = label == Claim169.label ? person?.attributes : nil
            if let inner = inner ?? (label == HealthCertificate.label ? health?.claims : nil) {
                for member in inner where object[member.name] == nil { object[member.name] = member.value }
                continue
            }
            let name = label.map { Self.names[$0] ?? "\($0)" } ?? entry.key.text ?? "a large number"
            object[name] = ElementDisplayJSON.json(of: entry.value)
        }
        return object
    }
}
