public import CryptoSuite

/// The canonical form of an RDF data set (RDF Dataset Canonicalization 1.0, section 4.4).
///
/// The same bytes for all data sets that differ only in the labels of blank nodes and in the order of statements.
public struct RDFCanonicalForm: Sendable {
    /// The statements as canonical N-Quads, in UTF-8: lines in the order of code points, each with a line feed.
    public let quads: [UInt8]

    private let dataset: RDFDataset
    /// The canonical number of each blank node.
    private let numbers: [Int32]

    /// The canonical label of each blank node by its label in the data set, without `_:`.
    public var labels: [String: String] {
        var labels: [String: String] = [:]
        for (blank, term) in dataset.blankTerms.enumerated() {
            let label = String(decoding: dataset.forms[term].dropFirst(2), as: UTF8.self)
            labels[label] = "c14n\(max(0, numbers[blank]))"
        }
        return labels
    }

    /// The number of blank nodes in the statements; their canonical labels are `c14n0` and so on.
    public var blankNodeCount: Int { Int(numbers.max() ?? -1) + 1 }

    /// Returns the statements with other labels for blank nodes, in the order of code points.
    ///
    /// - Parameter labels: the label of each blank node by its canonical number, without `_:`, each another; as many as
    ///   `blankNodeCount`.
    public func lines(labels: [[UInt8]]) -> [RelabelledStatement] {
        var lines: [RelabelledStatement] = []
        lines.reserveCapacity(dataset.count)
        for (index, quad) in dataset.quads.enumerated() {
            var line: [UInt8] = []
            dataset.append(quad, to: &line) { blank, line in
                line.append(contentsOf: "_:".utf8)
                line.append(contentsOf: labels[Int(numbers[Int(blank)])])
            }
            lines.append(RelabelledStatement(line: line, index: index))
        }
        return lines.sorted { CanonicalNQuadsText.precedes($0.line, $1.line) }
    }

    /// Canonicalises the statements of a data set; `hash` is the digest that distinguishes blank nodes.
    ///
    /// - Throws: `linked-data.blank-nodes-too-complex` when the work is more than `limits` allow.
    public init(
        of dataset: RDFDataset, hash: SHA2 = .sha256, limits: LinkedDataLimits = LinkedDataLimits()
    ) throws(LinkedDataError) {
        var labelling = BlankNodeLabelling(dataset, hash: hash, limits: limits)
        numbers = try labelling.run()
        quads = CanonicalQuadOrder(dataset, numbers: numbers).text()
        self.dataset = dataset
    }
}

/// A statement with other labels for its blank nodes.
public struct RelabelledStatement: Hashable, Sendable {
    /// The line of N-Quads in UTF-8, with a line feed.
    public let line: [UInt8]
    /// The index of the statement in the data set, in the order in which statements were added.
    public let index: Int
}

extension RDFDataset {
    /// Appends a statement as a line of canonical N-Quads; `name` appends the form of each blank node.
    func append(_ quad: Quad, to line: inout [UInt8], name: (Int32, inout [UInt8]) -> Void) {
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

    private func append(_ term: Int32, to line: inout [UInt8], name: (Int32, inout [UInt8]) -> Void) {
        let blank = blankNumbers[Int(term)]
        if blank < 0 { line.append(contentsOf: forms[term]) } else { name(blank, &line) }
    }
}
