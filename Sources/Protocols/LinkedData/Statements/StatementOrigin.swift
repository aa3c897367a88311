public import JSON

/// The position in a document that makes a statement.
public struct StatementOrigin: Hashable, Sendable {
    /// The path of the statement's object; for a node's type and a list's parts, the path of the node or list.
    public let path: JSONPath
    /// True when the statement is part of an RDF list.
    public let isList: Bool
}
