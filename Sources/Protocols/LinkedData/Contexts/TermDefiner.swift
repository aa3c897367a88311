import JSON

/// Defines the terms of one context (JSON-LD 1.1 API, section 4.2.2).
struct TermDefiner {
    private enum TermDefinitionState {
        case begun
        case done
    }

    private static let members: Set<String> = [
        "@id", "@reverse", "@container", "@context", "@direction", "@index", "@language", "@nest", "@prefix",
        "@protected", "@type",
    ]

    private let processor: ContextProcessor
    private let object: JSONObject
    private let local: ContextProcessor.LocalContext
    private let isProtected: Bool
    private var states: [JSONMemberName: TermDefinitionState] = [:]
    private(set) var values: ActiveContextValues

    init(
        _ processor: ContextProcessor, object: JSONObject, local: ContextProcessor.LocalContext,
        values: ActiveContextValues,
        isProtected: Bool
    ) {
        self.processor = processor
        self.object = object
        self.local = local
        self.values = values
        self.isProtected = isProtected
    }

    mutating func defineAll() throws(LinkedDataError) {
        for member in object where !LinkedDataKeyword.ofContexts.contains(member.name) {
            try define(member.name)
        }
    }

    private mutating func define(_ term: String) throws(LinkedDataError) {
        let name = JSONMemberName(text: term)
        switch states[name] {
        case .done: return
        case .begun: throw .context("cyclic IRI mapping")
        case nil: break
        }
        guard !term.isEmpty else { throw .context("invalid term definition") }
        guard let value = object[term] else { return }
        states[name] = .begun
        defer { states[name] = .done }
        if LinkedDataKeyword.isOne(term), !Self.mayRedefine(term, value) { throw .context("keyword redefinition") }
        if LinkedDataKeyword.resemblesOne(term), !LinkedDataKeyword.isOne(term) { return }
        let previous = values.terms.removeValue(forKey: name)
        guard let made = try definition(of: term, value) else { return }
        var definition = made
        if !local.overridesProtected, let previous, previous.isProtected {
            guard previous.parts == definition.parts else {
                throw LinkedDataError(.protectedTerm, "protected term redefinition: of the term \(term).")
            }
            definition = previous
        }
        values.terms[name] = definition
    }

    /// Returns true when a definition of `@type` only makes it a set or protected.
    private static func mayRedefine(_ keyword: String, _ value: JSONValue) -> Bool {
        guard keyword == "@type", let object = value.object, !object.isEmpty else { return false }
        return object.allSatisfy { member in
            switch member.name {
            case "@container": member.value.string == "@set"
            case "@protected": member.value.bool != nil
            default: false
            }
        }
    }

    /// Makes the definition of a term from its value; nil when the term is ignored.
    private mutating func definition(of term: String, _ value: JSONValue) throws(LinkedDataError) -> TermDefinition? {
        let object: JSONObject
        var isSimple = false
        switch value {
        case .null: object = ["@id": .null]
        case .string(let text): (object, isSimple) = (["@id": .string(text)], true)
        case .object(let given): object = given
        default: throw .context("invalid term definition")
        }
        for feature in ["@reverse", "@nest", "@direction"] where object[feature] != nil {
            throw LinkedDataError(.unsupportedFeature, "A term of a context has \(feature).")
        }
        var isProtected = isProtected
        if let given = object["@protected"] {
            guard let flag = given.bool else { throw .context("invalid @protected value") }
            isProtected = flag
        }
        var parts = TermDefinition.TermDefinitionFields()
        if let type = object["@type"] { parts.type = try self.type(type) }
        guard try takeIRI(of: term, object, isSimple: isSimple, into: &parts) else { return nil }
        if let container = object["@container"] { try takeContainers(container, into: &parts) }
        if let index = object["@index"] { try refuse(index, parts) }
        if let context = object["@context"] { parts.scope = try scope(context) }
        if let language = object["@language"], object["@type"] == nil {
            switch language {
            case .null: parts.language = .none
            case .string(let tag): parts.language = .tag(tag)
            default: throw .context("invalid language mapping")
            }
        }
        if let prefix = object["@prefix"] {
            guard !term.utf8.contains(UInt8(ascii: ":")), !term.utf8.contains(UInt8(ascii: "/")) else {
                throw .context("invalid term definition")
            }
            guard let flag = prefix.bool else { throw .context("invalid @prefix value") }
            parts.isPrefix = flag
            if flag, let iri = parts.iri, LinkedDataKeyword.isOne(iri) { throw .context("invalid term definition") }
        }
        guard object.allSatisfy({ Self.members.contains($0.name) }) else { throw .context("invalid term definition") }
        return TermDefinition(parts, isProtected: isProtected, source: local.source)
    }

    private mutating func type(_ value: JSONValue) throws(LinkedDataError) -> String {
        guard let text = value.string, let type = try iri(of: text) else { throw .context("invalid type mapping") }
        guard ["@id", "@vocab", "@json", "@none"].contains(type) || IRISyntax.hasScheme(type.utf8) else {
            throw .context("invalid type mapping")
        }
        return type
    }

    /// Sets the IRI or keyword of the term; false when the term is ignored.
    private mutating func takeIRI(
        of term: String, _ object: JSONObject, isSimple: Bool, into parts: inout TermDefinition.TermDefinitionFields
    ) throws(LinkedDataError) -> Bool {
        let hasColon = CompactIRI.parts(of: term) != nil
        if let id = object["@id"], !(id.string.map { JSONMemberName(text: $0) == JSONMemberName(text: term) } ?? false)
        {
            if id.isNull { return true }
            guard let text = id.string else { throw .context("invalid IRI mapping") }
            if LinkedDataKeyword.resemblesOne(text), !LinkedDataKeyword.isOne(text) { return false }
            guard let iri = try iri(of: text), Self.isMapping(iri) else { throw .context("invalid IRI mapping") }
            if iri == "@context" { throw .context("invalid keyword alias") }
            parts.iri = iri
            let hasSlash = term.utf8.contains(UInt8(ascii: "/"))
            let hasInnerColon = term.utf8.dropFirst().dropLast().contains(UInt8(ascii: ":"))
            if hasInnerColon || hasSlash {
                states[JSONMemberName(text: term)] = .done
                guard try self.iri(of: term) == iri else { throw .context("invalid IRI mapping") }
            }
            if isSimple, !term.utf8.contains(UInt8(ascii: ":")), !hasSlash, let last = iri.utf8.last {
                parts.isPrefix = ":/?#[]@".utf8.contains(last) || iri.utf8.starts(with: "_:".utf8)
            }
            return true
        }
        if hasColon, let (prefix, suffix) = CompactIRI.parts(of: term) {
            if self.object[prefix] != nil { try define(prefix) }
            if let definition = values.definition(of: prefix) {
                parts.iri = definition.iri.map { $0 + suffix }
            } else {
                parts.iri = term
            }
        } else if term.utf8.contains(UInt8(ascii: "/")) {
            guard let iri = values.iri(of: term, isVocabulary: true), Self.isMapping(iri) else {
                throw .context("invalid IRI mapping")
            }
            parts.iri = iri
        } else if term == "@type" {
            parts.iri = "@type"
        } else if let vocabulary = values.vocabulary {
            parts.iri = vocabulary + term
        } else {
            throw .context("invalid IRI mapping")
        }
        return true
    }

    private static func isMapping(_ iri: String) -> Bool {
        LinkedDataKeyword.isOne(iri) || iri.utf8.starts(with: "_:".utf8) || IRISyntax.hasScheme(iri.utf8)
    }

    private func takeContainers(
        _ value: JSONValue, into parts: inout TermDefinition.TermDefinitionFields
    ) throws(LinkedDataError) {
        var containers: TermDefinition.ContainerMapping = []
        for entry in value.array ?? [value] {
            guard let name = entry.string, let one = TermDefinition.ContainerMapping.byName[name],
                containers.insert(one).inserted
            else { throw .context("invalid container mapping") }
        }
        let others = containers.subtracting(.set)
        let isAllowed =
            switch others {
            case [], .graph, .id, .index, .language, .type, [.graph, .id], [.graph, .index]: true
            case .list: !containers.contains(.set)
            default: false
            }
        guard isAllowed, !(value.array?.isEmpty ?? false) else { throw .context("invalid container mapping") }
        if containers.contains(.type) {
            parts.type = parts.type ?? "@id"
            guard parts.type == "@id" || parts.type == "@vocab" else { throw .context("invalid type mapping") }
        }
        parts.containers = containers
    }

    /// Throws for an index by a property: one error if it is malformed, another if it is unsupported.
    private mutating func refuse(_ index: JSONValue, _ parts: TermDefinition.TermDefinitionFields)
        throws(LinkedDataError)
    {
        guard parts.containers.contains(.index), let text = index.string, let iri = try iri(of: text),
            IRISyntax.hasScheme(iri.utf8)
        else { throw .context("invalid term definition") }
        throw LinkedDataError(.unsupportedFeature, "A term of a context has @index.")
    }

    /// Returns the context of a term, which is validated here although it is used later.
    private func scope(_ context: JSONValue) throws(LinkedDataError) -> TermDefinition.ScopedContext {
        var inner = ContextProcessor.LocalContext(context: context, source: local.source, remote: local.remote)
        inner.overridesProtected = true
        inner.validatesScopes = false
        do throws(LinkedDataError) {
            _ = try processor.process(inner, on: ActiveContext(values))
        } catch {
            // A feature or a context that is missing stays what it is.
            guard error.code == .contextMalformed || error.code == .protectedTerm else { throw error }
            throw .context("invalid scoped context")
        }
        return TermDefinition.ScopedContext(context: context, source: local.source)
    }

    /// Expands a text to an IRI or keyword; first defines the terms of the context that this needs.
    private mutating func iri(of text: String) throws(LinkedDataError) -> String? {
        if LinkedDataKeyword.isOne(text) { return text }
        if LinkedDataKeyword.resemblesOne(text) { return nil }
        if object[text] != nil { try define(text) }
        if values.definition(of: text) == nil, let (prefix, suffix) = CompactIRI.parts(of: text), prefix != "_",
            !suffix.utf8.starts(with: "//".utf8), object[prefix] != nil
        {
            try define(prefix)
        }
        return values.iri(of: text, isVocabulary: true)
    }
}
