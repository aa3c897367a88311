import JSON

/// The places at which a document names nodes, to find members that could stand elsewhere with the same statements.
///
/// Statements do not tell which of the places of one node holds its members. The right place follows from the
/// statements: the one with the shortest way from the top of its graph, and among those the first by the IRIs on the
/// way. Members at any other place are found, so that one set of statements has one good arrangement.
struct NodePlaces {
    /// The way from one place to the next.
    struct Edge {
        /// The number of the place above; -1 at the top of a graph.
        let parent: Int32
        let member: String
        /// The index in each list around the place.
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

    private struct Place {
        let edge: Edge
        let path: JSONPath
        /// True when anything but the name stands there.
        let hasMembers: Bool
    }

    /// A node of one graph.
    private struct Node: Hashable {
        let term: Int32
        let graph: Int32
    }

    private var places: [Place] = []
    private var firstPlaces: [Node: Int32] = [:]
    /// All places of each node that has several, by its first.
    private var several: [Int32: [Int32]] = [:]

    /// Adds the place of a node and gives its number; a blank node without a label has no other.
    mutating func add(
        _ node: borrowing ExpandedNode, named term: RDFDataset.Term?, in graph: RDFDataset.Term?, _ edge: Edge
    ) -> Int32 {
        let number = Int32(places.count)
        let hasMembers = !node.types.isEmpty || !node.members.isEmpty || node.graph != nil
        places.append(Place(edge: edge, path: node.path, hasMembers: hasMembers))
        guard let term else { return number }
        let key = Node(term: term.index, graph: graph?.index ?? RDFDataset.defaultGraph)
        if let first = firstPlaces[key] {
            several[first, default: [first]].append(number)
        } else {
            firstPlaces[key] = number
        }
        return number
    }

    /// Notes the nodes that have members at two places, or at another than the right one.
    func findMovable(into findings: inout DocumentFindings) {
        for (_, numbers) in several.sorted(by: { $0.key < $1.key }) {
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

    /// The edges from the top.
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
