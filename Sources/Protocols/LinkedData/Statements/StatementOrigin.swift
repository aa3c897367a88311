public import JSON

/// The place of a document that makes a statement.
public struct StatementOrigin: Hashable, Sendable {
    /// The path of the statement's object; for a node's type and a list's parts, the path of the node or list.
    public let path: JSONPath
    /// True for the parts of a list.
    public let isList: Bool
}
