import Aries
import CloudAgent
import Determinism

extension CloudAgentConformance {
    private static func beat(_ instance: Int64, _ store: any MediatorStore, from begin: Int, to end: Int) async throws
        -> Bool
    {
        try await store.write {
            try $0.instances.beat(instance, until: StoreSamples.time(end), at: StoreSamples.time(begin))
        }
    }

    static let wakeCases = [
        Case("a wake-up is due for what comes after it was set, until it is settled, and goes with its account") {
            bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: account)
            func due() async throws -> [Int64] { try await bench.other.read { try $0.wakes.due(after: 0, limit: 9) } }
            _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1))
            try require(
                try await bench.store.read { try $0.wakes.entry(of: account) } == nil, "nobody is woken at first")
            try await bench.store.write { try $0.wakes.set([1], of: account) }
            try require(try await due().isEmpty, "what was there before wakes nobody")
            _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1))
            let entry = try await bench.other.read { try $0.wakes.entry(of: account) }
            try require(entry?.body == [1] && entry?.woken == nil && entry?.count == 2, "it is kept")
            try require(entry?.settled == 1 && entry?.newest == 2, "it is known up to where")
            try require(try await due() == [account], "it is due")
            try require(try await bench.other.read { try $0.wakes.due(after: account, limit: 9) }.isEmpty, "by pages")
            try await bench.other.write { try $0.wakes.settle(of: account, upTo: 2, woken: StoreSamples.time(5)) }
            try require(try await due().isEmpty, "it is settled")
            try await bench.store.write { try $0.wakes.settle(of: account, upTo: 1, woken: StoreSamples.time(9)) }
            let settled = try await bench.store.read { try $0.wakes.entry(of: account) }
            try require(settled?.settled == 2 && settled?.woken == StoreSamples.time(5), "it never goes back")
            _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1))
            try await bench.store.write { try $0.wakes.set([2], of: account) }
            try require(
                try await bench.store.read { try $0.wakes.entry(of: account) }?.settled == 3,
                "setting it anew settles it")
            try await bench.store.write { try $0.wakes.settle(of: account, upTo: 4, woken: nil) }
            try require(
                try await bench.store.read { try $0.wakes.entry(of: account) }?.woken == StoreSamples.time(5),
                "giving up is no wake-up")
            try await bench.store.write { try $0.wakes.set(nil, of: account) }
            try require(try await bench.other.read { try $0.wakes.entry(of: account) } == nil, "it can be taken back")
            try await bench.store.write { try $0.wakes.set([3], of: account) }
            _ = try await bench.store.write { try $0.accounts.close(account) }
            try require(
                try await bench.other.read { try $0.wakes.entry(of: account) } == nil, "it goes with the account")
            try await requireError(.accountUnknown, "setting it then") {
                try await bench.store.write { try $0.wakes.set([1], of: account) }
            }
        },
        Case("what was fetched causes no wake-up") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: account)
            try await bench.store.write { try $0.wakes.set([1], of: account) }
            _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1))
            let ids = try await StoreSamples.all(of: account, in: bench.store).map(\.id)
            _ = try await bench.store.remove(ids, of: account)
            try require(
                try await bench.other.read { try $0.wakes.due(after: 0, limit: 9) }.isEmpty, "the queue is empty")
        },
        Case("accounts that are not served are listed by pages in the order of their opening") { bench in
            var made: [Int64] = []
            for (number, time) in [(1, 5), (2, 3), (3, 3)] {
                made.append(
                    try await bench.store.write(adding: 1) {
                        try $0.accounts.open(
                            [UInt8(number)], keys: [StoreSamples.routing(number)], at: StoreSamples.time(time))
                    })
            }
            func page(_ last: AccountEntry?, _ limit: Int, before time: Int = 9) async throws -> [AccountEntry] {
                try await bench.other.read {
                    try $0.accounts.unserved(before: StoreSamples.time(time), after: last, limit: limit)
                }
            }
            let first = try await page(nil, 2)
            try require(first.map(\.number) == [made[1], made[2]], "the oldest first, as many as asked")
            let second = try await page(first.last, 9)
            try require(second.map(\.number) == [made[0]], "the rest follows")
            try require(second[0].body == [1] && !second[0].isServed, "with what is kept of it")
            try require(try await page(second.last, 9).isEmpty, "there are no more")
            try require(
                try await page(nil, 9, before: 5).map(\.number) == [made[1], made[2]], "younger ones are left out")
            let served = made[1]
            try await bench.store.write { try $0.accounts.update(served, body: nil, isServed: true, seen: nil) }
            try require(
                try await page(nil, 9).map(\.number) == [made[2], made[0]], "those that are served are left out")
        },
        Case("the longest queues are listed first, and empty ones not at all") { bench in
            for (number, count) in [(1, 1), (2, 0), (3, 2)] {
                let account = try await StoreSamples.open(number, in: bench.store)
                _ = try await bench.store.change([StoreSamples.change(number, of: number)], of: account)
                for _ in 0..<count { _ = try await bench.store.accept(StoreSamples.mail(to: number, of: number)) }
            }
            let found = try await bench.other.read { try $0.accounts.busiest(limit: 9) }
            try require(found.map(\.queue.count) == [2, 1], "in the order of their lengths")
            try require(
                try await bench.other.read { try $0.accounts.busiest(limit: 1) }.map(\.number) == [found[0].number],
                "as many as asked")
        },
    ]

    static let instanceCases = [
        Case("an account that is closed is signalled once, to every instance") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            let start = try await bench.other.read { try $0.signals.newest() }
            try require(start == 0, "nothing was signalled")
            _ = try await bench.store.write { try $0.accounts.close(account) }
            _ = try await bench.store.write { try $0.accounts.close(account) }
            let (signals, isComplete) = try await bench.other.read { try $0.signals.list(after: start, limit: 9) }
            try require(signals.map(\.kind) == [.closed] && signals[0].account == account, "it is signalled")
            try require(isComplete && signals[0].instance == 0, "it is all, and of nobody")
            let newest = try await bench.store.read { try $0.signals.newest() }
            try require(newest == signals[0].number, "it is the newest")
            let rest = try await bench.store.read { try $0.signals.list(after: newest, limit: 9) }
            try require(rest.signals.isEmpty && rest.isComplete, "there is none behind it")
            let cut = try await bench.store.read { try $0.signals.list(after: start, limit: 1) }
            try require(!cut.isComplete, "who is told as many as he asked for asks again")
        },
        Case("one instance at a time brings mail or wakes, and a dead one holds nothing") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            func take(_ store: any MediatorStore, _ instance: Int64, at second: Int) async throws -> Bool {
                try await store.write {
                    try $0.instances.take(.delivery, of: account, by: instance, at: StoreSamples.time(second))
                }
            }
            try require(try await !beat(1, bench.store, from: 0, to: 10), "it was not known")
            try require(try await beat(1, bench.store, from: 5, to: 10), "it is known")
            _ = try await beat(2, bench.other, from: 0, to: 30)
            try require(try await take(bench.store, 1, at: 0), "the first has it")
            try require(try await take(bench.store, 1, at: 0), "the same again")
            try require(try await !take(bench.other, 2, at: 0), "the second has not")
            let wake = try await bench.other.write {
                try $0.instances.take(.wake, of: account, by: 2, at: StoreSamples.time(0))
            }
            try require(wake, "another hold is free")
            try await bench.other.write { try $0.instances.free(.delivery, of: account, by: 2) }
            try require(try await !take(bench.other, 2, at: 9), "nobody frees another's")
            let holder = try await bench.other.read {
                try $0.instances.holder(of: .delivery, of: account, at: StoreSamples.time(9))
            }
            try require(holder == 1, "it is known who has it")
            try require(try await take(bench.other, 2, at: 10), "a dead one does not hold it")
            try require(try await !beat(1, bench.store, from: 10, to: 40), "it was given up")
            try require(try await !take(bench.store, 1, at: 11), "and does not have it again")
            try await bench.other.write { try $0.instances.leave(2) }
            try require(try await take(bench.store, 1, at: 11), "what one that left had is free")
            try await bench.store.write { try $0.instances.free(.delivery, of: account, by: 1) }
            let nobody = try await bench.store.read {
                try $0.instances.holder(of: .delivery, of: account, at: StoreSamples.time(11))
            }
            try require(nobody == nil, "what was freed is nobody's")
            let unknown = try await bench.store.write {
                try $0.instances.take(.delivery, of: account + 1, by: 1, at: StoreSamples.time(11))
            }
            try require(!unknown, "an account that is not there is nobody's")
        },
        Case("of a client on two instances the newest counts, and the other one is signalled") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            for (instance, store) in [(1, bench.store), (2, bench.other)] as [(Int64, any MediatorStore)] {
                _ = try await beat(instance, store, from: 0, to: 30)
            }
            let (stream, continuation) = AsyncStream.makeStream(of: StoreNotification.self)
            bench.store.listen { continuation.yield($0) }
            let now = StoreSamples.time(0)
            try require(
                try await bench.store.write { try $0.instances.take(.live, of: account, by: 1, at: now) },
                "the first has it")
            try require(try await bench.other.read { try $0.signals.newest() } == 0, "which takes it from nobody")
            try require(
                try await bench.other.write { try $0.instances.take(.live, of: account, by: 2, at: now) },
                "the second takes it")
            let (signals, _) = try await bench.store.read { try $0.signals.list(after: 0, limit: 9) }
            try require(signals.map(\.kind) == [.live] && signals[0].instance == 2, "the first is told")
            try require(
                try await bench.store.read { try $0.instances.holder(of: .live, of: account, at: now) } == 2,
                "the second has it")
            if bench.tellsAcross { for await news in stream where news == .signals { break } }
        },
    ]
}
