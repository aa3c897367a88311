/// A resolver that uses only given documents and DIDs that contain their documents.
public struct StaticDIDResolver: Sendable {
    private var documents: [String: DIDDocument] = [:]

    /// Makes a resolver with the given documents.
    public init(_ documents: [DIDDocument] = []) {
        for document in documents { add(document) }
    }

    /// Adds a document, which replaces an earlier one for the same DID.
    public mutating func add(_ document: DIDDocument) { documents[document.did.identity] = document }

    /// Adds a DID that contains its document, so that its short form is resolved too.
    ///
    /// Throws the codes of the document, and `didcomm.did.unresolved` when the DID does not hold one.
    public mutating func add(_ did: DID) throws(DIDCommError) {
        guard let document = try DIDDocument(of: did) else { throw Self.unresolved(did) }
        add(document)
    }

    /// Returns the document of `did`; nil when it is neither known nor contained in the DID.
    public func document(of did: DID) throws(DIDCommError) -> DIDDocument? {
        if let document = documents[did.identity] { return document }
        return try DIDDocument(of: did)
    }

    /// Resolves `did` with the known documents.
    ///
    /// Throws `didcomm.did.method-unsupported` and `didcomm.did.unresolved` for DIDs that are not known, and the codes
    /// of the document.
    public func resolve(_ did: DID) throws(DIDCommError) -> PeerDocument { try resolve(DIDResolution(did)) }

    /// Resolves a document like `resolve(_:)`.
    public func resolve(_ document: DIDDocument) throws(DIDCommError) -> PeerDocument {
        try resolve(DIDResolution(document))
    }

    /// Continues a resolution with the known documents.
    public func resolve(_ start: DIDResolution) throws(DIDCommError) -> PeerDocument {
        var resolution = start
        while true {
            switch try resolution.progress() {
            case .resolved(let document): return document
            case .needs(let did):
                if let document = try document(of: did) {
                    try resolution.provide(document, for: did)
                } else {
                    resolution.fail(did, Self.unresolved(did))
                }
            }
        }
    }

    /// Makes the error for a DID that is not known.
    public static func unresolved(_ did: DID) -> DIDCommError {
        switch did.method {
        case .other(let method):
            DIDCommError(.didMethodUnsupported, "nothing here resolves DIDs of the method \(method)")
        case .key, .peer, .sov:
            DIDCommError(.didUnresolved, "the DID does not hold its document, and the document is not known here")
        }
    }
}
