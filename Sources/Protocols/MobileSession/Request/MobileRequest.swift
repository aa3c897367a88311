import ByteCoding
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
        /// The elements that may stand in for others, each of which is asked for.
        public let alternatives: [DeviceRequest.ElementAlternative]
        /// The key identifiers of the authorities whose documents are wanted; empty for any.
        public let issuers: [[UInt8]]

        /// Makes a request from its parts.
        ///
        /// Alternatives and authorities are told to holders that understand them, and to no others.
        public init(
            type: String, elements: [DeviceRequest.RequestedElement],
            alternatives: [DeviceRequest.ElementAlternative] = [], issuers: [[UInt8]] = []
        ) {
            self.type = type
            self.elements = elements
            self.alternatives = alternatives
            self.issuers = issuers
        }
    }

    /// The documents that are asked for.
    public private(set) var documents: [RequestedDocument]
    /// The uses that there are for the documents; empty when each document has its own.
    public let useCases: [DeviceRequest.UseCase]

    /// Makes a request for documents, with the uses for them, of which holders that understand them are told.
    public init(_ documents: [RequestedDocument], useCases: [DeviceRequest.UseCase] = []) {
        self.documents = documents
        self.useCases = useCases
    }

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
    /// - Parameter retained: the elements that are to be kept, named as in the list, each of them asked for.
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
        useCases = []
        try check()
        try retain(retained)
    }

    /// Makes a request from a file: `{"documents": [{"type": …, "elements": {NAMESPACE: {ELEMENT: RETAIN}}}]}` in JSON.
    ///
    /// A document may have `"alternatives": [{"element": [NAMESPACE, ELEMENT], "sets": [[[NAMESPACE, ELEMENT]]]}]` and
    /// `"issuers"`, a list of key identifiers in hexadecimal; beside the documents there may be
    /// `"useCases": [{"mandatory": …, "documentSets": [[PLACE, …], …], "purposes": {LIST: NUMBER}}]`.
    ///
    /// Throws `mdoc.request-malformed`, also for a member of another name.
    ///
    /// - Parameter retained: the identifiers of further elements that are to be kept, each of them asked for.
    public init(file bytes: [UInt8], retaining retained: [String] = []) throws(MobileSessionError) {
        guard let value = try? JSONValue(parsing: bytes), let entries = value.object?["documents"]?.array else {
            throw Self.malformed("The request is not JSON with a list of documents.")
        }
        try Self.checkMembers(of: value, ["documents", "useCases"])
        var documents: [RequestedDocument] = []
        for entry in entries {
            try Self.checkMembers(of: entry, ["type", "elements", "alternatives", "issuers"])
            guard let type = entry.object?["type"]?.string, !type.isEmpty,
                let namespaces = entry.object?["elements"]?.object
            else { throw Self.malformed("A document of the request lacks its type or its elements.") }
            var elements: [DeviceRequest.RequestedElement] = []
            for namespace in namespaces.members {
                guard let members = namespace.value.object?.members else {
                    throw Self.malformed("The elements of a namespace are no object.")
                }
                for element in members {
                    guard case .bool(let isRetained) = element.value else {
                        throw Self.malformed("Behind an element stands true, to keep it, or false.")
                    }
                    elements.append(.init(.init(namespace.name, element.name), isRetained: isRetained))
                }
            }
            documents.append(
                RequestedDocument(
                    type: type, elements: elements, alternatives: try Self.alternatives(entry.object?["alternatives"]),
                    issuers: try Self.issuers(entry.object?["issuers"])))
        }
        self.documents = documents
        useCases = try Self.useCases(value.object?["useCases"])
        try check()
        try retain(retained)
    }

    /// Checks that an object has no member of another name: what is misspelt would not be asked for.
    private static func checkMembers(of value: JSONValue, _ names: Set<String>) throws(MobileSessionError) {
        guard let other = value.object?.members.first(where: { !names.contains($0.name) }) else { return }
        let name = other.name.utf8.count > 64 ? "…" : other.name
        throw malformed(
            "“\(name)” is no member of a request file here; there are \(names.sorted().joined(separator: ", ")).")
    }

    private static func alternatives(
        _ value: JSONValue?
    ) throws(MobileSessionError) -> [DeviceRequest.ElementAlternative] {
        func name(_ value: JSONValue?) -> DeviceRequest.ElementName? {
            guard let parts = value?.array, parts.count == 2, let namespace = parts[0].string,
                let identifier = parts[1].string
            else { return nil }
            return DeviceRequest.ElementName(namespace, identifier)
        }
        guard let value else { return [] }
        guard let entries = value.array else { throw malformed("The alternatives are not a list.") }
        return try entries.map { (entry) throws(MobileSessionError) in
            guard let requested = name(entry.object?["element"]), let sets = entry.object?["sets"]?.array else {
                throw malformed("An alternative lacks its element or its sets.")
            }
            let names = sets.map { ($0.array ?? []).map(name) }
            guard !names.joined().contains(nil) else {
                throw malformed("An element of an alternative is not named by namespace and identifier.")
            }
            try checkMembers(of: entry, ["element", "sets"])
            return .init(requested: requested, sets: names.map { $0.compactMap { $0 } })
        }
    }

    private static func issuers(_ value: JSONValue?) throws(MobileSessionError) -> [[UInt8]] {
        guard let value else { return [] }
        let identifiers = value.array?.map { $0.string.flatMap { Hex.decode($0) } }
        guard let identifiers, !identifiers.contains(nil) else {
            throw malformed("The issuers are not a list of key identifiers in hexadecimal.")
        }
        return identifiers.compactMap { $0 }
    }

    private static func useCases(_ value: JSONValue?) throws(MobileSessionError) -> [DeviceRequest.UseCase] {
        guard let value else { return [] }
        guard let entries = value.array else { throw malformed("The use cases are not a list.") }
        return try entries.map { (entry) throws(MobileSessionError) in
            guard case .bool(let isMandatory)? = entry.object?["mandatory"],
                let sets = entry.object?["documentSets"]?.array
            else { throw malformed("A use case lacks mandatory, true or false, or its sets of documents.") }
            try checkMembers(of: entry, ["mandatory", "documentSets", "purposes"])
            guard entry.object?["purposes"].map({ $0.object != nil }) ?? true else {
                throw malformed("The purposes of a use case are no object.")
            }
            let places = sets.map { ($0.array ?? []).map(\.int) }
            let purposes = (entry.object?["purposes"]?.object?.members ?? []).map { ($0.name, $0.value.int) }
            guard !places.joined().contains(nil), purposes.allSatisfy({ $0.1 != nil }) else {
                throw malformed("A place of a document, or a purpose, is not a number.")
            }
            return .init(
                isMandatory: isMandatory, documentSets: places.map { $0.compactMap { $0 } },
                purposes: Dictionary(purposes.map { ($0.0, $0.1 ?? 0) }) { first, _ in first })
        }
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

    /// Checks the limits of a request, and that what it names by places and names is there.
    ///
    /// Throws `mdoc.request-malformed`.
    package func check() throws(MobileSessionError) {
        guard !documents.isEmpty, documents.count <= DeviceRequest.maximumDocuments,
            documents.allSatisfy({ (1...DeviceRequest.maximumElements).contains($0.elements.count) })
        else {
            throw Self.malformed(
                "A request has 1 to \(DeviceRequest.maximumDocuments) documents with 1 to "
                    + "\(DeviceRequest.maximumElements) elements each.")
        }
        let types = Set(documents.map(\.type))
        guard types.count == documents.count, !types.contains("") else {
            throw Self.malformed("A type of document is asked for twice, or is empty.")
        }
        for document in documents {
            let ages = (document.elements.map(\.name) + document.alternatives.flatMap(\.sets).joined()).filter {
                AgeRule.age(of: $0.identifier) != nil
            }
            guard ages.count <= 2 else { throw Self.malformed("A request has two questions for an age at most.") }
            let names = document.elements.map(\.name)
            guard Set(names).count == names.count, names.allSatisfy({ !$0.namespace.isEmpty && !$0.identifier.isEmpty })
            else { throw Self.malformed("An element is asked for twice, or has no name.") }
            try Self.checkExtensions(of: document, names: Set(names))
        }
        let sets = DeviceRequest.maximumSets
        guard useCases.count <= sets,
            useCases.allSatisfy({ use in
                (1...sets).contains(use.documentSets.count)
                    && use.documentSets.allSatisfy { set in
                        !set.isEmpty && Set(set).count == set.count && set.allSatisfy(documents.indices.contains)
                    }
            })
        else {
            throw Self.malformed(
                "There are up to \(sets) use cases, each with 1 to \(sets) sets of documents by their places from 0 on."
            )
        }
    }

    private static func checkExtensions(
        of document: RequestedDocument, names: Set<DeviceRequest.ElementName>
    ) throws(MobileSessionError) {
        let sets = DeviceRequest.maximumSets
        guard document.alternatives.count <= DeviceRequest.maximumAlternatives,
            document.alternatives.allSatisfy({ alternative in
                (1...sets).contains(alternative.sets.count)
                    && alternative.sets.allSatisfy { (1...sets).contains($0.count) }
            })
        else {
            throw malformed(
                "A document has up to \(DeviceRequest.maximumAlternatives) alternatives with 1 to \(sets) sets of 1 to "
                    + "\(sets) elements.")
        }
        let others = document.alternatives.flatMap(\.sets).joined()
        guard others.allSatisfy({ !$0.namespace.isEmpty && !$0.identifier.isEmpty }) else {
            throw malformed("An element of an alternative has no name.")
        }
        guard document.alternatives.allSatisfy({ names.contains($0.requested) }) else {
            throw malformed("An element that has alternatives is not asked for.")
        }
        guard document.issuers.count <= sets, document.issuers.allSatisfy({ (1...64).contains($0.count) }) else {
            throw malformed("A document has up to \(sets) issuers with key identifiers of 1 to 64 bytes.")
        }
    }

    /// Marks elements as to be kept; throws for one that is not asked for.
    private mutating func retain(_ names: [String]) throws(MobileSessionError) {
        let identifiers = names.flatMap { name in
            Self.presets.first { $0.name == name }.map { Self.once($0.licence + $0.person) }
                ?? [Self.element(name) ?? name]
        }
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

    /// The request without alternatives, authorities and uses, as it goes to a holder that does not understand them.
    package var plain: Self { Self(documents.map { .init(type: $0.type, elements: $0.elements) }) }

    /// The writer of the request as it goes over the air.
    package var writer: DeviceRequestWriter { DeviceRequestWriter(self) }
}
