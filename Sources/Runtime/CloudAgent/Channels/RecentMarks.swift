/// The newest of the marks that were put in: at least half of the capacity, and never more than all of it.
struct RecentMarks: Sendable {
    private let capacity: Int
    private var recent: Set<[UInt8]> = []
    private var older: Set<[UInt8]> = []

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ mark: [UInt8]) -> Bool { recent.contains(mark) || older.contains(mark) }

    mutating func insert(_ mark: [UInt8]) {
        if recent.count >= max(1, capacity / 2) { (older, recent) = (recent, []) }
        recent.insert(mark)
    }
}
