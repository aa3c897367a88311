import JSON

/// Compares the claims of a token with the members of the credential in it that mean the same.
///
/// Source: W3C VCDM 1.1, section 6.3.1; Securing Verifiable Credentials using JOSE and COSE, section 3.1.3 for `iss`.
enum TokenClaimComparison {
    /// Throws `credential.jwt-mapping` when a claim and its member both exist and differ.
    static func check(_ claims: JSONObject, against shape: JWTVerifier.TokenShape) throws(CredentialError) {
        let members = W3CMemberChecks(object: shape.object)
        let owner = shape.isPresentation ? members.holder : members.issuer
        try same("iss", claims["iss"], owner)
        try same("jti", claims["jti"], shape.object["id"]?.string)
        if let inner = shape.object["cnf"], let outer = claims["cnf"], inner != outer {
            throw CredentialError(.jwtMapping, "The token and the credential name two keys of the holder.")
        }
        if claims["sub"] != nil {
            guard members.subjects.count <= 1 else {
                throw CredentialError(.jwtMapping, "The token names one subject, and the credential has several.")
            }
            try same("sub", claims["sub"], members.subjects.first)
        }
        guard shape.version == .one else { return }
        try same("nbf", try TokenTimeChecks.seconds("nbf", of: claims), try members.seconds("issuanceDate"))
        try same("exp", try TokenTimeChecks.seconds("exp", of: claims), try members.seconds("expirationDate"))
    }

    /// Returns the credential with the members that the token has only as claims.
    static func rebuilt(_ claims: JSONObject, _ shape: JWTVerifier.TokenShape) -> JSONObject {
        var object = shape.object
        guard shape.version == .one else { return object }
        let owner = shape.isPresentation ? "holder" : "issuer"
        if object[owner] == nil { object[owner] = claims["iss"] }
        if object["id"] == nil { object["id"] = claims["jti"] }
        if let subject = claims["sub"], var single = object["credentialSubject"]?.object, single["id"] == nil {
            single["id"] = subject
            object["credentialSubject"] = .object(single)
        }
        return object
    }

    private static func same(_ name: String, _ claim: JSONValue?, _ member: String?) throws(CredentialError) {
        guard let claim else { return }
        guard let text = claim.string, member.map(text.isExactly) ?? true else {
            throw CredentialError(.jwtMapping, "The claim \(name) and the credential differ.", at: .pointer("/" + name))
        }
    }

    private static func same(_ name: String, _ claim: Double?, _ member: Double?) throws(CredentialError) {
        guard let claim, let member, claim.rounded(.down) != member.rounded(.down) else { return }
        throw CredentialError(.jwtMapping, "The claim \(name) and the credential differ.", at: .pointer("/" + name))
    }
}
