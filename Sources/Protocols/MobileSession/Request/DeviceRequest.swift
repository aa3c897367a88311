package import CBOR

/// A reader's request (ISO/IEC 18013-5, clause 10.2), without a check of who asks.
public struct DeviceRequest: Sendable {
    /// The name of an element: its namespace and its identifier in it, compared byte for byte (clause 8.1).
    public struct ElementName: Hashable, Sendable {
        /// The namespace.
        public let namespace: String
        /// The identifier of the element in its namespace.
        public let identifier: String

        /// Makes a name from its parts.
        public init(_ namespace: String, _ identifier: String) {
            self.namespace = namespace
            self.identifier = identifier
        }

        /// Returns true when both names have the same bytes; texts of one normal form only are not equal.
        public static func == (one: Self, other: Self) -> Bool {
            one.namespace.utf8.elementsEqual(other.namespace.utf8)
                && one.identifier.utf8.elementsEqual(other.identifier.utf8)
        }

        /// Adds the bytes of both parts to a hash.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(Array(namespace.utf8))
            hasher.combine(Array(identifier.utf8))
        }
    }

    /// An element that is asked for.
    public struct RequestedElement: Hashable, Sendable {
        /// The name of the element.
        public let name: ElementName
        /// True when the reader wants to keep the value for longer than the session.
        public let isRetained: Bool

        /// Makes an element from its parts.
        public init(_ name: ElementName, isRetained: Bool = false) {
            self.name = name
            self.isRetained = isRetained
        }
    }

    /// The elements that may stand in for a requested one: sets of them, the best first.
    public struct ElementAlternative: Hashable, Sendable {
        /// The requested element.
        public let requested: ElementName
        /// The sets of elements, of which one whole set stands in for it: 1 to 16, of 1 to 16 elements.
        public let sets: [[ElementName]]

        /// Makes an alternative from its parts.
        public init(requested: ElementName, sets: [[ElementName]]) {
            self.requested = requested
            self.sets = sets
        }
    }

    /// A use that the reader has for documents, of which one set serves it.
    public struct UseCase: Hashable, Sendable {
        /// True when the reader has no use for an answer without it.
        public let isMandatory: Bool
        /// The sets of documents, by their places in the request from 0 on: 1 to 16, the best first.
        public let documentSets: [[Int]]
        /// The numbers of purposes, by the name of the list that they are from.
        public let purposes: [String: Int]

        /// Makes a use from its parts.
        public init(isMandatory: Bool, documentSets: [[Int]], purposes: [String: Int] = [:]) {
            self.isMandatory = isMandatory
            self.documentSets = documentSets
            self.purposes = purposes
        }
    }

    /// The request for one document.
    package struct DocumentRequest: Sendable {
        /// The type of the document.
        package let type: String
        /// The elements that are asked for, in the order of the request.
        package let elements: [RequestedElement]
        /// The elements that may stand in for others.
        package let alternatives: [ElementAlternative]
        /// The most bytes of the answer that the reader takes; nil when it states none.
        package let maximumResponseSize: Int?
        /// The encoded ItemsRequestBytes as they came: what the reader signs.
        package let itemsBytes: [UInt8]
        /// The reader's signature over this request; nil without one.
        package let readerAuthentication: CBORValue?
    }

    /// The most documents of one request, and the most elements of one document.
    package static let maximumDocuments = 16
    package static let maximumElements = 256
    /// The most alternatives of one document.
    package static let maximumAlternatives = 64
    /// The most uses of one request, sets of one alternative or use, members of one set, and authorities of a document.
    package static let maximumSets = 16

    /// The encoded request as it came.
    package let bytes: [UInt8]
    /// The version: `1.0` or `1.1`.
    package let version: String
    /// The documents that are asked for.
    package let documents: [DocumentRequest]
    /// The uses that the reader has; empty when it states none.
    package let useCases: [UseCase]
    /// The encoded DeviceRequestInfoBytes as they came; nil without them.
    package let infoBytes: [UInt8]?
    /// The reader's signatures over the whole request.
    package let readerAuthenticationOfAll: [CBORValue]

    /// Reads a request.
    ///
    /// Throws `mdoc.request-malformed` for bytes that are none, another major version than 1, and more documents or
    /// elements than the limits.
    package init(_ bytes: [UInt8]) throws(MobileSessionError) {
        let value: CBORValue
        do throws(CBORError) {
            value = try CBORValue(parsing: bytes)
        } catch {
            throw Self.malformed("The request is not CBOR: \(error.reason).")
        }
        guard let version = value["version"]?.text, DeviceEngagement.major(of: version) == 1 else {
            throw Self.malformed("The request is not of version 1.")
        }
        guard let requests = value["docRequests"]?.array, (1...Self.maximumDocuments).contains(requests.count) else {
            throw Self.malformed("The request does not ask for 1 to \(Self.maximumDocuments) documents.")
        }
        self.bytes = bytes
        self.version = version
        documents = try requests.map { (request) throws(MobileSessionError) in try DocumentRequest(request) }
        infoBytes = value["deviceRequestInfo"].map { Array($0.encoding) }
        useCases = try Self.useCases(value["deviceRequestInfo"], count: requests.count)
        let all = value["readerAuthAll"]
        guard all == nil || all?.array.map({ (1...8).contains($0.count) }) == true else {
            throw Self.malformed("The signatures over the whole request are not a list of 1 to 8.")
        }
        readerAuthenticationOfAll = all?.array ?? []
    }

    static func malformed(_ reason: String) -> MobileSessionError { MobileSessionError(.requestMalformed, reason) }

    private static func useCases(_ value: CBORValue?, count: Int) throws(MobileSessionError) -> [UseCase] {
        guard let value else { return [] }
        guard let info = try? value.embedded(), info.map != nil else {
            throw malformed("The facts about the request are not a map in a byte string with tag 24.")
        }
        guard let cases = info["useCases"] else { return [] }
        guard let list = cases.array, (1...maximumSets).contains(list.count) else {
            throw malformed("The use cases are not a list of 1 to \(maximumSets).")
        }
        return try list.map { (entry) throws(MobileSessionError) in
            guard let sets = entry["documentSets"]?.array, (1...maximumSets).contains(sets.count) else {
                throw malformed("A use case has no sets of documents.")
            }
            let places = try sets.map { (set) throws(MobileSessionError) -> [Int] in
                let places = (set.array ?? []).map(\.int)
                guard (1...maximumDocuments).contains(places.count),
                    places.allSatisfy({ $0.map((0..<count).contains) == true })
                else { throw malformed("A set of a use case names documents that the request has not.") }
                return places.compactMap { $0 }
            }
            var purposes: [String: Int] = [:]
            for hint in entry["purposeHints"]?.map ?? [] {
                if let list = hint.key.text, let number = hint.value.int { purposes[list] = number }
            }
            return UseCase(
                isMandatory: entry["mandatory"]?.isTrue == true, documentSets: places, purposes: purposes)
        }
    }
}

extension DeviceRequest.DocumentRequest {
    /// Reads the request for one document; throws `mdoc.request-malformed`.
    init(_ value: CBORValue) throws(MobileSessionError) {
        guard let items = value["itemsRequest"], let inner = try? items.embedded(), let type = inner["docType"]?.text,
            !type.isEmpty
        else { throw DeviceRequest.malformed("A document is asked for without a type.") }
        guard let namespaces = inner["nameSpaces"]?.map, !namespaces.isEmpty else {
            throw DeviceRequest.malformed("A document is asked for without elements.")
        }
        var elements: [DeviceRequest.RequestedElement] = []
        for namespace in namespaces {
            guard let name = namespace.key.text, !name.isEmpty, let members = namespace.value.map, !members.isEmpty
            else { throw DeviceRequest.malformed("A namespace is asked for without elements.") }
            for member in members {
                guard let identifier = member.key.text, !identifier.isEmpty,
                    case .bool(let isRetained) = member.value.content
                else { throw DeviceRequest.malformed("An element is asked for without the flag of retention.") }
                elements.append(.init(.init(name, identifier), isRetained: isRetained))
                guard elements.count <= DeviceRequest.maximumElements else {
                    throw DeviceRequest.malformed("More than \(DeviceRequest.maximumElements) elements are asked for.")
                }
            }
        }
        self.type = type
        self.elements = elements
        itemsBytes = Array(items.encoding)
        readerAuthentication = value["readerAuth"]
        let info = inner["requestInfo"]
        maximumResponseSize = info?["maximumResponseSize"]?.int
        alternatives = try Self.alternatives(info?["alternativeDataElements"])
    }

    private static func alternatives(
        _ value: CBORValue?
    ) throws(MobileSessionError) -> [DeviceRequest.ElementAlternative] {
        guard let value else { return [] }
        guard let list = value.array, list.count <= DeviceRequest.maximumAlternatives else {
            throw DeviceRequest.malformed(
                "The alternatives are not a list of at most \(DeviceRequest.maximumAlternatives).")
        }
        return try list.map { (entry) throws(MobileSessionError) in
            guard let requested = try entry["requestedElement"].map(name),
                let sets = entry["alternativeElementSets"]?.array,
                (1...DeviceRequest.maximumSets).contains(sets.count)
            else { throw DeviceRequest.malformed("An alternative names no element, or no sets.") }
            return DeviceRequest.ElementAlternative(
                requested: requested,
                sets: try sets.map { (set) throws(MobileSessionError) in
                    guard let names = set.array, (1...DeviceRequest.maximumSets).contains(names.count) else {
                        throw DeviceRequest.malformed("A set of an alternative is empty or too long.")
                    }
                    return try names.map(name)
                })
        }
    }

    private static func name(_ value: CBORValue) throws(MobileSessionError) -> DeviceRequest.ElementName {
        guard let parts = value.array, parts.count == 2, let namespace = parts[0].text, let identifier = parts[1].text,
            !namespace.isEmpty, !identifier.isEmpty
        else { throw DeviceRequest.malformed("An element is not named by namespace and identifier.") }
        return DeviceRequest.ElementName(namespace, identifier)
    }
}
