import CBOR
import COSE
public import CryptoSuite

/// Writes a reader's request (ISO/IEC 18013-5, clauses 10.2 and 12.5).
public struct DeviceRequestWriter: Sendable {
    /// The reader's key with the chain of its certificate, its own first.
    public struct ReaderIdentity: Sendable {
        /// The key that signs.
        public let key: CertificateTemplate.SigningKey
        /// The certificates in DER, the reader's own first, without the root.
        public let certificates: [[UInt8]]

        /// Makes an identity of its parts.
        public init(key: CertificateTemplate.SigningKey, certificates: [[UInt8]]) {
            self.key = key
            self.certificates = certificates
        }
    }

    private let request: MobileRequest

    /// Makes a writer of a request.
    package init(_ request: MobileRequest) { self.request = request }

    /// Makes a writer of requests for documents and elements; at least one of each.
    package init(_ documents: [(type: String, elements: [DeviceRequest.RequestedElement])]) {
        request = MobileRequest(documents.map { .init(type: $0.type, elements: $0.elements) })
    }

    /// Returns the encoded request: of version 1.0 with a signature of the reader over each document's part, or of
    /// version 1.1 with one over the whole or with the uses that the reader has.
    ///
    /// Throws the errors of signing.
    ///
    /// - Parameter abilities: those that the holder states. One signature over the whole is only for holders that know
    ///   it; so are alternatives, authorities, uses, and the largest answer that the reader takes.
    package func encoded(
        transcript: SessionTranscript, identity: ReaderIdentity? = nil,
        abilities: Set<DeviceEngagement.Capability> = []
    ) throws(CryptoError) -> [UInt8] {
        let signsWhole = abilities.contains(.readerAuthenticationOfAll)
        let isExtended = abilities.contains(.extendedRequests)
        var (requests, parts): ([CBORItem], [[UInt8]]) = ([], [])
        for document in request.documents {
            var namespaces: [(name: String, members: [[CBORItem]])] = []
            for element in document.elements {
                let member: [CBORItem] = [.text(element.name.identifier), .bool(element.isRetained)]
                if let index = namespaces.firstIndex(where: { $0.name == element.name.namespace }) {
                    namespaces[index].members.append(member)
                } else {
                    namespaces.append((element.name.namespace, [member]))
                }
            }
            var itemsRequest: [[CBORItem]] = [
                [.text("docType"), .text(document.type)],
                [.text("nameSpaces"), .ordered(namespaces.map { [.text($0.name), .ordered($0.members)] })],
            ]
            if isExtended { itemsRequest.append([.text("requestInfo"), Self.info(of: document)]) }
            let items = CBORItem.embedded(.ordered(itemsRequest))
            var members: [[CBORItem]] = [[.text("itemsRequest"), items]]
            parts.append(items.encoded)
            if let identity, !signsWhole {
                let message = ReaderAuthentication.bytes(transcript, items: items.encoded)
                members.append([.text("readerAuth"), try Self.signature(over: message, by: identity)])
            }
            requests.append(.ordered(members))
        }
        let info = isExtended ? usesInfo : nil
        var members: [[CBORItem]] = [[.text("docRequests"), .array(requests)]]
        if let info { members.append([.text("deviceRequestInfo"), info]) }
        if let identity, signsWhole {
            let message = ReaderAuthentication.bytes(transcript, allItems: parts, info: info?.encoded)
            members.append([.text("readerAuthAll"), .array([try Self.signature(over: message, by: identity)])])
        }
        let version: CBORItem = .text(members.count > 1 ? "1.1" : "1.0")
        return CBORItem.ordered([[.text("version"), version]] + members).encoded
    }

    private static func info(of document: MobileRequest.RequestedDocument) -> CBORItem {
        func item(_ name: DeviceRequest.ElementName) -> CBORItem {
            .array([.text(name.namespace), .text(name.identifier)])
        }
        var info: [[CBORItem]] = []
        if !document.alternatives.isEmpty {
            let alternatives = document.alternatives.map { alternative in
                CBORItem.ordered([
                    [.text("requestedElement"), item(alternative.requested)],
                    [.text("alternativeElementSets"), .array(alternative.sets.map { .array($0.map(item)) })],
                ])
            }
            info.append([.text("alternativeDataElements"), .array(alternatives)])
        }
        if !document.issuers.isEmpty {
            info.append([.text("issuerIdentifiers"), .array(document.issuers.map { .bytes($0) })])
        }
        info.append([.text("maximumResponseSize"), .int(ReaderSession.maximumResponseBytes)])
        return .ordered(info)
    }

    /// DeviceRequestInfoBytes with the uses of the request; nil when it states none.
    private var usesInfo: CBORItem? {
        guard !request.useCases.isEmpty else { return nil }
        let uses = request.useCases.map { use in
            var members: [[CBORItem]] = [
                [.text("mandatory"), .bool(use.isMandatory)],
                [.text("documentSets"), .array(use.documentSets.map { .array($0.map { .int($0) }) })],
            ]
            if !use.purposes.isEmpty {
                let purposes = use.purposes.sorted { $0.key < $1.key }
                members.append([.text("purposeHints"), .ordered(purposes.map { [.text($0.key), .int($0.value)] })])
            }
            return CBORItem.ordered(members)
        }
        return .embedded(.ordered([[.text("useCases"), .array(uses)]]))
    }

    private static func signature(
        over message: [UInt8], by identity: ReaderIdentity
    ) throws(CryptoError) -> CBORItem {
        try COSESign1.make(
            over: message, isDetached: true, by: identity.key, certificates: identity.certificates)
    }
}
