/// A hash table of numbers with open addressing and linear probing; the caller hashes and compares.
///
/// A search begins at `first(_:)`, compares what stands there, and goes on with `next(_:)` to the
/// first place that is free.
struct NumberHashTable: Sendable {
    private static let free: Int32 = -1

    /// The slots of the table, a power of two; at least a quarter of them is free.
    private var places = [Int32](repeating: Self.free, count: 32)
    private var count = 0

    /// Returns the slot at which the search for a hash begins.
    func first(_ hash: Int) -> Int { hash & (places.count - 1) }

    /// Returns the slot at which a search continues after `place`.
    func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

    /// The number in a slot; nil when it is free.
    subscript(place: Int) -> Int32? { places[place] == Self.free ? nil : places[place] }

    /// Stores a number in a free slot; returns true when the table must be grown.
    mutating func put(_ number: Int32, at place: Int) -> Bool {
        places[place] = number
        count += 1
        return count > places.count / 4 * 3
    }

    /// Returns a table of twice the size with the numbers from 0, whose hashes `hash` returns.
    func grown(_ hash: (Int32) -> Int) -> NumberHashTable {
        var table = self
        table.places = [Int32](repeating: Self.free, count: places.count * 2)
        for number in 0..<Int32(count) {
            var place = table.first(hash(number))
            while table[place] != nil { place = table.next(place) }
            table.places[place] = number
        }
        return table
    }
}
