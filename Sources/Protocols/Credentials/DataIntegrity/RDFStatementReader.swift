import CryptoSuite
import JSON
import LinkedData

/// Converts a document to RDF statements, with built-in contexts and those that the trust store pins.
struct RDFStatementReader: Sendable {
    private let contexts: KnownJSONLDContexts

    /// Makes a reader with the contexts that a request's trust store pins.
    init(_ request: VerificationRequest) {
        contexts = KnownJSONLDContexts(request.trust.contexts)
    }

    private init(contexts: KnownJSONLDContexts) { self.contexts = contexts }

    /// Returns the statements of a document.
    ///
    /// Throws `credential.ctx-unpinned`, `credential.ctx-digest`, `credential.limit-context`,
    /// `credential.ld-protected`, `credential.ld-feature`, `credential.parse-json` and `credential.limit-quads`.
    func read(_ document: JSONObject, keepsOrigins: Bool = false) throws(CredentialError) -> DocumentStatements {
        try contexts.check(document)
        do throws(LinkedDataError) {
            let statements = try LinkedDataStatements(
                of: .object(document), contexts: contexts.library, keepsOrigins: keepsOrigins)
            return contexts.findings(in: statements)
        } catch {
            throw CredentialError(error)
        }
    }
}

extension RDFStatementReader {
    /// The IRIs of proof types in documents with only a data model context, by its address and the type.
    ///
    /// Nearly every credential asks for one of these.
    private static let usualTypes: [String: [String: [String]]] = {
        let reader = RDFStatementReader(contexts: KnownJSONLDContexts([]))
        var usual: [String: [String: [String]]] = [:]
        for version in [W3CMemberChecks.Version.one, .two] {
            for suite in ProofSuite.allCases {
                let contexts = JSONValue.strings([version.context])
                usual[version.context, default: [:]][suite.type] = try? reader.readTypes(suite.type, contexts)
            }
        }
        return usual
    }()

    /// Returns the IRIs that the contexts of a document and of its proof give to the proof's type.
    ///
    /// Throws as `read`.
    func types(
        ofProof type: String, under contexts: JSONValue, own: JSONValue? = nil
    ) throws(CredentialError) -> [String] {
        if own == nil, let address = self.contexts.onlyBuiltIn(of: contexts),
            let usual = Self.usualTypes[address]?[type]
        {
            return usual
        }
        return try readTypes(type, contexts, own: own)
    }

    private func readTypes(
        _ type: String, _ contexts: JSONValue, own: JSONValue? = nil
    ) throws(CredentialError) -> [String] {
        var proof: JSONObject = ["@type": .string(type)]
        proof["@context"] = own
        return try read(["@context": contexts, "proof": .object(proof)]).dataset.types
    }
}

/// The contexts that documents may use: built-in and pinned ones.
private struct KnownJSONLDContexts: Sendable {
    private let pins: [String: PinnedJSONLDContext]
    private let inlinePins: [[UInt8]: PinnedJSONLDContext]

    init(_ contexts: [PinnedJSONLDContext]) {
        var (pins, inlinePins) = ([String: PinnedJSONLDContext](), [[UInt8]: PinnedJSONLDContext]())
        for pin in contexts {
            if let address = pin.address { pins[address] = pin } else { inlinePins[pin.digest] = pin }
        }
        self.pins = pins
        self.inlinePins = inlinePins
    }

    /// Returns the address of a context that is the document's only one and has no pin; nil otherwise.
    func onlyBuiltIn(of contexts: JSONValue) -> String? {
        guard let address = contexts.array.map({ $0.count == 1 ? $0[0].string : nil }) ?? contexts.string,
            pins[address] == nil
        else { return nil }
        return address
    }

    /// Throws unless every context in a document is known.
    func check(_ document: JSONObject) throws(CredentialError) {
        let holdsInner = document.contains { $0.name != "@context" && $0.value.holds(member: "@context") }
        if holdsInner { return try check(.object(document), at: .pointer("")) }
        // Nearly every document has contexts at its top alone.
        if let context = document["@context"] { try check(context: context, at: .pointer("/@context")) }
    }

    private func check(_ value: JSONValue, at place: CheckLocation) throws(CredentialError) {
        for (index, element) in (value.array ?? []).enumerated() { try check(element, at: place.appending("\(index)")) }
        for member in value.object ?? [:] {
            let place = place.appending(member.name)
            if member.name == "@context" {
                try check(context: member.value, at: place)
            } else {
                try check(member.value, at: place)
            }
        }
    }

    private func check(context: JSONValue, at place: CheckLocation) throws(CredentialError) {
        switch context {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                try check(context: element, at: place.appending("\(index)"))
            }
        case .string(let address):
            if let pin = pins[address] {
                guard let document = pin.document, Self.digest(of: document) == pin.digest else {
                    throw CredentialError(.ctxDigest, "The context \(address) has another digest.", at: place)
                }
            } else if BuiltInJSONLDContexts.library[address] == nil {
                throw CredentialError(.ctxUnpinned, "The context \(address) is not pinned.", at: place)
            }
        case .object:
            guard let digest = Self.digest(of: context), inlinePins[digest] != nil else {
                throw CredentialError(.ctxUnpinned, "A context in the document is not pinned.", at: place)
            }
        case .null, .bool, .number:
            throw CredentialError(.ctxUnpinned, "A context is neither an address nor an object.", at: place)
        }
    }

    private static func digest(of value: JSONValue) -> [UInt8]? { (try? value.canonical()).map { SHA256.hash($0) } }

    /// The known context documents, including those that other contexts import.
    var library: JSONLDContextLibrary {
        let pins = pins
        return JSONLDContextLibrary { address throws(LinkedDataError) in
            guard let pin = pins[address] else { return BuiltInJSONLDContexts.library[address] }
            guard let document = pin.document, let bytes = try? document.canonical(), SHA256.hash(bytes) == pin.digest
            else { return nil }
            return try ContextDocument(document, byteCount: bytes.count)
        }
    }

    /// Returns the findings about a document; names that pins accept become notes.
    func findings(in statements: LinkedDataStatements) -> DocumentStatements {
        var found = DocumentStatements(dataset: statements.dataset)
        found.origins = statements.origins
        found.dropped = statements.dropped.map { DocumentStatements.UnprotectedMember(at: $0.path, $0.reason) }
        found.movable = statements.placements.filter { !Self.isUsual($0) }.map {
            DocumentStatements.UnprotectedMember(at: $0.path, $0.reason)
        }
        for label in statements.labels {
            let names = label.names.joined(separator: ", ")
            let reason =
                label.names.count > 1
                ? "The names \(names) mean the same, so that the signature does not tell them apart."
                : "The keyword \(names) stands where readers of the JSON expect none."
            if isAccepted(label) {
                found.notes.append("The name at \(CheckLocation(label.path)) is not protected: \(names) mean the same.")
            } else {
                found.ambiguous.append(DocumentStatements.UnprotectedMember(at: label.path, reason))
            }
        }
        return found
    }

    /// Returns true for an object with only a name where readers of credentials also accept a text.
    private static func isUsual(_ finding: DocumentFinding) -> Bool {
        guard finding.isReference else { return false }
        let names = finding.path.steps.compactMap { step in
            if case .member(let name) = step { name } else { nil as String? }
        }
        return names.last.map(["issuer", "holder", "credentialSubject"].contains) ?? false
    }

    /// Returns true when each context that is not built in and defines one of the names is pinned with names accepted.
    private func isAccepted(_ label: LabelFinding) -> Bool {
        let added = label.sources.filter { source in
            guard let source else { return true }
            return pins[source] != nil
        }
        return !added.isEmpty
            && added.allSatisfy { source in
                guard let source else { return inlinePins.values.allSatisfy(\.acceptsLabels) }
                return pins[source]?.acceptsLabels ?? false
            }
    }
}

extension CheckLocation {
    /// Makes a JSON Pointer from a path.
    init(_ path: JSONPath) {
        self = path.steps.reduce(.pointer("")) { place, step in
            switch step {
            case .member(let name): place.appending(name)
            case .element(let index): place.appending("\(index)")
            }
        }
    }
}

extension JSONValue {
    /// Returns true when the value has a member of this name at any depth.
    func holds(member name: String) -> Bool {
        switch self {
        case .array(let values): values.contains { $0.holds(member: name) }
        case .object(let object): object.contains { $0.name == name || $0.value.holds(member: name) }
        case .null, .bool, .number, .string: false
        }
    }

    /// True when the value is null or contains null at any depth.
    var holdsNull: Bool {
        switch self {
        case .null: true
        case .array(let values): values.contains(where: \.holdsNull)
        case .object(let object): object.contains { $0.value.holdsNull }
        case .bool, .number, .string: false
        }
    }
}
