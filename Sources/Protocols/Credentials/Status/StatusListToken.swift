import CBOR
import COSE
import CryptoSuite
import JSON

/// A status list token, as JWT or CWT, or an identifier list as CWT.
///
/// JWT (draft-ietf-oauth-status-list, section 5.1), CWT (section 5.2), or identifier list (ISO/IEC 18013-5, second
/// edition, clause 12.3.6.4).
struct StatusListToken {
    /// The reference of a credential to an entry of a status list.
    enum EntryReference {
        /// An index of a status list, from 0.
        case index(Int)
        /// An identifier that an identifier list contains when the credential is revoked.
        case identifier([UInt8])
    }

    /// The address that the status list states for itself.
    let subject: String
    /// The time for which a copy of the list is fresh, in seconds; nil when it states none.
    let lifetime: Double?
    /// The end of the list's validity, in seconds since 1970; nil without one.
    let expiresAt: Double?
    /// True when the token is a CWT, false for a JWT.
    let isBinary: Bool

    private let entries: Entries
    private let envelope: StatusListTokenFormat
    private let issuer: String?
    private let issuedAt: Double
    private let notBefore: Double?

    private enum StatusListTokenFormat {
        case jwt(CompactJWS)
        case cwt(COSESign1, CBORValue, CWTClaims)
    }

    private enum Entries {
        case values(StatusListBits)
        /// The entries are identifiers of revoked credentials.
        case revoked([[UInt8]])
    }

    /// The entries of a list as they are packed in its token.
    private enum PackedEntries {
        case values([UInt8], width: Int)
        case revoked([[UInt8]])
    }

    /// The claims of a status list token in either form.
    private struct StatusListClaims {
        let subject: String
        let entries: PackedEntries
        let issuedAt: Double
        let notBefore: Double?
        let expiresAt: Double?
        let lifetime: Double?
    }

    /// Reads a status list token.
    ///
    /// Throws `credential.st-form`, `credential.st-bomb`, and for a token that is none the codes of its reader.
    init(parsing bytes: [UInt8], limits: VerificationLimits) throws(CredentialError) {
        // No text begins like an array or a tag of CBOR.
        isBinary = (bytes.first ?? 0) >= 0x80
        let content: StatusListClaims
        if isBinary {
            let (token, payload, claims, isOfIdentifiers) = try Self.readCWT(bytes, limits)
            content = try Self.content(of: claims, isOfIdentifiers: isOfIdentifiers)
            envelope = .cwt(token, payload, claims)
            issuer = claims.issuer
        } else {
            let text = bytes.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed()
            let token = try CompactJWS(parsing: text, limits: limits)
            guard token.type == "statuslist+jwt" else { throw Self.anotherType }
            let claims = try token.claims(limits)
            content = try Self.content(of: claims)
            envelope = .jwt(token)
            issuer = claims["iss"]?.string
        }
        let order = StatusListBits.BitOrder.leastSignificantFirst
        switch content.entries {
        case .values(let compressed, let width):
            let bytes = try StatusListBits.decompress(compressed, order: order)
            entries = .values(StatusListBits(bytes, width: width, order: order))
        case .revoked(let identifiers): entries = .revoked(identifiers)
        }
        subject = content.subject
        issuedAt = content.issuedAt
        notBefore = content.notBefore
        expiresAt = content.expiresAt
        lifetime = content.lifetime
    }

    private static let identifierListType = "application/identifierlist+cwt"

    private static var malformed: CredentialError {
        CredentialError(.stForm, "The status list does not follow its format.")
    }

    private static var anotherType: CredentialError {
        CredentialError(.stForm, "The status list is not of type statuslist+jwt, statuslist+cwt or identifierlist+cwt.")
    }

    /// Returns the value of an entry: 0 valid, 1 revoked, and others (section 7.1 of the draft).
    ///
    /// Throws `credential.st-range`, and `credential.st-form` for a list of the other kind.
    func value(of reference: EntryReference) throws(CredentialError) -> Int {
        switch (entries, reference) {
        case (.values(let bits), .index(let index)): return try bits.value(at: index)
        case (.revoked(let identifiers), .identifier(let identifier)):
            return identifiers.contains(identifier) ? 1 : 0
        case (.values, .identifier), (.revoked, .index):
            throw CredentialError(.stForm, "The status list is of another kind than the credential names.")
        }
    }

    private static func content(of claims: JSONObject) throws(CredentialError) -> StatusListClaims {
        guard let subject = claims["sub"]?.string, let list = claims["status_list"]?.object,
            let width = list["bits"]?.int, [1, 2, 4, 8].contains(width), let packed = list["lst"]?.string,
            let issued = try TokenTimeChecks.seconds("iat", of: claims)
        else { throw malformed }
        return StatusListClaims(
            subject: subject, entries: .values(try StrictBase64.url(packed, "The status list"), width: width),
            issuedAt: issued, notBefore: try TokenTimeChecks.seconds("nbf", of: claims),
            expiresAt: try TokenTimeChecks.seconds("exp", of: claims),
            lifetime: try TokenTimeChecks.seconds("ttl", of: claims))
    }

    private static func content(of claims: CWTClaims, isOfIdentifiers: Bool) throws(CredentialError) -> StatusListClaims
    {
        let end = try claims.time(CWTClaims.Label.expiration)
        guard let subject = claims.subject, let issued = try claims.time(CWTClaims.Label.issuedAt),
            let entries = isOfIdentifiers ? revoked(by: claims) : values(of: claims), end != nil || !isOfIdentifiers
        else { throw malformed }
        return StatusListClaims(
            subject: subject, entries: entries, issuedAt: issued,
            notBefore: try claims.time(CWTClaims.Label.notBefore), expiresAt: end,
            lifetime: try claims.time(CWTClaims.Label.lifetime))
    }

    /// Returns the entries of a status list; nil for claims of another list.
    private static func values(of claims: CWTClaims) -> PackedEntries? {
        guard let list = claims.statusList, let width = list["bits"]?.int,
            [1, 2, 4, 8].contains(width),
            let compressed = list["lst"]?.bytes
        else { return nil }
        return .values(compressed, width: width)
    }

    /// Returns the entries of an identifier list, which are the keys of a map; nil for another list.
    private static func revoked(by claims: CWTClaims) -> PackedEntries? {
        guard claims.statusList == nil, let entries = claims.identifierList?["identifiers"]?.map else { return nil }
        let identifiers = entries.compactMap(\.key.bytes)
        return identifiers.count == entries.count ? .revoked(identifiers) : nil
    }

    /// Reads a status list in a CWT: tag 18 and no other, with the type in the protected header.
    private static func readCWT(
        _ bytes: [UInt8], _ limits: VerificationLimits
    ) throws(CredentialError) -> (COSESign1, CBORValue, CWTClaims, isOfIdentifiers: Bool) {
        let value = try CredentialCBORReader.value(bytes, limits)
        guard value.tagged?.tag == COSESign1.tag else {
            throw CredentialError(.stForm, "The status list does not begin with the tag of COSE_Sign1.")
        }
        let token = try COSESign1(value, limits)
        guard token.headers.isProtected(COSEHeaders.Label.type),
            let type = token.headers.value(COSEHeaders.Label.type)?.text,
            type == "application/statuslist+cwt" || type == identifierListType
        else { throw anotherType }
        let payload = try token.attachedPayload()
        let claims = try CWTClaims(try CredentialCBORReader.encoded(payload, limits))
        return (token, payload, claims, type == identifierListType)
    }

    /// Throws `credential.st-sig` unless an allowed signer signed the list.
    ///
    /// The issuer of the credential, another signer under the root of the credential's own signer, or one that the
    /// trust store names for either. Throws `credential.st-form` when the list was made in the future.
    func checkSigner(_ signer: CredentialSigner, _ request: VerificationRequest) throws(CredentialError) {
        let named = signer.roots.flatMap(\.statusIssuers)
        guard
            isSigned(withKeyOf: signer) || isSigned(underRootOf: signer, request)
                || signer.identifiers.contains(where: {
                    isSigned(by: PermittedStatusSigners.of($0, in: request.trust), first: $0, request)
                })
                || named.contains(where: { isSigned(by: [$0], first: $0, request) })
        else {
            throw CredentialError(.stSig, "The status list is not signed by the issuer, or one that may sign for it.")
        }
        let start = max(issuedAt, notBefore ?? issuedAt)
        guard start <= request.seconds + request.policy.toleranceSeconds else {
            throw CredentialError(.stForm, "The status list was made in the future.")
        }
    }

    /// Returns true when the list's certificates lead to a root that vouches for the credential's signer.
    private func isSigned(underRootOf signer: CredentialSigner, _ request: VerificationRequest) -> Bool {
        guard issuer.map(signer.mayBe) ?? true else { return false }
        do throws(CredentialError) {
            guard let chain = try certificates(request) else { return false }
            let checks = try CertificateChecks(chain)
            var found = CredentialCheckList()
            let path = checks.check(
                anchors: signer.roots.compactMap { try? Certificate(der: $0.certificate) },
                // The roots of a signer are entries of one certificate.
                isLenient: { _ in signer.roots.contains(where: \.isLenient) },
                purpose: .token(extendedKeyUses: [.statusListSigner]), signedAt: issuedAt, request, into: &found)
            // A chain that leads to none of the roots is not valid.
            guard path.isValid, !found.failed(.chain) else { return false }
            return isSigned(with: try checks.key())
        } catch {
            return false
        }
    }

    /// Returns the certificates in the status list's header; nil without any.
    private func certificates(_ request: VerificationRequest) throws(CredentialError) -> [[UInt8]]? {
        switch envelope {
        case .jwt(let token): try token.certificates()
        case .cwt(let token, _, _): try token.headers.certificates()
        }
    }

    /// Returns true when the credential's key signed the list too, and the list does not name another issuer.
    private func isSigned(withKeyOf signer: CredentialSigner) -> Bool {
        guard let key = signer.key, issuer.map(signer.mayBe) ?? true else { return false }
        return isSigned(with: key)
    }

    private func isSigned(with key: VerificationKey) -> Bool {
        do throws(CredentialError) {
            switch envelope {
            case .jwt(let token):
                try key.verify(token.signature, over: token.signingInput, algorithm: try token.algorithm())
            case .cwt(let token, let payload, _):
                try token.headers.checkCritical()
                try token.verify(payload.bytes ?? [], by: key, algorithm: try token.headers.algorithm())
            }
            return true
        } catch {
            return false
        }
    }

    /// Returns true when an allowed signer signed the list: the one that it names, or else the first.
    private func isSigned(by allowed: [String], first: String, _ request: VerificationRequest) -> Bool {
        let signer = issuer ?? first
        guard allowed.containsExactly(signer) else { return false }
        var (list, content) = (CredentialCheckList(), CredentialContent())
        // A chain to no pinned root is not done and proves nothing of the issuer that its leaf names.
        var hasRoot = true
        switch envelope {
        case .jwt(let token):
            let claim = TokenSignatureCheck.SignatureClaims(
                issuer: signer, types: [], purpose: .assertionMethod, signedAt: issuedAt)
            let key = TokenSignatureCheck(token, claim: claim, request: request).check(into: &list, &content)
            if token.header["x5c"] != nil { hasRoot = key?.isVouchedFor == true }
        case .cwt(let token, let payload, let claims):
            CWTSignatureCheck(token, payload: payload, claims: claims, issuer: signer, request: request).check(
                into: &list, &content)
            if token.headers.value(COSEHeaders.Label.certificates) != nil { hasRoot = list.passed(.chain) }
        }
        // A signature passes only under an algorithm that fits its key.
        guard list.passed(.signature), list.passed(.issuer), !list.failed(.key), hasRoot else { return false }
        return true
    }
}

/// The signer of a credential, as far as it is known when its status is checked.
struct CredentialSigner {
    /// The identifiers of the issuer; empty when the credential names none, such as a mobile document.
    let identifiers: [String]
    /// The key that signed the credential; nil when it is unknown.
    let key: VerificationKey?
    /// The roots of the trust store that vouch for the signer.
    let roots: [TrustedRoot]

    /// Makes the signer from the issuer that a token names, and its key.
    init(identifiers: [String], key: ResolvedKey?) {
        self.identifiers = identifiers
        self.key = key?.key
        roots = key?.roots ?? []
    }

    /// Makes the signer of a mobile document.
    init(key: VerificationKey?, roots: [TrustedRoot]) {
        identifiers = []
        self.key = key
        self.roots = roots
    }

    /// Returns true for an identifier that can be the issuer's.
    func mayBe(_ identifier: String) -> Bool { identifiers.isEmpty || identifiers.containsExactly(identifier) }
}

/// The permitted signers of the status lists of an issuer's credentials.
enum PermittedStatusSigners {
    /// Returns the issuer, and the other signers that its entry in the trust store allows.
    static func of(_ issuer: String?, in trust: TrustStore) -> [String] {
        guard let issuer else { return [] }
        return [issuer] + (trust.issuer(issuer)?.statusIssuers ?? [])
    }
}
