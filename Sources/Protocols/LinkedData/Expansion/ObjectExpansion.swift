import JSON

/// Expands one object of a document (JSON-LD 1.1 API, section 5.1.2, steps 7 to 19).
struct ObjectExpansion {
    private typealias Place = DocumentExpander.ValuePosition

    /// The names that readers of the JSON expect for a node's identifier, types and graph.
    private static let usualNames: [(keyword: String, name: String?)] = [
        ("@id", "id"), ("@type", "type"), ("@graph", nil),
    ]

    /// The IRIs of `rdf:type`, `rdf:first` and `rdf:rest`: as member names they make statements of types and lists.
    private static let structure = Set(
        ["type", "first", "rest"].map { "http://www.w3.org/1999/02/22-rdf-syntax-ns#" + $0 })

    /// The range of the lengths of these IRIs in bytes.
    private static let structureCounts = 47...48

    private let object: JSONObject
    private let place: DocumentExpander.ValuePosition
    private var node: ExpandedNode
    /// The identifier of the node as written.
    private var name: String?
    /// The keywords found in the object, each once.
    private var seen: [String] = []
    /// The spelling of each keyword in the document, in its order.
    private var spellings: [(keyword: String, name: String)] = []
    private var value: JSONValue?
    private var valuePath: JSONPath?
    private var types: [ExpandedNode.NodeType] = []
    private var language: String?
    private var languagePath: JSONPath?
    private var list: [ExpandedItem]?
    private var set: [ExpandedItem]?
    private var hasIndex = false
    /// True when the type of the object is `@json`.
    private var isJSON = false

    init(_ object: JSONObject, _ place: DocumentExpander.ValuePosition) {
        self.object = object
        self.place = place
        node = ExpandedNode(at: place.path)
    }

    /// True when the object is a set, which counts as an array.
    var isSet: Bool { self.set != nil }

    /// Returns the items of the object; none when it is dropped.
    mutating func items(
        in outer: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) -> [ExpandedItem] {
        let entered = try enter(outer, by: &expander)
        let (context, typeContext) = try applyTypes(entered, by: &expander)
        for member in object where member.name != "@context" {
            try take(member, context, typeContext, by: &expander)
        }
        return try finish(entered, by: &expander)
    }

    // Contexts.

    /// Returns the context of the object before its types: that of its property, then its own.
    private func enter(
        _ outer: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) -> ActiveContext {
        var context = outer
        let definition = place.property.flatMap { outer.definition(of: $0) }
        if let previous = context.previous, !place.isFromMap, !isValue(in: context), !isReference(in: context) {
            context = previous
        }
        if let definition {
            context = try expander.processor.derive(
                context, for: definition, overridesProtected: true, propagates: true)
        }
        guard let local = object["@context"] else { return context }
        return try expander.processor.process(ContextProcessor.LocalContext(context: local, source: nil), on: context)
    }

    private func isValue(in context: ActiveContext) -> Bool {
        object.contains { context.values.iri(of: $0.name, isVocabulary: true) == "@value" }
    }

    private func isReference(in context: ActiveContext) -> Bool {
        object.count == 1 && object.contains { context.values.iri(of: $0.name, isVocabulary: true) == "@id" }
    }

    /// Applies the contexts of the object's types, in the order of their names.
    private mutating func applyTypes(
        _ entered: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) -> (ActiveContext, ActiveContext) {
        var context = entered
        var members = object.members.filter { entered.values.iri(of: $0.name, isVocabulary: true) == "@type" }
        if members.isEmpty { return (entered, entered) }
        members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        for member in members {
            let names = (member.value.array ?? [member.value]).compactMap(\.string)
            for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                guard let definition = entered.definition(of: name), definition.parts.scope != nil else { continue }
                context = try expander.processor.derive(
                    context, for: definition, overridesProtected: false, propagates: false)
            }
            if let last = names.last, entered.values.iri(of: last, isVocabulary: true) == "@json" { isJSON = true }
        }
        return (context, entered)
    }

    // Members.

    private mutating func take(
        _ member: JSONObject.Member, _ context: ActiveContext, _ typeContext: ActiveContext,
        by expander: inout DocumentExpander
    ) throws(LinkedDataError) {
        let path = place.path.appending(.member(member.name))
        guard let iri = context.values.iri(of: member.name, isVocabulary: true) else {
            return expander.drop("The name means nothing.", at: path)
        }
        if LinkedDataKeyword.isOne(iri) {
            spellings.append((iri, member.name))
            try take(iri, member.value, path, context, typeContext, by: &expander)
        } else if iri.utf8.contains(UInt8(ascii: ":")) {
            let definition = context.definition(of: member.name)
            expander.noteLabel(member.name, meaning: iri, isTerm: definition != nil, in: context, at: path)
            if Self.structureCounts.contains(iri.utf8.count), Self.structure.contains(iri) {
                expander.misplace("The statement means the same as a type or a list.", at: path)
            }
            let items = try PropertyExpansion(member, definition: definition, path: path).items(
                in: context, by: &expander)
            if let items { node.append(items, to: iri, at: path) }
        } else {
            expander.drop("No context says what the name means.", at: path)
        }
    }

    /// Handles a member whose name is a keyword.
    private mutating func take(
        _ keyword: String, _ value: JSONValue, _ path: JSONPath, _ context: ActiveContext,
        _ typeContext: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) {
        let isRepeated = seen.contains(keyword)
        guard !isRepeated || keyword == "@type" else { throw .document("colliding keywords") }
        if !isRepeated { seen.append(keyword) }
        switch keyword {
        case "@id":
            guard let text = value.string else { throw .document("invalid @id value") }
            // A name that means nothing stays a name: the node does not become one without a name.
            node.id = context.values.iri(of: text, isReference: true) ?? ""
            name = text
            if let iri = node.id, !iri.isEmpty, iri != text {
                expander.misplace("The identifier is a short form of an IRI.", at: path)
            }
        case "@type": try takeTypes(value, path, typeContext, by: &expander)
        case "@graph":
            let inner = Place(property: "@graph", path: path)
            node.graph = try expander.expand(value, inner, context)
        case "@value": try takeValue(value, path)
        case "@language":
            guard let tag = value.string else { throw .document("invalid language-tagged string") }
            language = tag
            languagePath = path
        case "@index":
            guard value.string != nil else { throw .document("invalid @index value") }
            hasIndex = true
            expander.drop("The index goes into no statement.", at: path)
        case "@list":
            if place.isTop { return expander.drop("The list belongs to no node.", at: path) }
            list = try expander.expand(value, Place(property: place.property, path: path), context)
        case "@set": set = try expander.expand(value, Place(property: place.property, path: path), context)
        case "@reverse", "@included", "@nest", "@direction":
            throw LinkedDataError(.unsupportedFeature, "The document has \(keyword).")
        default: expander.drop("The keyword means nothing here.", at: path)
        }
    }

    private mutating func takeTypes(
        _ value: JSONValue, _ path: JSONPath, _ context: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) {
        if value.array?.isEmpty == true { expander.misplace("The array is empty.", at: path) }
        for (index, element) in (value.array ?? [value]).enumerated() {
            let place = value.array == nil ? path : path.appending(.element(index))
            guard let text = element.string else { throw .document("invalid type value") }
            guard let iri = context.values.iri(of: text, isVocabulary: true, isReference: true) else {
                expander.drop("The type means nothing.", at: place)
                continue
            }
            expander.noteLabel(text, in: context, at: place)
            types.append(ExpandedNode.NodeType(iri: iri, path: place))
        }
    }

    private mutating func takeValue(_ value: JSONValue, _ path: JSONPath) throws(LinkedDataError) {
        if !isJSON, value.array != nil || value.object != nil { throw .document("invalid value object value") }
        self.value = value
        valuePath = path
    }

    // The end.

    private mutating func finish(
        _ context: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) -> [ExpandedItem] {
        if let value { return try finish(value, context, by: &expander) }
        if list != nil || set != nil {
            guard seen.allSatisfy(["@list", "@set", "@index"].contains), node.members.isEmpty,
                list == nil || set == nil
            else { throw .document("invalid set or list object") }
            if set != nil { expander.noteKeyword(["@set"], at: place.path) }
            return list.map { [.list($0)] } ?? set ?? []
        }
        if language != nil {
            expander.drop("The language belongs to no text.", at: languagePath ?? place.path)
            if seen == ["@language"], node.members.isEmpty { return [] }
        }
        node.types = types
        noteKeywords(by: &expander)
        if place.isTop {
            if node.isEmpty {
                if !object.contains(where: { $0.name == "@set" || $0.name == "@list" }) {
                    expander.drop("The node says nothing.", at: place.path)
                }
                return []
            }
            if node.isReference {
                expander.drop("The node says nothing but its name.", at: place.path)
                return []
            }
        }
        if let name, let iri = node.id, node.isReference, !place.isTop, form(in: context).isReference(name, iri) {
            expander.misplace(
                "The object means the same as the identifier that it holds.", at: place.path, isReference: true)
        }
        return [.node(node)]
    }

    /// Returns the rules for plain values at the object's position.
    private func form(in context: ActiveContext) -> ScalarExpansion {
        ScalarExpansion(place.property.flatMap { context.definition(of: $0) }, context)
    }

    /// Records a node's name and types that are not under `id` and `type`.
    ///
    /// Readers of the JSON look for them there.
    private func noteKeywords(by expander: inout DocumentExpander) {
        for (keyword, usual) in Self.usualNames {
            for spelling in spellings where spelling.keyword == keyword && spelling.name != usual {
                let path = place.path.appending(.member(spelling.name))
                expander.noteKeyword([spelling.name, usual].compactMap { $0 }, at: path)
            }
        }
    }

    private mutating func finish(
        _ value: JSONValue, _ context: ActiveContext, by expander: inout DocumentExpander
    ) throws(LinkedDataError) -> [ExpandedItem] {
        guard seen.allSatisfy(["@value", "@type", "@language", "@index"].contains), node.members.isEmpty,
            types.isEmpty || language == nil
        else { throw .document("invalid value object") }
        if value.isNull, !isJSON {
            expander.drop("The value is null.", at: place.path)
            return []
        }
        if language != nil, value.string == nil { throw .document("invalid language-tagged value") }
        var type: String?
        if !types.isEmpty {
            guard types.count == 1, types[0].iri == "@json" || IRISyntax.hasScheme(types[0].iri.utf8),
                types[0].iri == "@json" || !types[0].iri.utf8.contains(UInt8(ascii: " "))
            else { throw .document("invalid typed value") }
            type = types[0].iri
        }
        if place.isTop {
            expander.drop("The value belongs to no node.", at: place.path)
            return []
        }
        let item = ExpandedValue(value: value, type: type, language: language, path: valuePath ?? place.path)
        if form(in: context).isWritable(plainly: item) {
            expander.misplace("The object means the same as the value that it holds.", at: place.path)
        }
        return [.value(item)]
    }
}
