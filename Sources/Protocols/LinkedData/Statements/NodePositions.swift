import JSON

/// The positions at which a document names nodes, to find members that could move without changing the statements.
///
/// Statements do not tell which of the places of one node holds its members. The right place follows from the
/// statements: the one with the shortest way from the top of its graph, and among those the first by the IRIs on the
/// way. Members at any other place are found, so that one set of statements has one good arrangement.
struct NodePositions {
    /// The step from one position to the next.
    struct Edge {
        /// The number of the position above; -1 at the top of a graph.
        let parent: Int32
        let member: String
        /// The index in each list around the position.
        private(set) var indexes: [Int] = []

        static let top = Edge(from: -1, member: "")

        init(from parent: Int32, member: String) {
            self.parent = parent
            self.member = member
        }

        func element(_ index: Int) -> Edge {
            var edge = self
            edge.indexes.append(index)
            return edge
        }
    }

    private struct NodeReference {
        let edge: Edge
        let path: JSONPath
        /// True when the position has more of the node than its name.
        let hasMembers: Bool
        let graph: Int32
        /// The previous position that names the same term, in any graph; -1 for none.
        let previous: Int32
    }

    private static let none: Int32 = -1

    private var places: [NodeReference] = []
    /// The last position of each term, by the number of the term.
    private var lastPlaces: [Int32] = []
    /// The terms with several positions, each once.
    private var repeated: [Int32] = []

    /// Adds the position of a node and returns its number.
    mutating func add(
        _ node: borrowing ExpandedNode, named term: RDFDataset.Term?, in graph: RDFDataset.Term?, _ edge: Edge
    ) -> Int32 {
        let number = Int32(places.count)
        let hasMembers = !node.types.isEmpty || !node.members.isEmpty || node.graph != nil
        let previous = term.map { replaceLastPlace(of: $0.index, by: number) } ?? Self.none
        places.append(
            NodeReference(
                edge: edge, path: node.path, hasMembers: hasMembers, graph: graph?.index ?? RDFDataset.defaultGraph,
                previous: previous))
        return number
    }

    private mutating func replaceLastPlace(of term: Int32, by number: Int32) -> Int32 {
        let index = Int(term)
        if index >= lastPlaces.count {
            lastPlaces.append(contentsOf: repeatElement(Self.none, count: index + 1 - lastPlaces.count))
        }
        let previous = lastPlaces[index]
        lastPlaces[index] = number
        if previous != Self.none, places[Int(previous)].previous == Self.none { repeated.append(term) }
        return previous
    }

    /// Records the nodes with members at two positions, or at another than the expected one.
    func findMovable(into findings: inout DocumentFindings) {
        guard !repeated.isEmpty else { return }
        for numbers in several {
            let filled = numbers.filter { places[Int($0)].hasMembers }
            guard let only = filled.first else { continue }
            guard filled.count == 1 else {
                for number in filled.dropFirst() {
                    findings.misplace("Members of one node stand at two places.", at: places[Int(number)].path)
                }
                continue
            }
            let way = way(to: only)
            if numbers.contains(where: { $0 != only && Self.isBefore(self.way(to: $0), way) }) {
                findings.misplace(
                    "The members of a node do not stand where it is named first.", at: places[Int(only)].path)
            }
        }
    }

    /// The positions of each node that has several in one graph, in the order of the first.
    private var several: [[Int32]] {
        var found: [[Int32]] = []
        for term in repeated {
            var numbers: [Int32] = []
            var number = lastPlaces[Int(term)]
            while number != Self.none {
                numbers.append(number)
                number = places[Int(number)].previous
            }
            numbers.sort { (places[Int($0)].graph, $0) < (places[Int($1)].graph, $1) }
            while let graph = numbers.last.map({ places[Int($0)].graph }) {
                let start = numbers.lastIndex { places[Int($0)].graph != graph }.map { $0 + 1 } ?? 0
                found.append(Array(numbers[start...]))
                numbers.removeSubrange(start...)
            }
        }
        return found.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    }

    /// Returns the steps from the top to a position.
    private func way(to number: Int32) -> [Edge] {
        var edges: [Edge] = []
        var number = number
        while number >= 0 {
            let edge = places[Int(number)].edge
            if edge.parent >= 0 { edges.append(edge) }
            number = edge.parent
        }
        return edges.reversed()
    }

    private static func isBefore(_ first: [Edge], _ second: [Edge]) -> Bool {
        guard first.count == second.count else { return first.count < second.count }
        for (one, other) in zip(first, second) {
            if one.member != other.member {
                return one.member.utf8.lexicographicallyPrecedes(other.member.utf8)
            }
            if one.indexes != other.indexes { return one.indexes.lexicographicallyPrecedes(other.indexes) }
        }
        return false
    }
}
