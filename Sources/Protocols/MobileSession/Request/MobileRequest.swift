import JSON

/// A reader's request for elements of documents of some types.
///
/// Nothing is asked to be kept unless an element says so.
public struct MobileRequest: Hashable, Sendable {
    /// The request for one type of document; a holder answers those that it has.
    public struct RequestedDocument: Hashable, Sendable {
        /// The type of the document.
        public let type: String
        /// The elements, each name once.
        public internal(set) var elements: [DeviceRequest.RequestedElement]

        /// Makes a request from its parts.
        public init(type: String, elements: [DeviceRequest.RequestedElement]) {
            self.type = type
            self.elements = elements
        }
    }

    /// The documents that are asked for.
    public private(set) var documents: [RequestedDocument]

    /// Makes a request for documents.
    public init(_ documents: [RequestedDocument]) { self.documents = documents }

    /// The namespace and type of the mobile driving licence, and of the EU's person identification data.
    private static let licence = (type: "org.iso.18013.5.1.mDL", namespace: "org.iso.18013.5.1")
    private static let person = (type: "eu.europa.ec.eudi.pid.1", namespace: "eu.europa.ec.eudi.pid.1")

    /// The elements of each preset, for the licence and for person identification data.
    private static let presets: [(name: String, licence: [String], person: [String])] = [
        ("identity", identity, identity),
        (
            "driving",
            [
                "family_name", "given_name", "birth_date", "portrait", "document_number", "driving_privileges",
                "issue_date", "expiry_date", "issuing_country", "issuing_authority", "un_distinguishing_sign",
            ], []
        ),
        ("portrait", ["portrait"], ["portrait"]), ("name", names, names),
        ("birth-date", ["birth_date"], ["birth_date"]),
    ]
    private static let names = ["family_name", "given_name"]
    private static let identity =
        names + ["birth_date", "portrait", "expiry_date", "issuing_country", "issuing_authority"]

    /// The names of the presets; those of ages are `over-NN`.
    public static let presetNames = ["over-NN"] + presets.map(\.name)

    /// Makes a request from a list of presets and elements, separated by commas.
    ///
    /// A preset is `over-18` with any age, `identity`, `driving`, `portrait`, `name` or `birth-date`. A name with an
    /// underscore or without a preset's meaning is an element of a licence and of person identification data. Throws
    /// `mdoc.request-malformed` for an empty list, a name of more than 64 bytes or with other letters than a to z,
    /// digits and underscores, and more than two ages (clause 13.4.6).
    ///
    /// - Parameter retained: the identifiers of the elements that are to be kept, each of them asked for.
    public init(asking list: String, retaining retained: [String] = []) throws(MobileSessionError) {
        var (licence, person): ([String], [String]) = ([], [])
        for part in list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let name = String(decoding: Array(part).filter { $0 != 0x20 }, as: UTF8.self)
            if let preset = Self.presets.first(where: { $0.name == name }) {
                licence += preset.licence
                person += preset.person
            } else if let element = Self.element(name) {
                licence.append(element)
                person.append(element)
            } else {
                throw Self.malformed("“\(name.utf8.count > 64 ? "…" : name)” is neither a preset nor an element.")
            }
        }
        let parts = [(Self.licence, licence), (Self.person, person)].filter { !$0.1.isEmpty }
        documents = parts.map { part in
            RequestedDocument(
                type: part.0.type,
                elements: Self.once(part.1).map { .init(.init(part.0.namespace, $0)) })
        }
        try check()
        try retain(retained)
    }

    /// Makes a request from a file: `{"documents": [{"type": …, "elements": {NAMESPACE: {ELEMENT: RETAIN}}}]}` in JSON.
    ///
    /// Throws `mdoc.request-malformed`.
    public init(file bytes: [UInt8]) throws(MobileSessionError) {
        guard let value = try? JSONValue(parsing: bytes), let entries = value.object?["documents"]?.array else {
            throw Self.malformed("The request is not JSON with a list of documents.")
        }
        var documents: [RequestedDocument] = []
        for entry in entries {
            guard let type = entry.object?["type"]?.string, !type.isEmpty,
                let namespaces = entry.object?["elements"]?.object
            else { throw Self.malformed("A document of the request lacks its type or its elements.") }
            var elements: [DeviceRequest.RequestedElement] = []
            for namespace in namespaces.members {
                for element in namespace.value.object?.members ?? [] {
                    guard case .bool(let isRetained) = element.value else {
                        throw Self.malformed("Behind an element stands true, to keep it, or false.")
                    }
                    elements.append(.init(.init(namespace.name, element.name), isRetained: isRetained))
                }
            }
            documents.append(RequestedDocument(type: type, elements: elements))
        }
        self.documents = documents
        try check()
    }

    private static func malformed(_ reason: String) -> MobileSessionError {
        MobileSessionError(.requestMalformed, reason)
    }

    /// Returns the element that a name means; nil for a name of another form.
    private static func element(_ name: String) -> String? {
        var rest = Array(name.utf8)[...]
        for start in ["age-over-", "over-"] where rest.starts(with: start.utf8) {
            let digits = rest.dropFirst(start.utf8.count)
            guard (1...2).contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }),
                let age = Int(String(decoding: digits, as: UTF8.self))
            else { return nil }
            return AgeRule.identifier(of: age)
        }
        rest = rest.drop { $0 == 0x5F || 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 }
        return rest.isEmpty && (1...64).contains(name.utf8.count) ? name : nil
    }

    private static func once(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    private func check() throws(MobileSessionError) {
        guard !documents.isEmpty, documents.count <= DeviceRequest.maximumDocuments,
            documents.allSatisfy({ (1...DeviceRequest.maximumElements).contains($0.elements.count) })
        else {
            throw Self.malformed(
                "A request has 1 to \(DeviceRequest.maximumDocuments) documents with 1 to "
                    + "\(DeviceRequest.maximumElements) elements each.")
        }
        for document in documents {
            let ages = document.elements.filter { AgeRule.age(of: $0.name.identifier) != nil }
            guard ages.count <= 2 else { throw Self.malformed("A request has two questions for an age at most.") }
            let names = document.elements.map(\.name)
            guard Set(names).count == names.count, names.allSatisfy({ !$0.namespace.isEmpty && !$0.identifier.isEmpty })
            else { throw Self.malformed("An element is asked for twice, or has no name.") }
        }
    }

    /// Marks elements as to be kept; throws for one that is not asked for.
    private mutating func retain(_ identifiers: [String]) throws(MobileSessionError) {
        for identifier in identifiers {
            var isFound = false
            for document in documents.indices {
                documents[document].elements = documents[document].elements.map { element in
                    guard element.name.identifier == identifier else { return element }
                    isFound = true
                    return .init(element.name, isRetained: true)
                }
            }
            guard isFound else { throw Self.malformed("“\(identifier)” is to be kept, and is not asked for.") }
        }
    }

    /// The writer of the request as it goes over the air.
    package var writer: DeviceRequestWriter { DeviceRequestWriter(documents.map { ($0.type, $0.elements) }) }
}
