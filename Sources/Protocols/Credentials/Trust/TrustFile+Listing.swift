import ByteCoding

/// One entry of a trust file as written, for listings and for commands that change the file.
public struct TrustFileEntry: Hashable, Sendable {
    /// One setting of an entry: its name and its words.
    public struct Setting: Hashable, Sendable {
        /// The name of the setting, such as `types`.
        public let name: String
        /// The words after the setting's name.
        public let values: [String]
    }

    /// The first word of the entry, such as `issuer`.
    public let kind: String
    /// The identifier, address, method or path of the entry; empty for the policy.
    public let subject: String
    /// The settings of the entry in the order of the file.
    public let settings: [Setting]
    /// The lines of the entry, from 1: from its first word to its last setting.
    public let lines: ClosedRange<Int>
    /// The paths of the files that the entry names, relative to the trust file.
    public let paths: [String]

    /// The display name of the entry; nil without one.
    public var name: String? { values("name")?.first }

    /// Returns the words of the first setting with a name; nil when it is absent.
    public func values(_ name: String) -> [String]? { settings.first { $0.name == name }?.values }

    /// The types that an issuer may issue; empty for all, and for entries of other kinds.
    public var types: [String] { kind == "issuer" ? values("types") ?? [] : [] }

    /// The purposes of a root, each as written after `for`; empty for entries of other kinds.
    public var purposes: [[String]] { kind == "root" ? settings.filter { $0.name == "for" }.map(\.values) : [] }

    init(_ entry: TrustFile.ParsedTrustEntry) {
        kind = entry.head.name
        subject = entry.head.values.first ?? ""
        settings = entry.settings.map { Setting(name: $0.name, values: Array($0.values)) }
        lines = entry.head.line...(entry.settings.last?.line ?? entry.head.line)
        paths = TrustGrammar.paths(of: entry)
    }
}

extension TrustFileEntry {
    /// The entry in one line of text, with an issuer's types or a root's purposes.
    public var summary: String {
        let words: String? =
            switch kind {
            case "issuer": types.isEmpty ? "every type" : types.joined(separator: ", ")
            case "method": "anyone, every type"
            case "root": purposes.map(Self.purpose).joined(separator: "; ")
            case "key": values("for").map { "signs for " + $0.joined(separator: ", ") }
            case "signers": values("for").map { "sign " + $0.joined(separator: ", ") }
            case "aes-key": "decrypts codes"
            case "vical": values("root").map { "signer under " + $0.joined() }
            case "context": values("labels") == nil ? nil : "labels accepted"
            case "status-list":
                "fetched \(values("fetched")?.first ?? ""), fresh for \(values("max-age")?.first ?? "24h")"
            case "policy": settings.map { ([$0.name] + $0.values).joined(separator: " ") }.joined(separator: ", ")
            default: nil
            }
        let named = name.map { "\(subject) (\($0))" } ?? subject
        return [named, words ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    private static func purpose(_ words: [String]) -> String {
        let pairs = stride(from: 1, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
        func values(_ name: String) -> [String] { pairs.filter { $0.0 == name }.map(\.1) }
        switch words.first {
        case "mdoc":
            let types = values("doctype").isEmpty ? "every document type" : values("doctype").joined(separator: ", ")
            return (["mobile documents, \(types)"] + values("country").map { "from \($0)" }).joined(separator: ", ")
        case "tokens":
            let issuers = values("issuer").isEmpty ? "every issuer" : values("issuer").joined(separator: ", ")
            return "tokens of \(issuers), "
                + (values("type").isEmpty ? "every type" : values("type").joined(separator: ", "))
        default: return words.joined(separator: " ")
        }
    }
}

/// A warning about a line of a trust file that trusts more than it seems to, or that needs attention.
public struct TrustFileWarning: Hashable, Sendable {
    /// The line of the trust file, from 1.
    public let line: Int
    /// The warning's explanation of the line, in one sentence.
    public let sentence: String
    /// The text to write instead of the line, in one sentence.
    public let nextStep: String
    /// True when the line makes every verdict meaningless, so that each command that reads the file warns.
    public let isGrave: Bool
}

extension TrustFile {
    /// The entries of the trust file in its order.
    public var listing: [TrustFileEntry] { entries.map(TrustFileEntry.init) }

    /// The warnings about lines that trust more than they seem to, in the order of the file, the policy's last.
    public var warnings: [TrustFileWarning] {
        let listing = listing
        return listing.flatMap(\.warnings) + policyWarnings
    }

    private var policyWarnings: [TrustFileWarning] {
        entries.filter { $0.head.name == "policy" }.flatMap(\.settings).compactMap { setting in
            let values = setting.values.joined(separator: " ")
            switch (setting.name, values) {
            case ("status", "optional"):
                return TrustFileWarning(
                    line: setting.line,
                    sentence: "A revoked credential is genuine while its status list is not at hand.",
                    nextStep: "Take the line out, and add the lists with status-list.", isGrave: false)
            case ("want", _), ("report", _):
                let weakened = setting.values.compactMap(CredentialCheck.Kind.init)
                    .filter { $0 == .status || VerificationPolicy.usuallyRequired.contains($0) }.map(\.rawValue)
                guard !weakened.isEmpty else { return nil }
                return TrustFileWarning(
                    line: setting.line,
                    sentence: "A credential may be genuine without the check \(weakened.joined(separator: ", ")).",
                    nextStep: "Take the check out of the line.", isGrave: false)
            default: return nil
            }
        }
    }
}

extension TrustFileEntry {
    /// The warnings about entries that give more trust than they seem to.
    public var warnings: [TrustFileWarning] {
        var found: [TrustFileWarning] = []
        func warn(_ sentence: String, _ nextStep: String, isGrave: Bool = false) {
            found.append(
                TrustFileWarning(
                    line: lines.lowerBound, sentence: sentence, nextStep: nextStep, isGrave: isGrave))
        }
        switch kind {
        case "method":
            warn(
                "method \(subject) trusts everyone: anyone can make a \(subject) and issue any type.",
                "Replace the line by an entry for each issuer: issuer \(subject):…, and below it types TYPE.",
                isGrave: true)
        case "issuer":
            if types.isEmpty { warn("\(subject) may issue every type.", "Add the setting types TYPE ….") }
        case "key":
            warn(
                "The key \(subject) may sign every type for its issuers.",
                "Name each issuer with an entry issuer and types TYPE ….")
        case "root":
            for words in purposes { checkPurpose(words, &found) }
            if values("profile") == ["lenient"] {
                warn(
                    "Certificates under \(subject) may break the profile of their use.",
                    "Write profile strict once the issuer's certificates follow it.")
            }
        case "context" where values("labels") != nil:
            warn(
                "Claims may be renamed within what the context \(subject) calls the same.",
                "Read the context, and take labels accept out if you do not need it.")
        default: break
        }
        return found
    }

    private func checkPurpose(_ words: [String], _ found: inout [TrustFileWarning]) {
        let isTokens = words.first == "tokens"
        func warn(_ sentence: String, _ nextStep: String) {
            found.append(
                TrustFileWarning(line: lines.lowerBound, sentence: sentence, nextStep: nextStep, isGrave: false))
        }
        if isTokens {
            if words.contains("issuer") {
                warn(
                    "Certificates under \(subject) that name an issuer must name that of the token.",
                    "If tokens of this root are refused, ask the issuer for a certificate with its address.")
            } else {
                warn(
                    "Certificates under \(subject) may sign for every issuer.",
                    "Write for tokens issuer ADDRESS ….")
            }
            if !words.contains("type") {
                warn("Certificates under \(subject) may sign every type of token.", "Write for tokens … type TYPE.")
            }
        } else if !words.contains("doctype") {
            warn("Certificates under \(subject) may sign every document type.", "Write for mdoc doctype TYPE ….")
        }
    }
}
