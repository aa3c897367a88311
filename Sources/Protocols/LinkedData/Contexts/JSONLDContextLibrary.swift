public import JSON

/// A JSON-LD context document that is available without network access.
public struct ContextDocument: Sendable {
    /// The value of the document's member `@context`.
    public let context: JSONValue
    /// The size of the document in bytes of canonical JSON.
    public let byteCount: Int
    /// The context processed in advance; nil until it is prepared.
    private(set) var prepared: PreparedContext?

    /// Makes a context document of parsed JSON.
    ///
    /// - Throws: `linked-data.bad-context` when it is no object with the member `@context`.
    public init(_ document: JSONValue, byteCount: Int) throws(LinkedDataError) {
        guard let context = document["@context"] else {
            throw LinkedDataError(.contextMalformed, "invalid remote context: it has no member @context.")
        }
        self.context = context
        self.byteCount = byteCount
    }

    /// Returns the document with its context processed in advance; it must not refer to other contexts.
    ///
    /// - Parameter address: the address by which documents name it.
    /// - Throws: `linked-data.bad-context` and the other codes of contexts.
    public func prepared(as address: String) throws(LinkedDataError) -> ContextDocument {
        var document = self
        document.prepared = try PreparedContext(context, as: address)
        return document
    }
}

/// The context documents that documents may refer to, without network access.
public struct JSONLDContextLibrary: Sendable {
    /// The function that returns the context document at an address; nil when there is none.
    let find: @Sendable (String) throws(LinkedDataError) -> ContextDocument?

    /// Makes a library of a function that returns the document at an absolute address, or nil.
    public init(_ find: @escaping @Sendable (String) throws(LinkedDataError) -> ContextDocument?) { self.find = find }
}
