/// The statements about one subject in canonical form, written without a data set.
///
/// For graphs in which no other blank node stands: the subject without a name is the only one, and its canonical label
/// is `c14n0` therefore.
package struct SubjectStatements {
    private let subject: [UInt8]
    private var text: [UInt8] = []
    private var lines: [Range<Int>] = []

    /// Makes an empty list of statements about a subject, an IRI or with nil a blank node.
    ///
    /// The caller answers for the form of the IRI.
    package init(about name: String?) {
        subject = Array((name.map { "<\($0)> <" } ?? "_:c14n0 <").utf8)
        text.reserveCapacity(1024)
        lines.reserveCapacity(8)
    }

    /// Adds a statement whose object is an IRI; the caller answers for the form of both.
    package mutating func add(_ predicate: String, iri: String) {
        append(predicate) { text in
            text.append(UInt8(ascii: "<"))
            text.append(contentsOf: iri.utf8)
            text.append(UInt8(ascii: ">"))
        }
    }

    /// Adds a statement whose object is a literal with a data type; the caller answers for the form of both IRIs.
    package mutating func add(_ predicate: String, text value: String, datatype: String) {
        append(predicate) { CanonicalNQuadsText.appendLiteral(value.utf8, datatype: datatype.utf8, to: &$0) }
    }

    private mutating func append(_ predicate: String, _ object: (inout [UInt8]) -> Void) {
        let start = text.count
        text.append(contentsOf: subject)
        text.append(contentsOf: predicate.utf8)
        text.append(contentsOf: "> ".utf8)
        object(&text)
        text.append(contentsOf: " .\n".utf8)
        lines.append(start..<text.count)
    }

    /// The statements as canonical N-Quads, each once.
    package var quads: [UInt8] { CanonicalNQuadsText.sorted(lines, of: text, eachOnce: true) }
}
