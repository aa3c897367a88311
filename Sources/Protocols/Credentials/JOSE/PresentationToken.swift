import JSON

/// Checks a presentation that is a token: the holder's signature, and each credential inside.
struct PresentationToken {
    private let token: CompactJWS
    private let claims: JSONObject
    private let shape: JWTVerifier.Shape
    private let request: VerificationRequest

    init(
        _ token: CompactJWS, _ claims: JSONObject, _ shape: JWTVerifier.Shape, _ request: VerificationRequest
    ) {
        self.token = token
        self.claims = claims
        self.shape = shape
        self.request = request
    }

    /// Records every check of the presentation, and gives the reports of the credentials inside.
    func check(into list: inout CheckList, _ content: inout CredentialContent) -> [CredentialReport] {
        let members = W3CMembers(object: TokenMapping.rebuilt(claims, shape))
        list.attempt { () throws(CredentialError) in try TokenMapping.check(claims, against: shape) }
        members.check(shape.version, isPresentation: true, into: &list)
        list.pass(.type, "The token is a presentation.")
        list.exclude(.trust)
        list.exclude(.status)
        content.types = members.types
        content.holder = members.holder ?? claims["iss"]?.string
        content.claims = .object(members.object)
        let claim = TokenSignature.Claim(
            issuer: content.holder, types: [], purpose: .authentication, signedAt: claims["iat"]?.number?.double)
        let key = TokenSignature(token, claim, request).check(into: &list, &content)
        if content.holder == nil { list.exclude(.issuer) }
        TokenTimes.check(claims, request, into: &list)
        checkAddressee(into: &list)
        let inner = credentials(of: members.object, into: &list)
        if let key { checkHolder(key.controller, of: inner, into: &list) }
        return inner
    }

    private func checkAddressee(into list: inout CheckList) {
        if let nonce = request.policy.nonce {
            let given = claims["nonce"]?.string ?? claims["challenge"]?.string
            if given != nonce { list.fail(.vpChallenge, "The presentation is for another nonce.") }
        } else {
            list.leave(.holder, "No nonce was given, so that the presentation may be an old one.")
        }
        if let audience = request.policy.audience {
            let given = W3CMembers.texts(claims["aud"])
            if !given.contains(audience) { list.fail(.vpDomain, "The presentation is for another verifier.") }
        } else {
            list.leave(.holder, "No audience was given, so that the presentation may be for another verifier.")
        }
    }

    private func credentials(of presentation: JSONObject, into list: inout CheckList) -> [CredentialReport] {
        let member = presentation["verifiableCredential"]
        let values = member?.array ?? [member].compactMap { $0 }
        guard values.count <= request.policy.limits.maximumProofs else {
            list.fail(.limitProofs, "The presentation has \(values.count) credentials.")
            return []
        }
        if values.isEmpty { list.fail(.vcMissingMember, "The presentation has no credential.") }
        var inner = request
        inner.policy.requiresHolderProof = false
        inner.policy.nonce = nil
        inner.policy.audience = nil
        var reports: [CredentialReport] = []
        for (index, value) in values.enumerated() {
            let bytes = list.attempt { () throws(CredentialError) in
                try Self.bytes(of: value, at: .pointer("/verifiableCredential/\(index)"))
            }
            if let bytes { reports.append(CredentialVerifier(inner).verify(bytes, isInner: true)) }
        }
        return reports
    }

    /// The bytes of a credential inside: a token as text, an enveloped one, or an object.
    private static func bytes(of value: JSONValue, at place: CheckLocation) throws(CredentialError) -> [UInt8] {
        if let text = value.string { return Array(text.utf8) }
        guard let object = value.object else {
            throw CredentialError(.vcType, "A credential inside is neither a text nor an object.", at: place)
        }
        guard W3CMembers(object: object).types.contains("EnvelopedVerifiableCredential") else { return value.encoded }
        for media in ["vc+jwt", "dc+sd-jwt", "vc+sd-jwt"] {
            let prefix = "data:application/\(media),"
            if let text = object["id"]?.string, text.hasPrefix(prefix) {
                return Array(text.utf8.dropFirst(prefix.utf8.count))
            }
        }
        throw CredentialError(.jwtTyp, "An enveloped credential has no media type of a credential.", at: place)
    }

    /// Records whether the presenter is the one that each credential is about.
    private func checkHolder(_ holder: String, of inner: [CredentialReport], into list: inout CheckList) {
        for report in inner {
            let subjects = report.content.claims?.object.map { W3CMembers(object: $0).subjects } ?? []
            let named = subjects.isEmpty ? [report.content.holder].compactMap { $0 } : subjects
            if named.isEmpty {
                list.leave(.holder, "A credential inside names no subject, so that any bearer may present it.")
            } else if named.contains(holder) {
                list.pass(.holder, "The presenter is the subject of the credential.")
            } else {
                list.fail(.holderUnbound, "The presenter is not the subject of a credential inside.")
            }
        }
    }
}
