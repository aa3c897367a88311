import JSON

/// An index of a context's terms by their IRIs, to find terms with the same meaning.
///
/// Types, containers and languages of the terms do not tell two of them apart: a value can be written out, so that it
/// means the same under either.
struct EquivalentTermIndex {
    private var names: [JSONMemberName: [String]] = [:]
    private var prefixes: [(name: String, iri: String)] = []
    private let vocabulary: String?

    init(_ context: ActiveContext) {
        vocabulary = context.values.vocabulary
        for (name, definition) in context.values.terms {
            // Keywords are no claims.
            guard let iri = definition.iri, !LinkedDataKeyword.isOne(iri) else { continue }
            names[JSONMemberName(text: iri), default: []].append(name.text)
            if definition.parts.isPrefix { prefixes.append((name.text, iri)) }
        }
    }

    /// Returns true when a prefix makes another compact IRI of `iri` than `name`.
    func hasOtherCompactForm(than name: String, for iri: String, in context: ActiveContext) -> Bool {
        guard !prefixes.isEmpty, name.utf8.contains(UInt8(ascii: ":")) else { return false }
        return prefixes.contains { prefix in
            guard iri.utf8.count > prefix.iri.utf8.count, iri.utf8.starts(with: prefix.iri.utf8) else { return false }
            let rest = String(decoding: iri.utf8.dropFirst(prefix.iri.utf8.count), as: UTF8.self)
            let other = prefix.name + ":" + rest
            return other != name && context.values.iri(of: other, isVocabulary: true) == iri
        }
    }

    /// Returns all names for an IRI, `name` included, if there is another than `name`; else none.
    func alternatives(of name: String, for iri: String, in context: ActiveContext) -> [String] {
        let own = JSONMemberName(text: name)
        let known = names[JSONMemberName(text: iri)] ?? []
        // Nearly every name is the only one.
        if vocabulary == nil, known.allSatisfy({ JSONMemberName(text: $0) == own }) { return [] }
        var found = Set(known.map { JSONMemberName(text: $0) })
        if let vocabulary, iri.utf8.count > vocabulary.utf8.count, iri.utf8.starts(with: vocabulary.utf8) {
            let rest = String(decoding: iri.utf8.dropFirst(vocabulary.utf8.count), as: UTF8.self)
            // A name with a meaning of its own is not read below the vocabulary.
            if context.values.iri(of: rest, isVocabulary: true).map({ JSONMemberName(text: $0) })
                == JSONMemberName(text: iri)
            {
                found.insert(JSONMemberName(text: rest))
            }
        }
        found.insert(own)
        guard found.count > 1 else { return [] }
        return found.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
