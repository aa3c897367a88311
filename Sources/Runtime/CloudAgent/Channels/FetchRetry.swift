import Determinism

/// Schedules new fetches of live clients after the store failed to report waiting messages.
///
/// The first one as soon as the store answers, later ones after waits that grow as long as fetching fails.
struct FetchRetry: Sendable {
    /// The wait between two retries; the last one for all that follow.
    static let waits: [Duration] = [.seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30)]

    private var accounts: Set<Int64> = []
    private var retries = 0
    private var next = MonotonicInstant.zero

    /// Records that the store failed to report the waiting messages of an account.
    mutating func failed(_ account: Int64) { accounts.insert(account) }

    /// The accounts whose messages are to be fetched again, now that the store answers, in the order of their numbers.
    mutating func due(at now: MonotonicInstant) -> [Int64] {
        guard !accounts.isEmpty else {
            retries = 0
            return []
        }
        guard now >= next else { return [] }
        next = now + Self.waits[min(retries, Self.waits.count - 1)]
        retries += 1
        defer { accounts = [] }
        return accounts.sorted()
    }
}
