import Credentials
import JSON

/// Verifies a SMART Health Card by the key set that the trust store has for its issuer.
///
/// Source: SMART Health Cards Framework 1.4, sections "Health Cards are signed" and "Health Cards are small".
struct HealthCardVerifier {
    private let request: VerificationRequest

    init(_ request: VerificationRequest) { self.request = request }

    /// Verifies a card; errors are in the report, never thrown.
    func verify(_ card: SmartHealthCard) -> CredentialReport {
        var (list, content) = (CredentialCheckList(), CredentialContent())
        let parsed = list.attempt { () throws(CredentialError) -> JSONObject in
            guard let object = (try? JSONValue(parsing: card.payload, limits: request.policy.limits.json))?.object
            else { throw CredentialError(.parseJSON, "The payload of the card is no JSON object.") }
            return object
        }
        guard let claims = parsed else { return report(list, content) }
        list.pass(.parse, "The card is well formed.")
        let issuer = claims["iss"]?.string
        let credential = claims["vc"]
        let types = (credential?["type"]?.array ?? []).prefix(16).compactMap(\.string)
        if issuer == nil || credential?["credentialSubject"]?.object == nil {
            list.fail(.vcMissingMember, "The card names no issuer, or has no subject.")
        } else {
            list.pass(.form, "The card has the members that it must have.")
        }
        content.issuer = issuer
        content.types = types
        content.claims = .object(Self.person(credential))
        content.validity = TokenTimeChecks.validity(claims)
        checkType(types, into: &list)
        TokenSignatureCheck(
            card.token, claim: .init(issuer: issuer, types: types, signedAt: claims["nbf"]?.number?.double),
            request: request
        ).check(into: &list, &content)
        TokenTimeChecks.check(claims, request, into: &list)
        list.leave(.status, "The card names no status list.")
        list.recordNoHolder(isBound: false, isInner: false, request.policy)
        return report(list, content)
    }

    private func report(_ list: CredentialCheckList, _ content: CredentialContent) -> CredentialReport {
        CredentialReport(.healthCard, list, policy: request.policy, content: content)
    }

    private func checkType(_ types: [String], into list: inout CredentialCheckList) {
        guard request.policy.types.isEmpty || request.policy.types.contains(where: types.contains) else {
            return list.fail(.vcType, "The card has none of the types that are asked for.", in: .type)
        }
        list.pass(.type, "The card has a type that may be shown.")
    }

    /// The name and birth date of the patient in the card's bundle, and the kinds of its other entries.
    private static func person(_ credential: JSONValue?) -> JSONObject {
        var claims = JSONObject()
        let entries = credential?["credentialSubject"]?["fhirBundle"]?["entry"]?.array ?? []
        var kinds: [String] = []
        for entry in entries.prefix(64) {
            guard let resource = entry["resource"], let kind = resource["resourceType"]?.string else { continue }
            guard kind == "Patient", claims.isEmpty else {
                kinds.append(kind)
                continue
            }
            let name = resource["name"]?.array?.first
            if let family = name?["family"]?.string { claims["familyName"] = .string(family) }
            let given = (name?["given"]?.array ?? []).prefix(8).compactMap(\.string)
            if !given.isEmpty { claims["givenName"] = .string(given.joined(separator: " ")) }
            if let text = name?["text"]?.string, claims.isEmpty { claims["name"] = .string(text) }
            if let date = resource["birthDate"]?.string { claims["dateOfBirth"] = .string(date) }
        }
        if !kinds.isEmpty { claims["entries"] = .string(kinds.joined(separator: ", ")) }
        return claims
    }
}
