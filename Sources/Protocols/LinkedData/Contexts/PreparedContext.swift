import JSON

/// A context that was processed in advance with the contexts of its types, since most documents refer to it first.
final class PreparedContext: Sendable {
    let active: ActiveContext
    private let derived: [ObjectIdentifier: ActiveContext]
    private let meanings: [ObjectIdentifier: EquivalentTermIndex]

    init(_ context: JSONValue, as address: String) throws(LinkedDataError) {
        let none = JSONLDContextLibrary { _ throws(LinkedDataError) in nil }
        let processor = ContextProcessor(none, base: nil, limits: LinkedDataLimits())
        let local = ContextProcessor.LocalContext(context: context, source: address, remote: [address])
        let active = try processor.process(local, on: processor.initial)
        var derived: [ObjectIdentifier: ActiveContext] = [:]
        var meanings = [ObjectIdentifier(active): EquivalentTermIndex(active)]
        for definition in active.values.terms.values where definition.parts.scope != nil {
            // A context of a term that is no type may not be one for types.
            guard
                let context = try? processor.derive(
                    active, for: definition, overridesProtected: false, propagates: false)
            else { continue }
            derived[ObjectIdentifier(definition)] = context
            meanings[ObjectIdentifier(context)] = EquivalentTermIndex(context)
        }
        self.active = active
        self.derived = derived
        self.meanings = meanings
    }

    /// Returns the prepared context of a node with a type by its definition; nil when it was not prepared.
    func context(ofType definition: TermDefinition, in active: ActiveContext) -> ActiveContext? {
        active === self.active ? derived[ObjectIdentifier(definition)] : nil
    }

    func meanings(of context: ActiveContext) -> EquivalentTermIndex? { meanings[ObjectIdentifier(context)] }
}
