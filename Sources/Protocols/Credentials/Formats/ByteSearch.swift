/// Finds a sequence of bytes in a longer one.
enum ByteSearch {
    /// Returns true when `text` contains `word`, which is not empty.
    static func contains(_ word: [UInt8], in text: ArraySlice<UInt8>) -> Bool {
        guard let first = word.first, text.count >= word.count else { return false }
        return text.withUnsafeBufferPointer { text in
            (0...(text.count - word.count)).contains { start in
                text[start] == first && text[start..<(start + word.count)].elementsEqual(word)
            }
        }
    }
}
