import Aries
import CloudAgent
import Determinism

extension CloudAgentConformance {
    /// Makes a stored request that changes something; `sent` is the client's time, if any.
    private static func request(_ number: Int, sent: Int? = nil) -> StoredClientRequest {
        StoredClientRequest(StoreSamples.hash(number), .changes, sent: sent.map(StoreSamples.time))
    }

    /// Adds or removes the key of a number; the stored answer is one byte for each result.
    private static func change(
        _ key: Int, adds: Bool = true, of number: Int, _ account: Int64, by request: StoredClientRequest,
        in store: any MediatorStore
    ) async throws -> StoredRequestOutcome<AccountChange.Result> {
        try await store.change(
            .keys([StoreSamples.change(key, of: number, adds: adds)]), of: account, by: request
        ) { result in
            guard case .keys(let results) = result else { return [] }
            return results.map { $0 == .success ? 1 : 0 }
        }
    }

    static let requestCases = [
        Case("a request that comes again changes nothing and has the answer of the first time, through any end") {
            bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            let (add, remove) = (request(1), request(2))
            let first = try await change(1, of: 1, account, by: add, in: bench.store)
            try require(first == .first(.keys([.success])), "the first is made")
            let gone = try await change(1, adds: false, of: 1, account, by: remove, in: bench.other)
            try require(gone == .first(.keys([.success])), "another one is made")
            for store in [bench.store, bench.other] {
                let again = try await change(1, of: 1, account, by: add, in: store)
                try require(again == .repeated(answer: [1]), "the first comes again: \(again)")
            }
            try require(
                try await bench.other.read { try $0.keys.list(of: account, offset: 0, limit: 9) }.total == 0,
                "it changed nothing")
        },
        Case("of one request that comes many times at once, through both ends, one is acted on") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            let outcomes = try await withThrowingTaskGroup(of: StoredRequestOutcome<AccountChange.Result>.self) {
                group in
                for number in 0..<20 {
                    let store = number % 2 == 0 ? bench.store : bench.other
                    group.addTask { try await change(1, of: 1, account, by: request(1), in: store) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try require(outcomes.count { $0 == .first(.keys([.success])) } == 1, "one is the first")
            try require(outcomes.count { $0 == .repeated(answer: [1]) } == 19, "the others have its answer")
        },
        Case("a request is that of one account, and identifiers are not shared between kinds of requests") { bench in
            let one = try await StoreSamples.open(1, in: bench.store)
            let two = try await StoreSamples.open(2, in: bench.store)
            _ = try await change(1, of: 1, one, by: request(1), in: bench.store)
            let other = try await change(2, of: 2, two, by: request(1), in: bench.store)
            try require(other == .first(.keys([.success])), "another account's is another one")
            let claim = StoredClientRequest(StoreSamples.hash(1), .handsOut)
            let found = try await bench.other.fetch(
                .after(0, key: nil), of: one, limit: 9, maximumBytes: 99, claim: claim)
            try require(found == .repeated(answer: [1]), "the same identifier in another message is the same")
        },
        Case("a step that fails remembers no request") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            let taken = AccountChange.keyGrant(
                StoreSamples.change(1, of: 1), routing: StoreSamples.routing(1))
            try await requireError(.keyTaken, "a routing key that is there") {
                _ = try await bench.store.change(taken, of: account, by: request(1)) { _ in [] }
            }
            let outcome = try await change(1, of: 1, account, by: request(1), in: bench.other)
            try require(outcome == .first(.keys([.success])), "the request is new")
            try await requireError(.accountUnknown, "an account that is not there") {
                _ = try await change(1, of: 1, account + 9, by: request(2), in: bench.store)
            }
        },
        Case("the last requests that change something are remembered, and those that hand out beside them") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            for number in 1...3 { _ = try await change(number, of: 1, account, by: request(number), in: bench.store) }
            for number in 11...14 {
                _ = try await bench.store.fetch(
                    .after(0, key: nil), of: account, limit: 9, maximumBytes: 99,
                    claim: StoredClientRequest(StoreSamples.hash(number), .handsOut))
            }
            let oldest = try await change(1, of: 1, account, by: request(1), in: bench.other)
            try require(oldest == .repeated(answer: [1]), "three are remembered")
            _ = try await change(4, of: 1, account, by: request(4), in: bench.store)
            let forgotten = try await change(1, of: 1, account, by: request(1), in: bench.store)
            try require(forgotten == .first(.keys([.noChange])), "a fourth drives out the oldest")
            let kept = try await change(3, of: 1, account, by: request(3), in: bench.store)
            try require(kept == .repeated(answer: [1]), "and no other")
        },
        Case("a request with a time that is earlier than that of a forgotten one is not taken for a new one") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            for (number, sent) in [(1, 50), (2, 20), (3, 60), (4, 70), (5, 80)] {
                _ = try await change(1, of: 1, account, by: request(number, sent: sent), in: bench.store)
            }
            // Those of 50 and 20 are forgotten.
            func make(_ number: Int, _ sent: Int?) async throws -> StoredRequestOutcome<AccountChange.Result> {
                try await change(2, of: 1, account, by: request(number, sent: sent), in: bench.other)
            }
            try require(try await make(1, 50) == .first(.keys([.success])), "a time that is the same may be new")
            try require(try await make(2, 20) == .outdated, "one that is earlier is not")
            try require(try await make(4, 70) == .repeated(answer: [0]), "one that is known is repeated")
            try require(try await make(9, 1000) == .first(.keys([.noChange])), "long afterwards it is new")
            try require(try await make(10, nil) == .first(.keys([.noChange])), "and so it is without a time")
            let claim = StoredClientRequest(StoreSamples.hash(20), .handsOut, sent: StoreSamples.time(20))
            let found = try await bench.store.fetch(
                .after(0, key: nil), of: account, limit: 9, maximumBytes: 99, claim: claim)
            try require(found == .first([]), "requests of the other kind have a time of their own")
        },
        Case("what an account is and by what its client is woken change once for each request") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            func perform(_ change: AccountChange, _ number: Int) async throws -> StoredRequestOutcome<
                AccountChange.Result
            > {
                try await bench.store.change(change, of: account, by: request(number)) { _ in [7] }
            }
            for (first, second, number) in [
                (AccountChange.body([1]), AccountChange.body([2]), 1), (.wake([1]), .wake([2]), 2),
            ] {
                try require(try await perform(first, number) == .first(.done), "the first is made")
                try require(try await perform(second, number + 10) == .first(.done), "the second is made")
                try require(try await perform(first, number) == .repeated(answer: [7]), "the first comes again")
            }
            try require(
                try await bench.other.read { try $0.accounts.account(account) }?.body == [2], "the body is the second")
            try require(
                try await bench.other.read { try $0.wakes.entry(of: account) }?.body == [2], "the wake-up is the second"
            )
            try await bench.store.write { try $0.accounts.update(account, body: nil, isServed: false, seen: nil) }
            _ = try await perform(.serve(StoreSamples.time(9)), 30)
            let served = try await bench.other.read { try $0.accounts.account(account) }
            try require(served?.isServed == true && served?.seen == StoreSamples.time(9), "it is served")
        },
        Case("the connection of an account that was closed opens no other one, among the last that are remembered") {
            bench in
            func open(_ number: Int) async throws -> Int64 {
                try await bench.store.write(adding: 1) {
                    try $0.accounts.open(
                        [1], keys: [MediatorKey(StoreSamples.hash(number), .connection, account: nil, body: [1])],
                        at: StoreSamples.time(0))
                }
            }
            let first = try await open(1)
            try require(try await bench.store.write { try $0.accounts.close(first) }, "it is closed")
            try await requireError(.keyTaken, "opening it again") { _ = try await open(1) }
            let second = try await open(2)
            _ = try await bench.store.write { try $0.accounts.close(second, allowsReopening: true) }
            let again = try await open(2)
            try require(try await bench.other.write { try $0.accounts.close(again) }, "one that may open again does")
            try await requireError(.keyTaken, "and then not any more") { _ = try await open(2) }
            let third = try await open(3)
            _ = try await bench.store.write { try $0.accounts.close(third) }
            _ = try await open(1)
            try await requireError(.keyTaken, "two are remembered") { _ = try await open(2) }
        },
    ]
}
