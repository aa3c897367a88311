import DataStructures

/// A set of the newest marks: at least half of the capacity, and never more than all of it.
struct RecentSet: Sendable {
    private var marks: GenerationalCache<[UInt8], Void>

    init(capacity: Int) { marks = GenerationalCache(capacity: max(2, capacity)) }

    func contains(_ mark: [UInt8]) -> Bool { marks.peek(mark) != nil }

    mutating func insert(_ mark: [UInt8]) { marks.insert((), for: mark) }
}
