public import JSON

/// The place of a document that makes a statement.
public struct StatementOrigin: Hashable, Sendable {
    /// Where the object of the statement stands; for the type of a node, and for the parts of a list, where the node or
    /// list stands.
    public let path: JSONPath
    /// True for the parts of a list.
    public let isList: Bool
}
