import JSON
import LinkedData

/// The contexts that need no pin: those of the data model, of proofs and keys, of DID documents and of ODRL rights.
///
/// They are the same JSON as the published documents; a test compares their digests.
enum BuiltInContexts {
    /// The documents by address.
    static let documents: [String: JSONValue] = Dictionary(
        uniqueKeysWithValues: (CredentialContexts.texts + SecurityContexts.texts + ControllerContexts.texts).map {
            ($0.address, ContextNotation.document($0.text))
        })

    /// The same as a library has them.
    static let library: [String: ContextDocument] = documents.compactMapValues { document in
        // Each has the member that is asked for, so none is left out.
        try? ContextDocument(document, byteCount: document.encoded.count)
    }
}
