/// The statements of a data set as lines of canonical N-Quads, in code point order.
///
/// The lines are not compared as such. Terms are put into order, and then statements by the places of their terms in
/// it. The order is the same: of two terms of which one begins with the other, the shorter one comes first in both,
/// because the space behind a term is less than any byte that continues it, and the point that ends a statement is less
/// than the first byte of a graph's name.
struct CanonicalQuadOrder {
    /// A statement by the ranks of its terms.
    private struct RankedQuad {
        let subject: UInt32
        let predicate: UInt32
        let object: UInt32
        /// The rank of the graph name; 0 for the default graph, which is first.
        let graph: UInt32

        private var begin: UInt64 { UInt64(subject) << 32 | UInt64(predicate) }
        private var end: UInt64 { UInt64(object) << 32 | UInt64(graph) }

        static func precedes(_ left: RankedQuad, _ right: RankedQuad) -> Bool {
            left.begin == right.begin ? left.end < right.end : left.begin < right.begin
        }
    }

    private static let label = Array("_:c14n".utf8)

    private let dataset: RDFDataset
    /// The canonical number of each blank node.
    private let numbers: [Int32]
    /// The terms of the data set in the order of their canonical forms.
    private let terms: [Int32]
    private let lines: [RankedQuad]

    init(_ dataset: RDFDataset, numbers: [Int32]) {
        self.dataset = dataset
        self.numbers = numbers
        terms = Self.ordered(dataset, numbers)
        var ranks = [UInt32](repeating: 0, count: terms.count)
        for (index, term) in terms.enumerated() { ranks[Int(term)] = UInt32(index) + 1 }
        var lines = dataset.quads.map { quad in
            RankedQuad(
                subject: ranks[Int(quad.subject)], predicate: ranks[Int(quad.predicate)],
                object: ranks[Int(quad.object)],
                graph: quad.graph == RDFDataset.defaultGraph ? 0 : ranks[Int(quad.graph)])
        }
        lines.sort(by: RankedQuad.precedes)
        self.lines = lines
    }

    /// Returns the terms in the order of their canonical forms: literals, then IRIs, then blank nodes.
    private static func ordered(_ dataset: RDFDataset, _ numbers: [Int32]) -> [Int32] {
        var terms = (0..<Int32(dataset.forms.count)).filter { dataset.blankNumbers[Int($0)] < 0 }
        dataset.forms.withBytes { bytes in
            terms.sort {
                CanonicalNQuadsText.precedes(bytes[dataset.forms.range(of: $0)], bytes[dataset.forms.range(of: $1)])
            }
        }
        guard let greatest = numbers.max() else { return terms }
        // Numbers in the order of their digits: filled up to one length, the shorter one first.
        let length = digitCount(greatest)
        let keys = numbers.map { number in
            let count = digitCount(number)
            return (0..<(length - count)).reduce(UInt64(max(0, number))) { value, _ in value * 10 } << 4 | UInt64(count)
        }
        let blanks = (0..<Int32(numbers.count)).sorted { keys[Int($0)] < keys[Int($1)] }
        return terms + blanks.map { dataset.blankTerms[Int($0)] }
    }

    private static func digitCount(_ number: Int32) -> Int {
        var (count, rest) = (1, number / 10)
        while rest > 0 { (count, rest) = (count + 1, rest / 10) }
        return count
    }

    /// Returns the lines of all statements, one after the other, each with a line feed.
    func text() -> [UInt8] {
        let counts = terms.map { term in
            let blank = dataset.blankNumbers[Int(term)]
            return blank < 0 ? dataset.forms[term].count : Self.label.count + Self.digitCount(numbers[Int(blank)])
        }
        func count(_ rank: UInt32) -> Int { counts[Int(rank) - 1] }
        var text: [UInt8] = []
        text.reserveCapacity(
            lines.reduce(0) { total, line in
                let graph = line.graph == 0 ? 0 : count(line.graph) + 1
                return total + count(line.subject) + count(line.predicate) + count(line.object) + graph + 5
            })
        for line in lines {
            append(line.subject, to: &text)
            append(line.predicate, to: &text)
            append(line.object, to: &text)
            if line.graph > 0 { append(line.graph, to: &text) }
            text.append(UInt8(ascii: "."))
            text.append(0x0A)
        }
        return text
    }

    /// Appends the term of a rank and a space.
    private func append(_ rank: UInt32, to text: inout [UInt8]) {
        let term = terms[Int(rank) - 1]
        let blank = dataset.blankNumbers[Int(term)]
        if blank < 0 {
            text.append(contentsOf: dataset.forms[term])
        } else {
            text.append(contentsOf: Self.label)
            text.append(contentsOf: String(numbers[Int(blank)]).utf8)
        }
        text.append(0x20)
    }
}
