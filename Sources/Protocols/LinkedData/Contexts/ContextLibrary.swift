public import JSON

/// A context document that is available without a fetch.
public struct ContextDocument: Sendable {
    /// The value of its member `@context`.
    public let context: JSONValue
    /// The bytes of the document as canonical JSON.
    public let byteCount: Int
    /// The active context that the document makes of an empty one; nil until it is prepared.
    private(set) var prepared: PreparedContext?

    /// Takes the parsed document.
    ///
    /// - Throws: `linked-data.bad-context` when it is no object with the member `@context`.
    public init(_ document: JSONValue, byteCount: Int) throws(LinkedDataError) {
        guard let context = document["@context"] else {
            throw LinkedDataError(.contextMalformed, "invalid remote context: it has no member @context.")
        }
        self.context = context
        self.byteCount = byteCount
    }

    /// The document processed beforehand, for one that many documents name first; it must name no other.
    ///
    /// - Parameter address: the address by which documents name it.
    /// - Throws: `linked-data.bad-context` and the other codes of contexts.
    public func prepared(as address: String) throws(LinkedDataError) -> ContextDocument {
        var document = self
        document.prepared = try PreparedContext(context, as: address)
        return document
    }
}

/// The context documents that documents may name; nothing is fetched.
public struct ContextLibrary: Sendable {
    /// Returns the context document at an address; nil where there is none.
    let find: @Sendable (String) throws(LinkedDataError) -> ContextDocument?

    /// Makes a library of a function that returns the document of an absolute address; nil where there is none.
    public init(_ find: @escaping @Sendable (String) throws(LinkedDataError) -> ContextDocument?) { self.find = find }
}
