/// Finds several words in the bytes of a file, all in one pass.
///
/// Loops over bytes go through pointers here and in `SwiftMask`: a debug build inlines those, and calls a function for
/// each element of a collection.
struct WordSearch: Sendable {
    /// An occurrence of a searched word.
    struct Match: Hashable, Sendable {
        /// The index of the word in the list of searched words.
        let word: Int
        /// The index of the occurrence's first byte.
        let position: Int
    }

    private let words: [[UInt8]]
    /// The searched words by their first byte.
    private let wordsByFirstByte: [[Int]]
    private let begins: [Bool]
    private let ignoresCase: Bool

    /// Makes a search for words.
    ///
    /// - Parameter ignoringCase: `words` are in small letters, and capitals of ASCII match them.
    init(_ words: [String], ignoringCase: Bool = false) {
        self.words = words.map { Array($0.utf8) }
        ignoresCase = ignoringCase
        var byFirst = [[Int]](repeating: [], count: 256)
        for (index, word) in self.words.enumerated() {
            guard let first = word.first else { continue }
            byFirst[Int(first)].append(index)
            let capital = WordSearch.isSmall(first) ? first - 32 : first
            if ignoringCase, capital != first { byFirst[Int(capital)].append(index) }
        }
        wordsByFirstByte = byFirst
        begins = byFirst.map { !$0.isEmpty }
    }

    /// Finds every occurrence of the words, part of a longer word or not, in the order of the positions.
    func matches(in bytes: [UInt8]) -> [Match] {
        var found: [Match] = []
        bytes.withUnsafeBufferPointer { buffer in
            begins.withUnsafeBufferPointer { table in
                guard let start = buffer.baseAddress, let begins = table.baseAddress else { return }
                var index = 0
                while index < buffer.count {
                    if begins[Int(start[index])] {
                        for word in wordsByFirstByte[Int(start[index])]
                        where occurs(word, at: start + index, within: buffer.count - index) {
                            found.append(Match(word: word, position: index))
                        }
                    }
                    index += 1
                }
            }
        }
        return found
    }

    /// The number of bytes of a word.
    func length(of word: Int) -> Int { words[word].count }

    private func occurs(_ word: Int, at start: UnsafePointer<UInt8>, within count: Int) -> Bool {
        words[word].withUnsafeBufferPointer { buffer in
            guard let wanted = buffer.baseAddress, buffer.count <= count else { return false }
            var index = 0
            while index < buffer.count {
                var byte = start[index]
                if ignoresCase, byte >= 65, byte <= 90 { byte += 32 }
                if byte != wanted[index] { return false }
                index += 1
            }
            return true
        }
    }

    private static func isSmall(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a") <= byte && byte <= UInt8(ascii: "z")
    }
}
