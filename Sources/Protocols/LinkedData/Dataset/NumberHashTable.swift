/// A hash table with open addressing and linear probing, of numbers alone: hashing and comparing is the caller's.
///
/// A search begins at `first(_:)`, compares what stands there, and goes on with `next(_:)` to the
/// first place that is free.
struct NumberHashTable: Sendable {
    private static let free: Int32 = -1

    /// The places of the table, a power of two; at least a quarter of them is free.
    private var places = [Int32](repeating: Self.free, count: 32)
    private var count = 0

    /// The place at which the search for a hash begins.
    func first(_ hash: Int) -> Int { hash & (places.count - 1) }

    /// The place at which a search goes on after `place`.
    func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

    /// The number at a place; nil when it is free.
    subscript(place: Int) -> Int32? { places[place] == Self.free ? nil : places[place] }

    /// Puts a number into a free place; true when the table is now so full that it must be made anew.
    mutating func put(_ number: Int32, at place: Int) -> Bool {
        places[place] = number
        count += 1
        return count > places.count / 4 * 3
    }

    /// A table of twice as many places with the numbers from 0, whose hashes `hash` gives.
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
