import Aries
import CloudAgent
import Determinism

extension CloudAgentConformance {
    static let mailCases = [
        Case("messages wait in the order in which they came, with stable identifiers, at both ends") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: account)
            for number in 0..<3 {
                let store = number == 1 ? bench.other : bench.store
                let outcome = try await store.accept(StoreSamples.mail(to: 1, of: 1, second: number, [UInt8(number)]))
                try require(number < 2 ? outcome == .stored : outcome == .storedOverSoftLimit, "it is stored")
            }
            let found = try await StoreSamples.all(of: account, in: bench.store)
            try require(found.map(\.envelope) == [[0], [1], [2]], "the order is kept")
            try require(found.map(\.arrival) == (0..<3).map { StoreSamples.time($0) }, "the times are kept")
            let again = try await StoreSamples.all(of: account, in: bench.other)
            try require(again == found, "the other end finds the same")
            try require(Set(found.map(\.id)).count == 3, "each has an identifier of its own")
            let chosen = try await bench.store.fetch(
                .ids([found[2].id, "1-5", "x", "", "-1-1", found[0].id]), of: account, limit: 9, maximumBytes: 99)
            try require(chosen == [found[2], found[0]], "they are found by their identifiers")
        },
        Case("a status counts what waits, for all and for one key") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            try require(
                try await bench.store.read { try $0.mail.status(of: account, key: nil) } == .empty,
                "nothing waits at first")
            _ = try await bench.store.change(
                [StoreSamples.change(1, of: 1), StoreSamples.change(2, of: 1)], of: account)
            _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1, second: 5, [1, 2]))
            _ = try await bench.store.accept(StoreSamples.mail(to: 2, of: 1, second: 9, [1, 2, 3]))
            let status = try await bench.other.read { try $0.mail.status(of: account, key: nil) }
            try require(status.count == 2 && status.bytes == 5, "both are counted")
            try require(
                status.oldest == StoreSamples.time(5) && status.newest == StoreSamples.time(9), "times are told")
            try require(status.newestPosition == 2, "the place of the newest is told")
            let one = try await bench.other.read { try $0.mail.status(of: account, key: StoreSamples.hash(2)) }
            try require(one.count == 1 && one.bytes == 3 && one.newestPosition == 2, "one key is told apart")
            let none = try await bench.other.read { try $0.mail.status(of: account, key: StoreSamples.hash(3)) }
            try require(none == .empty, "an unknown key has nothing")
            let only = try await bench.store.fetch(
                .after(0, key: StoreSamples.hash(2)), of: account, limit: 9, maximumBytes: 99)
            try require(only.map(\.envelope) == [[1, 2, 3]], "one key is fetched alone")
        },
        Case("messages at excepted positions are neither counted nor fetched, as far as they are there") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change(
                [StoreSamples.change(1, of: 1), StoreSamples.change(2, of: 1)], of: account)
            for number in 1...6 {
                let mail = StoreSamples.mail(
                    to: number % 2 == 0 ? 2 : 1, of: 1, second: number, [UInt8](repeating: 7, count: number))
                _ = try await bench.store.accept(mail)
            }
            let all = try await StoreSamples.all(of: account, in: bench.store)
            // More exceptions than the shortest list of a statement has; most are not in the queue.
            let exceptions: [UInt64] = [1, 2, 3, 50, 51, 52, 53, 54, 55]
            func positions(_ key: KeyHash?, after: UInt64 = 0, limit: Int = 9) async throws -> [UInt64] {
                try await bench.other.fetch(
                    .after(after, key: key, except: exceptions), of: account, limit: limit, maximumBytes: 99
                ).map(\.position)
            }
            try require(try await positions(nil) == [4, 5, 6], "the rest is fetched")
            try require(try await positions(nil, limit: 2) == [4, 5], "no exception counts for the limit")
            try require(try await positions(nil, after: 4) == [5, 6], "those behind a position")
            try require(try await positions(StoreSamples.hash(1)) == [5], "those of one key")
            let status = try await bench.other.read { try $0.mail.status(of: account, key: nil, except: exceptions) }
            try require(status.count == 3 && status.bytes == 4 + 5 + 6, "the rest is counted")
            try require(
                status.oldest == StoreSamples.time(4) && status.newest == StoreSamples.time(6), "the times are its")
            let one = try await bench.other.read {
                try $0.mail.status(of: account, key: StoreSamples.hash(2), except: exceptions)
            }
            try require(one.count == 2 && one.bytes == 4 + 6, "one key is counted alone")
            let left = try await bench.store.remove(
                all.filter { ![3, 5].contains($0.position) }.map(\.id), of: account, except: [3])
            try require(left.count == 1 && left.newestPosition == 5, "what is left is counted without exceptions")
            let none = try await bench.store.remove([], of: account, except: [3, 5])
            try require(none == .empty, "nothing is left but exceptions")
        },
        Case("as much is fetched as was asked for, and at least one") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: account)
            for _ in 0..<3 {
                _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1, [UInt8](repeating: 1, count: 10)))
            }
            for (limit, bytes, count) in [(2, 99, 2), (9, 20, 2), (9, 19, 1), (9, 1, 1), (9, 30, 3)] {
                let found = try await bench.store.fetch(
                    .after(0, key: nil), of: account, limit: limit, maximumBytes: bytes)
                try require(found.count == count, "\(limit) messages or \(bytes) bytes make \(count)")
            }
        },
        Case("acknowledging forgets, once or twice, and only what is the account's own") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            let foreign = try await StoreSamples.open(2, in: bench.store)
            for number in 1...2 {
                _ = try await bench.store.change(
                    [StoreSamples.change(number, of: number)], of: number == 1 ? account : foreign)
                _ = try await bench.store.accept(StoreSamples.mail(to: number, of: number))
                _ = try await bench.store.accept(StoreSamples.mail(to: number, of: number))
            }
            let found = try await StoreSamples.all(of: account, in: bench.store)
            try require(
                try await bench.other.remove([found[0].id, "nonsense"], of: foreign).count == 1,
                "both have a first message, and only the own one goes")
            let left = try await bench.store.remove([found[0].id], of: account)
            try require(left.count == 1 && left.bytes == 3, "one is left")
            try require(try await bench.other.remove([found[0].id], of: account) == left, "twice is as once")
            try require(try await StoreSamples.all(of: account, in: bench.store) == [found[1]], "the other is there")
            let next = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1))
            try require(next == .stored, "there is room again")
            let last = try await StoreSamples.all(of: account, in: bench.store).last
            try require(last?.position == 3, "places are not used again")
        },
        Case("a guessed identifier forgets nothing") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: account)
            _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1))
            for id in ["1-0", "1-4294967294", "1", "1-", "-4294967295", "1-4294967296", "1-4294967295-"] {
                try require(try await bench.store.remove([id], of: account).count == 1, "\(id) is not its identifier")
            }
            try require(try await bench.store.remove(["1-4294967295"], of: account).count == 0, "this is")
        },
        Case("the same claim yields nothing, and others yield again") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            func fetch(_ claim: Int, _ store: any MediatorStore) async throws -> [QueuedMessage]? {
                let found = try await store.fetch(
                    .after(0, key: nil), of: account, limit: 9, maximumBytes: 99,
                    claim: StoredClientRequest(StoreSamples.hash(claim), .handsOut))
                guard case .first(let messages) = found else { return nil }
                return messages
            }
            try require(try await fetch(1, bench.store) == [], "the first yields")
            try require(try await fetch(1, bench.other) == nil, "the second does not")
            try require(try await fetch(2, bench.store) == [], "another one yields")
            try require(try await fetch(1, bench.store) == nil, "two are remembered")
            try require(try await fetch(3, bench.store) == [], "a third one yields")
            try require(try await fetch(2, bench.store) == nil, "the last two are kept")
            try require(try await fetch(3, bench.store) == nil, "both of them")
            try require(try await fetch(1, bench.store) == [], "the oldest is forgotten")
        },
        Case("what is too old goes, and no more than asked for at a time") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: account)
            for second in 1...4 { _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1, second: second)) }
            try require(try await bench.store.prune(before: StoreSamples.time(1), limit: 9) == 0, "none is older")
            try require(try await bench.store.prune(before: StoreSamples.time(4), limit: 1) == 1, "one goes")
            try require(try await bench.other.prune(before: StoreSamples.time(4), limit: 9) == 2, "two more go")
            let left = try await StoreSamples.all(of: account, in: bench.store)
            try require(left.map(\.arrival) == [StoreSamples.time(4)], "the newest stays")
            let totals = try await bench.other.read { try $0.inspection.totals() }
            try require(totals.messages == 1 && totals.bytes == 3, "the totals follow")
            try require(totals.oldest == StoreSamples.time(4), "the oldest is told")
        },
    ]

    static let quotaCases = [
        Case("a key and an account are full past their hard limits, and noted past the soft ones") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change(
                [StoreSamples.change(1, of: 1), StoreSamples.change(2, of: 1)], of: account)
            var outcomes: [ForwardHandler.ForwardStoreResult] = []
            for _ in 0..<5 { outcomes.append(try await bench.store.accept(StoreSamples.mail(to: 1, of: 1))) }
            try require(
                outcomes == [.stored, .stored, .storedOverSoftLimit, .storedOverSoftLimit, .full],
                "a key has its limits: \(outcomes)")
            outcomes = []
            for _ in 0..<3 { outcomes.append(try await bench.other.accept(StoreSamples.mail(to: 2, of: 1))) }
            try require(
                outcomes == [.storedOverSoftLimit, .storedOverSoftLimit, .full],
                "an account has its limits: \(outcomes)")
        },
        Case("bytes count as messages do, at the limit and one past it") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change(
                (1...3).map { StoreSamples.change($0, of: 1) }, of: account)
            func accept(_ key: Int, _ bytes: Int) async throws -> ForwardHandler.ForwardStoreResult {
                try await bench.store.accept(
                    StoreSamples.mail(to: key, of: 1, [UInt8](repeating: 1, count: bytes)))
            }
            try require(try await accept(1, 401) == .full, "one past the key's limit")
            try require(try await accept(1, 400) == .storedOverSoftLimit, "at the key's limit")
            try require(try await accept(1, 1) == .full, "nothing more for the key")
            try require(try await accept(2, 201) == .full, "one past the account's limit")
            try require(try await accept(2, 200) == .storedOverSoftLimit, "at the account's limit")
            try require(try await accept(3, 1) == .full, "nothing more for the account")
        },
        Case("messages that come at once are counted and placed like those that come in turn") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            let foreign = try await StoreSamples.open(2, in: bench.store)
            _ = try await bench.store.change(
                [StoreSamples.change(1, of: 1), StoreSamples.change(2, of: 1)], of: account)
            _ = try await bench.store.change([StoreSamples.change(3, of: 2)], of: foreign)
            // Key 9 is not registered, and key 3 is not registered with the routing key of account 1.
            let mail =
                [(1, 1), (2, 1), (1, 1), (9, 1), (2, 1), (1, 1), (3, 2), (1, 1), (2, 1), (1, 1), (2, 1), (3, 1)]
                .enumerated().map { StoreSamples.mail(to: $1.0, of: $1.1, [UInt8($0), UInt8($1.0)]) }
            let stores = [bench.store, bench.other]
            let outcomes = try await withThrowingTaskGroup { group in
                for (index, mail) in mail.enumerated() {
                    group.addTask { (mail, try await stores[index % 2].accept(mail)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let stored = outcomes.filter { $0.1 == .stored || $0.1 == .storedOverSoftLimit }.map(\.0)
            let refused = outcomes.filter { $0.1 == .unknown }.map(\.0.envelope)
            try require(Set(refused) == [[3, 9], [11, 3]], "unregistered addresses are unknown: \(refused)")
            let found = try await StoreSamples.all(of: account, in: bench.store)
            try require(found.count == 6, "an account has its limit: \(found.count)")
            try require(Set(found.map(\.position)) == Set(1...6), "positions follow each other")
            try require(
                Set(found.map(\.envelope)) == Set(stored.filter { $0.envelope[1] != 3 }.map(\.envelope)),
                "what is accepted is stored, and nothing else")
            var bytes = 0
            for key in 1...2 {
                let status = try await bench.other.read {
                    try $0.mail.status(of: account, key: StoreSamples.hash(key))
                }
                let own = found.filter { $0.envelope[1] == UInt8(key) }
                try require(status.count == own.count && own.count <= 4, "a key is counted: \(status.count)")
                bytes += status.bytes
            }
            let status = try await bench.other.read { try $0.mail.status(of: account, key: nil) }
            try require(status.count == 6 && status.bytes == 12 && bytes == 12, "an account is counted")
            let other = try await StoreSamples.all(of: foreign, in: bench.store)
            try require(other.map(\.envelope) == [[6, 3]] && other[0].position == 1, "another account has its own")
        },
    ]
}
