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

    /// The types of documents that are asked for, with elements of each.
    private let documents: [(type: String, elements: [DeviceRequest.RequestedElement])]

    /// Makes a writer of requests for documents and elements; at least one of each.
    package init(_ documents: [(type: String, elements: [DeviceRequest.RequestedElement])]) {
        self.documents = documents
    }

    /// Returns the encoded request: of version 1.0 with a signature of the reader over each document's part, or of
    /// version 1.1 with one over the whole.
    ///
    /// Throws the errors of signing.
    ///
    /// - Parameter abilities: those that the holder states; one signature over the whole, and the largest answer that
    ///   the reader takes, are only for holders that know them.
    package func encoded(
        transcript: SessionTranscript, identity: ReaderIdentity? = nil,
        abilities: Set<DeviceEngagement.Capability> = []
    ) throws(CryptoError) -> [UInt8] {
        let signsWhole = abilities.contains(.readerAuthenticationOfAll)
        var (requests, parts): ([CBORItem], [[UInt8]]) = ([], [])
        for document in documents {
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
            if abilities.contains(.extendedRequests) {
                let info: CBORItem = .ordered([
                    [.text("maximumResponseSize"), .int(ReaderSession.maximumResponseBytes)]
                ])
                itemsRequest.append([.text("requestInfo"), info])
            }
            let items = CBORItem.embedded(.ordered(itemsRequest))
            var members: [[CBORItem]] = [[.text("itemsRequest"), items]]
            parts.append(items.encoded)
            if let identity, !signsWhole {
                let message = ReaderAuthentication.bytes(transcript, items: items.encoded)
                members.append([.text("readerAuth"), try Self.signature(over: message, by: identity)])
            }
            requests.append(.ordered(members))
        }
        guard let identity, signsWhole else {
            return CBORItem.ordered([
                [.text("version"), .text("1.0")], [.text("docRequests"), .array(requests)],
            ]).encoded
        }
        let message = ReaderAuthentication.bytes(transcript, allItems: parts, info: nil)
        return CBORItem.ordered([
            [.text("version"), .text("1.1")], [.text("docRequests"), .array(requests)],
            [.text("readerAuthAll"), .array([try Self.signature(over: message, by: identity)])],
        ]).encoded
    }

    private static func signature(
        over message: [UInt8], by identity: ReaderIdentity
    ) throws(CryptoError) -> CBORItem {
        try COSESign1.make(
            over: message, isDetached: true, by: identity.key, certificates: identity.certificates)
    }
}
