import ByteCoding
import CryptoSuite
import Determinism
import JSON

extension TrustFile {
    /// The trust store of the file, with the contents of the files that `paths` names.
    ///
    /// Throws `trust.file-missing`, `trust.digest-mismatch`, `trust.file-malformed`, `trust.syntax` and
    /// `trust.unknown-word`.
    public func store(files: [String: [UInt8]]) throws(TrustFileError) -> TrustStore {
        var store = TrustStore()
        let reader = TrustFileContents(files)
        for entry in entries {
            let (head, value) = (entry.head, entry.head.values.first ?? "")
            switch head.name {
            case "issuer": store.issuers.append(try TrustEntries.issuer(entry, reader))
            case "key": store.keys.append(try TrustEntries.key(entry, reader))
            case "method":
                guard value.hasPrefix("did:"), !value.dropFirst(4).isEmpty, !value.dropFirst(4).contains(":") else {
                    throw TrustFileError(.syntax, line: head.line, "A method is written as did:key.")
                }
                store.methods.append(value)
            case "root": store.roots.append(try TrustEntries.root(entry, reader))
            case "vical":
                let root = entry.setting("root")?.values.first ?? ""
                store.authorityLists.append(
                    PinnedAuthorityList(
                        bytes: try reader.bytes(value, line: head.line),
                        root: try reader.certificate(root, line: head.line)))
            case "context": store.contexts.append(try TrustEntries.context(entry, reader))
            case "status-list": store.statusLists.append(try TrustEntries.statusList(entry, reader))
            case "revocation-list": store.revocationLists.append(try reader.bytes(value, line: head.line))
            default: break
            }
        }
        store.makeKeys()
        return store
    }

    /// Changes a policy as the entry `policy` says.
    ///
    /// Throws `trust.syntax` and `trust.unknown-word`.
    public func apply(to policy: inout VerificationPolicy) throws(TrustFileError) {
        for setting in entries.filter({ $0.head.name == "policy" }).flatMap(\.settings) {
            let value = setting.values.first ?? ""
            switch setting.name {
            case "tolerance": policy.toleranceSeconds = try TrustGrammar.duration(value, line: setting.line)
            case "fresh-status":
                guard value == "require" else {
                    throw TrustFileError(.unknownWord, line: setting.line, "fresh-status is followed by require.")
                }
                policy.requiresFreshStatus = true
            default:
                let demand: VerificationPolicy.Demand =
                    setting.name == "require" ? .required : setting.name == "want" ? .wanted : .reported
                for name in setting.values {
                    guard let kind = CredentialCheck.Kind(rawValue: name) else {
                        throw TrustFileError(.unknownWord, line: setting.line, "There is no check \(name).")
                    }
                    policy.setDemand(demand, on: kind)
                }
            }
        }
    }
}

/// The files that a trust file names, by path.
struct TrustFileContents {
    private let files: [String: [UInt8]]

    init(_ files: [String: [UInt8]]) { self.files = files }

    /// The bytes of a file; `digest` is the SHA-256 that they must have.
    func bytes(_ path: String, digest: String? = nil, line: Int) throws(TrustFileError) -> [UInt8] {
        guard let bytes = files[path] else {
            throw TrustFileError(.fileMissing, line: line, "The file \(path) is not there.")
        }
        if let digest {
            guard SHA256.hash(bytes) == (try TrustGrammar.digest(digest, line: line)) else {
                throw TrustFileError(.digestMismatch, line: line, "The file \(path) has another digest.")
            }
        }
        return bytes
    }

    /// The JSON of a file; `setting` is `NAME PATH sha256 DIGEST`.
    func json(_ setting: TrustFile.Setting) throws(TrustFileError) -> JSONValue {
        let values = Array(setting.values)
        guard values.count >= 3, values[1] == "sha256" else {
            throw TrustFileError(.syntax, line: setting.line, "A file is followed by sha256 and its digest.")
        }
        return try json(try bytes(values[0], digest: values[2], line: setting.line), values[0], line: setting.line)
    }

    func json(_ bytes: [UInt8], _ path: String, line: Int) throws(TrustFileError) -> JSONValue {
        guard let value = try? JSONValue(parsing: bytes, limits: VerificationLimits().json) else {
            throw TrustFileError(.fileMalformed, line: line, "The file \(path) is no JSON.")
        }
        return value
    }

    /// The DER of a certificate in PEM or DER.
    func certificate(_ path: String, line: Int) throws(TrustFileError) -> [UInt8] {
        let bytes = try bytes(path, line: line)
        if bytes.first == 0x30 { return bytes }
        let lines = String(decoding: bytes, as: UTF8.self).split { $0.isNewline }
        guard let start = lines.firstIndex(of: "-----BEGIN CERTIFICATE-----"),
            let end = lines.firstIndex(of: "-----END CERTIFICATE-----"), start < end,
            lines.lastIndex(of: "-----BEGIN CERTIFICATE-----") == start,
            let der = Base64.decode(lines[(start + 1)..<end].joined()), der.first == 0x30
        else { throw TrustFileError(.fileMalformed, line: line, "The file \(path) does not hold one certificate.") }
        return der
    }
}

/// Makes the entries of a trust store.
enum TrustEntries {
    static func issuer(
        _ entry: TrustFile.Entry, _ files: TrustFileContents
    ) throws(TrustFileError) -> TrustedIssuer {
        var issuer = TrustedIssuer(entry.head.values.first ?? "")
        for setting in entry.settings {
            let values = Array(setting.values)
            switch setting.name {
            case "document":
                issuer.document = try files.json(setting)
                guard values.count == 3 || values.count == 5 && values[3] == "taken" else {
                    throw TrustFileError(.syntax, line: setting.line, "Behind the digest stands taken and a date.")
                }
                if values.count == 5 { _ = try TrustGrammar.time(values[4], line: setting.line) }
            case "keys": issuer.keySet = try files.json(setting)
            case "relationships":
                guard let form = TrustedIssuer.Relationships(rawValue: values[0]) else {
                    throw TrustFileError(
                        .unknownWord, line: setting.line, "Relationships are listed or controller-listed.")
                }
                issuer.relationships = form
            case "types": issuer.types = values
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

    static func key(_ entry: TrustFile.Entry, _ files: TrustFileContents) throws(TrustFileError) -> PinnedKey {
        guard let file = entry.setting("file"), let issuers = entry.setting("for") else {
            throw TrustFileError(.missingSetting, line: entry.head.line, "The entry needs a file and its issuers.")
        }
        return PinnedKey(
            address: entry.head.values.first ?? "", document: try files.json(file), issuers: Array(issuers.values))
    }

    static func root(_ entry: TrustFile.Entry, _ files: TrustFileContents) throws(TrustFileError) -> TrustedRoot {
        let certificate = try files.certificate(entry.head.values.first ?? "", line: entry.head.line)
        guard let setting = entry.setting("for"), let kind = setting.values.first else {
            throw TrustFileError(.missingSetting, line: entry.head.line, "The entry needs the setting for.")
        }
        var values = Array(setting.values.dropFirst())
        var found: [String: [String]] = [:]
        while values.count >= 2 {
            found[values[0], default: []].append(values[1])
            values.removeFirst(2)
        }
        let known: Set<String> = kind == "mdoc" ? ["doctype", "country"] : ["issuer"]
        guard values.isEmpty, ["mdoc", "tokens"].contains(kind), Set(found.keys).isSubset(of: known),
            (found["country"] ?? []).count <= 1
        else {
            throw TrustFileError(
                .unknownWord, line: setting.line, "A root is for mdoc (doctype, country) or for tokens (issuer).")
        }
        return TrustedRoot(
            certificate: certificate,
            purpose: kind == "mdoc"
                ? .mobileDocuments(types: found["doctype"] ?? [], country: found["country"]?.first)
                : .tokens(issuers: found["issuer"] ?? []))
    }

    static func context(
        _ entry: TrustFile.Entry, _ files: TrustFileContents
    ) throws(TrustFileError) -> PinnedContext {
        let (address, line) = (entry.head.values.first ?? "", entry.head.line)
        let digest = try TrustGrammar.digest(entry.setting("jcs-sha256")?.values.first ?? "", line: line)
        if let labels = entry.setting("labels"), labels.values.first != "accept" {
            throw TrustFileError(.unknownWord, line: labels.line, "labels is followed by accept.")
        }
        let accepts = entry.setting("labels") != nil
        guard address != "inline" else {
            return PinnedContext(address: nil, digest: digest, document: nil, acceptsLabels: accepts)
        }
        guard let file = entry.setting("file"), let path = file.values.first else {
            throw TrustFileError(.missingSetting, line: line, "A context with an address needs a file.")
        }
        let document = try files.json(try files.bytes(path, line: file.line), path, line: file.line)
        guard let canonical = try? document.canonical(), SHA256.hash(canonical) == digest else {
            throw TrustFileError(.digestMismatch, line: file.line, "The context in \(path) has another digest.")
        }
        return PinnedContext(address: address, digest: digest, document: document, acceptsLabels: accepts)
    }

    static func statusList(
        _ entry: TrustFile.Entry, _ files: TrustFileContents
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
