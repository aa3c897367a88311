import JSON

/// The meaning of a term in a context (JSON-LD 1.1 API, section 4.1).
final class TermDefinition: Sendable {
    /// The arrangement of values under the term, `@container`.
    struct ContainerMapping: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        static let graph = ContainerMapping(rawValue: 1)
        static let id = ContainerMapping(rawValue: 2)
        static let index = ContainerMapping(rawValue: 4)
        static let language = ContainerMapping(rawValue: 8)
        static let list = ContainerMapping(rawValue: 16)
        static let set = ContainerMapping(rawValue: 32)
        static let type = ContainerMapping(rawValue: 64)

        static let byName: [String: ContainerMapping] = [
            "@graph": .graph, "@id": .id, "@index": .index, "@language": .language, "@list": .list, "@set": .set,
            "@type": .type,
        ]
    }

    /// The language of plain texts.
    enum LanguageMapping: Hashable, Sendable {
        /// The language of the context.
        case inherited
        case none
        case tag(String)
    }

    /// A context that holds where the term is used.
    struct ScopedContext: Hashable, Sendable {
        let context: JSONValue
        /// The address of the document that holds the context; nil for one in the document itself.
        let source: String?
    }

    /// The parts of a definition.
    struct TermDefinitionFields: Hashable, Sendable {
        /// The IRI, blank node or keyword; nil for a term that is dropped.
        var iri: String?
        var isPrefix = false
        var type: String?
        var containers: ContainerMapping = []
        var language = LanguageMapping.inherited
        var scope: ScopedContext?
    }

    let parts: TermDefinitionFields
    let isProtected: Bool
    /// The address of the context that defines the term; nil for one in the document.
    let source: String?

    init(_ parts: TermDefinitionFields, isProtected: Bool, source: String?) {
        self.parts = parts
        self.isProtected = isProtected
        self.source = source
    }

    var iri: String? { parts.iri }
    var type: String? { parts.type }
    var containers: ContainerMapping { parts.containers }
}
