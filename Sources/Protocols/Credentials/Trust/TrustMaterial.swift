import ByteCoding
import CBOR
import COSE
public import CryptoSuite
public import Determinism
import JSON

/// A file that a trust file can name, recognised by its content.
public struct TrustMaterial: Sendable {
    /// The content of a file, as far as a trust file can name it.
    public enum Content: Sendable {
        /// A public key, in PEM.
        case publicKey(VerificationKey)
        /// A certificate in PEM or DER: a root, or a signer whose key is used.
        case certificate(Certificate)
        /// A JWK set.
        case keySet(count: Int)
        /// The metadata of an issuer with its key set.
        case metadata(issuer: String)
        /// A DID document or controlled identifier document; `listsKeys` is false where it lists the DID itself.
        ///
        /// Then it names the DID in place of its key, and its keys count with `relationships controller-listed` only.
        case document(identifier: String, listsKeys: Bool)
        /// A document of one key that has its own address.
        case keyDocument(address: String)
        /// A JSON-LD context, with the SHA-256 of its canonical JSON.
        case context(digest: [UInt8])
        /// A revocation list of certificates, in DER.
        case revocationList(issuer: String)
        /// A list of IACA certificates (VICAL).
        case authorityList(provider: String)
        /// A status list, with the address that it states and the end of its validity in seconds since 1970.
        case statusList(address: String, expiresAt: Double?)
    }

    /// The recognised content of the file.
    public let content: Content
    /// The bytes to pin: those of the file, or for a single JWK those of a set that contains it.
    public let bytes: [UInt8]
    /// The bytes for the fingerprint: the DER of a key or certificate, otherwise those of the file.
    public let fingerprinted: [UInt8]

    private init(_ content: Content, _ bytes: [UInt8], fingerprinted: [UInt8]? = nil) {
        self.content = content
        self.bytes = bytes
        self.fingerprinted = fingerprinted ?? bytes
    }

    /// Recognises a file and reads it as verification would.
    ///
    /// Throws `trust.private-key` for a file with a private key, `trust.expired` for a certificate whose time is over
    /// or has not begun, and `trust.not-recognised` for any other file, and for one of these that cannot be used.
    public init(recognising bytes: [UInt8], at time: WallTime) throws(TrustFileError) {
        do throws(CredentialError) {
            self = try Self.recognised(bytes, at: time)
        } catch {
            let code: TrustFileError.Code =
                switch error.code {
                case .keyPrivate: .privateKey
                case .x5Expired: .expired
                default: .notRecognised
                }
            throw TrustFileError(code, line: 0, error.reason)
        }
    }

    private static func recognised(_ bytes: [UInt8], at time: WallTime) throws(CredentialError) -> Self {
        let limits = VerificationLimits()
        if bytes.first == 0x30 {
            if let list = try? RevocationList(der: bytes) {
                return Self(.revocationList(issuer: list.issuer.description), bytes)
            }
            return try certificate(bytes, bytes, at: time)
        }
        // Key documents in JSON may hold PEM texts.
        if let object = (try? JSONValue(parsing: bytes, limits: limits.json))?.object {
            return try json(object, bytes)
        }
        if let text = String(validating: bytes, as: UTF8.self), text.holds("-----BEGIN ") {
            return try armoured(text, bytes, at: time)
        }
        if let list = StatusListTimes(of: bytes, limits: limits) {
            return Self(.statusList(address: list.address, expiresAt: list.expiresAt), bytes)
        }
        let text = bytes.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed()
        guard (try? CompactJWS(parsing: text, limits: limits)) == nil else { throw Self.credential }
        return try authorityList(bytes, limits)
    }

    private static var credential: CredentialError {
        CredentialError(.keyForm, "It is a credential or a token, which names its issuer and holds no key to trust.")
    }

    // MARK: PEM and DER

    private static func armoured(
        _ text: String, _ bytes: [UInt8], at time: WallTime
    ) throws(CredentialError) -> Self {
        guard !text.holds("PRIVATE KEY-----") else {
            throw CredentialError(.keyPrivate, "The PEM text holds a private key.")
        }
        if text.holds("-----BEGIN X509 CRL-----") {
            guard let list = try? RevocationList(der: PEMText.revocationList(text) ?? []) else {
                throw CredentialError(.keyForm, "It is not one revocation list that can be read.")
            }
            return Self(.revocationList(issuer: list.issuer.description), bytes)
        }
        if text.holds("-----BEGIN CERTIFICATE-----") {
            guard let der = PEMText.certificate(text) else {
                throw CredentialError(.keyForm, "It holds several certificates; give each in a file of its own.")
            }
            return try certificate(der, bytes, at: time)
        }
        let key = try VerificationKey(pem: bytes)
        return Self(.publicKey(key), bytes, fingerprinted: PEMText.publicKey(text))
    }

    private static func certificate(
        _ der: [UInt8], _ bytes: [UInt8], at time: WallTime
    ) throws(CredentialError) -> Self {
        guard let certificate = try? Certificate(der: der) else {
            throw CredentialError(.x5Chain, "It is not a certificate that can be read.")
        }
        guard certificate.isValid(at: time) else {
            let (start, end) = (certificate.notBefore, certificate.notAfter)
            throw CredentialError(
                .x5Expired,
                "It is valid from \(CivilDateTime(start).text) to \(CivilDateTime(end).text): \(certificate.subject)."
            )
        }
        _ = try VerificationKey(certificate.publicKey)
        return Self(.certificate(certificate), bytes, fingerprinted: der)
    }

    // MARK: JSON

    /// The names of members with private keys in key documents.
    private static let privateMembers = [
        "privateKeyJwk", "privateKeyMultibase", "privateKeyBase58", "privateKeyPem", "privateKeyHex",
        "secretKeyMultibase",
    ]

    private static func holdsPrivateKey(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object):
            if object["kty"] != nil, object["d"] != nil || object["k"] != nil { return true }
            return privateMembers.contains { object[$0] != nil }
                // A context may define the terms of private keys, and holds none.
                || object.members.contains { $0.name != "@context" && holdsPrivateKey($0.value) }
        case .array(let values): return values.contains(where: holdsPrivateKey)
        case .string(let text): return text.holds("PRIVATE KEY-----")
        case .null, .bool, .number: return false
        }
    }

    private static func json(_ object: JSONObject, _ bytes: [UInt8]) throws(CredentialError) -> Self {
        guard !holdsPrivateKey(.object(object)) else {
            throw CredentialError(.keyPrivate, "The JSON holds a private key.")
        }
        if object["kty"] != nil {
            _ = try VerificationKey(UncheckedPublicKey(jwk: object))
            let set: JSONObject = ["keys": .array([.object(object)])]
            return Self(.keySet(count: 1), set.encoded, fingerprinted: bytes)
        }
        if let keys = object["keys"] { return Self(.keySet(count: try count(keys)), bytes) }
        if let issuer = object["issuer"]?.string, object["credentialSubject"] == nil {
            guard let keys = object["jwks"]?["keys"] else {
                throw CredentialError(
                    .keyForm, "The metadata of \(issuer) name their key set by address; give that JWK set instead.")
            }
            _ = try count(keys)
            return Self(.metadata(issuer: issuer), bytes)
        }
        if let list = StatusListTimes(of: object, expiresAt: nil) {
            return Self(.statusList(address: list.address, expiresAt: list.expiresAt), bytes)
        }
        guard object["credentialSubject"] == nil, object["proof"] == nil else { throw Self.credential }
        return try document(object, bytes)
    }

    private static func document(_ object: JSONObject, _ bytes: [UInt8]) throws(CredentialError) -> Self {
        let id = object["id"]?.string
        if let id, object["verificationMethod"] != nil || object["assertionMethod"] != nil {
            let document = try KeyDocumentReader(.object(object), of: id, DecodedKeyCache())
            let methods = try document.listedMethods(for: .assertionMethod)
            guard !methods.isEmpty else {
                throw CredentialError(.keyForm, "The document of \(id) lists no key under assertionMethod.")
            }
            return Self(.document(identifier: id, listsKeys: !methods.containsExactly(id)), bytes)
        }
        if let id, ["publicKeyMultibase", "publicKeyJwk", "publicKeyPem"].contains(where: { object[$0] != nil }) {
            return Self(.keyDocument(address: id), bytes)
        }
        guard object["@context"] != nil, let canonical = try? JSONValue.object(object).canonical() else {
            throw CredentialError(.keyForm, "The JSON is not a key, no key document, no context and no status list.")
        }
        return Self(.context(digest: SHA256.hash(canonical)), bytes)
    }

    /// Returns the number of keys in a JWK set; throws unless each is valid.
    private static func count(_ keys: JSONValue) throws(CredentialError) -> Int {
        let objects = (keys.array ?? []).compactMap(\.object)
        guard !objects.isEmpty, objects.count == keys.array?.count else {
            throw CredentialError(.keyForm, "The JWK set has no keys.")
        }
        // A set may also hold keys for encryption, and of kinds that are not known.
        guard objects.contains(where: { (try? VerificationKey(UncheckedPublicKey(jwk: $0))) != nil }) else {
            throw CredentialError(.keyForm, "The JWK set has no key that signatures are checked with.")
        }
        return objects.count
    }

    // MARK: CBOR

    private static func authorityList(
        _ bytes: [UInt8], _ limits: VerificationLimits
    ) throws(CredentialError) -> Self {
        guard let value = try? CredentialCBORReader.value(bytes, limits), let object = try? COSESign1(value, limits),
            let payload = try? object.attachedPayload(), let list = try? CredentialCBORReader.encoded(payload, limits),
            let provider = list["vicalProvider"]?.text
        else { throw CredentialError(.keyForm, "A trust file cannot name a file of this format.") }
        return Self(.authorityList(provider: provider), bytes)
    }
}
