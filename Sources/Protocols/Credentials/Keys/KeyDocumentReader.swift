import ByteCoding
import JSON

/// Reads the keys in DID documents, controlled identifier documents and key documents.
///
/// Source: W3C Controlled Identifiers 1.0, section 2; DID Core 1.0, section 5.2.
struct KeyDocumentReader {
    private let document: JSONObject
    private let identifier: String
    private let knownKeys: DecodedKeyCache

    /// Makes a reader of a document that must describe `identifier`.
    ///
    /// Throws `credential.key-form` and, when its `id` is another, `credential.key-controller`.
    init(_ value: JSONValue, of identifier: String, _ knownKeys: DecodedKeyCache) throws(CredentialError) {
        guard let object = value.object else {
            throw CredentialError(.keyForm, "The document of \(identifier) is not an object.")
        }
        guard object["id"]?.string?.isExactly(identifier) == true else {
            throw CredentialError(.keyController, "The document pinned for \(identifier) has another id.")
        }
        document = object
        self.identifier = identifier
        self.knownKeys = knownKeys
    }

    /// Returns the key of a method that the document lists for a purpose.
    ///
    /// Throws `credential.key-unresolved` when the document has no such method, `credential.key-not-listed` when it
    /// is not listed for the purpose, and what `method` throws.
    func key(
        _ method: String, for purpose: KeyPurpose, relationships: TrustedIssuer.KeyListingForm
    ) throws(CredentialError) -> ResolvedKey {
        let listed = try references(of: purpose)
        if let embedded = listed.compactMap(\.object).first(where: { isNamed($0, method) }) {
            return try key(of: embedded, identifier: method)
        }
        guard let found = try methods().first(where: { isNamed($0, method) }) else {
            throw CredentialError(.keyUnresolved, "The document of \(identifier) has no key \(method).")
        }
        let names = listed.compactMap(\.string)
        let isListed =
            names.contains { absolute($0)?.isExactly(method) == true }
            || relationships == .controllerListed && names.containsExactly(identifier)
        guard isListed else {
            throw CredentialError(
                .keyNotListed, "The document of \(identifier) does not list the key under \(purpose.rawValue).")
        }
        return try key(of: found, identifier: method)
    }

    /// Returns the identifiers of the methods listed for a purpose, including embedded ones.
    func listedMethods(for purpose: KeyPurpose) throws(CredentialError) -> [String] {
        try references(of: purpose).compactMap { absolute($0.string ?? $0["id"]?.string) }
    }

    private func references(of purpose: KeyPurpose) throws(CredentialError) -> [JSONValue] {
        switch document[purpose.rawValue] {
        case nil: return []
        case .array(let values)?: return values
        case .string(let text)?: return [.string(text)]
        default: throw CredentialError(.keyForm, "The member \(purpose.rawValue) of a document is not an array.")
        }
    }

    private func methods() throws(CredentialError) -> [JSONObject] {
        var found: [JSONObject] = []
        var seen: Set<String> = []
        for value in document["verificationMethod"]?.array ?? document["publicKey"]?.array ?? [] {
            guard let object = value.object else { continue }
            if let id = absolute(object["id"]?.string), !seen.insert(id).inserted {
                throw CredentialError(.keyForm, "The document of \(identifier) has two keys of one identifier.")
            }
            found.append(object)
        }
        return found
    }

    private func isNamed(_ object: JSONObject, _ method: String) -> Bool {
        absolute(object["id"]?.string)?.isExactly(method) == true
    }

    private func absolute(_ reference: String?) -> String? {
        guard let reference else { return nil }
        return reference.hasPrefix("#") ? identifier + reference : reference
    }

    private func key(of method: JSONObject, identifier name: String) throws(CredentialError) -> ResolvedKey {
        if let controller = method["controller"]?.string, !controller.isExactly(identifier),
            !controllers().containsExactly(controller)
        {
            throw CredentialError(.keyController, "The key \(name) belongs to another controller.")
        }
        return try Self.key(of: method, identifier: name, controller: identifier, knownKeys)
    }

    private func controllers() -> [String] {
        document["controller"]?.string.map { [$0] } ?? document["controller"]?.array?.compactMap(\.string) ?? []
    }

    private static let forms = [
        "publicKeyPem", "publicKeyMultibase", "publicKeyJwk", "publicKeyHex", "publicKeyBase58",
    ]

    /// Reads the key in one verification method.
    ///
    /// Throws `credential.key-form` unless exactly one member holds the key, `credential.key-private` for a private
    /// one, and what the form's reader throws.
    static func key(
        of method: JSONObject, identifier: String, controller: String, _ knownKeys: DecodedKeyCache
    ) throws(CredentialError) -> ResolvedKey {
        guard !method.names.contains(where: { $0.hasPrefix("privateKey") || $0 == "secretKeyMultibase" }) else {
            throw CredentialError(.keyPrivate, "The key \(identifier) is written with its private part.")
        }
        let present = forms.filter { method[$0] != nil }
        guard present.count == 1, let form = present.first, let value = method[form] else {
            throw CredentialError(.keyForm, "The key \(identifier) is not written in exactly one form.")
        }
        let type = method["type"]?.string ?? ""
        let material: UncheckedPublicKey
        var jwk: JSONObject?
        switch (form, value) {
        case ("publicKeyPem", .string(let text)): material = try UncheckedPublicKey(pem: text)
        case ("publicKeyMultibase", .string(let text)): material = try UncheckedPublicKey(multikey: text)
        case ("publicKeyJwk", .object(let object)):
            material = try UncheckedPublicKey(jwk: object)
            jwk = object
        case ("publicKeyHex", .string(let text)):
            guard let bytes = Hex.decode(text) else {
                throw CredentialError(.keyForm, "The key \(identifier) is not written in hexadecimal digits.")
            }
            material = try UncheckedPublicKey(raw: bytes, methodType: type)
        case ("publicKeyBase58", .string(let text)):
            guard let bytes = Base58.decode(text) else {
                throw CredentialError(.keyForm, "The key \(identifier) is not written in base 58.")
            }
            material = try UncheckedPublicKey(raw: bytes, methodType: type)
        default: throw CredentialError(.keyForm, "The key \(identifier) is of a wrong kind of value.")
        }
        var key = ResolvedKey(try knownKeys.key(of: material), identifier: identifier, controller: controller)
        key.methodType = method["type"]?.string
        if let jwk { try JWKUsageCheck.apply(jwk, to: &key) }
        key.endsAt = try end(of: method)
        return key
    }

    private static func end(of method: JSONObject) throws(CredentialError) -> Double? {
        var times: [Double] = []
        for name in ["revoked", "expires"] {
            guard let value = method[name] else { continue }
            guard let text = value.string else {
                throw CredentialError(.timeFormat, "The member \(name) of a key is not a time.", at: nil)
            }
            times.append(try CredentialTime.seconds(dateTime: text, "The member \(name) of a key"))
        }
        return times.min()
    }
}

/// Checks the members of a JWK that restrict the key's use (RFC 7517, sections 4.2 to 4.4).
enum JWKUsageCheck {
    /// Throws `credential.key-purpose` when a JWK is not for verifying; applies its `alg` to the key.
    static func apply(_ jwk: JSONObject, to key: inout ResolvedKey) throws(CredentialError) {
        if let use = jwk["use"], use.string != "sig" {
            throw CredentialError(.keyPurpose, "The key \(key.identifier) is not for signatures.")
        }
        if let operations = jwk["key_ops"], operations.array?.contains(.string("verify")) != true {
            throw CredentialError(.keyPurpose, "The key \(key.identifier) is not for verifying.")
        }
        if let algorithm = jwk["alg"] {
            guard let name = algorithm.string else {
                throw CredentialError(.keyForm, "The algorithm of the key \(key.identifier) is not text.")
            }
            key.onlyAlgorithm = name
        }
    }
}
