package import CBOR

/// The comparison of an answer with its request (ISO/IEC 18013-5, clauses 10.3 and 13.3).
public struct ReturnedElements: Hashable, Sendable {
    /// The statement about an age that came in place of another one.
    public struct AgeAnswer: Hashable, Sendable {
        /// The type of the document.
        public let type: String
        /// The age that was asked for.
        public let asked: Int
        /// The age that the statement is about.
        public let answered: Int
        /// True when the holder is of that age or above.
        public let isOver: Bool

        /// The statement in one sentence.
        public var sentence: String {
            let asked = answered == asked ? "" : "; asked \(asked)"
            return isOver ? "at least \(answered)\(asked)" : "under \(answered)\(asked)"
        }
    }

    /// An element of a document.
    public struct ElementOfDocument: Hashable, Sendable {
        /// The type of the document.
        public let type: String
        /// The name of the element.
        public let name: DeviceRequest.ElementName
    }

    /// The elements that were asked for and did not come: of the documents that came, and of those that a use lacks.
    public let missing: [ElementOfDocument]
    /// The elements that came without being asked for.
    public let unasked: [ElementOfDocument]
    /// The statements about ages.
    public let ages: [AgeAnswer]
    /// The types of documents that are wanted and did not come; with uses, those that an unserved one lacks.
    public let missingTypes: [String]

    /// Compares the documents of an answer with what was asked for.
    init(of response: CBORValue, asked request: MobileRequest) {
        var (missing, unasked): ([ElementOfDocument], [ElementOfDocument]) = ([], [])
        var ages: [AgeAnswer] = []
        var types: [String] = []
        for document in response["documents"]?.array ?? [] {
            guard let type = document["docType"]?.text else { continue }
            types.append(type)
            let returned = Self.elements(of: document)
            // An age that the device states is none that the issuer does.
            let issued = Self.elements(of: document, byDevice: false)
            let requested = request.documents.first { $0.type == type }
            let asked = requested?.elements.map(\.name) ?? []
            var answers: Set<DeviceRequest.ElementName> = []
            for name in asked {
                if let found = Self.age(for: name, in: issued, of: type) {
                    ages.append(found)
                    answers.insert(.init(name.namespace, AgeRule.identifier(of: found.answered)))
                } else if returned[name] != nil {
                    answers.insert(name)
                } else if let set = requested?.set(for: name, in: returned) {
                    answers.formUnion(set)
                    ages += set.compactMap { Self.age(for: $0, in: issued, of: type) }
                } else {
                    missing.append(.init(type: type, name: name))
                }
            }
            unasked += returned.keys.filter { !answers.contains($0) }
                .sorted { ($0.namespace, $0.identifier) < ($1.namespace, $1.identifier) }
                .map { .init(type: type, name: $0) }
        }
        let lacking = request.lacking(types)
        if !request.useCases.isEmpty {
            // A document that a use lacks is told with its elements.
            for document in lacking.map({ request.documents[$0] }) {
                missing += document.elements.map { .init(type: document.type, name: $0.name) }
            }
        }
        self.missing = missing
        self.unasked = unasked
        self.ages = ages
        missingTypes = lacking.map { request.documents[$0].type }
    }

    /// Returns the elements of a document that the issuer signed, and the device, with their values: the issuer's where
    /// both have one.
    static func elements(of document: CBORValue, byDevice: Bool = true) -> [DeviceRequest.ElementName: CBORValue] {
        var elements: [DeviceRequest.ElementName: CBORValue] = [:]
        var limits = CBORLimits()
        limits.maximumBytes = document.encoding.count
        for namespace in document["issuerSigned"]?["nameSpaces"]?.map ?? [] {
            guard let name = namespace.key.text else { continue }
            for item in namespace.value.array ?? [] {
                guard let inner = try? item.embedded(limits: limits), let identifier = inner["elementIdentifier"]?.text,
                    let value = inner["elementValue"]
                else { continue }
                elements[.init(name, identifier)] = value
            }
        }
        let device = byDevice ? try? document["deviceSigned"]?["nameSpaces"]?.embedded() : nil
        for namespace in device?.map ?? [] {
            guard let name = namespace.key.text else { continue }
            for member in namespace.value.map ?? [] {
                guard let identifier = member.key.text else { continue }
                let element = DeviceRequest.ElementName(name, identifier)
                elements[element] = elements[element] ?? member.value
            }
        }
        return elements
    }

    /// Returns the statement that answers a question for an age; nil for another element, and without one.
    private static func age(
        for name: DeviceRequest.ElementName, in returned: [DeviceRequest.ElementName: CBORValue], of type: String
    ) -> AgeAnswer? {
        guard let asked = AgeRule.age(of: name.identifier) else { return nil }
        var statements: [Int: Bool] = [:]
        for (element, value) in returned where element.namespace == name.namespace {
            guard let age = AgeRule.age(of: element.identifier), case .bool(let isOver) = value.content else {
                continue
            }
            statements[age] = isOver
        }
        guard let answered = AgeRule.answer(to: asked, from: statements), let isOver = statements[answered] else {
            return nil
        }
        return AgeAnswer(type: type, asked: asked, answered: answered, isOver: isOver)
    }
}

extension MobileRequest.RequestedDocument {
    /// Returns the first set of alternatives to an element that is there as a whole; nil for none.
    fileprivate func set(
        for name: DeviceRequest.ElementName, in returned: [DeviceRequest.ElementName: CBORValue]
    ) -> [DeviceRequest.ElementName]? {
        alternatives.filter { $0.requested == name }.flatMap(\.sets).first { $0.allSatisfy { returned[$0] != nil } }
    }
}

extension MobileRequest {
    /// Returns the places of the documents that are wanted and not among those of these types (clause 10.2.6): for a
    /// mandatory use, and for any if none is served, the documents that its first set lacks.
    fileprivate func lacking(_ types: [String]) -> [Int] {
        func lacks(_ set: [Int]) -> [Int] {
            set.filter { documents.indices.contains($0) && !types.contains(documents[$0].type) }
        }
        let unserved = useCases.filter { !$0.documentSets.contains { lacks($0).isEmpty } }
        let isServed = unserved.count < useCases.count
        let used = Set(useCases.flatMap(\.documentSets).joined())
        let wanted = unserved.filter { $0.isMandatory || !isServed }.flatMap { lacks($0.documentSets.first ?? []) }
        return Set(wanted).union(lacks(documents.indices.filter { !used.contains($0) })).sorted()
    }
}

extension DeviceResponse {
    /// Compares the answer with what was asked for.
    package func compared(with request: MobileRequest) -> ReturnedElements? {
        var limits = CBORLimits()
        limits.maximumBytes = bytes.count
        guard let value = try? CBORValue(parsing: bytes, limits: limits) else { return nil }
        return ReturnedElements(of: value, asked: request)
    }

    /// The values of the elements that the request asked to keep, by document type and name.
    ///
    /// Elements that were asked for the session alone are not among them, nor are alternatives, which have no flag, and
    /// digests and signatures (clause 10.2.3).
    package func retained(by request: MobileRequest) -> [(
        element: ReturnedElements.ElementOfDocument, value: CBORValue
    )] {
        var limits = CBORLimits()
        limits.maximumBytes = bytes.count
        guard let value = try? CBORValue(parsing: bytes, limits: limits) else { return [] }
        var kept: [(element: ReturnedElements.ElementOfDocument, value: CBORValue)] = []
        for document in value["documents"]?.array ?? [] {
            guard let type = document["docType"]?.text else { continue }
            let returned = ReturnedElements.elements(of: document)
            for element in request.documents.first(where: { $0.type == type })?.elements ?? [] where element.isRetained
            {
                if let value = returned[element.name] { kept.append((.init(type: type, name: element.name), value)) }
            }
        }
        return kept
    }
}
