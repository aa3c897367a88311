import ByteCoding
import CommandProgram
import Credentials
import CryptoSuite
import Determinism
import Terminal

/// An entry that `symbolon trust add` writes for a file, or for an identifier that holds its key.
struct TrustAddition: Sendable {
    /// A file that is copied beside the trust file.
    struct CopiedFile: Sendable {
        let path: String
        let bytes: [UInt8]
    }

    /// A sentence that says what the given file is; it begins with the file's name.
    let title: String
    /// The fingerprint and the thing whose fingerprint it is; nil for an identifier that holds its key.
    let fingerprint: (of: String, digits: String)?
    /// The files that the entry names.
    let copies: [CopiedFile]
    /// The options of `symbolon trust add` that the entry uses.
    let options: Set<String>
    /// The issuer whose existing entry gets more types, with these types; nil for a new entry.
    var extended: (issuer: String, types: [String])?
    /// The time at which a status list was fetched; nil for other entries.
    var fetchedAt: WallTime?
    /// More sentences for the person who is to trust it, such as the authorities of a list.
    var details: [String] = []
    /// Writes the lines of the entry, given the names of the copied files.
    let lines: @Sendable ([String]) -> [String]

    /// True for a status list that is too old to count as fresh.
    func isOutdated(at time: WallTime) -> Bool {
        guard let fetchedAt else { return false }
        let age = time.millisecondsSinceEpoch - fetchedAt.millisecondsSinceEpoch
        return Double(age) / 1000 > PinnedStatusList.usualMaximumAgeSeconds
    }

    /// Writes the comment line above the entry: date, title and fingerprint.
    func comment(on time: WallTime) -> String {
        let date = CivilDateTime(time).date.text
        return "\(date): \(title)" + (fingerprint.map { " SHA-256 of the \($0.of): \($0.digits)" } ?? "")
    }
}

/// Makes entries of files and of the options of `symbolon trust add`.
struct TrustAdditionMaker: Sendable {
    let options: TrustAddOptions
    let time: WallTime

    /// The entries for an identifier that holds its key, did:key or did:jwk: of an issuer, or of a key of another one.
    ///
    /// - Throws: `trust.not-recognised` for one that holds none, `usage.…`.
    func additions(identifier: String) throws -> [TrustAddition] {
        let shown = TerminalText.sanitised(identifier, limit: 100)
        let title = "\(shown) holds its own key."
        let method =
            identifier.utf8.contains(UInt8(ascii: "#")) ? identifier : KeyResolver.ownMethod(of: identifier)
        do throws(CredentialError) {
            _ = try KeyResolver(TrustStore()).key(method, for: .assertionMethod)
        } catch {
            throw TrustFileError(.notRecognised, line: 0, "\(shown) holds no key that can be used: \(error.reason)")
        }
        if let issuer = options.issuer, issuer != identifier {
            return try keyOfAnother(method, of: issuer, title: title, file: nil)
        }
        let head = try word(identifier)
        let settings = try issuerSettings()
        return [
            TrustAddition(
                title: title, fingerprint: nil, copies: [], options: ["issuer", "type", "name"],
                lines: { _ in ["issuer \(head)"] + settings })
        ]
    }

    /// Adds types to the existing entry of an issuer.
    func extending(_ issuer: String) throws(UsageError) -> TrustAddition {
        var addition = TrustAddition(
            title: "\(TerminalText.sanitised(issuer, limit: 100)) is in the trust file, and may issue more types.",
            fingerprint: nil, copies: [], options: ["type"], lines: { _ in [] })
        addition.extended = (issuer, options.types)
        return addition
    }

    /// The entries for the file at `path`: one, or that of a key with its issuer's.
    ///
    /// - Throws: `trust.…` for a file that cannot be used, `usage.…` for an option that it needs.
    func additions(path: String, _ bytes: [UInt8], fetchedAt: WallTime) throws -> [TrustAddition] {
        let file = try added(path, bytes)
        switch file.material.content {
        case .publicKey(let key):
            return [try issuer(file, "a public key (\(key.kind))", "key", pem: file.material.bytes)]
        case .certificate(let certificate): return [try addition(file, certificate)]
        case .keySet(let count):
            return [try issuer(file, count == 1 ? "a set of one key" : "a set of \(count) keys", "file", of: nil)]
        case .metadata(let id): return [try issuer(file, "the metadata of an issuer with its keys", "file", of: id)]
        case .document(let id, let lists):
            let more = lists ? [] : ["  relationships controller-listed"]
            return [try issuer(file, "a document with the keys of \(TerminalText.sanitised(id))", "file", of: id, more)]
        case .keyDocument(let address):
            let issuer = try neededIssuer(file.name)
            return try keyOfAnother(address, of: issuer, title: "\(file.name) is the document of one key.", file: file)
        case .context(let digest): return [try context(file, digest)]
        case .revocationList(let issuer):
            return [
                TrustAddition(
                    title: "\(file.name) is the revocation list of \(TerminalText.sanitised(issuer, limit: 120)).",
                    fingerprint: ("file", file.fingerprint),
                    copies: [.init(path: file.path, bytes: file.material.bytes)], options: [],
                    lines: { names in ["revocation-list \(names[0])"] })
            ]
        case .authorityList(let provider): return [try authorityList(file, provider)]
        case .statusList(let address, _): return [try statusList(file, address, fetchedAt)]
        }
    }

    /// Makes the entry of a key that has its own address, and one of its issuer where the options name types or a name.
    private func keyOfAnother(
        _ address: String, of issuer: String, title: String, file: AddedFile?
    ) throws(UsageError) -> [TrustAddition] {
        let (address, issuer, settings) = (try word(address), try word(issuer), try issuerSettings())
        let key = TrustAddition(
            title: title, fingerprint: file.map { ("file", $0.fingerprint) },
            copies: file.map { [.init(path: $0.path, bytes: $0.material.bytes)] } ?? [],
            options: ["issuer", "type", "name"],
            lines: { names in
                ["key \(address)"] + (file.map { ["  file \(names[0]) sha256 \($0.digest)"] } ?? [])
                    + ["  for \(issuer)"]
            })
        guard !settings.isEmpty else { return [key] }
        let owner = TrustAddition(
            title: "\(issuer) is the issuer that the key signs for.", fingerprint: nil, copies: [], options: [],
            lines: { _ in ["issuer \(issuer)"] + settings })
        return [key, owner]
    }

    /// Reads the file at `path` and recognises its kind.
    ///
    /// - Throws: `trust.…` for a file that cannot be used.
    private func added(_ path: String, _ bytes: [UInt8]) throws -> AddedFile {
        let material: TrustMaterial
        do throws(TrustFileError) {
            material = try TrustMaterial(recognising: bytes, at: time)
        } catch {
            let codes = try PictureFile.codes(in: bytes) ?? [bytes]
            if let code = codes.lazy.compactMap({ CodeAdvice($0, at: time) }).first { throw code.failure }
            let failure = TrustFileError(
                error.code, line: 0, "\(TerminalText.sanitised(path, limit: 120)): \(error.reason)")
            throw CommandFailure(failure)
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return AddedFile(
            path: path, name: path == "-" ? "standard input" : TerminalText.sanitised(name, limit: 120),
            material: material)
    }

    /// A file to add to the trust file, with the kind that was recognised.
    private struct AddedFile {
        let path: String
        /// The name of the file, for people.
        let name: String
        let material: TrustMaterial

        var fingerprint: String { Hex.encode(SHA256.hash(material.fingerprinted)) }

        /// The SHA-256 digest of the file that the trust file pins, in hexadecimal digits.
        var digest: String { Hex.encode(SHA256.hash(material.bytes)) }
    }

    /// The entry for the certificates of signers, which become one file.
    ///
    /// - Throws: `trust.not-recognised` for files with something else, `trust.private-key`.
    func signers(_ path: String, for purpose: PinnedSigners.Purpose, _ files: [[UInt8]]) throws -> TrustAddition {
        let name = TerminalText.sanitised(path.split(separator: "/").last.map(String.init) ?? path, limit: 120)
        var certificates: [Certificate] = []
        for bytes in files {
            guard !bytes.contains("PRIVATE KEY-----".utf8) else {
                throw TrustFileError(.privateKey, line: 0, "\(name) has a file with a private key.")
            }
            let found = SignerFile.certificates(bytes).compactMap { try? Certificate(der: $0) }
            guard !found.isEmpty else {
                throw TrustFileError(.notRecognised, line: 0, "\(name) has a file without a certificate.")
            }
            certificates += found
        }
        guard (1...PinnedSigners.maximumCount).contains(certificates.count) else {
            throw TrustFileError(.notRecognised, line: 0, "\(name) has \(certificates.count) certificates.")
        }
        let settings = try nameSetting()
        let bundle = certificates.flatMap { Self.armoured($0.der) }
        let count =
            certificates.count == 1 ? "a certificate of a signer" : "\(certificates.count) certificates of signers"
        return TrustAddition(
            title:
                "\(name) has \(count), the first of \(TerminalText.sanitised("\(certificates[0].subject)", limit: 120)).",
            fingerprint: ("certificates as written", Hex.encode(SHA256.hash(bundle))),
            copies: [.init(path: path.hasSuffix(".pem") ? path : name + ".pem", bytes: bundle)],
            options: ["for", "name"],
            lines: { names in ["signers \(names[0])", "  for \(purpose.rawValue)"] + settings })
    }

    // MARK: Words of the trust file

    private func word(_ text: String) throws(UsageError) -> String {
        if let word = TrustFileEditor.quoted(text) { return word }
        throw UsageError(
            .badValue, "“\(TerminalText.sanitised(text, limit: 60))” has a quotation mark or a line end.",
            nextStep: "Leave it out; a trust file cannot hold it.")
    }

    private func words(_ texts: [String]) throws(UsageError) -> String {
        try texts.map { (text) throws(UsageError) in try word(text) }.joined(separator: " ")
    }

    private func nameSetting() throws(UsageError) -> [String] {
        guard let name = options.name else { return [] }
        return ["  name \(try word(name))"]
    }

    private func issuerSettings() throws(UsageError) -> [String] {
        try nameSetting() + (options.types.isEmpty ? [] : ["  types \(try words(options.types))"])
    }

    private func needed(_ value: String?, _ option: String, _ what: String) throws(UsageError) -> String {
        if let value { return value }
        throw UsageError(
            .missingOption, "\(what) needs --\(option).", nextStep: "Add --\(option) \(Self.help[option] ?? "TEXT").")
    }

    /// True for a text that begins as a DID or an address does.
    static func beginsAsIssuer(_ text: String) -> Bool {
        ["did:", "https://", "http://"].contains { text.utf8.starts(with: $0.utf8) }
    }

    /// Returns the issuer of `--issuer`, which is a DID or an address: another text could look like the name of one.
    private func neededIssuer(_ what: String) throws(UsageError) -> String {
        let issuer = try needed(options.issuer, "issuer", what)
        guard Self.beginsAsIssuer(issuer), issuer.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw UsageError(
                .badValue, "“\(TerminalText.sanitised(issuer, limit: 60))” for --issuer is no DID and no address.",
                nextStep: "Write \(Self.help["issuer"] ?? "ID").")
        }
        return issuer
    }

    private static let help = [
        "issuer": "ID, the issuer's DID or address, as its credentials name it",
        "address": "URL, the address by which credentials name the context",
        "root": "FILE, the root certificate of the list's signer",
    ]

    // MARK: Entries

    /// Makes the entry of an issuer whose one key is in a PEM file.
    private func issuer(
        _ file: AddedFile, _ what: String, _ fingerprinted: String, pem: [UInt8]
    ) throws(UsageError) -> TrustAddition {
        let id = try word(try neededIssuer("\(file.name)"))
        let settings = try issuerSettings()
        let digest = Hex.encode(SHA256.hash(pem))
        return TrustAddition(
            title: "\(file.name) is \(what).", fingerprint: (fingerprinted, file.fingerprint),
            copies: [.init(path: file.path, bytes: pem)], options: ["issuer", "type", "name"],
            lines: { names in ["issuer \(id)"] + settings + ["  pem \(names[0]) sha256 \(digest)"] })
    }

    /// Makes the entry of an issuer with a document; an identifier in the document must be the one that was given.
    private func issuer(
        _ file: AddedFile, _ what: String, _ fingerprinted: String, of own: String?, _ more: [String] = []
    ) throws(UsageError) -> TrustAddition {
        if let own, let given = options.issuer, given != own {
            throw UsageError(
                .conflict, "\(file.name) belongs to \(TerminalText.sanitised(own)), not to the --issuer.",
                nextStep: "Leave --issuer out.")
        }
        let named = if let own { own } else { try neededIssuer(file.name) }
        let id = try word(named)
        let settings = try issuerSettings()
        return TrustAddition(
            title: "\(file.name) is \(what).", fingerprint: (fingerprinted, file.fingerprint),
            copies: [.init(path: file.path, bytes: file.material.bytes)], options: ["issuer", "type", "name"],
            lines: { names in
                ["issuer \(id)"] + settings + ["  document \(names[0]) sha256 \(file.digest)"] + more
            })
    }

    private func addition(_ file: AddedFile, _ certificate: Certificate) throws -> TrustAddition {
        let subject = TerminalText.sanitised("\(certificate.subject)", limit: 120)
        let constraints = certificate.extensions.basicConstraints
        guard constraints?.isAuthority == true || options.purpose != nil else {
            let pem = file.material.bytes.first == 0x30 ? Self.armoured(certificate.der) : file.material.bytes
            return try issuer(file, "the certificate of a signer, \(subject)", "certificate", pem: pem)
        }
        let isIACA =
            certificate.extensions.issuerAlternativeNames != nil && constraints?.pathLength == 0
            && certificate.subject.country != nil
        guard let purpose = options.purpose ?? (isIACA ? .mdoc : nil) else {
            throw UsageError(
                .missingOption, "\(file.name) is the certificate of an authority, \(subject), and needs --for.",
                nextStep: "Add --for mdoc for mobile documents, or --for tokens for SD-JWT and JWT credentials.")
        }
        if purpose == .mdoc, let country = options.country, country != certificate.subject.country {
            let named = certificate.subject.country.map { "the country \(TerminalText.sanitised($0, limit: 20))" }
            throw UsageError(
                .conflict, "\(file.name) names \(named ?? "no country"), and --country another one.",
                nextStep: "Leave --country out: the country of a root is the one that its certificate names.")
        }
        let settings =
            try nameSetting() + [
                "  sha256 \(file.digest)", "  for \(try purposeWords(purpose))",
            ] + (options.isLenient ? ["  profile lenient"] : [])
        let extensions = certificate.extensions
        let isLink =
            purpose == .mdoc && extensions.authorityKeyIdentifier.map { $0 != extensions.subjectKeyIdentifier } ?? false
        let what =
            isLink
            ? "the certificate that links the authority \(TerminalText.sanitised("\(certificate.issuer)", limit: 120)) "
                + "to another key, of \(subject)"
            : "the certificate of an authority, \(subject)"
        return TrustAddition(
            title: "\(file.name) is \(what), until "
                + "\(CivilDateTime(certificate.notAfter).date.text).",
            fingerprint: ("certificate", file.fingerprint),
            copies: [.init(path: file.path, bytes: file.material.bytes)],
            options: ["for", "type", "name", "lenient", purpose == .mdoc ? "country" : "issuer"],
            lines: { names in ["root \(names[0])"] + settings })
    }

    private func purposeWords(_ purpose: TrustAddOptions.Purpose) throws(UsageError) -> String {
        var words: [String]
        switch purpose {
        case .mdoc:
            words = ["mdoc"]
            for type in options.types { words += ["doctype", try word(type)] }
            if let country = options.country { words += ["country", try word(country)] }
        case .healthCertificates, .aadhaar: words = []  // Their entry is that of signers.
        case .tokens:
            words = ["tokens"]
            if options.issuer != nil { words += ["issuer", try word(try neededIssuer("A root"))] }
            for type in options.types { words += ["type", try word(type)] }
        }
        return words.joined(separator: " ")
    }

    private func context(_ file: AddedFile, _ digest: [UInt8]) throws(UsageError) -> TrustAddition {
        let address = try word(try needed(options.address, "address", "\(file.name), a JSON-LD context,"))
        let accepts = options.acceptsLabels
        return TrustAddition(
            title: "\(file.name) is a JSON-LD context.", fingerprint: ("canonical JSON", Hex.encode(digest)),
            copies: [.init(path: file.path, bytes: file.material.bytes)], options: ["address", "accept-labels"],
            lines: { names in
                ["context \(address)", "  file \(names[0])", "  jcs-sha256 \(Hex.encode(digest))"]
                    + (accepts ? ["  labels accept"] : [])
            })
    }

    /// The most authorities of a list that are shown before it is trusted.
    private static let maximumShownAuthorities = 64

    private func authorityList(_ file: AddedFile, _ provider: String) throws -> TrustAddition {
        let path = try needed(options.root, "root", "\(file.name), a list of authorities (VICAL),")
        let bytes = try BoundedFile.read(path, limit: Certificate.maximumCount * 2)
        guard case .certificate(let root) = try TrustMaterial(recognising: bytes, at: time).content else {
            throw TrustFileError(.notRecognised, line: 0, "The file of --root is not a certificate.")
        }
        let list: ListedAuthorities
        do throws(CredentialError) {
            list = try ListedAuthorities(PinnedAuthorityList(bytes: file.material.bytes, root: root.der), at: time)
        } catch {
            throw TrustFileError(
                .notRecognised, line: 0,
                "\(file.name) is a list of authorities that cannot be used under this root: \(error.reason)")
        }
        let shown = list.entries.prefix(Self.maximumShownAuthorities).map { certificate, types in
            TerminalText.sanitised("\(certificate.subject) for \(types.joined(separator: ", "))", limit: 300)
                + ", SHA-256 " + Hex.encode(SHA256.hash(certificate.der))
        }
        let more = list.entries.count - shown.count
        return TrustAddition(
            title: "\(file.name) is a list of authorities (VICAL) of \(TerminalText.sanitised(provider)).",
            fingerprint: ("file", file.fingerprint),
            copies: [.init(path: file.path, bytes: file.material.bytes), .init(path: path, bytes: bytes)],
            options: ["root"],
            details: [TerminalText.sanitised(list.ageSentence, limit: 300)] + shown
                + (more > 0 ? ["and \(more) more"] : []),
            lines: { names in ["vical \(names[0])", "  sha256 \(file.digest)", "  root \(names[1])"] })
    }

    private func statusList(
        _ file: AddedFile, _ address: String, _ fetchedAt: WallTime
    ) throws(UsageError) -> TrustAddition {
        let head = try word(address)
        return TrustAddition(
            title: "\(file.name) is the status list \(TerminalText.sanitised(address)).",
            fingerprint: ("file", file.fingerprint),
            copies: [.init(path: file.path, bytes: file.material.bytes)], options: [], fetchedAt: fetchedAt,
            lines: { names in
                ["status-list \(head)", "  file \(names[0])", "  fetched \(CivilDateTime(fetchedAt).text)"]
            })
    }

    private static func armoured(_ der: [UInt8]) -> [UInt8] {
        var rest = Base64.encode(der)[...]
        var lines = ["-----BEGIN CERTIFICATE-----"]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return Array((lines + ["-----END CERTIFICATE-----", ""]).joined(separator: "\n").utf8)
    }
}
