import JSON

/// Expands the value of a member by the definition of its term.
///
/// Source: JSON-LD 1.1 API, section 5.1.2, steps 13.5 to 13.12.
struct PropertyExpansion {
    private let name: String
    private let value: JSONValue
    private let definition: TermDefinition?
    private let path: JSONPath

    init(_ member: JSONObject.Member, definition: TermDefinition?, path: JSONPath) {
        name = member.name
        value = member.value
        self.definition = definition
        self.path = path
    }

    private var containers: TermDefinition.ContainerMapping { definition?.containers ?? [] }

    /// Returns the items of the member; nil when it is dropped.
    func items(
        in context: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) -> [ExpandedItem]? {
        if definition?.type == "@json" {
            return [.value(ExpandedValue(value: value, type: "@json", path: path))]
        }
        noteMaps(in: context, by: &expander)
        var items: [ExpandedItem]
        var isArray = false
        if containers.contains(.language), let map = value.object {
            items = try texts(of: map, context, by: &expander)
        } else if !containers.isDisjoint(with: [.id, .index, .type]), let map = value.object {
            items = try nodes(of: map, context, by: &expander)
        } else {
            if value.isNull {
                expander.drop("The value is null.", at: path)
                return nil
            }
            let place = DocumentExpander.ValuePosition(property: name, path: path)
            (items, isArray) = try expander.expandTelling(value, place, context)
        }
        if containers.contains(.list) {
            if !isArray, items.count == 1, case .list = items[0] {
                expander.misplace("The object means the same as the array that it holds.", at: path)
                return items
            }
            return [.list(items)]
        }
        if containers.contains(.graph), containers.isDisjoint(with: [.id, .index]) {
            items = items.map { graph(of: $0) }
        }
        return items
    }

    /// Records maps whose values could be moved to other keys, or to an array, without changing the statements.
    private func noteMaps(in context: ActiveContext, by expander: inout DocumentExpander) {
        guard !containers.isDisjoint(with: [.language, .id, .index, .type]) else { return }
        guard containers.isDisjoint(with: [.id, .type]) else {
            return expander.misplace("A map by identifiers or types means the same as an array.", at: path)
        }
        guard let map = value.object else {
            if containers.contains(.language), ScalarExpansion(definition, context).language != nil {
                expander.misplace("The value means the same as a map by languages.", at: path)
            }
            return
        }
        if map.isEmpty { expander.misplace("The map is empty.", at: path) }
        for member in map {
            let path = path.appending(.member(member.name))
            if member.value.array?.isEmpty == true { expander.misplace("The array is empty.", at: path) }
            if context.values.iri(of: member.name, isVocabulary: true) == "@none" {
                expander.misplace("The key @none means the same as no map.", at: path)
            }
        }
    }

    private func graph(of item: ExpandedItem) -> ExpandedItem {
        var node = ExpandedNode(at: path)
        node.graph = [item]
        return .node(node)
    }

    /// Returns the texts of a map by language.
    private func texts(
        of map: JSONObject, _ context: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) -> [ExpandedItem] {
        var items: [ExpandedItem] = []
        for member in map {
            let path = path.appending(.member(member.name))
            let isNone = context.values.iri(of: member.name, isVocabulary: true) == "@none"
            for element in member.value.array ?? [member.value] {
                if element.isNull {
                    expander.drop("The value is null.", at: path)
                    continue
                }
                guard element.string != nil else { throw .document("invalid language map value") }
                items.append(
                    .value(ExpandedValue(value: element, language: isNone ? nil : member.name, path: path)))
            }
        }
        return items
    }

    /// Returns the nodes of a map by identifier, type or index.
    private func nodes(
        of map: JSONObject, _ context: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) -> [ExpandedItem] {
        var items: [ExpandedItem] = []
        let isByName = !containers.isDisjoint(with: [.id, .type])
        for member in map.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            var inner = isByName ? context.previous ?? context : context
            if containers.contains(.type), let definition = inner.definition(of: member.name) {
                inner = try expander.processor.derive(
                    inner, for: definition, overridesProtected: false, propagates: true)
            }
            let path = path.appending(.member(member.name))
            let isNone = context.values.iri(of: member.name, isVocabulary: true) == "@none"
            let place = DocumentExpander.ValuePosition(property: name, path: path, isFromMap: true)
            // An array around the value, because each value of a map is one.
            let values = member.value.array == nil ? JSONValue.array([member.value]) : member.value
            for item in try expander.expand(values, place, inner) {
                items.append(try named(item, by: isNone ? nil : member.name, path, context, &expander))
            }
            if containers.contains(.index), !isNone {
                expander.drop("The index goes into no statement.", at: path)
            }
        }
        return items
    }

    /// Returns an item of a map with the name or type from its key.
    private func named(
        _ item: ExpandedItem, by key: String?, _ path: JSONPath, _ context: ActiveContext,
        _ expander: inout DocumentExpander
    ) throws(LinkedDataError) -> ExpandedItem {
        var item = item
        if containers.contains(.graph) {
            if case .node(let node) = item, node.isGraph {} else { item = graph(of: item) }
        }
        guard !containers.contains(.index), let key else { return item }
        guard case .node(var node) = item else {
            if containers.contains(.type) || containers.contains(.id) { throw .document("invalid value object") }
            return item
        }
        if containers.contains(.id), node.id == nil {
            node.id = context.values.iri(of: key, isReference: true)
        }
        if containers.contains(.type) {
            if let iri = context.values.iri(of: key, isVocabulary: true) {
                node.types.insert(ExpandedNode.NodeType(iri: iri, path: path), at: 0)
            } else {
                expander.drop("The type means nothing.", at: path)
            }
        }
        return .node(node)
    }
}
