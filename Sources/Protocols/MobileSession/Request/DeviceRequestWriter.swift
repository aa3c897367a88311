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

    /// Returns the encoded request of version 1.0, with a signature of the reader over each document's part.
    ///
    /// Throws the errors of signing.
    package func encoded(
        transcript: SessionTranscript, identity: ReaderIdentity? = nil
    ) throws(CryptoError) -> [UInt8] {
        var requests: [CBORItem] = []
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
            let items = CBORItem.embedded(
                .ordered([
                    [.text("docType"), .text(document.type)],
                    [.text("nameSpaces"), .ordered(namespaces.map { [.text($0.name), .ordered($0.members)] })],
                ]))
            var members: [[CBORItem]] = [[.text("itemsRequest"), items]]
            if let identity {
                let signature = try COSESign1.make(
                    over: ReaderAuthentication.bytes(transcript, items: items.encoded), isDetached: true,
                    by: identity.key, certificates: identity.certificates)
                members.append([.text("readerAuth"), signature])
            }
            requests.append(.ordered(members))
        }
        return CBORItem.ordered([
            [.text("version"), .text("1.0")], [.text("docRequests"), .array(requests)],
        ]).encoded
    }
}
