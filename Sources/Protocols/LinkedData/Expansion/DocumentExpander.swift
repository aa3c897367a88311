import JSON

/// Expands a JSON-LD document (JSON-LD 1.1 API, section 5.1), and records the parts that are lost.
struct DocumentExpander {
    /// The position of a value: the member that holds it, if any.
    struct ValuePosition {
        /// The name of the member as written; nil at the top, `@graph` in a graph.
        let property: String?
        let path: JSONPath
        /// True when the value is in a map by identifier or type.
        var isFromMap = false

        func element(_ index: Int) -> ValuePosition {
            ValuePosition(property: property, path: path.appending(.element(index)), isFromMap: isFromMap)
        }

        /// True when values without a node are dropped at this position.
        var isTop: Bool { property == nil || property == "@graph" }
    }

    let processor: ContextProcessor
    private(set) var findings: DocumentFindings
    private var meanings: [ObjectIdentifier: (EquivalentTermIndex, ActiveContext)] = [:]

    init(_ processor: ContextProcessor, limits: LinkedDataLimits) {
        self.processor = processor
        findings = DocumentFindings(maximum: limits.maximumFindings)
    }

    /// Expands a document, and returns its nodes.
    mutating func expand(document: JSONValue) throws(LinkedDataError) -> [ExpandedItem] {
        let items = try expand(document, ValuePosition(property: nil, path: .root), processor.initial)
        // A top that is nothing but a graph is that graph.
        if items.count == 1, case .node(let node) = items[0], node.isGraph, node.id == nil, let graph = node.graph,
            document.object != nil
        {
            return graph
        }
        return items
    }

    mutating func drop(_ reason: String, at path: JSONPath) { findings.drop(reason, at: path) }

    mutating func misplace(_ reason: String, at path: JSONPath, isReference: Bool = false) {
        findings.misplace(reason, at: path, isReference: isReference)
    }

    /// Expands a value; also returns true for an array or a set, which counts as an array.
    mutating func expandTelling(
        _ value: JSONValue, _ place: ValuePosition, _ context: ActiveContext
    ) throws(LinkedDataError) -> (items: [ExpandedItem], isArray: Bool) {
        guard case .object(let object) = value else {
            return (try expand(value, place, context), value.array != nil)
        }
        var reading = ObjectExpansion(object, place)
        return (try reading.items(in: context, by: &self), reading.isSet)
    }

    /// Expands a value; returns no items when it is dropped.
    mutating func expand(
        _ value: JSONValue, _ place: ValuePosition, _ context: ActiveContext
    ) throws(LinkedDataError) -> [ExpandedItem] {
        switch value {
        case .null:
            drop("The value is null.", at: place.path)
            return []
        case .bool, .number, .string: return try expand(scalar: value, place, context)
        case .array(let elements): return try expand(elements, place, context)
        case .object: return try expandTelling(value, place, context).items
        }
    }

    private mutating func expand(
        scalar: JSONValue, _ place: ValuePosition, _ context: ActiveContext
    ) throws(LinkedDataError) -> [ExpandedItem] {
        guard !place.isTop, let property = place.property else {
            drop("The value belongs to no node.", at: place.path)
            return []
        }
        guard let definition = context.definition(of: property) else {
            return [ScalarExpansion(nil, context).item(of: scalar, at: place.path)]
        }
        let inner = try processor.derive(context, for: definition, overridesProtected: true, propagates: true)
        let own = inner.definition(of: property)
        if own?.type == "@vocab", let text = scalar.string { noteLabel(text, in: inner, at: place.path) }
        let form = ScalarExpansion(own, inner)
        let item = form.item(of: scalar, at: place.path)
        if let reason = form.ambiguity(of: scalar, read: item) { misplace(reason, at: place.path) }
        return [item]
    }

    private mutating func expand(
        _ elements: [JSONValue], _ place: ValuePosition, _ context: ActiveContext
    ) throws(LinkedDataError) -> [ExpandedItem] {
        let isList = place.property.flatMap { context.definition(of: $0) }?.containers.contains(.list) ?? false
        if elements.isEmpty, !isList { misplace("The array is empty.", at: place.path) }
        var items: [ExpandedItem] = []
        for (index, element) in elements.enumerated() {
            if !isList, element.array != nil {
                misplace("An array stands in an array.", at: place.path.appending(.element(index)))
            }
            let (expanded, isArray) = try expandTelling(element, place.element(index), context)
            if isList, isArray { items.append(.list(expanded)) } else { items += expanded }
        }
        return items
    }

    /// Records a name that another name could replace: another term, or a term instead of an IRI.
    mutating func noteLabel(_ name: String, in context: ActiveContext, at path: JSONPath) {
        guard let iri = context.values.iri(of: name, isVocabulary: true), !LinkedDataKeyword.isOne(iri) else { return }
        noteLabel(name, meaning: iri, isTerm: context.definition(of: name) != nil, in: context, at: path)
    }

    /// Records a name that another name could replace, when its IRI is known; `isTerm` is true for a term.
    mutating func noteLabel(
        _ name: String, meaning iri: String, isTerm: Bool, in context: ActiveContext, at path: JSONPath
    ) {
        let meanings = meanings(of: context)
        if !isTerm, meanings.hasOtherCompactForm(than: name, for: iri, in: context) {
            misplace("A prefix of the contexts gives the name another form.", at: path)
        }
        let names = meanings.alternatives(of: name, for: iri, in: context)
        guard !names.isEmpty else { return }
        // No pin accepts a name that the contexts do not define.
        let sources = isTerm ? Set(names.map { context.definition(of: $0)?.source }) : []
        findings.add(LabelFinding(path: path, names: names, sources: sources))
    }

    private mutating func meanings(of context: ActiveContext) -> EquivalentTermIndex {
        if let known = processor.prepared?.meanings(of: context) { return known }
        let key = ObjectIdentifier(context)
        if let known = meanings[key] { return known.0 }
        let made = EquivalentTermIndex(context)
        meanings[key] = (made, context)
        return made
    }

    /// Records a keyword under a name that readers of the JSON do not expect.
    mutating func noteKeyword(_ names: [String], at path: JSONPath) {
        findings.add(LabelFinding(path: path, names: names, sources: []))
    }
}
