/// A set of byte strings, numbered in the order of insertion and stored in one array.
struct ByteStringSet: Sendable {
    private var bytes: [UInt8] = []
    /// The end index of each string, at which the next one begins.
    private var ends: [Int] = []
    private var table = NumberHashTable()

    /// The number of byte strings in the set.
    var count: Int { ends.count }

    /// The byte string with a number.
    subscript(number: Int32) -> ArraySlice<UInt8> { bytes[range(of: number)] }

    /// Returns the byte range of the string with a number.
    func range(of number: Int32) -> Range<Int> {
        let index = Int(number)
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    /// Calls `body` with the bytes of all strings, one after the other.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer(body)
    }

    /// Returns the number of the string that `write` appends, a new one unless the string is in the set.
    ///
    /// `write` must not read the bytes before.
    mutating func number(_ write: (inout [UInt8]) -> Void) -> Int32 {
        let start = ends.last ?? 0
        write(&bytes)
        let string = start..<bytes.count
        var place = table.first(hash(string))
        while let known = table[place] {
            if isEqual(range(of: known), string) {
                bytes.removeLast(string.count)
                return known
            }
            place = table.next(place)
        }
        let number = Int32(ends.count)
        ends.append(bytes.count)
        if table.put(number, at: place) { table = table.grown { hash(range(of: $0)) } }
        return number
    }

    private func hash(_ range: Range<Int>) -> Int {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[range])) }
        return hasher.finalize()
    }

    private func isEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        left.count == right.count
            && bytes.withUnsafeBufferPointer { $0[left].elementsEqual($0[right]) }
    }
}
