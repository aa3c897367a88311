/// A set of RDF statements (RDF 1.1 Concepts, sections 3 and 4): triples of the default graph and of named graphs.
///
/// Each distinct term is stored once, in its canonical N-Quads form (RDFC-1.0, annex A), and statements refer to terms
/// by number: equality of terms is equality of bytes, never Unicode equivalence. Statements keep the order in which
/// they were added; a statement added again is ignored.
public struct RDFDataset: Sendable {
    /// A term of this data set, which has no meaning in another one.
    public struct Term: Hashable, Sendable {
        let index: Int32
    }

    /// An RDF statement; without a graph it belongs to the default graph.
    struct Quad: Hashable, Sendable {
        var subject: Int32
        var predicate: Int32
        var object: Int32
        var graph: Int32
    }

    /// The number of the default graph.
    static let defaultGraph: Int32 = -1

    /// The canonical N-Quads form of each term.
    private(set) var forms = ByteStringSet()
    /// The number of each term among the blank nodes; -1 for a term of another kind.
    private(set) var blankNumbers: [Int32] = []
    /// The term of each blank node, by its number.
    private(set) var blankTerms: [Int32] = []
    private(set) var quads: [Quad] = []
    /// The hash table that finds existing statements.
    private var table = NumberHashTable()
    private let maximumQuads: Int

    /// Makes an empty data set, for at most `limits.maximumQuads` statements.
    public init(limits: LinkedDataLimits = LinkedDataLimits()) {
        maximumQuads = limits.maximumQuads
    }

    /// The number of distinct statements.
    public var count: Int { quads.count }

    /// The objects of the `rdf:type` statements, in their order.
    public var types: [String] {
        let predicate = Array("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>".utf8)
        return quads.filter { forms[$0.predicate].elementsEqual(predicate) }.map { quad in
            String(decoding: forms[quad.object].dropFirst().dropLast(), as: UTF8.self)
        }
    }

    /// Adds the term of an IRI, whose form the caller has checked.
    public mutating func iri(_ text: some Sequence<UInt8>) -> Term {
        intern(isBlank: false) { form in
            form.append(UInt8(ascii: "<"))
            form.append(contentsOf: text)
            form.append(UInt8(ascii: ">"))
        }
    }

    /// Adds the blank node with a label, which is given without `_:`.
    public mutating func blankNode(_ label: some Sequence<UInt8>) -> Term {
        intern(isBlank: true) { form in
            form.append(contentsOf: "_:".utf8)
            form.append(contentsOf: label)
        }
    }

    /// Adds the term of a literal with a data type; `xsd:string` is not written.
    public mutating func literal(_ value: some Sequence<UInt8>, datatype: some Sequence<UInt8>) -> Term {
        intern(isBlank: false) { form in
            CanonicalNQuadsText.appendLiteral(value, datatype: datatype, to: &form)
        }
    }

    /// Adds the term of a literal with a language tag, which is kept as written.
    public mutating func literal(_ value: some Sequence<UInt8>, language: some Sequence<UInt8>) -> Term {
        intern(isBlank: false) { form in
            CanonicalNQuadsText.appendQuoted(value, to: &form)
            form.append(UInt8(ascii: "@"))
            form.append(contentsOf: language)
        }
    }

    /// Adds a statement, to the default graph when `graph` is nil; false when it exists already.
    ///
    /// - Throws: `linked-data.too-many-quads` when the limit is reached.
    @discardableResult public mutating func insert(
        _ subject: Term, _ predicate: Term, _ object: Term, graph: Term? = nil
    ) throws(LinkedDataError) -> Bool {
        let quad = Quad(
            subject: subject.index, predicate: predicate.index, object: object.index,
            graph: graph?.index ?? Self.defaultGraph)
        var place = table.first(quad.hashValue)
        while let known = table[place] {
            if quads[Int(known)] == quad { return false }
            place = table.next(place)
        }
        guard quads.count < maximumQuads else {
            throw LinkedDataError(.tooManyQuads, "There are more than \(maximumQuads) statements.")
        }
        quads.append(quad)
        if table.put(Int32(quads.count - 1), at: place) { table = table.grown { quads[Int($0)].hashValue } }
        return true
    }

    private mutating func intern(isBlank: Bool, _ write: (inout [UInt8]) -> Void) -> Term {
        let index = forms.number(write)
        guard Int(index) == blankNumbers.count else { return Term(index: index) }
        blankNumbers.append(isBlank ? Int32(blankTerms.count) : -1)
        if isBlank { blankTerms.append(index) }
        return Term(index: index)
    }
}
