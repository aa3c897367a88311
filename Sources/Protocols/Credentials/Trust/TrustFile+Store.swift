import ByteCoding
import CryptoSuite
import Determinism
import JSON

extension TrustFile {
    /// Makes the trust store of the file, with the contents of the files that `paths` names.
    ///
    /// Throws `trust.file-missing`, `trust.digest-mismatch`, `trust.file-malformed`, `trust.syntax` and
    /// `trust.unknown-word`.
    public func store(files: [String: [UInt8]]) throws(TrustFileError) -> TrustStore {
        var store = TrustStore()
        let reader = TrustFileContents(files)
        for entry in entries {
            let (head, value) = (entry.head, entry.head.values.first ?? "")
            switch head.name {
            case "issuer": store.issuers.append(try TrustEntryBuilder.issuer(entry, reader))
            case "key": store.keys.append(try TrustEntryBuilder.key(entry, reader))
            case "method":
                guard value.hasPrefix("did:"), !value.dropFirst(4).isEmpty, !value.dropFirst(4).holds(":") else {
                    throw TrustFileError(.syntax, line: head.line, "A method is written as did:key.")
                }
                store.methods.append(value)
            case "root": store.roots += try TrustEntryBuilder.roots(entry, reader)
            case "vical":
                let root = entry.setting("root")?.values.first ?? ""
                store.authorityLists.append(
                    PinnedAuthorityList(
                        bytes: try reader.bytes(value, digest: entry.setting("sha256"), line: head.line),
                        root: try reader.certificate(root, line: head.line)))
            case "context": store.contexts.append(try TrustEntryBuilder.context(entry, reader))
            case "status-list": store.statusLists.append(try TrustEntryBuilder.statusList(entry, reader))
            case "signers": store.signerLists.append(try TrustEntryBuilder.signers(entry, reader))
            case "aes-key":
                store.decryptionKeys.append(try TrustEntryBuilder.decryptionKey(value, reader, line: head.line))
            case "revocation-list":
                store.revocationLists.append(try reader.revocationList(value, line: head.line))
            default: break
            }
        }
        store.makeKeys()
        return store
    }

    /// Applies the entry `policy` of the trust file to a policy.
    ///
    /// Throws `trust.syntax` and `trust.unknown-word`.
    public func apply(to policy: inout VerificationPolicy) throws(TrustFileError) {
        var statusLines: Set<String> = []
        for setting in entries.filter({ $0.head.name == "policy" }).flatMap(\.settings) {
            let value = setting.values.first ?? ""
            switch setting.name {
            case "tolerance": policy.toleranceSeconds = try TrustGrammar.duration(value, line: setting.line)
            case "fresh-status":
                guard value == "require" else {
                    throw TrustFileError(.unknownWord, line: setting.line, "fresh-status is followed by require.")
                }
                policy.requiresFreshStatus = true
            case "status":
                guard value == "optional" || value == "required" else {
                    throw TrustFileError(
                        .unknownWord, line: setting.line, "status is followed by optional or required.")
                }
                guard statusLines.insert(setting.name).inserted else { throw Self.doubledStatus(setting.line) }
                policy.isStatusOptional = value == "optional"
            default:
                let demand: VerificationPolicy.CheckRequirement =
                    setting.name == "require" ? .required : setting.name == "want" ? .wanted : .reported
                for name in setting.values {
                    guard let kind = CredentialCheck.Kind(rawValue: name) else {
                        throw TrustFileError(.unknownWord, line: setting.line, "There is no check \(name).")
                    }
                    if kind == .status, !statusLines.insert("status").inserted {
                        throw Self.doubledStatus(setting.line)
                    }
                    policy.setDemand(demand, on: kind)
                }
            }
        }
    }

    private static func doubledStatus(_ line: Int) -> TrustFileError {
        TrustFileError(.doubled, line: line, "An earlier line of the policy says how much the check status counts.")
    }
}

/// The contents of the files that a trust file names, by path.
struct TrustFileContents {
    private let files: [String: [UInt8]]

    init(_ files: [String: [UInt8]]) { self.files = files }

    /// Returns the bytes of a file; `digest` is their required SHA-256 in hexadecimal digits.
    func bytes(_ path: String, digest: String? = nil, line: Int) throws(TrustFileError) -> [UInt8] {
        guard let bytes = files[path] else {
            throw TrustFileError(.fileMissing, line: line, "The file \(path) is not there.")
        }
        if let digest {
            let (found, expected) = (SHA256.hash(bytes), try TrustGrammar.digest(digest, line: line))
            guard found == expected else {
                throw TrustFileError(
                    .digestMismatch, line: line,
                    "The SHA-256 of \(path) is \(Hex.encode(found)), and the trust file has \(Hex.encode(expected)).")
            }
        }
        return bytes
    }

    /// Returns the files of a folder by name, in order, or the one file of this path.
    func all(in path: String, line: Int) throws(TrustFileError) -> [(name: String, bytes: [UInt8])] {
        if let bytes = files[path] { return [(path, bytes)] }
        let start = path.hasSuffix("/") ? path : path + "/"
        let found = files.filter { $0.key.utf8.starts(with: start.utf8) }.sorted { $0.key < $1.key }
        guard !found.isEmpty else {
            throw TrustFileError(.fileMissing, line: line, "The folder or file \(path) is not there, or empty.")
        }
        return found.map { ($0.key, $0.value) }
    }

    /// Returns the bytes of a file whose digest is in a separate setting, if any.
    func bytes(_ path: String, digest: TrustFile.Setting?, line: Int) throws(TrustFileError) -> [UInt8] {
        try bytes(path, digest: digest?.values.first, line: digest?.line ?? line)
    }

    /// Reads the JSON of a file; `setting` is `NAME PATH sha256 DIGEST`, with at least three values.
    func json(_ setting: TrustFile.Setting) throws(TrustFileError) -> JSONValue {
        let values = Array(setting.values)
        guard values[1] == "sha256" else {
            throw TrustFileError(.syntax, line: setting.line, "Write sha256 and its digest after a file.")
        }
        return try json(try bytes(values[0], digest: values[2], line: setting.line), values[0], line: setting.line)
    }

    func json(_ bytes: [UInt8], _ path: String, line: Int) throws(TrustFileError) -> JSONValue {
        guard let value = try? JSONValue(parsing: bytes, limits: VerificationLimits().json) else {
            let isPEM = bytes.starts(with: "-----BEGIN ".utf8)
            throw TrustFileError(
                .fileMalformed, line: line,
                "The file \(path) is not JSON\(isPEM ? " but PEM: write pem, not document" : "").")
        }
        return value
    }

    /// Reads the key in a PEM file, also that of a certificate; `setting` is `pem PATH [sha256 DIGEST]`.
    func publicKey(_ setting: TrustFile.Setting) throws(TrustFileError) -> VerificationKey {
        let values = Array(setting.values)
        guard values.count == 1 || values.count == 3 && values[1] == "sha256" else {
            throw TrustFileError(.syntax, line: setting.line, "pem needs PATH, or PATH sha256 DIGEST.")
        }
        let bytes = try bytes(values[0], digest: values.count == 3 ? values[2] : nil, line: setting.line)
        do throws(CredentialError) {
            return try VerificationKey(pem: bytes)
        } catch {
            throw TrustFileError(.fileMalformed, line: setting.line, "The file \(values[0]): \(error.reason)")
        }
    }

    /// Returns the DER of a revocation list in a PEM or DER file.
    func revocationList(_ path: String, line: Int) throws(TrustFileError) -> [UInt8] {
        let bytes = try bytes(path, line: line)
        let der = bytes.first == 0x30 ? bytes : PEMText.revocationList(String(decoding: bytes, as: UTF8.self))
        guard let der, (try? RevocationList(der: der)) != nil else {
            throw TrustFileError(
                .fileMalformed, line: line, "The file \(path) is not one revocation list in DER or PEM.")
        }
        return der
    }

    /// Returns the DER of a certificate in a PEM or DER file.
    func certificate(
        _ path: String, digest: TrustFile.Setting? = nil, line: Int
    ) throws(TrustFileError) -> [UInt8] {
        let bytes = try bytes(path, digest: digest, line: line)
        if bytes.first == 0x30 { return bytes }
        guard let der = PEMText.certificate(String(decoding: bytes, as: UTF8.self)) else {
            throw TrustFileError(.fileMalformed, line: line, "The file \(path) does not hold one certificate.")
        }
        return der
    }
}

/// Makes the entries of a trust store from those of a trust file.
enum TrustEntryBuilder {
    static func issuer(
        _ entry: TrustFile.ParsedTrustEntry, _ files: TrustFileContents
    ) throws(TrustFileError) -> TrustedIssuer {
        var issuer = TrustedIssuer(entry.head.values.first ?? "")
        for setting in entry.settings {
            let values = Array(setting.values)
            switch setting.name {
            case "name": issuer.name = try TrustGrammar.name(values[0], line: setting.line)
            case "pem": issuer.pemKey = try files.publicKey(setting)
            case "document":
                issuer.document = try files.json(setting)
                guard values.count == 3 || values.count == 5 && values[3] == "taken" else {
                    throw TrustFileError(.syntax, line: setting.line, "Behind the digest, write taken and a date.")
                }
                if values.count == 5 { _ = try TrustGrammar.time(values[4], line: setting.line) }
            case "keys": issuer.keySet = try files.json(setting)
            case "relationships":
                guard let form = TrustedIssuer.KeyListingForm(rawValue: values[0]) else {
                    throw TrustFileError(
                        .unknownWord, line: setting.line, "Relationships are listed or controller-listed.")
                }
                issuer.relationships = form
            case "types": issuer.types = values
            case "issuer-less":
                guard values == ["accept"] else {
                    throw TrustFileError(.unknownWord, line: setting.line, "issuer-less is followed by accept.")
                }
                issuer.acceptsIssuerless = true
            case "contexts":
                issuer.contexts = try values.map { word throws(TrustFileError) in
                    guard word.hasPrefix("inline:") else { return word }
                    let digest = try TrustGrammar.digest(String(word.dropFirst("inline:".count)), line: setting.line)
                    return "inline:" + Hex.encode(digest)
                }
            default: issuer.statusIssuers = values.filter { $0 != "own" }
            }
        }
        return issuer
    }

    /// Returns the list of signers in a folder of certificates, or in a file of several in PEM.
    static func signers(
        _ entry: TrustFile.ParsedTrustEntry, _ files: TrustFileContents
    ) throws(TrustFileError) -> PinnedSigners {
        let (path, line) = (entry.head.values.first ?? "", entry.head.line)
        let purposes = try (entry.setting("for")?.values ?? []).map { word throws(TrustFileError) in
            guard let purpose = PinnedSigners.Purpose(rawValue: word) else {
                throw TrustFileError(
                    .unknownWord, line: line, "Signers are for health-certificates or aadhaar, and not for \(word).")
            }
            return purpose
        }
        var certificates: [Certificate] = []
        for (name, bytes) in try files.all(in: path, line: line) {
            for der in SignerFile.certificates(bytes) {
                guard let certificate = try? Certificate(der: der) else {
                    throw TrustFileError(
                        .fileMalformed, line: line, "The file \(name) has a certificate that cannot be read.")
                }
                certificates.append(certificate)
            }
        }
        guard (1...PinnedSigners.maximumCount).contains(certificates.count) else {
            throw TrustFileError(
                .fileMalformed, line: line,
                "\(path) has \(certificates.count) certificates; a list has 1 to \(PinnedSigners.maximumCount).")
        }
        var list = PinnedSigners(path: path, purposes: purposes, certificates: certificates)
        list.name = try entry.setting("name").map { setting throws(TrustFileError) in
            try TrustGrammar.name(setting.values.first ?? "", line: setting.line)
        }
        return list
    }

    /// Returns the key in a file: 16 or 32 bytes, or their hexadecimal digits.
    static func decryptionKey(
        _ path: String, _ files: TrustFileContents, line: Int
    ) throws(TrustFileError) -> Secret {
        var bytes = try files.bytes(path, line: line)
        // Digits first: 32 of them are a key of 16 bytes, and no random key is digits alone.
        if let text = String(validating: bytes, as: UTF8.self),
            let decoded = Hex.decode(String(text.prefix { !$0.isWhitespace })), !decoded.isEmpty
        {
            bytes = decoded
        }
        guard [16, 32].contains(bytes.count) else {
            throw TrustFileError(
                .fileMalformed, line: line, "The file \(path) has no key of 16 or 32 bytes, as bytes or in digits.")
        }
        return Secret(consuming: &bytes)
    }

    static func key(_ entry: TrustFile.ParsedTrustEntry, _ files: TrustFileContents) throws(TrustFileError) -> PinnedKey
    {
        let (address, file) = (entry.head.values.first ?? "", entry.setting("file"))
        let issuers = Array(entry.setting("for")?.values ?? [])
        guard let file else {
            guard KeyResolver.holdsKey(address) else {
                throw TrustFileError(
                    .missingSetting, line: entry.head.line,
                    "The key \(address) needs the setting file PATH sha256 DIGEST.")
            }
            return PinnedKey(address: address, document: .null, issuers: issuers)
        }
        return PinnedKey(address: address, document: try files.json(file), issuers: issuers)
    }

    /// Returns the roots of an entry, one for each of its purposes.
    static func roots(_ entry: TrustFile.ParsedTrustEntry, _ files: TrustFileContents) throws(TrustFileError)
        -> [TrustedRoot]
    {
        let path = entry.head.values.first ?? ""
        let certificate = try files.certificate(path, digest: entry.setting("sha256"), line: entry.head.line)
        let name = try entry.setting("name").map { setting throws(TrustFileError) in
            try TrustGrammar.name(setting.values.first ?? "", line: setting.line)
        }
        let profile = entry.setting("profile")
        guard [nil, "strict", "lenient"].contains(profile?.values.first) else {
            throw TrustFileError(
                .unknownWord, line: profile?.line ?? entry.head.line, "profile is followed by strict or lenient.")
        }
        let purposes = entry.settings.filter { $0.name == "for" }
        return try purposes.map { setting throws(TrustFileError) in
            var root = TrustedRoot(certificate: certificate, purpose: try purpose(setting))
            root.path = path
            root.name = name
            root.isLenient = profile?.values.first == "lenient"
            root.statusIssuers = entry.setting("status")?.values.filter { $0 != "own" } ?? []
            return root
        }
    }

    private static func purpose(_ setting: TrustFile.Setting) throws(TrustFileError) -> TrustedRoot.Purpose {
        let kind = setting.values.first ?? ""
        var values = setting.values.dropFirst()
        var found: [String: [String]] = [:]
        while let name = values.popFirst(), let value = values.popFirst() { found[name, default: []].append(value) }
        let isWhole = setting.values.count % 2 == 1
        switch kind {
        case "mdoc"
        where isWhole && Set(found.keys).isSubset(of: ["doctype", "country"]) && (found["country"] ?? []).count <= 1:
            return .mobileDocuments(types: found["doctype"] ?? [], country: found["country"]?.first)
        case "tokens" where isWhole && Set(found.keys).isSubset(of: ["issuer", "type"]):
            return .tokens(issuers: found["issuer"] ?? [], types: found["type"] ?? [])
        default:
            throw TrustFileError(
                .unknownWord, line: setting.line,
                "A root is for mdoc (doctype, country) or for tokens (issuer, type), each word with its value.")
        }
    }

    static func context(
        _ entry: TrustFile.ParsedTrustEntry, _ files: TrustFileContents
    ) throws(TrustFileError) -> PinnedJSONLDContext {
        let (address, line) = (entry.head.values.first ?? "", entry.head.line)
        let digest = try TrustGrammar.digest(entry.setting("jcs-sha256")?.values.first ?? "", line: line)
        if let labels = entry.setting("labels"), labels.values.first != "accept" {
            throw TrustFileError(.unknownWord, line: labels.line, "labels is followed by accept.")
        }
        let accepts = entry.setting("labels") != nil
        guard address != "inline" else {
            return PinnedJSONLDContext(address: nil, digest: digest, document: nil, acceptsLabels: accepts)
        }
        guard let file = entry.setting("file"), let path = file.values.first else {
            throw TrustFileError(.missingSetting, line: line, "A context with an address needs a file.")
        }
        let document = try files.json(try files.bytes(path, line: file.line), path, line: file.line)
        guard let found = (try? document.canonical()).map({ SHA256.hash($0) }) else {
            throw TrustFileError(.fileMalformed, line: file.line, "The context in \(path) has no canonical form.")
        }
        guard found == digest else {
            throw TrustFileError(
                .digestMismatch, line: file.line,
                "The jcs-sha256 of \(path) is \(Hex.encode(found)), and the trust file has \(Hex.encode(digest)).")
        }
        return PinnedJSONLDContext(address: address, digest: digest, document: document, acceptsLabels: accepts)
    }

    static func statusList(
        _ entry: TrustFile.ParsedTrustEntry, _ files: TrustFileContents
    ) throws(TrustFileError) -> PinnedStatusList {
        let line = entry.head.line
        let bytes = try files.bytes(entry.setting("file")?.values.first ?? "", line: line)
        let fetched = try TrustGrammar.time(entry.setting("fetched")?.values.first ?? "", line: line)
        var age = PinnedStatusList.usualMaximumAgeSeconds
        if let setting = entry.setting("max-age") {
            age = try TrustGrammar.duration(setting.values.first ?? "", line: setting.line)
        }
        return PinnedStatusList(
            address: entry.head.values.first ?? "", bytes: bytes,
            fetchedAt: WallTime(millisecondsSinceEpoch: Int64(fetched * 1000)), maximumAgeSeconds: age)
    }
}
