package import CommandProgram
import Credentials
import Determinism
package import Terminal

/// The options of `symbolon trust add` that limit the trust in a file.
struct TrustAddOptions: Sendable {
    /// The purpose for which a root certificate is trusted.
    enum Purpose: String, CaseIterable, Sendable {
        case mdoc
        case tokens
        case healthCertificates = "health-certificates"
        case aadhaar

        /// The signers of this kind of code; nil for the purposes of roots.
        var signers: PinnedSigners.Purpose? { PinnedSigners.Purpose(rawValue: rawValue) }
    }

    static let issuerOption = ValueOption(
        "issuer", .text("ID"), "The issuer of the key, or of the tokens under a root: a DID or an address.")
    static let typeOption = ValueOption(
        "type", .text("TYPE"), "A type that may be issued: vct, type of a W3C credential, or document type.",
        isRepeatable: true)
    static let nameOption = ValueOption("name", .text("TEXT"), "The name that people are shown.")
    static let purposeOption = ValueOption(
        "for", .choice("WHAT", Purpose.allCases.map { ($0.rawValue, $0) }),
        "What certificates are for: roots of mobile documents or tokens, or the signers of a kind of code.")
    static let countryOption = ValueOption("country", .text("CC"), "The country of a root for mdoc.")
    static let lenientOption = FlagOption(
        "lenient", "Accepts certificates under a root that break their profile.")
    static let addressOption = ValueOption("address", .text("URL"), "The address of a JSON-LD context.")
    static let labelsOption = FlagOption(
        "accept-labels", "Accepts names of claims that mean the same by a context; read it first.")
    static let rootOption = ValueOption("root", .path("FILE"), "The root certificate of the signer of a VICAL.")

    static let all = [
        issuerOption.declaration, typeOption.declaration, nameOption.declaration, purposeOption.declaration,
        countryOption.declaration, lenientOption.declaration, addressOption.declaration, labelsOption.declaration,
        rootOption.declaration,
    ]

    let arguments: ParsedArguments

    var issuer: String? { arguments[Self.issuerOption] }
    var types: [String] { arguments.all(Self.typeOption) }
    var name: String? { arguments[Self.nameOption] }
    var purpose: Purpose? { arguments[Self.purposeOption] }
    var country: String? { arguments[Self.countryOption] }
    var isLenient: Bool { arguments[Self.lenientOption] }
    var address: String? { arguments[Self.addressOption] }
    var acceptsLabels: Bool { arguments[Self.labelsOption] }
    var root: String? { arguments[Self.rootOption] }

    /// The names of the options of `symbolon trust add` that were given.
    var given: [String] { Self.all.map(\.name).filter(arguments.has) }
}

/// `symbolon trust add FILE…`: adds the keys, roots and lists of files to a trust file.
package enum TrustAddCommand {
    private static let files = Operand(
        .path("FILE|FOLDER|ID"),
        "Keys, certificates or folders of them, documents, contexts or lists; a did:key or did:jwk; or an issuer.",
        arity: .many)

    package static let declaration = CommandDeclaration(
        "add", "Adds keys, roots, contexts and status lists to a trust file.",
        discussion: [
            "Recognises public keys in PEM, certificates, JWK and JWK sets, DID documents, issuer metadata, JSON-LD "
                + "contexts, lists of authorities (VICAL), status and revocation lists. Shows what each would be trusted for, with "
                + "its SHA-256: compare it with what the issuer publishes. Asks, copies the file beside the trust file, "
                + "and adds the lines with the digest.",
            "Private keys, expired certificates and unknown files are refused. If anything is wrong, also with the "
                + "trust file as it is, nothing is changed. A status list replaces the earlier one of its address.",
            "Without --trust it changes the file that verify, receive --check and desk read: that of SYMBOLON_TRUST or "
                + "of the settings, ~/.config/symbolon/trust/trust.txt, or /etc/symbolon/trust/trust.txt.",
        ],
        examples: [
            .init(
                "symbolon trust add issuer.pub --issuer https://a.example --type Permit",
                "Trusts a key for one type of one issuer."),
            .init("symbolon trust add iaca.pem --for mdoc --type org.iso.18013.5.1.mDL", "Trusts a root of licences."),
            .init("symbolon trust add signers --for health-certificates", "Trusts a folder of signers of HC1 codes."),
            .init("symbolon trust add did.json --type FarmerCredential", "Trusts the issuer of a DID document."),
            .init("symbolon trust add did:key:z6Mk… --issuer https://a.example", "Trusts a key for an issuer."),
            .init("symbolon trust add https://a.example --type Visa", "Lets an issuer issue one more type."),
            .init("symbolon trust add ctx.json --address https://a.example/v1", "Pins a context."),
        ],
        options: [TrustOptions.file.declaration] + TrustAddOptions.all + [TrustOptions.yes.declaration],
        operands: [files.declaration])

    package static let run: Program.Body = { context in
        let folder = TrustFolder(try TrustOptions.location(context).path)
        let additions = try await additions(context, besides: TrustFile(parsing: try folder.read()).listing)
        let time = context.environment.wallTime()
        // Whatever is wrong with the file is found before the question.
        let entries = try change(try folder.read(), additions, folder, at: time).entries
        show(additions, entries, at: time, context)
        let what = additions.contains { $0.fingerprint != nil } ? "SHA-256" : "identifier"
        let hint = "Compare the \(what) above with what the issuer publishes, and add --yes."
        guard try await TrustOptions.isWanted("Trust this?", hint: hint, context) else { return }
        var written: [TrustFileEntry] = []
        try folder.update { bytes in
            let change = try change(bytes, additions, folder, at: time)
            written = change.entries
            return (change.text, change.files)
        }
        for entry in written { TrustOptions.report(entry, "added", in: folder.path, context) }
        context.console.say("The trust file is \(TerminalText.sanitised(folder.path)).")
    }

    /// A changed trust file, the files to write beside it, and the entries that are new in it.
    private struct TrustFileChange {
        var text: [UInt8] = []
        var files: [String: [UInt8]] = [:]
        var entries: [TrustFileEntry] = []
    }

    private static func additions(
        _ context: CommandContext, besides entries: [TrustFileEntry]
    ) async throws -> [TrustAddition] {
        let maker = TrustAdditionMaker(
            options: TrustAddOptions(arguments: context.arguments), time: context.environment.wallTime())
        var additions: [TrustAddition] = []
        for name in context.arguments.all(files) {
            if !maker.options.types.isEmpty, !POSIXFile.exists(name),
                entries.contains(where: { $0.kind == "issuer" && $0.subject == name && !$0.types.isEmpty })
            {
                additions.append(try maker.extending(name))
                continue
            }
            guard !KeyResolver.holdsKey(name) || POSIXFile.exists(name) else {
                additions += try maker.additions(identifier: name)
                continue
            }
            guard !TrustAdditionMaker.beginsAsIssuer(name) || POSIXFile.exists(name) else {
                throw CommandFailure(
                    TrustFileError(
                        .noSuchEntry, line: 0,
                        "No entry restricts the types of \(TerminalText.sanitised(name, limit: 200))."),
                    nextStep:
                        "Give the file with its key, key set or document, and the issuer as --issuer; an entry without "
                        + "the setting types lets it issue every type already.")
            }
            if let purpose = maker.options.purpose?.signers {
                additions.append(try maker.signers(name, for: purpose, try await files(in: name, context)))
                continue
            }
            let bytes = try await context.contents(of: name, limit: TrustFileReader.maximumFileBytes)
            let changed = POSIXFile.changedMilliseconds(name).map { WallTime(millisecondsSinceEpoch: $0) }
            additions += try maker.additions(path: name, bytes, fetchedAt: min(changed ?? maker.time, maker.time))
        }
        let read = additions.reduce(into: Set<String>()) { $0.formUnion($1.options) }
        if let unread = maker.options.given.first(where: { !read.contains($0) }) {
            throw UsageError(
                .conflict, "--\(unread) says nothing about what is added.",
                nextStep: "Leave it out, or see symbolon trust add --help.")
        }
        return additions
    }

    /// The contents of the files in a folder, or of the one file of this name.
    ///
    /// - Throws: `input.…`.
    private static func files(in name: String, _ context: CommandContext) async throws -> [[UInt8]] {
        guard POSIXFile.isFolder(name) else {
            return [try await context.contents(of: name, limit: TrustFileReader.maximumFileBytes)]
        }
        var contents: [String: [UInt8]] = [:]
        try TrustFileReader.read(folder: name, as: name, into: &contents)
        return contents.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Adds entries to a trust file, and reads the result again with all files that it names.
    ///
    /// - Throws: `trust.…`, `input.…`.
    private static func change(
        _ bytes: [UInt8], _ additions: [TrustAddition], _ folder: TrustFolder, at time: WallTime
    ) throws -> TrustFileChange {
        let before = try TrustFile(parsing: bytes).listing
        var text = try TrustFileEditor(bytes)
        var change = TrustFileChange()
        var lines: [(comment: String, lines: [String])] = []
        for addition in additions {
            if let (issuer, types) = addition.extended {
                try text.add(types: types, toIssuer: issuer)
                continue
            }
            var names: [String] = []
            for copy in addition.copies {
                let name = try folder.name(copy.path, for: copy.bytes, besides: change.files)
                change.files[name] = copy.bytes
                names.append(name)
            }
            let entry = addition.lines(names)
            if addition.fetchedAt != nil, let head = entry.first { _ = try? text.remove(head) }
            let present = before.first {
                $0.kind == "issuer" && TrustFileEditor.quoted($0.subject).map { "issuer \($0)" } == entry.first
            }
            if let present { throw Self.isPresent(present) }
            lines.append((addition.comment(on: time), entry))
        }
        try text.add(lines)
        change.text = Array(text.text.utf8)
        let file = try TrustFile(parsing: change.text)
        var new = file.listing.suffix(lines.count)
        change.entries = additions.compactMap { addition in
            guard let (issuer, _) = addition.extended else { return new.popFirst() }
            return file.listing.first { $0.kind == "issuer" && $0.subject == issuer }
        }
        let present = try TrustFileReader.contents(of: file, at: folder.path)
        _ = try file.store(files: present.merging(change.files) { _, new in new })
        return change
    }

    private static func isPresent(_ entry: TrustFileEntry) -> CommandFailure {
        let subject = TerminalText.sanitised(entry.subject, limit: 200)
        let more =
            entry.types.isEmpty ? "" : "To let it issue another type: symbolon trust add \(subject) --type TYPE. "
        return CommandFailure(
            TrustFileError(.doubled, line: entry.lines.lowerBound, "The trust file names \(subject) already."),
            nextStep: more
                + "To change its key or name, take it out with symbolon trust remove, and add it with all of "
                + "its types.")
    }

    /// Shows the entries that would be trusted, and their purpose.
    private static func show(
        _ additions: [TrustAddition], _ entries: [TrustFileEntry], at time: WallTime, _ context: CommandContext
    ) {
        let console = context.console
        for (addition, entry) in zip(additions, entries) {
            console.say(addition.title)
            var rows: [(String, String)] = []
            if let (what, digits) = addition.fingerprint { rows.append(("SHA-256", "\(digits) (\(what))")) }
            rows.append(("trusts", TerminalText.sanitised("\(entry.kind) \(entry.summary)", limit: 400)))
            for detail in addition.details { rows.append(("", detail)) }
            for warning in entry.warnings {
                rows.append(("note", TerminalText.sanitised(warning.sentence, limit: 300)))
            }
            if addition.isOutdated(at: time) {
                rows.append(("note", "The file is older than a day, so the list is not fresh."))
            }
            for (label, value) in rows { console.say("  " + TerminalText.padded(label, to: 9) + value) }
        }
    }
}
