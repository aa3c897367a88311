import JSON

/// Verifies the credentials inside a presentation of any format.
struct PresentedCredentials {
    private let request: VerificationRequest

    /// Makes the verifier for a presentation's request, without its requirements for the holder.
    init(_ request: VerificationRequest) {
        var inner = request
        inner.policy.nonce = nil
        inner.policy.audience = nil
        inner.policy.requiresHolderProof = false
        self.request = inner
    }

    /// Verifies each credential in the member `verifiableCredential`.
    ///
    /// Records `credential.limit-proofs`, `credential.vc-missing-member`, `credential.vc-type` and
    /// `credential.jwt-typ`.
    func reports(of presentation: JSONObject, into list: inout CredentialCheckList) -> [CredentialReport] {
        let member = presentation["verifiableCredential"]
        let values = member?.array ?? [member].compactMap { $0 }
        guard values.count <= VerificationLimits.maximumProofs else {
            list.fail(.limitProofs, "The presentation has \(values.count) credentials.")
            return []
        }
        if values.isEmpty { list.fail(.vcMissingMember, "The presentation has no credential.") }
        var reports: [CredentialReport] = []
        for (index, value) in values.enumerated() {
            let bytes = list.attempt { () throws(CredentialError) in
                try Self.bytes(of: value, at: .pointer("/verifiableCredential/\(index)"))
            }
            if let bytes { reports.append(CredentialVerifier(request).verify(bytes, isInner: true)) }
        }
        return reports
    }

    /// Returns the bytes of a credential inside: a token as text, an enveloped one, or an object.
    private static func bytes(of value: JSONValue, at place: CheckLocation) throws(CredentialError) -> [UInt8] {
        if let text = value.string { return Array(text.utf8) }
        guard let object = value.object else {
            throw CredentialError(.vcType, "A credential inside is neither a text nor an object.", at: place)
        }
        guard W3CMemberChecks(object: object).types.contains("EnvelopedVerifiableCredential") else {
            return value.encoded
        }
        for media in ["vc+jwt", "dc+sd-jwt", "vc+sd-jwt", "vc+ld+jwt"] {
            let prefix = "data:application/\(media),"
            if let text = object["id"]?.string, text.hasPrefix(prefix) {
                return Array(text.utf8.dropFirst(prefix.utf8.count))
            }
        }
        throw CredentialError(.jwtTyp, "An enveloped credential has no media type of a credential.", at: place)
    }

    /// Records whether the presenter, who signed with `key`, is the holder of each credential.
    ///
    /// The presenter has the key that it names in `cnf`, or is its subject where it names no key.
    func checkHolder(_ key: ResolvedKey, of inner: [CredentialReport], into list: inout CredentialCheckList) {
        for report in inner {
            if let confirmation = report.content.confirmation {
                checkConfirmation(confirmation, key, into: &list)
                continue
            }
            let subjects = report.content.claims?.object.map { W3CMemberChecks(object: $0).subjects } ?? []
            let named = subjects.isEmpty ? [report.content.holder].compactMap { $0 } : subjects
            if named.isEmpty {
                list.leave(
                    .holder, "A credential inside names no holder, so any bearer may present it.", code: .holderUnbound)
            } else if named.containsExactly(key.controller) {
                list.pass(.holder, "The presenter is the subject of the credential.")
            } else {
                list.fail(.holderUnbound, "The presenter is not the subject of a credential inside.")
            }
        }
    }

    /// Records whether the presenter's key is the one that a credential names as its holder's.
    private func checkConfirmation(_ confirmation: JSONValue, _ key: ResolvedKey, into list: inout CredentialCheckList)
    {
        list.attempt(
            in: .holder,
            recording: { (list) throws(CredentialError) in
                guard try HolderProofCheck.key(of: confirmation, request).key == key.key else {
                    throw CredentialError(.holderUnbound, "The presenter's key is not the one that a credential names.")
                }
                list.pass(.holder, "The presenter holds the key that the credential names.")
            })
    }
}
