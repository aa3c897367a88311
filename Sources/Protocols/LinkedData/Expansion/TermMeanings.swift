import JSON

/// The terms of a context by what they mean, to find those that mean the same.
struct TermMeanings {
    private struct Meaning: Hashable {
        let iri: String
        let type: String?
        let containers: TermDefinition.Containers
        let language: TermDefinition.Language
    }

    private var names: [Meaning: [String]] = [:]

    init(_ context: ActiveContext) {
        for (name, definition) in context.values.terms {
            guard let meaning = Self.meaning(of: definition) else { continue }
            names[meaning, default: []].append(name.text)
        }
    }

    /// The terms that mean the same as a term, itself among them; empty when it alone does.
    func alternatives(of definition: TermDefinition) -> [String] {
        guard let meaning = Self.meaning(of: definition), let found = names[meaning], found.count > 1 else { return [] }
        return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Keywords are no claims.
    private static func meaning(of definition: TermDefinition) -> Meaning? {
        guard let iri = definition.iri, !LinkedDataKeyword.isOne(iri) else { return nil }
        return Meaning(
            iri: iri, type: definition.type, containers: definition.containers, language: definition.parts.language)
    }
}
