public import JSON
import LinkedData

/// The built-in JSON-LD contexts, which need no pin: data model, proofs and keys, DID documents, ODRL.
///
/// They are the same JSON as the published documents; a test compares their digests.
public enum BuiltInJSONLDContexts {
    /// The built-in JSON-LD contexts by address, parsed.
    public static let documents: [String: JSONValue] = Dictionary(
        uniqueKeysWithValues: (CredentialJSONLDContexts.texts + SecurityJSONLDContexts.texts
            + ControllerJSONLDContexts.texts).map {
                ($0.address, JSONLDContextNotation.document($0.text))
            })

    /// The built-in contexts for a context library; the most used ones are processed only once.
    static let library: [String: ContextDocument] = {
        var library: [String: ContextDocument] = [:]
        for (address, value) in documents {
            // Each has the member that is asked for, so none is left out.
            guard let document = try? ContextDocument(value, byteCount: value.encoded.count) else { continue }
            let isFirst = [W3CMemberChecks.Version.one, .two].contains { $0.context == address }
            library[address] = isFirst ? (try? document.prepared(as: address)) ?? document : document
        }
        return library
    }()
}
