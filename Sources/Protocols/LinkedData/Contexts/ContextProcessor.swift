import JSON

/// Processes local contexts into active ones (JSON-LD 1.1 API, section 4.2).
///
/// One for each document: it counts the contexts, and keeps those that were derived for terms with contexts of their
/// own, which hold in many nodes.
final class ContextProcessor {
    /// A local context to process, with the options for processing it.
    struct LocalContext {
        let context: JSONValue
        /// The address of the document that holds the context; nil for the document itself.
        let source: String?
        /// The addresses of the context documents that led to this context.
        var remote: [String] = []
        /// True when protected terms may be redefined, as in the context of a property.
        var overridesProtected = false
        /// True when the context also applies in nodes below.
        var propagates = true
        /// True when contexts that a term's context refers to are processed too.
        var validatesScopes = true
    }

    private struct Derivation: Hashable {
        let active: ObjectIdentifier
        let definition: ObjectIdentifier
        let propagates: Bool
    }

    private struct Derived {
        let context: ActiveContext
        // Both objects are kept, so that their identities are not reused.
        let active: ActiveContext
        let definition: TermDefinition
    }

    private let library: JSONLDContextLibrary
    private let limits: LinkedDataLimits
    /// The base IRI of the document.
    private let base: String?
    private var contextCount = 0
    private var contextBytes = 0
    private var derived: [Derivation: Derived] = [:]
    private var loaded: [String: ContextDocument] = [:]
    /// The first context of the document, when it was processed beforehand.
    private(set) var prepared: PreparedContext?
    /// The addresses of the contexts that the document names, in their order.
    private(set) var addresses: [String] = []

    init(_ library: JSONLDContextLibrary, base: String?, limits: LinkedDataLimits) {
        self.library = library
        self.base = base
        self.limits = limits
        initial = ActiveContext(ActiveContextValues(base: base))
    }

    /// The active context before the document's first context.
    let initial: ActiveContext

    /// Returns the active context where a term with its own context is used.
    func derive(
        _ active: ActiveContext, for definition: TermDefinition, overridesProtected: Bool, propagates: Bool
    ) throws(LinkedDataError) -> ActiveContext {
        guard let scope = definition.parts.scope else { return active }
        if !overridesProtected, !propagates, let known = prepared?.context(ofType: definition, in: active) {
            return known
        }
        let key = Derivation(
            active: ObjectIdentifier(active), definition: ObjectIdentifier(definition), propagates: propagates)
        if let known = derived[key] { return known.context }
        guard derived.count < limits.maximumDerivedContexts else {
            throw LinkedDataError(.contextLimit, "context overflow: too many contexts of terms are used.")
        }
        let context = try process(
            LocalContext(
                context: scope.context, source: scope.source, overridesProtected: overridesProtected,
                propagates: propagates), on: active)
        derived[key] = Derived(context: context, active: active, definition: definition)
        return context
    }

    /// Processes a local context on top of an active one, and returns the result.
    func process(_ local: LocalContext, on active: ActiveContext) throws(LinkedDataError) -> ActiveContext {
        var local = local
        if let propagate = local.context.object?["@propagate"] {
            guard let value = propagate.bool else { throw .context("invalid @propagate value") }
            local.propagates = value
        }
        var values = active.values
        if !local.propagates, values.previous == nil { values.previous = active }
        var contexts = (local.context.array ?? [local.context])[...]
        if let first = contexts.first?.string, try takePrepared(first, local, on: active, into: &values) {
            contexts = contexts.dropFirst()
            if contexts.isEmpty, let prepared { return prepared.active }
        }
        for context in contexts {
            switch context {
            case .null: try clear(&values, local, active)
            case .string(let reference): try load(reference, local, into: &values)
            case .object(let object): try take(object, local, into: &values)
            case .bool, .number, .array: throw .context("invalid local context")
            }
        }
        return ActiveContext(values)
    }

    /// Uses the document's first context if it was processed in advance; false otherwise.
    private func takePrepared(
        _ reference: String, _ local: LocalContext, on active: ActiveContext, into values: inout ActiveContextValues
    ) throws(LinkedDataError) -> Bool {
        let isPlain = local.source == nil && local.remote.isEmpty && local.propagates && !local.overridesProtected
        guard isPlain, active === initial, base == nil, contextCount == 0 else { return false }
        guard let prepared = try library.find(reference)?.prepared else { return false }
        contextCount += 1
        // Counts the bytes.
        _ = try document(at: reference)
        addresses.append(reference)
        self.prepared = prepared
        values = prepared.active.values
        return true
    }

    private func clear(
        _ values: inout ActiveContextValues, _ local: LocalContext, _ active: ActiveContext
    ) throws(LinkedDataError) {
        if !local.overridesProtected, values.terms.values.contains(where: \.isProtected) {
            throw LinkedDataError(.protectedTerm, "invalid context nullification: protected terms would be lost.")
        }
        values = ActiveContextValues(base: base, previous: local.propagates ? nil : active)
    }

    private func load(
        _ reference: String, _ local: LocalContext, into values: inout ActiveContextValues
    ) throws(LinkedDataError) {
        guard let address = absolute(reference, in: local) else {
            throw LinkedDataError(.contextUnknown, "loading remote context failed: a context has a relative address.")
        }
        if !local.validatesScopes, local.remote.contains(address) { return }
        guard local.remote.count < limits.maximumContextDepth, contextCount < limits.maximumContexts else {
            throw LinkedDataError(.contextLimit, "context overflow: contexts are too many or too deep in one another.")
        }
        contextCount += 1
        let document = try document(at: address)
        if local.source == nil, local.remote.isEmpty { addresses.append(address) }
        var inner = LocalContext(
            context: document.context, source: address, remote: local.remote + [address],
            validatesScopes: local.validatesScopes)
        inner.overridesProtected = local.overridesProtected
        // A context that is named stands in the place of its name.
        values = try process(inner, on: ActiveContext(values)).values
    }

    private func absolute(_ reference: String, in local: LocalContext) -> String? {
        if IRISyntax.hasScheme(reference.utf8) { return reference }
        return (local.source ?? base).map { IRIReference(reference).resolved(below: IRIReference($0)) }
    }

    private func document(at address: String) throws(LinkedDataError) -> ContextDocument {
        if let known = loaded[address] { return known }
        guard let document = try library.find(address) else {
            throw LinkedDataError(
                .contextUnknown, "loading remote context failed: the context \(address) is not at hand.")
        }
        contextBytes += document.byteCount
        guard contextBytes <= limits.maximumContextBytes else {
            throw LinkedDataError(.contextLimit, "context overflow: the contexts are too large.")
        }
        loaded[address] = document
        return document
    }

    /// Applies the settings and the terms of a context.
    private func take(
        _ object: JSONObject, _ local: LocalContext, into values: inout ActiveContextValues
    ) throws(LinkedDataError) {
        if let version = object["@version"] {
            guard version.number?.double == 1.1 else { throw .context("invalid @version value") }
        }
        for feature in ["@import", "@direction"] where object[feature] != nil {
            throw LinkedDataError(.unsupportedFeature, "A context has \(feature).")
        }
        // The base of a context from another document is not that of this one.
        if let base = object["@base"], local.remote.isEmpty { try takeBase(base, into: &values) }
        if let vocabulary = object["@vocab"] { try takeVocabulary(vocabulary, into: &values) }
        switch object["@language"] {
        case nil: break
        case .null: values.language = nil
        case .string(let tag): values.language = tag
        default: throw .context("invalid default language")
        }
        var isProtected = false
        if let value = object["@protected"] {
            guard let flag = value.bool else { throw .context("invalid @protected value") }
            isProtected = flag
        }
        var definer = TermDefiner(self, object: object, local: local, values: values, isProtected: isProtected)
        try definer.defineAll()
        values = definer.values
    }

    private func takeBase(_ value: JSONValue, into values: inout ActiveContextValues) throws(LinkedDataError) {
        switch value {
        case .null: values.base = nil
        case .string(let text):
            if IRISyntax.hasScheme(text.utf8) {
                values.base = text
            } else if let base = values.base {
                values.base = IRIReference(text).resolved(below: IRIReference(base))
            } else {
                throw .context("invalid base IRI")
            }
        default: throw .context("invalid base IRI")
        }
    }

    private func takeVocabulary(_ value: JSONValue, into values: inout ActiveContextValues) throws(LinkedDataError) {
        switch value {
        case .null: values.vocabulary = nil
        case .string(let text):
            guard let iri = values.iri(of: text, isVocabulary: true, isReference: true),
                !LinkedDataKeyword.isOne(iri), text.isEmpty || text.utf8.allSatisfy({ $0 > 0x20 })
            else { throw .context("invalid vocab mapping") }
            values.vocabulary = iri
        default: throw .context("invalid vocab mapping")
        }
    }
}

extension LinkedDataError {
    /// Makes the error for a fault of a context, by its name in JSON-LD 1.1.
    static func context(_ fault: String) -> LinkedDataError { LinkedDataError(.contextMalformed, fault + ".") }

    /// Makes the error for a fault of a document, by its name in JSON-LD 1.1.
    static func document(_ fault: String) -> LinkedDataError { LinkedDataError(.documentMalformed, fault + ".") }
}
