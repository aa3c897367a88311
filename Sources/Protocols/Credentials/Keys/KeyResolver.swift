import ByteCoding
import JSON

/// Resolves keys from identifiers and the trust store, without network access.
public struct KeyResolver: Sendable {
    private let trust: TrustStore

    /// Makes a resolver over a trust store.
    public init(_ trust: TrustStore) { self.trust = trust }

    /// Resolves the key that a DID URL or address names, if it is allowed for the purpose.
    ///
    /// did:key and did:jwk hold their key; other DIDs need a document in the trust store, addresses a pinned key or
    /// document. Throws `credential.key-unresolved` and the other codes of keys.
    public func key(_ method: String, for purpose: KeyPurpose) throws(CredentialError) -> ResolvedKey {
        let identifier = Self.identifier(of: method)
        guard !identifier.hasPrefix("did:") || !identifier.utf8.contains(where: "/?".utf8.contains) else {
            throw CredentialError(.keyUnresolved, "A DID URL with a path or query names no key here.")
        }
        if identifier.hasPrefix("did:key:") { return try didKey(method, identifier) }
        if identifier.hasPrefix("did:jwk:") { return try didJWK(method, identifier, acceptsPadding: false) }
        if let pin = trust.keys.first(where: { $0.address.isExactly(method) }) { return try pinned(pin) }
        guard let issuer = trust.issuer(identifier), let document = issuer.document else {
            throw CredentialError(.keyUnresolved, "The trust file has no document of \(identifier).")
        }
        guard method.utf8.count > identifier.utf8.count else {
            throw CredentialError(.keyUnresolved, "The key is named by its owner alone.")
        }
        return try KeyDocumentReader(document, of: identifier, trust.knownKeys).key(
            method, for: purpose, relationships: issuer.relationships)
    }

    /// Returns the keys that may have signed a token of `issuer`, whose header has this `kid`, or none.
    ///
    /// An absolute `kid` names a key as in `key`; a relative one, a key of the issuer's key set or document; without
    /// one all that fit the algorithm are candidates, and exactly one must be. Throws `credential.key-unresolved`
    /// otherwise, and the other codes of keys.
    public func key(
        kid: String?, issuer: String, algorithm: SignatureAlgorithm, for purpose: KeyPurpose
    ) throws(CredentialError) -> ResolvedKey {
        if let kid, kid.hasPrefix("did:") || kid.hasPrefix("https://"), !isOwner(kid, issuer) {
            return try key(Self.method(named: kid), for: purpose)
        }
        // An issuer that is named in the place of its key is no name of one of several.
        let kid = kid.flatMap { isOwner($0, issuer) ? nil : $0 }
        if let key = trust.issuer(issuer)?.pemKey {
            return ResolvedKey(key, identifier: kid ?? issuer, controller: issuer)
        }
        if Self.holdsKey(issuer) {
            let method = Self.ownMethod(of: issuer)
            let names = [method, String(method.dropFirst(issuer.count)), String(method.dropFirst(issuer.count + 1))]
            guard kid.map(names.containsExactly) ?? true else {
                throw CredentialError(.keyUnresolved, "The issuer has no such key.")
            }
            return try key(method, for: purpose)
        }
        guard let entry = trust.issuer(issuer) else {
            throw CredentialError(.keyUnresolved, "The trust file does not name the issuer \(issuer).")
        }
        guard let document = entry.document else {
            throw CredentialError(.keyUnresolved, "The trust file has no keys of the issuer \(issuer).")
        }
        if let keys = try JWKSetReader.keys(of: entry, document) {
            return try JWKSetReader.choose(kid: kid, from: keys, issuer: issuer, algorithm: algorithm, trust.knownKeys)
        }
        let methods = try KeyDocumentReader(document, of: issuer, trust.knownKeys)
        if let kid {
            let method = kid.hasPrefix("#") ? issuer + kid : issuer + "#" + kid
            return try methods.key(method, for: purpose, relationships: entry.relationships)
        }
        var found: [ResolvedKey] = []
        for method in try methods.listedMethods(for: purpose) {
            let key = try methods.key(method, for: purpose, relationships: entry.relationships)
            if key.key.algorithms.contains(algorithm) { found.append(key) }
        }
        return try JWKSetReader.only(of: found, issuer: issuer)
    }

    /// Returns the keys that may have signed a token of `issuer` whose header names a key by bytes, or none.
    ///
    /// Those that have the name as text, in base64url, base 64 or hexadecimal digits, or else all that fit the
    /// algorithm, at most `JWKSetReader.maximumCandidates`.
    ///
    /// Throws `credential.key-unresolved` when there is none, and the other codes of keys.
    func candidates(
        bytes kid: [UInt8]?, issuer: String, algorithm: SignatureAlgorithm, for purpose: KeyPurpose
    ) throws(CredentialError) -> [ResolvedKey] {
        guard let entry = trust.issuer(issuer), entry.pemKey == nil, let document = entry.document else {
            return [try key(kid: nil, issuer: issuer, algorithm: algorithm, for: purpose)]
        }
        guard let keys = try JWKSetReader.keys(of: entry, document) else {
            let methods = try KeyDocumentReader(document, of: issuer, trust.knownKeys)
            var found: [ResolvedKey] = []
            for method in try methods.listedMethods(for: purpose) where found.count < JWKSetReader.maximumCandidates {
                let key = try methods.key(method, for: purpose, relationships: entry.relationships)
                if key.key.algorithms.contains(algorithm) { found.append(key) }
            }
            guard !found.isEmpty else {
                throw CredentialError(.keyUnresolved, "The document of \(issuer) has no key for this token.")
            }
            return found
        }
        return try JWKSetReader.candidates(kid: kid, from: keys, issuer: issuer, algorithm: algorithm, trust.knownKeys)
    }

    /// Returns the part of a DID URL or address before its fragment.
    public static func identifier(of method: String) -> String {
        method.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(method[..<$0]) } ?? method
    }

    /// Returns true for a did:key or did:jwk, or a DID URL of one, which contains its only key.
    public static func holdsKey(_ identifier: String) -> Bool {
        identifier.utf8.starts(with: "did:key:".utf8) || identifier.utf8.starts(with: "did:jwk:".utf8)
    }

    /// Returns true when a key's name is the issuer's own, as some issuers write it.
    private func isOwner(_ kid: String, _ issuer: String) -> Bool {
        kid.isExactly(issuer) && !kid.utf8.contains(UInt8(ascii: "#"))
    }

    /// Returns the DID URL of the key in a did:key or did:jwk; any other name unchanged.
    static func method(named kid: String) -> String {
        holdsKey(kid) && !kid.utf8.contains(UInt8(ascii: "#")) ? ownMethod(of: kid) : kid
    }

    /// Returns the DID URL of the only key of a did:key or did:jwk.
    public static func ownMethod(of did: String) -> String {
        did.hasPrefix("did:jwk:") ? did + "#0" : did + "#" + did.dropFirst("did:key:".count)
    }

    private func didKey(_ method: String, _ did: String) throws(CredentialError) -> ResolvedKey {
        let text = did.dropFirst("did:key:".count)
        guard method.isExactly(did + "#" + text) else {
            throw CredentialError(.keyForm, "A did:key names its key by a fragment that repeats it.")
        }
        if let known = trust.knownKeys.key(ofIdentifier: did) {
            return ResolvedKey(known, identifier: method, controller: did)
        }
        let key = try trust.knownKeys.key(of: try UncheckedPublicKey(multikey: text))
        return ResolvedKey(key, identifier: method, controller: did)
    }

    /// Reads the key of a did:jwk with `#0`; `acceptsPadding` also allows padded base 64, as former wallets wrote it.
    func didJWK(_ method: String, _ did: String, acceptsPadding: Bool) throws(CredentialError) -> ResolvedKey {
        guard method.isExactly(did + "#0") else {
            throw CredentialError(.keyForm, "A did:jwk names its key by the fragment 0.")
        }
        var text = did.dropFirst("did:jwk:".count)
        if acceptsPadding { while text.last == "=" { text = text.dropLast() } }
        let bytes = try StrictBase64.url(text, "The key of a did:jwk")
        guard bytes.count <= 8192, let object = (try? JSONValue(parsing: bytes))?.object else {
            throw CredentialError(.keyForm, "A did:jwk does not hold a JWK.")
        }
        var key = ResolvedKey(
            try trust.knownKeys.key(of: try UncheckedPublicKey(jwk: object)), identifier: method, controller: did)
        try JWKUsageCheck.apply(object, to: &key)
        return key
    }

    private func pinned(_ pin: PinnedKey) throws(CredentialError) -> ResolvedKey {
        guard let object = pin.document.object else {
            throw CredentialError(.keyForm, "The key document of \(pin.address) is not an object.")
        }
        guard object["id"]?.string?.isExactly(pin.address) == true else {
            throw CredentialError(.keyController, "The key document pinned for \(pin.address) has another id.")
        }
        let controller = object["controller"]?.string ?? pin.address
        let key = try KeyDocumentReader.key(
            of: object, identifier: pin.address, controller: controller, trust.knownKeys)
        guard pin.issuers.containsExactly(controller) || object["controller"] == nil else {
            throw CredentialError(.keyController, "The key \(pin.address) belongs to another controller.")
        }
        return key
    }
}

/// Reads keys in a JSON Web Key Set (RFC 7517), or in the metadata of an SD-JWT VC issuer.
enum JWKSetReader {
    /// Returns the keys in an issuer's document; nil when it is no key set and no metadata.
    ///
    /// Throws `credential.iss-mismatch` for metadata of another issuer and `credential.key-form` for malformed ones.
    static func keys(of entry: TrustedIssuer, _ document: JSONValue) throws(CredentialError) -> [JSONObject]? {
        guard let object = document.object else { return nil }
        if let keys = object["keys"] { return try objects(keys) }
        guard object["jwks"] != nil || object["jwks_uri"] != nil else { return nil }
        guard object["issuer"]?.string?.isExactly(entry.identifier) == true else {
            throw CredentialError(.issMismatch, "The metadata pinned for \(entry.identifier) names another issuer.")
        }
        guard (object["jwks"] == nil) != (object["jwks_uri"] == nil) else {
            throw CredentialError(.keyForm, "The metadata of \(entry.identifier) has its keys twice.")
        }
        if let set = object["jwks"] { return try objects(set["keys"]) }
        guard let set = entry.keySet else {
            throw CredentialError(
                .keyUnresolved, "The key set of \(entry.identifier) is not pinned beside its metadata.")
        }
        return try objects(set["keys"])
    }

    /// Returns the key that `kid` names, or without `kid` the only matching one.
    static func choose(
        kid: String?, from keys: [JSONObject], issuer: String, algorithm: SignatureAlgorithm,
        _ knownKeys: DecodedKeyCache
    ) throws(CredentialError) -> ResolvedKey {
        if let kid {
            let named = keys.filter { $0["kid"]?.string?.isExactly(kid) == true }
            guard let jwk = named.first, named.count == 1 else {
                throw CredentialError(
                    .keyUnresolved,
                    "The keys of \(issuer) in the trust file do not have the kid “\(kid)” exactly once; it may have new ones."
                )
            }
            return try key(of: jwk, kid: kid, issuer: issuer, knownKeys)
        }
        var found: [ResolvedKey] = []
        for jwk in keys {
            guard let key = try? key(of: jwk, kid: jwk["kid"]?.string ?? "", issuer: issuer, knownKeys) else {
                continue
            }
            if (try? key.checkAlgorithm(algorithm)) != nil { found.append(key) }
        }
        return try only(of: found, issuer: issuer)
    }

    /// The most keys of a set that are tried for a token that names no key.
    static let maximumCandidates = 16

    /// Returns the keys with a name in bytes, or without one all matching keys.
    static func candidates(
        kid: [UInt8]?, from keys: [JSONObject], issuer: String, algorithm: SignatureAlgorithm,
        _ knownKeys: DecodedKeyCache
    ) throws(CredentialError) -> [ResolvedKey] {
        let names = kid.map { [Base64URL.encode($0), Base64.encode($0), Hex.encode($0)] } ?? []
        let named = keys.filter { $0["kid"]?.string.map(names.containsExactly) == true }
        var found: [ResolvedKey] = []
        for jwk in named.isEmpty ? keys : named {
            guard found.count < maximumCandidates,
                let key = try? key(of: jwk, kid: jwk["kid"]?.string ?? names.first ?? "", issuer: issuer, knownKeys),
                (try? key.checkAlgorithm(algorithm)) != nil
            else { continue }
            found.append(key)
        }
        guard !found.isEmpty else {
            throw CredentialError(.keyUnresolved, "The keys of \(issuer) do not have one for this token.")
        }
        return found
    }

    static func only(of found: [ResolvedKey], issuer: String) throws(CredentialError) -> ResolvedKey {
        guard let key = found.first, found.count == 1 else {
            throw CredentialError(
                .keyUnresolved, "The token names no key, and \(found.count) keys of \(issuer) fit its algorithm.")
        }
        return key
    }

    private static func key(
        of jwk: JSONObject, kid: String, issuer: String, _ knownKeys: DecodedKeyCache
    ) throws(CredentialError) -> ResolvedKey {
        let material = try UncheckedPublicKey(jwk: jwk)
        var key = ResolvedKey(try knownKeys.key(of: material), identifier: kid, controller: issuer)
        try JWKUsageCheck.apply(jwk, to: &key)
        return key
    }

    private static func objects(_ value: JSONValue?) throws(CredentialError) -> [JSONObject] {
        let objects = value?.array?.compactMap(\.object)
        guard let objects, objects.count == value?.array?.count else {
            throw CredentialError(.keyForm, "A key set has no array of keys.")
        }
        return objects
    }
}
