public import CryptoSuite

/// The canonical form of a data set (RDF Dataset Canonicalization 1.0, section 4.4): the same bytes for all data sets
/// that differ in the labels of blank nodes and in the order of statements alone.
public struct RDFCanonicalForm: Sendable {
    /// The statements as canonical N-Quads, in UTF-8: lines in the order of code points, each with a line feed.
    public let quads: [UInt8]

    /// The canonical label of each blank node by its label in the data set, both without `_:`.
    public let labels: [String: String]

    /// Brings the statements of a data set into canonical form; `hash` is the digest that tells blank nodes apart.
    ///
    /// - Throws: `linked-data.blank-nodes-too-complex` when the work is more than `limits` allow.
    public init(
        of dataset: RDFDataset, hash: SHA2 = .sha256, limits: LinkedDataLimits = LinkedDataLimits()
    ) throws(LinkedDataError) {
        var labelling = BlankNodeLabelling(dataset, hash: hash, limits: limits)
        let issuer = try labelling.run()
        let names = (0..<Int32(dataset.blankTerms.count)).map { blank -> [UInt8] in
            Array("_:c14n\(issuer.number(of: blank) ?? 0)".utf8)
        }
        var lines: [[UInt8]] = []
        lines.reserveCapacity(dataset.quads.count)
        for quad in dataset.quads {
            var line: [UInt8] = []
            dataset.append(quad, to: &line) { names[Int($0)] }
            lines.append(line)
        }
        lines.sort(by: CanonicalText.precedes)
        var text: [UInt8] = []
        text.reserveCapacity(lines.reduce(0) { $0 + $1.count })
        for line in lines { text.append(contentsOf: line) }
        quads = text
        var found: [String: String] = [:]
        for (name, term) in zip(names, dataset.blankTerms) {
            let label = String(decoding: dataset.forms[Int(term)].dropFirst(2), as: UTF8.self)
            found[label] = String(decoding: name.dropFirst(2), as: UTF8.self)
        }
        labels = found
    }
}

extension RDFDataset {
    /// Appends a statement as a line of canonical N-Quads; `name` gives the form of each blank node.
    func append(_ quad: Quad, to line: inout [UInt8], name: (Int32) -> [UInt8]) {
        append(quad.subject, to: &line, name: name)
        line.append(0x20)
        append(quad.predicate, to: &line, name: name)
        line.append(0x20)
        append(quad.object, to: &line, name: name)
        line.append(0x20)
        if quad.graph != Self.defaultGraph {
            append(quad.graph, to: &line, name: name)
            line.append(0x20)
        }
        line.append(UInt8(ascii: "."))
        line.append(0x0A)
    }

    private func append(_ term: Int32, to line: inout [UInt8], name: (Int32) -> [UInt8]) {
        let blank = blankNumbers[Int(term)]
        line.append(contentsOf: blank < 0 ? forms[Int(term)] : name(blank))
    }
}
