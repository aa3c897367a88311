import JSON

/// A status list of the W3C: a credential whose subject is a compressed list (Bitstring Status List 1.0, section 2.2).
struct BitstringStatusList {
    /// The status purposes of the list.
    let purposes: [String]
    /// The time for which a copy of the list is fresh, in seconds; nil when it states none.
    let lifetime: Double?
    /// The end of the list's validity, in seconds since 1970; nil without one.
    let expiresAt: Double?
    /// True when the list states the address under which it is pinned.
    let isNamed: Bool

    private let bytes: [UInt8]

    /// Verifies the list as a credential of the issuer or of its status issuer, and decompresses it.
    ///
    /// The trust store names the status issuers of an issuer.
    ///
    /// Throws `credential.st-sig` when it does not verify, `credential.st-uri` when it is another list,
    /// `credential.st-form`, `credential.st-length` and `credential.st-bomb`.
    init(
        _ pinned: PinnedStatusList, issuer: String?, _ request: VerificationRequest
    ) throws(CredentialError) {
        let document = try Self.document(pinned, issuer: issuer, request)
        let types = Self.texts(document["type"])
        let subject = document["credentialSubject"]?.object ?? document["credentialSubject"]?[0]?.object
        let isFormer = request.policy.acceptsFormerSpellings && types.contains("StatusList2021Credential")
        guard types.contains("BitstringStatusListCredential") || isFormer, let subject,
            let text = subject["encodedList"]?.string
        else { throw CredentialError(.stForm, "The status list is not a credential of its type.") }
        guard Self.texts(subject["type"]).contains(isFormer ? "StatusList2021" : "BitstringStatusList") else {
            throw CredentialError(.stForm, "The subject of the status list is of another type.")
        }
        isNamed = document["id"]?.string?.isExactly(pinned.address) == true
        guard isNamed || document["id"] == nil else {
            throw CredentialError(.stUri, "The status list is another than the credential names.")
        }
        try Self.checkBegin(of: document, request)
        purposes = Self.texts(subject["statusPurpose"])
        guard text.hasPrefix("u") || isFormer else {
            throw CredentialError(.stForm, "The status list is not in multibase with base64url.")
        }
        let digits = text.hasPrefix("u") ? text.dropFirst() : text[...]
        let compressed = try StrictBase64.url(digits, "The status list")
        bytes = try StatusListBits.decompress(compressed, order: .mostSignificantFirst)
        guard bytes.count >= StatusListBits.minimumBitstringBytes else {
            throw CredentialError(.stLength, "The status list has \(bytes.count) bytes.")
        }
        lifetime = subject["ttl"]?.number?.double.map { $0 / 1000 }
        let end = document["validUntil"]?.string ?? document["expirationDate"]?.string
        expiresAt = try end.map { text throws(CredentialError) in
            try CredentialTime.seconds(dateTime: text, "The end of the status list")
        }
    }

    /// Throws `credential.st-form` for a status list whose validity begins in the future.
    private static func checkBegin(of document: JSONObject, _ request: VerificationRequest) throws(CredentialError) {
        for name in ["validFrom", "issuanceDate"] {
            guard let text = document[name]?.string else { continue }
            let begin = try CredentialTime.seconds(dateTime: text, "The begin of the status list")
            guard begin <= request.seconds + request.policy.toleranceSeconds else {
                throw CredentialError(.stForm, "The status list was made in the future.")
            }
        }
    }

    /// Returns the status values of the list, each of `width` bits.
    func bits(width: Int) -> StatusListBits { StatusListBits(bytes, width: width, order: .mostSignificantFirst) }

    private static func document(
        _ pinned: PinnedStatusList, issuer: String?, _ request: VerificationRequest
    ) throws(CredentialError) -> JSONObject {
        var inner = request
        inner.policy = VerificationPolicy()
        inner.policy.limits = request.policy.limits
        inner.policy.toleranceSeconds = request.policy.toleranceSeconds
        inner.policy.acceptsFormerSpellings = request.policy.acceptsFormerSpellings
        // A list whose own status stands in a list, perhaps in itself, would lead on without an end.
        inner.trust.statusLists = []
        // Its age is judged apart, and a list has no status of its own.
        inner.policy.setDemand(.reported, on: .time)
        inner.policy.setDemand(.reported, on: .status)
        inner.policy.setDemand(.reported, on: .trust)
        let report = CredentialVerifier(inner).verify(pinned.bytes, isInner: true)
        guard report.result == .genuine, let object = report.content.claims?.object else {
            throw CredentialError(.stSig, "The status list is not genuine.")
        }
        guard let signer = report.content.issuer,
            PermittedStatusSigners.of(issuer, in: request.trust).containsExactly(signer)
        else {
            throw CredentialError(.stSig, "The status list is of another issuer.")
        }
        return object
    }

    private static func texts(_ value: JSONValue?) -> [String] {
        value?.string.map { [$0] } ?? value?.array?.compactMap(\.string) ?? []
    }
}
