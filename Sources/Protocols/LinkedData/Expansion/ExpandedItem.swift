import JSON

/// A part of a document in expanded form (JSON-LD 1.1 API, section 5.1).
///
/// Every name is an IRI, or the text as written where it means none.
enum ExpandedItem {
    indirect case node(ExpandedNode)
    indirect case value(ExpandedValue)
    case list([ExpandedItem])

    /// The path of the expanded item in the document; nil for a list.
    var path: JSONPath? {
        switch self {
        case .node(let node): node.path
        case .value(let value): value.path
        case .list: nil
        }
    }
}

extension [ExpandedItem] {
    /// Removes and returns an item of the array, so that its memory is released after use.
    mutating func take(at index: Int) -> ExpandedItem {
        var item = ExpandedItem.list([])
        swap(&item, &self[index])
        return item
    }
}

/// An expanded node object.
struct ExpandedNode {
    /// A member of a node with its values.
    struct Member {
        let iri: String
        var items: [ExpandedItem]
        let path: JSONPath
    }

    /// A type of a node with its path.
    struct NodeType {
        let iri: String
        let path: JSONPath
    }

    /// The IRI or blank node that names the node; nil for a node without a name.
    var id: String?
    var types: [NodeType] = []
    var members: [Member] = []
    /// The contents of the graph that the node names; nil for none.
    var graph: [ExpandedItem]?
    let path: JSONPath

    init(at path: JSONPath) { self.path = path }

    /// True when the node has only a graph.
    var isGraph: Bool { graph != nil && types.isEmpty && members.isEmpty }

    /// True when the node has only a name.
    var isReference: Bool { id != nil && types.isEmpty && members.isEmpty && graph == nil }

    var isEmpty: Bool { id == nil && types.isEmpty && members.isEmpty && graph == nil }

    mutating func append(_ items: [ExpandedItem], to iri: String, at path: JSONPath) {
        members.append(Member(iri: iri, items: items, path: path))
    }
}

/// An expanded value object, which is a literal.
struct ExpandedValue {
    let value: JSONValue
    /// The IRI of the data type, or `@json`; nil when the JSON value decides the type.
    var type: String?
    var language: String?
    let path: JSONPath
}
