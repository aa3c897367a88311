import Aries
import CloudAgent
import Determinism

/// Two accounts that have everything that an account can have, one key in common, and messages with the same positions.
private struct TwoAccounts {
    static let instances: [Int64] = [11, 12]
    static let common = 7
    static let now = StoreSamples.time(50)

    let bench: CloudAgentConformance.Bench
    let one: Int64
    let two: Int64

    init(_ bench: CloudAgentConformance.Bench) async throws {
        self.bench = bench
        var numbers: [Int64] = []
        for number in 1...2 {
            let connection = MediatorKey(StoreSamples.hash(500 + number), .connection, account: nil, body: [5])
            numbers.append(
                try await bench.store.write(adding: 1) {
                    try $0.accounts.open(
                        [UInt8(number)], keys: [StoreSamples.routing(number), connection], at: StoreSamples.time(number)
                    )
                })
        }
        let (one, two) = (numbers[0], numbers[1])
        (self.one, self.two) = (one, two)
        for (number, account) in [(1, one), (2, two)] {
            try await bench.store.write {
                try $0.accounts.update(account, body: nil, isServed: number == 1, seen: StoreSamples.time(20 + number))
            }
            _ = try await bench.store.change(
                [StoreSamples.change(Self.common, of: number), StoreSamples.change(number, of: number)], of: account)
        }
        // Each has its first message at position 1; the first account has its last one before those of the second.
        let mail = [(1, 1, 1), (2, 7, 2), (1, 7, 3), (1, 1, 4), (2, 2, 6), (2, 7, 7), (2, 2, 9)]
        for (account, key, second) in mail {
            _ = try await bench.other.accept(
                StoreSamples.mail(to: key, of: account, second: second, [UInt8(account), UInt8(second)]))
        }
        for (number, account) in [(1, one), (2, two)] {
            try await bench.store.write { try $0.wakes.set([UInt8(number)], of: account) }
        }
        _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1, second: 10, [1, 10]))
        for instance in Self.instances {
            _ = try await bench.store.write {
                try $0.instances.beat(instance, until: StoreSamples.time(99), at: Self.now)
            }
        }
        for hold in ExclusiveAccountTask.allCases {
            _ = try await bench.store.write { try $0.instances.take(hold, of: one, by: 11, at: Self.now) }
            _ = try await bench.store.write { try $0.instances.take(hold, of: two, by: 12, at: Self.now) }
        }
        for account in numbers { _ = try await request(1, of: account) }
        for account in numbers { _ = try await claim(2, of: account) }
    }

    /// Makes a request that changes nothing; true when it is new.
    func request(_ number: Int, of account: Int64, sent: Int? = nil) async throws -> Bool {
        let request = StoredClientRequest(StoreSamples.hash(number), .changes, sent: sent.map(StoreSamples.time))
        let outcome = try await bench.store.change(.nothing, of: account, by: request) { _ in [] }
        return outcome == .first(.done)
    }

    /// Makes a request that hands out messages; true when it is new.
    func claim(_ number: Int, of account: Int64) async throws -> Bool {
        let claim = StoredClientRequest(StoreSamples.hash(number), .handsOut)
        let outcome = try await bench.store.change(.nothing, of: account, by: claim) { _ in [] }
        return outcome == .first(.done)
    }

    /// All data that the store has of an account.
    struct Contents: Hashable {
        var entry: AccountEntry?
        var keys: [[UInt8]] = []
        var mail: [QueuedMessage] = []
        var byKey: [[QueuedMessage]] = []
        var statuses: [QueueStatus] = []
        var wake: WebhookEntry?
        var holders: [Int64?] = []
        var remembered: [Bool] = []
        var ownKeys: [MediatorKey?] = []
    }

    func contents(of account: Int64) async throws -> Contents {
        let store = bench.other
        var contents = Contents(entry: try await store.read { try $0.accounts.account(account) })
        contents.keys = try await store.read { try $0.keys.list(of: account, offset: 0, limit: 9) }.bodies
        contents.mail = try await StoreSamples.all(of: account, in: store)
        for number in [1, 2, Self.common] {
            let key = StoreSamples.hash(number)
            contents.byKey.append(
                try await store.fetch(.after(0, key: key), of: account, limit: 9, maximumBytes: 99))
            contents.statuses.append(try await store.read { try $0.mail.status(of: account, key: key) })
        }
        contents.statuses.append(try await store.read { try $0.mail.status(of: account, key: nil) })
        contents.wake = try await store.read { try $0.wakes.entry(of: account) }
        for hold in ExclusiveAccountTask.allCases {
            contents.holders.append(
                try await store.read { try $0.instances.holder(of: hold, of: account, at: Self.now) })
        }
        if contents.entry != nil {
            contents.remembered = [try await !request(1, of: account), try await !claim(2, of: account)]
        }
        let number = account == one ? 1 : 2
        for hash in [StoreSamples.routing(number).hash, StoreSamples.hash(500 + number)] {
            contents.ownKeys.append(try await store.read { try $0.ownKeys.key(hash) })
        }
        return contents
    }

    /// Throws unless the data of an account are the same as before.
    func requireUntouched(_ account: Int64, _ before: Contents, by what: String) async throws {
        let after = try await contents(of: account)
        try require(after == before, "\(what) leaves the other account as it was: \(after) instead of \(before)")
    }
}

extension CloudAgentConformance {
    static let isolationCases = [
        Case("of each of two accounts that have the same, what is its own is read") { bench in
            let both = try await TwoAccounts(bench)
            let (one, two) = (try await both.contents(of: both.one), try await both.contents(of: both.two))
            try require(one.entry?.body == [1] && two.entry?.body == [2], "the bodies")
            try require(one.entry?.isServed == true && two.entry?.isServed == false, "whether they are served")
            try require(
                one.entry?.seen == StoreSamples.time(21) && two.entry?.seen == StoreSamples.time(22), "when heard")
            try require(
                one.entry?.created == StoreSamples.time(1) && two.entry?.created == StoreSamples.time(2), "when opened")
            try require(one.entry?.keyCount == 2 && two.entry?.keyCount == 2, "how many keys")
            try require(one.keys == [[7], [1]] && two.keys == [[7], [2]], "the keys")
            func envelopes(_ mail: [QueuedMessage]) -> [[UInt8]] { mail.map(\.envelope) }
            try require(envelopes(one.mail) == [[1, 1], [1, 3], [1, 4], [1, 10]], "the first one's mail")
            try require(envelopes(two.mail) == [[2, 2], [2, 6], [2, 7], [2, 9]], "the second one's mail")
            try require(
                one.byKey.map(envelopes) == [[[1, 1], [1, 4], [1, 10]], [], [[1, 3]]], "the first one's by keys")
            try require(
                two.byKey.map(envelopes) == [[], [[2, 6], [2, 9]], [[2, 2], [2, 7]]], "the second one's by keys")
            for (contents, oldest, newest) in [
                (one, [1, 0, 3, 1], [10, 0, 3, 10]), (two, [0, 6, 2, 2], [0, 9, 7, 9]),
            ] {
                try require(
                    contents.statuses.map(\.oldest) == oldest.map { $0 == 0 ? nil : StoreSamples.time($0) },
                    "the oldest")
                try require(
                    contents.statuses.map(\.newest) == newest.map { $0 == 0 ? nil : StoreSamples.time($0) },
                    "the newest")
            }
            try require(
                one.statuses.map(\.count) == [3, 0, 1, 4] && two.statuses.map(\.count) == [0, 2, 2, 4], "counts")
            try require(
                one.statuses.map(\.bytes) == [6, 0, 2, 8] && two.statuses.map(\.bytes) == [0, 4, 4, 8], "bytes")
            try require(one.statuses.map(\.newestPosition) == [4, 0, 2, 4], "the first one's places")
            try require(two.statuses.map(\.newestPosition) == [0, 4, 3, 4], "the second one's places")
            try require(one.wake?.body == [1] && one.wake?.settled == 3 && one.wake?.newest == 4, "the first wake-up")
            try require(two.wake?.body == [2] && two.wake?.settled == 4 && two.wake?.newest == 4, "the second wake-up")
            try require(
                try await bench.other.read { try $0.wakes.due(after: 0, limit: 9) } == [both.one],
                "whose wake-up is due")
            try require(one.holders == [11, 11, 11] && two.holders == [12, 12, 12], "who holds what")
            try require(one.remembered == [true, true] && two.remembered == [true, true], "the requests")
            let first = try await bench.store.fetch(
                .after(0, key: StoreSamples.hash(2)), of: both.two, limit: 1, maximumBytes: 99)
            try require(first == [two.mail[1]], "the first of a key, though others stand before it")
            // A part of the queue is one of the account's own, though the other's stand between.
            for (account, own) in [(both.one, one.mail), (both.two, two.mail)] {
                for count in 1...3 {
                    let part = try await bench.store.fetch(
                        .after(0, key: nil), of: account, limit: count, maximumBytes: 99)
                    try require(part == Array(own.prefix(count)), "the first \(count)")
                    let few = try await bench.store.fetch(
                        .after(0, key: nil), of: account, limit: 9, maximumBytes: 2 * count)
                    try require(few == Array(own.prefix(count)), "as many as \(2 * count) bytes are")
                }
            }
        },
        Case("identifiers of messages of another account find and acknowledge nothing of it") { bench in
            let both = try await TwoAccounts(bench)
            let (one, two) = (try await both.contents(of: both.one), try await both.contents(of: both.two))
            let ids = one.mail.map(\.id) + two.mail.map(\.id)
            let found = try await bench.other.fetch(.ids(ids), of: both.one, limit: 99, maximumBytes: 999)
            try require(Set(found) == Set(one.mail), "its own are found: \(found)")
            let last = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1, second: 11, [1, 11]))
            try require(last == .storedOverSoftLimit, "the first account has one more")
            guard let only = try await StoreSamples.all(of: both.one, in: bench.store).last else { return }
            let foreign = try await bench.store.fetch(.ids([only.id]), of: both.two, limit: 9, maximumBytes: 99)
            try require(foreign.isEmpty, "what another account alone has is not found")
            let status = try await bench.store.remove([only.id], of: both.two)
            try require(status.count == 4, "nor acknowledged")
            try await both.requireUntouched(both.two, two, by: "what the other has alone")
            let left = try await bench.store.remove(ids, of: both.two)
            try require(left == .empty, "its own are")
            let after = try await StoreSamples.all(of: both.one, in: bench.other)
            try require(after == one.mail + [only], "those of the other account with the same identifiers stay")
        },
        Case("what one account changes, and its end, change nothing of another") { bench in
            let both = try await TwoAccounts(bench)
            let two = try await both.contents(of: both.two)
            let store = bench.store
            func keyGrant(_ key: Int) -> AccountChange {
                .keyGrant(
                    StoredKeyChange(
                        StoreSamples.hash(key), isAddition: true, routing: StoreSamples.hash(600), body: [1]),
                    routing: MediatorKey(StoreSamples.hash(600), .routing, account: nil, body: [6]))
            }
            let steps: [(String, () async throws -> Void)] = [
                (
                    "a body",
                    {
                        try await store.write {
                            try $0.accounts.update(both.one, body: [9], isServed: false, seen: StoreSamples.time(90))
                        }
                    }
                ),
                ("a wake-up", { try await store.write { try $0.wakes.set([9], of: both.one) } }),
                (
                    "settling a wake-up",
                    {
                        try await store.write {
                            try $0.wakes.settle(of: both.one, upTo: 99, woken: StoreSamples.time(90))
                        }
                    }
                ),
                ("no wake-up", { try await store.write { try $0.wakes.set(nil, of: both.one) } }),
                ("freeing a hold", { try await store.write { try $0.instances.free(.wake, of: both.one, by: 12) } }),
                ("freeing its hold", { try await store.write { try $0.instances.free(.wake, of: both.one, by: 11) } }),
                (
                    "taking a hold",
                    {
                        _ = try await store.write {
                            try $0.instances.take(.live, of: both.one, by: 12, at: TwoAccounts.now)
                        }
                    }
                ),
                ("freeing that", { try await store.write { try $0.instances.free(.live, of: both.one, by: 12) } }),
                ("an instance that leaves", { try await store.write { try $0.instances.leave(11) } }),
                ("a message", { _ = try await store.accept(StoreSamples.mail(to: 7, of: 1, [1])) }),
                (
                    "removing a key that both have",
                    { _ = try await store.change([StoreSamples.change(7, of: 1, adds: false)], of: both.one) }
                ),
                (
                    "a routing key of its own",
                    { _ = try await store.change(keyGrant(7), of: both.one, by: nil) { _ in [] } }
                ),
                (
                    "removing that",
                    { _ = try await store.change([StoreSamples.change(7, of: 1, adds: false)], of: both.one) }
                ),
                (
                    "requests past the number that is remembered",
                    {
                        for number in 20..<26 { _ = try await both.request(number, of: both.one, sent: 100 + number) }
                        for number in 30..<36 { _ = try await both.claim(number, of: both.one) }
                    }
                ),
                ("its end", { _ = try await store.write { try $0.accounts.close(both.one) } }),
            ]
            for (what, step) in steps {
                try await step()
                try await both.requireUntouched(both.two, two, by: what)
            }
            try require(try await both.request(40, of: both.two, sent: 1), "no time of the other's counts")
            // The connection that is not opened again is that of the account that was closed.
            _ = try await store.write { try $0.accounts.close(both.two, allowsReopening: true) }
            let keys = [1, 2].map { MediatorKey(StoreSamples.hash(500 + $0), .connection, account: nil, body: [5]) }
            _ = try await store.write(adding: 1) { try $0.accounts.open([1], keys: [keys[1]], at: TwoAccounts.now) }
            try await requireError(.keyTaken, "opening the first again") {
                _ = try await store.write(adding: 1) { try $0.accounts.open([1], keys: [keys[0]], at: TwoAccounts.now) }
            }
        },
        Case("how many requests of an account are remembered does not depend on those of others") { bench in
            let both = try await TwoAccounts(bench)
            // Each has made request 1 already.
            for number in 2...3 {
                for account in [both.one, both.two] { _ = try await both.request(10 * number, of: account) }
            }
            for account in [both.one, both.two] {
                for number in [1, 20, 30] {
                    try require(try await !both.request(number, of: account), "all three are remembered")
                }
            }
            for number in 4...9 { _ = try await both.request(10 * number, of: both.one, sent: 100) }
            for number in [1, 20, 30] {
                try require(try await !both.request(number, of: both.two), "whatever the other account does")
            }
            try require(try await !both.request(200, of: both.one, sent: 99), "the first has forgotten later ones")
            try require(try await both.request(200, of: both.two, sent: 98), "which says nothing of the second's")
            for number in 21...23 { _ = try await both.request(10 * number, of: both.two, sent: 98) }
            _ = try await bench.store.write { try $0.accounts.close(both.one) }
            try require(try await !both.request(300, of: both.two, sent: 97), "nor does its end")
        },
    ]
}
