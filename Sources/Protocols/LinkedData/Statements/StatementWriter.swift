import JSON

/// Writes the RDF statements of expanded nodes (JSON-LD 1.1 API, sections 7, 8), and records parts without one.
///
/// Nodes are consumed: as their statements grow, they take ever less memory.
struct StatementWriter {
    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    private static let rdfType = rdf + "type"
    private static let rdfNil = rdf + "nil"
    private static let rdfFirst = rdf + "first"
    private static let rdfRest = rdf + "rest"

    private(set) var dataset: RDFDataset
    private(set) var findings: DocumentFindings
    private var blankCount = 0
    private var places = NodePositions()
    /// The origin of each statement; nil when it is not requested.
    private(set) var origins: [StatementOrigin]?

    init(limits: LinkedDataLimits, findings: DocumentFindings, keepsOrigins: Bool) {
        dataset = RDFDataset(limits: limits)
        origins = keepsOrigins ? [] : nil
        self.findings = findings
    }

    /// Writes nodes into the default graph, or into a named one.
    mutating func write(
        _ items: consuming [ExpandedItem], into graph: RDFDataset.Term? = nil, at place: JSONPath = .root
    ) throws(LinkedDataError) {
        for index in items.indices {
            switch items.take(at: index) {
            case .node(let node):
                if node.isEmpty || node.isReference { findings.drop("The node says nothing.", at: node.path) }
                _ = try write(node, into: graph, .top)
            case .value(let value): findings.drop("The value belongs to no node.", at: value.path)
            case .list(let inner):
                // The nodes of a list that belongs to none make statements, the list does not.
                findings.drop("A list belongs to no node.", at: place)
                try write(inner, into: graph, at: place)
            }
        }
    }

    /// Records the nodes whose members could move without changing the statements; called at the end.
    mutating func finishPlaces() { places.findMovable(into: &findings) }

    /// Writes a node and returns its term; nil when its name is no IRI.
    private mutating func write(
        _ node: consuming ExpandedNode, into graph: RDFDataset.Term?, _ edge: NodePositions.Edge
    ) throws(LinkedDataError) -> RDFDataset.Term? {
        let subject: RDFDataset.Term?
        if let id = node.id {
            subject = term(of: id, at: node.path)
            if subject == nil { findings.drop("The name of the node is not an absolute IRI.", at: node.path) }
            if id == Self.rdfNil { findings.misplace("The node means the same as an empty list.", at: node.path) }
        } else {
            subject = newBlankNode()
        }
        let place = places.add(node, named: node.id == nil ? nil : subject, in: graph, edge)
        for type in node.types {
            guard let object = term(of: type.iri, at: type.path) else {
                findings.drop("The type is not an absolute IRI.", at: type.path)
                continue
            }
            try insert(subject, Self.rdfType, object, graph, at: type.path, from: node.path)
        }
        for index in node.members.indices {
            let (iri, path) = (node.members[index].iri, node.members[index].path)
            let predicate = isIRI(iri)
            if !predicate { findings.drop("The name is not an absolute IRI.", at: path) }
            let edge = NodePositions.Edge(from: place, member: iri)
            for number in node.members[index].items.indices {
                let item = node.members[index].items.take(at: number)
                let origin = origins == nil ? nil : item.path
                guard let object = try object(of: item, graph, edge, at: path), predicate else { continue }
                try insert(subject, iri, object, graph, at: path, from: origin ?? path, isList: origin == nil)
            }
        }
        if let inner = node.graph {
            guard let subject else { return nil }
            try write(inner, into: subject, at: node.path)
        }
        return subject
    }

    private mutating func insert(
        _ subject: RDFDataset.Term?, _ predicate: String, _ object: RDFDataset.Term, _ graph: RDFDataset.Term?,
        at path: JSONPath, from origin: JSONPath, isList: Bool = false
    ) throws(LinkedDataError) {
        guard let subject else { return }
        if try dataset.insert(subject, dataset.iri(predicate.utf8), object, graph: graph) {
            origins?.append(StatementOrigin(path: origin, isList: isList))
        } else {
            findings.misplace("The same statement is written twice.", at: path)
        }
    }

    /// Writes the statements of an item and returns its term; nil when no statement can contain it.
    private mutating func object(
        of item: consuming ExpandedItem, _ graph: RDFDataset.Term?, _ edge: NodePositions.Edge, at path: JSONPath
    ) throws(LinkedDataError) -> RDFDataset.Term? {
        switch consume item {
        case .node(let node): return try write(node, into: graph, edge)
        case .value(let value): return try literal(of: value)
        case .list(let items): return try list(of: items, graph, edge, at: path)
        }
    }

    private mutating func list(
        of items: consuming [ExpandedItem], _ graph: RDFDataset.Term?, _ edge: NodePositions.Edge, at path: JSONPath
    ) throws(LinkedDataError) -> RDFDataset.Term {
        var rest = dataset.iri(Self.rdfNil.utf8)
        for index in items.indices.reversed() {
            let cell = newBlankNode()
            if let object = try object(of: items.take(at: index), graph, edge.element(index), at: path) {
                try insert(cell, Self.rdfFirst, object, graph, at: path, from: path, isList: true)
            }
            try insert(cell, Self.rdfRest, rest, graph, at: path, from: path, isList: true)
            rest = cell
        }
        return rest
    }

    private mutating func literal(of value: ExpandedValue) throws(LinkedDataError) -> RDFDataset.Term? {
        if let language = value.language, let text = value.value.string {
            guard IRISyntax.isLanguage(language.utf8) else {
                findings.drop("The language tag is not well formed.", at: value.path)
                return nil
            }
            return dataset.literal(text.utf8, language: language.utf8)
        }
        let (text, type) = try LiteralConversion.form(of: value.value, type: value.type)
        guard isIRI(type) else {
            findings.drop("The data type is not an absolute IRI.", at: value.path)
            return nil
        }
        return dataset.literal(text.utf8, datatype: type.utf8)
    }

    /// Returns the term of an IRI or a blank node; nil for anything else.
    private mutating func term(of text: String, at path: JSONPath) -> RDFDataset.Term? {
        if text.utf8.starts(with: "_:".utf8) {
            let label = text.utf8.dropFirst(2)
            guard !label.isEmpty, label.allSatisfy({ $0 > 0x20 }) else { return nil }
            findings.misplace("The label of a blank node can be left out or changed.", at: path)
            return dataset.blankNode(Array("n".utf8) + Array(label))
        }
        return isIRI(text) ? dataset.iri(text.utf8) : nil
    }

    /// Makes a new blank node, whose label begins with another letter than those of the document.
    private mutating func newBlankNode() -> RDFDataset.Term {
        blankCount += 1
        return dataset.blankNode("b\(blankCount)".utf8)
    }

    private func isIRI(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            bytes.allSatisfy(IRISyntax.isAllowed) && bytes.count { $0 == UInt8(ascii: "#") } <= 1
                && IRISyntax.hasScheme(bytes)
        }
    }
}
