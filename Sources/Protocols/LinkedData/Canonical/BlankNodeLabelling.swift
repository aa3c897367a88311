import CryptoSuite

/// Gives each blank node of a data set its canonical number (RDFC-1.0, sections 4.4 to 4.8).
struct BlankNodeLabelling {
    private let dataset: RDFDataset
    private let hash: SHA2
    private let limits: LinkedDataLimits
    /// The statements that mention each blank node.
    private let mentions: Mentions
    /// The first-degree hashes of all blank nodes, joined.
    ///
    /// In bytes, which sort as their hexadecimal digits do.
    private var firstHashes: [UInt8] = []
    /// The canonical number of each blank node; -1 while it has none.
    private var canonical: [Int32]
    private var canonicalCount: Int32 = 0
    private var calls = 0
    private var relatedHashes = 0
    private var permutationSteps = 0

    init(_ dataset: RDFDataset, hash: SHA2, limits: LinkedDataLimits) {
        self.dataset = dataset
        self.hash = hash
        self.limits = limits
        mentions = Mentions(in: dataset)
        canonical = [Int32](repeating: -1, count: dataset.blankTerms.count)
    }

    /// For each blank node the statements that mention it, each once, in their order.
    private struct Mentions {
        private let ends: [Int32]
        private let statements: [Int32]

        init(in dataset: RDFDataset) {
            var ends = [Int32](repeating: 0, count: dataset.blankTerms.count)
            var total = 0
            for quad in dataset.quads {
                Self.forEachBlank(of: quad, in: dataset) { blank in
                    ends[blank] += 1
                    total += 1
                }
            }
            // Each place becomes the begin of its part, and its end when the part is filled.
            var begin: Int32 = 0
            for index in ends.indices { (ends[index], begin) = (begin, begin + ends[index]) }
            var statements = [Int32](repeating: 0, count: total)
            for (index, quad) in dataset.quads.enumerated() {
                Self.forEachBlank(of: quad, in: dataset) { blank in
                    statements[Int(ends[blank])] = Int32(index)
                    ends[blank] += 1
                }
            }
            self.ends = ends
            self.statements = statements
        }

        subscript(blank: Int32) -> ArraySlice<Int32> {
            statements[Int(blank == 0 ? 0 : ends[Int(blank) - 1])..<Int(ends[Int(blank)])]
        }

        private static func forEachBlank(of quad: RDFDataset.Quad, in dataset: RDFDataset, _ body: (Int) -> Void) {
            let subject = dataset.blankNumbers[Int(quad.subject)]
            let object = dataset.blankNumbers[Int(quad.object)]
            let graph = quad.graph >= 0 ? dataset.blankNumbers[Int(quad.graph)] : -1
            if subject >= 0 { body(Int(subject)) }
            if object >= 0, object != subject { body(Int(object)) }
            if graph >= 0, graph != subject, graph != object { body(Int(graph)) }
        }
    }

    /// Numbers all blank nodes of the statements; -1 for one that no statement mentions.
    mutating func run() throws(LinkedDataError) -> [Int32] {
        let all = 0..<Int32(dataset.blankTerms.count)
        guard !all.isEmpty else { return [] }
        firstHashes.reserveCapacity(all.count * hash.digestCount)
        var text: [UInt8] = []
        for blank in all { firstHashes.append(contentsOf: firstDegreeHash(of: blank, &text)) }
        let order = inOrderOfHashes(all.filter { !mentions[$0].isEmpty })
        let groups = groups(of: order)
        for group in groups where group.count == 1 { issueCanonical(order[group.lowerBound]) }
        for group in groups where group.count > 1 {
            var results: [(hash: [UInt8], issuer: BlankNodeIdentifierIssuer)] = []
            for blank in order[group] where number(of: blank) == nil {
                var issuer = BlankNodeIdentifierIssuer()
                issuer.issue(blank)
                results.append(try nDegreeHash(of: blank, issuer, depth: 0))
            }
            results.sort { CanonicalNQuadsText.precedes($0.hash, $1.hash) }
            for result in results {
                for blank in result.issuer.order { issueCanonical(blank) }
            }
        }
        return canonical
    }

    /// Returns the canonical number of a blank node; nil while it has none.
    private func number(of blank: Int32) -> Int32? {
        let number = canonical[Int(blank)]
        return number < 0 ? nil : number
    }

    private mutating func issueCanonical(_ blank: Int32) {
        guard number(of: blank) == nil else { return }
        canonical[Int(blank)] = canonicalCount
        canonicalCount += 1
    }

    private func firstHash(of blank: Int32) -> ArraySlice<UInt8> {
        firstHashes[Int(blank) * hash.digestCount..<Int(blank + 1) * hash.digestCount]
    }

    /// Blank nodes in the order of their first-degree hashes, those of one hash by their numbers.
    private func inOrderOfHashes(_ blanks: [Int32]) -> [Int32] {
        let count = hash.digestCount
        return firstHashes.withUnsafeBytes { bytes in
            blanks.sorted { left, right in
                let (first, second) = (Int(left) * count, Int(right) * count)
                for offset in stride(from: 0, to: count, by: 8) {
                    let one = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: first + offset, as: UInt64.self))
                    let other = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: second + offset, as: UInt64.self))
                    if one != other { return one < other }
                }
                return left < right
            }
        }
    }

    /// Returns the ranges of nodes with the same first-degree hash in the given order.
    private func groups(of order: [Int32]) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        var start = 0
        for index in order.indices where index + 1 == order.count || !haveOneHash(order[index], order[index + 1]) {
            groups.append(start..<(index + 1))
            start = index + 1
        }
        return groups
    }

    private func haveOneHash(_ left: Int32, _ right: Int32) -> Bool {
        firstHash(of: left).elementsEqual(firstHash(of: right))
    }

    /// Returns the first-degree hash, of a blank node's statements with it as `_:a`, others as `_:z` (section 4.6).
    private func firstDegreeHash(of blank: Int32, _ text: inout [UInt8]) -> [UInt8] {
        text.removeAll(keepingCapacity: true)
        let mentions = mentions[blank]
        var lines: [Range<Int>] = []
        for index in mentions {
            let start = text.count
            dataset.append(dataset.quads[Int(index)], to: &text) { other, line in
                line.append(contentsOf: other == blank ? "_:a".utf8 : "_:z".utf8)
            }
            if mentions.count > 1 { lines.append(start..<text.count) }
        }
        return hash.hash(mentions.count > 1 ? CanonicalNQuadsText.sorted(lines, of: text) : text)
    }

    private func digest(_ bytes: [UInt8]) -> [UInt8] { Self.digits(of: hash.hash(bytes)) }

    /// Returns the lower-case hexadecimal digits of bytes.
    private static func digits(of bytes: some Collection<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
        return text
    }

    private func tooComplex(_ what: String) -> LinkedDataError {
        LinkedDataError(.blankNodesTooComplex, "Telling the blank nodes apart takes more \(what) than allowed.")
    }

    /// Returns the label by which a node is known during the search, with `_:`; nil when it has none yet.
    private func label(of blank: Int32, _ issuer: BlankNodeIdentifierIssuer) -> [UInt8]? {
        if let number = number(of: blank) { return Array("_:c14n\(number)".utf8) }
        return issuer.number(of: blank).map { Array("_:b\($0)".utf8) }
    }

    /// Returns the nodes that share statements with this one, by relation hash (section 4.8.3, steps 1 to 3).
    private mutating func related(
        to blank: Int32, _ issuer: BlankNodeIdentifierIssuer
    ) throws(LinkedDataError) -> [(hash: [UInt8], blanks: [Int32])] {
        var found: [(hash: [UInt8], blank: Int32)] = []
        for index in mentions[blank] {
            let quad = dataset.quads[Int(index)]
            let positions: [(UInt8, Int32)] = [
                (UInt8(ascii: "s"), quad.subject), (UInt8(ascii: "o"), quad.object), (UInt8(ascii: "g"), quad.graph),
            ]
            for (position, term) in positions where term >= 0 {
                let other = dataset.blankNumbers[Int(term)]
                guard other >= 0, other != blank else { continue }
                relatedHashes += 1
                guard relatedHashes <= limits.maximumRelatedHashes else { throw tooComplex("hashes") }
                var input = [position]
                if position != UInt8(ascii: "g") { input.append(contentsOf: dataset.forms[quad.predicate]) }
                input.append(contentsOf: label(of: other, issuer) ?? Self.digits(of: firstHash(of: other)))
                found.append((digest(input), other))
            }
        }
        found.sort { CanonicalNQuadsText.precedes($0.hash, $1.hash) }
        var groups: [(hash: [UInt8], blanks: [Int32])] = []
        for entry in found {
            if groups.last?.hash == entry.hash {
                groups[groups.count - 1].blanks.append(entry.blank)
            } else {
                groups.append((entry.hash, [entry.blank]))
            }
        }
        return groups
    }

    /// Returns the N-degree hash of a blank node, and the numbers issued on the way (section 4.8).
    private mutating func nDegreeHash(
        of blank: Int32, _ start: BlankNodeIdentifierIssuer, depth: Int
    ) throws(LinkedDataError) -> (hash: [UInt8], issuer: BlankNodeIdentifierIssuer) {
        calls += 1
        guard calls <= limits.maximumHashCalls else { throw tooComplex("calls") }
        guard depth <= limits.maximumHashDepth else { throw tooComplex("depth") }
        var issuer = start
        var data: [UInt8] = []
        for group in try related(to: blank, issuer) {
            data.append(contentsOf: group.hash)
            var best: (path: [UInt8], issuer: BlankNodeIdentifierIssuer)?
            var order = Array(group.blanks.indices)
            repeat {
                let permutation = order.map { group.blanks[$0] }
                if let result = try path(through: permutation, issuer, below: best?.path, depth: depth) {
                    best = result
                }
            } while Self.advance(&order)
            guard let best else { continue }
            data.append(contentsOf: best.path)
            issuer = best.issuer
        }
        return (digest(data), issuer)
    }

    /// Returns the path of one permutation; nil when it is not less than the best path (section 4.8.3, step 5.4).
    private mutating func path(
        through permutation: [Int32], _ start: BlankNodeIdentifierIssuer, below best: [UInt8]?, depth: Int
    ) throws(LinkedDataError) -> (path: [UInt8], issuer: BlankNodeIdentifierIssuer)? {
        var issuer = start
        var path: [UInt8] = []
        var pending: [Int32] = []
        func isWorse() -> Bool {
            guard let best else { return false }
            return path.count >= best.count && CanonicalNQuadsText.precedes(best, path)
        }
        for blank in permutation {
            permutationSteps += 1
            guard permutationSteps <= limits.maximumPermutationSteps else { throw tooComplex("permutations") }
            if number(of: blank) == nil, issuer.number(of: blank) == nil { pending.append(blank) }
            if number(of: blank) == nil { issuer.issue(blank) }
            path.append(contentsOf: label(of: blank, issuer) ?? [])
            if isWorse() { return nil }
        }
        for blank in pending {
            let result = try nDegreeHash(of: blank, issuer, depth: depth + 1)
            path.append(contentsOf: "_:b\(issuer.issue(blank))".utf8)
            path.append(UInt8(ascii: "<"))
            path.append(contentsOf: result.hash)
            path.append(UInt8(ascii: ">"))
            issuer = result.issuer
            if isWorse() { return nil }
        }
        if let best, !CanonicalNQuadsText.precedes(path, best) { return nil }
        return (path, issuer)
    }

    /// Advances to the next permutation in lexicographic order; false after the last one.
    private static func advance(_ order: inout [Int]) -> Bool {
        guard var pivot = order.indices.dropLast().last else { return false }
        while order[pivot] > order[pivot + 1] {
            guard pivot > 0 else { return false }
            pivot -= 1
        }
        var successor = order.count - 1
        while order[successor] < order[pivot] { successor -= 1 }
        order.swapAt(pivot, successor)
        order[(pivot + 1)...].reverse()
        return true
    }
}
