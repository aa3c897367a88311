import Determinism
import JSON

/// The address and times that a status list of any form states, read without checking its signature.
struct StatusListTimes {
    /// The address that the list states for itself.
    let address: String
    /// The time for which a copy of the list is fresh, in seconds; nil when it states none.
    let lifetime: Double?
    /// The end of the list's validity, in seconds since 1970; nil without one.
    let expiresAt: Double?

    /// Reads a status list token, or a status list credential in JSON or as JWT; nil for anything else.
    init?(of bytes: [UInt8], limits: VerificationLimits) {
        if let token = try? StatusListToken(parsing: bytes, limits: limits) {
            self.init(address: token.subject, lifetime: token.lifetime, expiresAt: token.expiresAt)
            return
        }
        if let object = (try? JSONValue(parsing: bytes, limits: limits.json))?.object {
            self.init(of: object, expiresAt: nil)
            return
        }
        let text = bytes.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed()
        guard let token = try? CompactJWS(parsing: text, limits: limits), let claims = try? token.claims(limits) else {
            return nil
        }
        self.init(of: claims["vc"]?.object ?? claims, expiresAt: claims["exp"]?.number?.double)
    }

    /// Reads a credential whose token ends at a time; nil when it is no status list.
    init?(of object: JSONObject, expiresAt: Double?) {
        let types = object["type"]?.array?.compactMap(\.string) ?? []
        guard types.contains(where: { $0 == "BitstringStatusListCredential" || $0 == "StatusList2021Credential" }),
            let address = object["id"]?.string
        else { return nil }
        let text = object["validUntil"]?.string ?? object["expirationDate"]?.string
        let end = text.flatMap { try? CredentialTime.seconds(dateTime: $0, "The end of the status list") }
        self.init(
            address: address, lifetime: object["credentialSubject"]?["ttl"]?.number?.double.map { $0 / 1000 },
            expiresAt: [expiresAt, end].compactMap(\.self).min())
    }

    private init(address: String, lifetime: Double?, expiresAt: Double?) {
        self.address = address
        self.lifetime = lifetime
        self.expiresAt = expiresAt
    }
}

extension PinnedStatusList {
    /// Returns the end of freshness in seconds since 1970, for a list with a lifetime and an end.
    func freshUntil(lifetime: Double?, expiresAt: Double?) -> Double {
        let fetched = Double(fetchedAt.millisecondsSinceEpoch) / 1000
        return min(expiresAt ?? .infinity, fetched + min(lifetime ?? .infinity, maximumAgeSeconds))
    }
}
