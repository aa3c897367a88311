public import JSON

/// The RDF statements that a JSON-LD document makes, and the parts of it that no statement contains.
///
/// Source: JSON-LD 1.1 Processing Algorithms and API, sections 4, 5, 7 and 8. Nothing is fetched. Not supported are
/// `@import`, `@included`, `@nest`, `@reverse`, `@direction` and indexes by a property: they end in
/// `linked-data.unsupported-feature`.
public struct LinkedDataStatements: Sendable {
    /// The RDF statements of the document; a reference that stays relative makes none.
    public let dataset: RDFDataset
    /// The origin of each statement, in the order of the data set; empty unless requested.
    public let origins: [StatementOrigin]
    /// The parts of the document that no statement contains, in its order; at most `maximumFindings`.
    public let dropped: [DocumentFinding]
    /// The names of claims that mean the same as another name; at most `maximumFindings`.
    public let labels: [LabelFinding]
    /// The positions whose JSON could be changed or moved without changing the statements.
    ///
    /// At most `maximumFindings`.
    ///
    /// A node must have its members at one place: the nearest to the top that names it, and among those of one distance
    /// the first by the IRIs of the members on the way. The order of arrays and arrays of one value are no findings.
    public let placements: [DocumentFinding]
    /// The addresses of the contexts that the document names, in their order.
    public let contexts: [String]

    /// Converts a JSON-LD document to statements.
    ///
    /// - Parameters:
    ///   - base: the IRI below which relative references are resolved; nil for none, as credentials have it.
    ///   - keepsOrigins: true to ask for `origins`.
    /// - Throws: `linked-data.context-unknown`, `linked-data.bad-context`, `linked-data.too-many-contexts`,
    ///   `linked-data.protected-term`, `linked-data.unsupported-feature`, `linked-data.bad-document` and
    ///   `linked-data.too-many-quads`.
    public init(
        of document: JSONValue, contexts library: JSONLDContextLibrary, base: String? = nil,
        keepsOrigins: Bool = false, limits: LinkedDataLimits = LinkedDataLimits()
    ) throws(LinkedDataError) {
        let processor = ContextProcessor(library, base: base, limits: limits)
        var expander = DocumentExpander(processor, limits: limits)
        let items = try expander.expand(document: document)
        var writer = StatementWriter(
            limits: limits, findings: expander.findings, keepsOrigins: keepsOrigins)
        try writer.write(consume items)
        writer.finishPlaces()
        dataset = writer.dataset
        origins = writer.origins ?? []
        dropped = writer.findings.dropped
        labels = writer.findings.labels
        placements = writer.findings.placements
        contexts = processor.addresses
    }
}
