import Aries
import CloudAgent
import Determinism

extension CloudAgentConformance {
    static let sharingCases = [
        Case("steps of many at once are all made, and each account's order is kept") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change((1...3).map { StoreSamples.change($0, of: 1) }, of: account)
            let outcomes = try await withThrowingTaskGroup(of: ForwardHandler.ForwardStoreResult.self) { group in
                for number in 0..<40 {
                    let store = number % 2 == 0 ? bench.store : bench.other
                    group.addTask { try await store.accept(StoreSamples.mail(to: number % 3 + 1, of: 1)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let kept = outcomes.filter { $0 == .stored || $0 == .storedOverSoftLimit }.count
            try require(kept == 6 && outcomes.count == 40, "as many are kept as there is room: \(kept)")
            let found = try await StoreSamples.all(of: account, in: bench.other)
            try require(found.map(\.position) == Array(1...6), "each has a place")
        },
        Case("a listener is told of mail once it can be fetched") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: account)
            for sender in bench.tellsAcross ? [bench.store, bench.other] : [bench.store] {
                let (stream, continuation) = AsyncStream.makeStream(of: StoreNotification.self)
                bench.store.listen { continuation.yield($0) }
                let before = try await bench.store.read { try $0.mail.status(of: account, key: nil) }.count
                _ = try await sender.accept(StoreSamples.mail(to: 1, of: 1))
                for await told in stream where told == .mail(account) { break }
                let after = try await bench.store.read { try $0.mail.status(of: account, key: nil) }.count
                try require(after == before + 1, "the message is there when it is told of")
            }
        },
    ]
}
