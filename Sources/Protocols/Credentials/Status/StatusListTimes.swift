import Determinism
import JSON

/// The address and times that a status list states, in any form, without a check of its signature.
struct StatusListTimes {
    /// The address that the list gives itself.
    let address: String
    /// The time for which a copy is fresh, in seconds; nil when the list does not say.
    let lifetime: Double?
    /// The end of its validity, in seconds since 1970; nil without one.
    let expiresAt: Double?

    /// Reads a status list token, or a credential of a list in JSON or as JWT; nil for anything else.
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

    /// Reads a credential whose token ends at a time; nil when it is none of a status list.
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
    /// The end of freshness in seconds since 1970, of a list that states a lifetime and an end.
    func freshUntil(lifetime: Double?, expiresAt: Double?) -> Double {
        let fetched = Double(fetchedAt.millisecondsSinceEpoch) / 1000
        return min(expiresAt ?? .infinity, fetched + min(lifetime ?? .infinity, maximumAgeSeconds))
    }
}
