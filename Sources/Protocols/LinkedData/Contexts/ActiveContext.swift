import JSON

/// The terms and settings that apply at a position of a document (JSON-LD 1.1 API, section 4.1).
final class ActiveContext: Sendable {
    let values: ActiveContextValues

    init(_ values: ActiveContextValues) { self.values = values }

    /// The context that applies again in nodes below this one; nil when this one still applies there.
    var previous: ActiveContext? { values.previous }

    func definition(of term: String) -> TermDefinition? { values.definition(of: term) }
}

/// The parts of an active context.
struct ActiveContextValues: Sendable {
    var terms: [JSONMemberName: TermDefinition] = [:]
    /// The IRI below which relative references are resolved; nil for none.
    var base: String?
    /// The vocabulary prefix for terms without a definition; nil for none.
    var vocabulary: String?
    var language: String?
    var previous: ActiveContext?

    func definition(of term: String) -> TermDefinition? { terms[JSONMemberName(text: term)] }

    /// Expands a text to an IRI, blank node or keyword (JSON-LD 1.1 API, section 5.2); nil when it means nothing.
    ///
    /// A text that remains relative is returned as it is.
    ///
    /// - Parameters:
    ///   - isVocabulary: true when the text may be a term.
    ///   - isReference: true when the text may be relative to the base.
    func iri(of text: String, isVocabulary: Bool = false, isReference: Bool = false) -> String? {
        if LinkedDataKeyword.isOne(text) { return text }
        if LinkedDataKeyword.resemblesOne(text) { return nil }
        if let definition = definition(of: text) {
            if isVocabulary { return definition.iri }
            if let iri = definition.iri, LinkedDataKeyword.isOne(iri) { return iri }
        }
        if let (prefix, suffix) = CompactIRI.parts(of: text) {
            if prefix == "_" || suffix.utf8.starts(with: "//".utf8) { return text }
            if let definition = definition(of: prefix), definition.parts.isPrefix, let iri = definition.iri {
                return iri + suffix
            }
            if IRISyntax.hasScheme(text.utf8) { return text }
        }
        if isVocabulary, let vocabulary { return vocabulary + text }
        if isReference, let base { return IRIReference(text).resolved(below: IRIReference(base)) }
        return text
    }
}

/// Splits a compact IRI: a text with a colon after its first character.
enum CompactIRI {
    static func parts(of text: String) -> (prefix: String, suffix: String)? {
        guard let colon = text.utf8.dropFirst().firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }
}
