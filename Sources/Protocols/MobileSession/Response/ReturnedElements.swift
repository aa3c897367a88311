package import CBOR

/// The comparison of an answer with its request (ISO/IEC 18013-5, clauses 10.3 and 13.3).
public struct ReturnedElements: Hashable, Sendable {
    /// The statement about an age that came in place of another one.
    public struct AgeAnswer: Hashable, Sendable {
        /// The place of the document in the answer, from 0.
        public let place: Int
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
        /// The place of the document in the answer, from 0; nil for a document that did not come.
        public let place: Int?
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
        for document in Self.documents(of: response, asked: request) {
            let (place, type) = (document.place, document.type)
            types.append(type)
            let returned = document.issued.merging(document.byDevice) { issued, _ in issued }
            var answers: Set<DeviceRequest.ElementName> = []
            for name in document.asked?.elements.map(\.name) ?? [] {
                // An age that the device states is none that the issuer does.
                if let found = Self.age(for: name, in: document.issued, at: place) {
                    ages.append(found)
                    answers.insert(.init(name.namespace, AgeRule.identifier(of: found.answered)))
                } else if returned[name] != nil {
                    answers.insert(name)
                } else if let set = document.asked?.set(for: name, in: returned) {
                    answers.formUnion(set)
                    ages += set.compactMap { Self.age(for: $0, in: document.issued, at: place) }
                } else {
                    missing.append(.init(place: place, type: type, name: name))
                }
            }
            unasked += returned.keys.filter { !answers.contains($0) }
                .sorted { ($0.namespace, $0.identifier) < ($1.namespace, $1.identifier) }
                .map { .init(place: place, type: type, name: $0) }
        }
        let lacking = request.lacking(types)
        if !request.useCases.isEmpty {
            // A document that a use lacks is told with its elements.
            for document in lacking.map({ request.documents[$0] }) {
                missing += document.elements.map { .init(place: nil, type: document.type, name: $0.name) }
            }
        }
        self.missing = missing
        self.unasked = unasked
        self.ages = ages
        missingTypes = lacking.map { request.documents[$0].type }
    }

    /// A document of an answer, with what of the request it answers.
    private struct AnsweredDocument {
        /// The place of the document in the answer, from 0.
        let place: Int
        let type: String
        /// The elements that the issuer signed.
        let issued: [DeviceRequest.ElementName: CBORValue]
        /// The elements that the device signed.
        let byDevice: [DeviceRequest.ElementName: CBORValue]
        /// The document of the request that it answers; nil for a type that was not asked for.
        let asked: MobileRequest.RequestedDocument?
    }

    /// Returns the documents of an answer that have a type; a request asks for each type once.
    private static func documents(of response: CBORValue, asked request: MobileRequest) -> [AnsweredDocument] {
        (response["documents"]?.array ?? []).enumerated().compactMap { place, value in
            value["docType"]?.text.map { type in
                AnsweredDocument(
                    place: place, type: type, issued: issuedElements(of: value), byDevice: deviceElements(of: value),
                    asked: request.documents.first { $0.type == type })
            }
        }
    }

    private static func issuedElements(of document: CBORValue) -> [DeviceRequest.ElementName: CBORValue] {
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
        return elements
    }

    private static func deviceElements(of document: CBORValue) -> [DeviceRequest.ElementName: CBORValue] {
        var elements: [DeviceRequest.ElementName: CBORValue] = [:]
        for namespace in (try? document["deviceSigned"]?["nameSpaces"]?.embedded())?.map ?? [] {
            guard let name = namespace.key.text else { continue }
            for member in namespace.value.map ?? [] {
                guard let identifier = member.key.text else { continue }
                elements[.init(name, identifier)] = member.value
            }
        }
        return elements
    }

    /// Returns the values that the issuer signed and that the request asks to keep.
    fileprivate static func retained(
        of response: CBORValue, asked request: MobileRequest
    ) -> [(element: ElementOfDocument, value: CBORValue)] {
        documents(of: response, asked: request).flatMap { document in
            (document.asked?.elements ?? []).filter(\.isRetained).compactMap { asked in
                document.issued[asked.name].map {
                    (ElementOfDocument(place: document.place, type: document.type, name: asked.name), $0)
                }
            }
        }
    }

    /// Returns the statement that answers a question for an age; nil for another element, and without one.
    private static func age(
        for name: DeviceRequest.ElementName, in returned: [DeviceRequest.ElementName: CBORValue], at place: Int
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
        return AgeAnswer(place: place, asked: asked, answered: answered, isOver: isOver)
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

    /// The values of the elements that the request asked to keep, in the order of the answer.
    ///
    /// Elements that were asked for the session alone are not among them, nor are alternatives, which have no flag,
    /// digests and signatures (clause 10.2.3), and what the device signed itself.
    package func retained(by request: MobileRequest) -> [(
        element: ReturnedElements.ElementOfDocument, value: CBORValue
    )] {
        var limits = CBORLimits()
        limits.maximumBytes = bytes.count
        guard let value = try? CBORValue(parsing: bytes, limits: limits) else { return [] }
        return ReturnedElements.retained(of: value, asked: request)
    }
}
