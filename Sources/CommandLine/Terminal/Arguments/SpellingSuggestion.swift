/// Finds the word that the user probably meant.
public enum SpellingSuggestion {
    /// Finds the word of `candidates` nearest to `word`, if one is near: at most two edits, one for words up to three
    /// letters, or the only one that begins with `word`.
    ///
    /// An edit is an inserted, missing or wrong letter, or two adjacent letters swapped. Words beyond 64 characters are
    /// near to none.
    public static func nearest(to word: String, among candidates: [String]) -> String? {
        guard !word.isEmpty, word.utf8.count <= 64 else { return nil }
        let limit = word.utf8.count <= 3 ? 1 : 2
        let ranked = candidates.map { (slips(from: Array(word.utf8), to: Array($0.utf8)), $0) }
        if let best = ranked.min(by: { $0.0 < $1.0 }), best.0 <= limit { return best.1 }
        let longer = candidates.filter { $0.hasPrefix(word) }
        return longer.count == 1 ? longer.first : nil
    }

    private static func slips(from first: [UInt8], to second: [UInt8]) -> Int {
        var before: [Int] = []
        var previous = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let isSame = first[row] == second[column]
                var best = min(previous[column] + (isSame ? 0 : 1), previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            before = previous
            previous = current
        }
        return previous[second.count]
    }
}
