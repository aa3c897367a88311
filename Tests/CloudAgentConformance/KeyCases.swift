import Aries
import CloudAgent
import Determinism

extension CloudAgentConformance {
    static let keyCases = [
        Case("keys are added and removed, each change alone, whatever keys other accounts have") { bench in
            let (one, two) = (
                try await StoreSamples.open(1, in: bench.store), try await StoreSamples.open(2, in: bench.store)
            )
            func changes(of number: Int) -> [StoredKeyChange] {
                [
                    StoreSamples.change(1, of: number), StoreSamples.change(1, of: number),
                    StoreSamples.change(2, of: number, adds: false), StoreSamples.change(2, of: number),
                    StoreSamples.change(3, of: number), StoreSamples.change(3, of: number, adds: false),
                ]
            }
            let results = try await bench.store.change(changes(of: 1), of: one)
            try require(
                results == [.success, .noChange, .noChange, .success, .success, .success],
                "each is answered: \(results)")
            let same = try await bench.other.change(changes(of: 2), of: two)
            try require(same == results, "keys of another account are answered as keys that none has: \(same)")
            for account in [one, two] {
                try require(
                    try await bench.store.read { try $0.keys.list(of: account, offset: 0, limit: 9) }.bodies == [
                        [1], [2],
                    ], "its own")
            }
            let gone = try await bench.store.change([StoreSamples.change(1, of: 1, adds: false)], of: one)
            try require(gone == [.success], "one gives it up")
            try require(
                try await bench.other.read { try $0.keys.list(of: two, offset: 0, limit: 9) }.bodies == [[1], [2]],
                "two has it")
            let nothing = try await bench.store.change([StoreSamples.change(1, of: 1, adds: false)], of: one)
            try require(nothing == [.noChange], "one has it no more, which says nothing of two")
        },
        Case("of a key that several accounts have, each account gets what came through its own routing key") { bench in
            var accounts: [Int64] = []
            for number in 1...3 { accounts.append(try await StoreSamples.open(number, in: bench.store)) }
            for number in 1...2 {
                _ = try await bench.store.change([StoreSamples.change(7, of: number)], of: accounts[number - 1])
            }
            for number in [1, 2, 2] {
                let outcome = try await bench.other.accept(StoreSamples.mail(to: 7, of: number, [UInt8(number)]))
                try require(outcome == .stored, "it is stored")
            }
            try require(
                try await bench.store.accept(StoreSamples.mail(to: 7, of: 3)) == .unknown,
                "an account that does not have the key gets nothing")
            for (account, envelopes) in zip(accounts, [[[1]], [[2], [2]], []] as [[[UInt8]]]) {
                let found = try await StoreSamples.all(of: account, in: bench.other).map(\.envelope)
                try require(found == envelopes, "each has its own: \(found)")
                let status = try await bench.store.read { try $0.mail.status(of: account, key: StoreSamples.hash(7)) }
                try require(status.count == envelopes.count, "and is told of its own")
                let fetched = try await bench.store.fetch(
                    .after(0, key: StoreSamples.hash(7)), of: account, limit: 9, maximumBytes: 99)
                try require(fetched.map(\.envelope) == envelopes, "and fetches its own")
            }
            _ = try await bench.store.change([StoreSamples.change(7, of: 1, adds: false)], of: accounts[0])
            try require(try await bench.store.accept(StoreSamples.mail(to: 7, of: 1)) == .unknown, "one gave it up")
            try require(
                try await bench.store.accept(StoreSamples.mail(to: 7, of: 2)) == .storedOverSoftLimit, "two has it")
        },
        Case("an account has a limited number of keys") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            let results = try await bench.store.change((1...4).map { StoreSamples.change($0, of: 1) }, of: account)
            try require(results == [.success, .success, .success, .clientError], "three are allowed: \(results)")
        },
        Case("keys are listed in the order of their registration, by pages") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            _ = try await bench.store.change([3, 1, 2].map { StoreSamples.change($0, of: 1) }, of: account)
            let all = try await bench.other.read { try $0.keys.list(of: account, offset: 0, limit: 9) }
            try require(all.bodies == [[3], [1], [2]] && all.total == 3, "all are there, in order")
            let page = try await bench.other.read { try $0.keys.list(of: account, offset: 1, limit: 1) }
            try require(page.bodies == [[1]] && page.total == 3, "a page is a part")
            let end = try await bench.other.read { try $0.keys.list(of: account, offset: 9, limit: 1) }
            try require(end.bodies.isEmpty && end.total == 3, "behind the end is nothing")
        },
        Case("mail is taken only through the routing key that its key was registered with") { bench in
            let (one, _) = (
                try await StoreSamples.open(1, in: bench.store), try await StoreSamples.open(2, in: bench.store)
            )
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: one)
            var mail = StoreSamples.mail(to: 1, of: 2)
            try require(try await bench.store.accept(mail) == .unknown, "another account's routing key does not do")
            mail = StoreSamples.mail(to: 9, of: 1)
            try require(try await bench.store.accept(mail) == .unknown, "nobody has this key")
            mail = NewMail(
                routing: StoreSamples.routing(1).hash, recipient: StoreSamples.routing(2).hash,
                arrival: StoreSamples.time(0), tag: 1, envelope: [1])
            try require(try await bench.store.accept(mail) == .isRoutingKey, "a routing key is told")
            try require(try await StoreSamples.all(of: one, in: bench.store).isEmpty, "nothing was kept")
        },
        Case("a key of the agent is no client's, and is there once") { bench in
            let account = try await StoreSamples.open(1, in: bench.store)
            let key = MediatorKey(StoreSamples.hash(50), .invitation, account: nil, body: [9])
            try await bench.store.write(adding: 0) { try $0.ownKeys.add([key]) }
            try require(try await bench.other.read { try $0.ownKeys.key(key.hash) } == key, "it is read back")
            try require(
                try await bench.other.read { try $0.ownKeys.key(StoreSamples.hash(51)) } == nil, "there is no other")
            try await requireError(.keyTaken, "adding it again") {
                try await bench.other.write(adding: 0) {
                    try $0.ownKeys.add([MediatorKey(StoreSamples.hash(52), .routing, account: nil, body: []), key])
                }
            }
            try require(
                try await bench.store.read { try $0.ownKeys.key(StoreSamples.hash(52)) } == nil,
                "nothing of the step remains")
            let results = try await bench.store.change([StoreSamples.change(50, of: 1)], of: account)
            try require(results == [.clientError], "a client cannot register it")
        },
        Case("a key with a routing key of its own gets the same again, shares it with no key, and goes with it") {
            bench in
            let (one, two) = (
                try await StoreSamples.open(1, in: bench.store), try await StoreSamples.open(2, in: bench.store)
            )
            func keyGrant(_ key: Int, _ own: Int, _ account: Int64, _ store: any MediatorStore) async throws
                -> MediatorKey?
            {
                let routing = MediatorKey(StoreSamples.hash(own), .routing, account: nil, body: [UInt8(own)])
                return try await store.openKeyGrant(
                    StoredKeyChange(
                        StoreSamples.hash(key), isAddition: true, routing: routing.hash, body: [UInt8(key)]),
                    routing: routing, of: account)
            }
            let made = try await keyGrant(1, 60, one, bench.store)
            try require(made?.hash == StoreSamples.hash(60) && made?.account == one, "a routing key is made")
            try require(try await keyGrant(1, 61, one, bench.other) == made, "the same again")
            let foreign = try await keyGrant(1, 62, two, bench.store)
            try require(
                foreign?.hash == StoreSamples.hash(62) && foreign?.account == two, "another account has its own")
            _ = try await bench.store.change([StoreSamples.change(2, of: 1)], of: one)
            try require(try await keyGrant(2, 63, one, bench.store) == nil, "not for a key that shares")
            func mail(_ key: Int, _ own: Int) -> NewMail {
                NewMail(
                    routing: StoreSamples.hash(own), recipient: StoreSamples.hash(key), arrival: StoreSamples.time(0),
                    tag: 1, envelope: [1])
            }
            try require(try await bench.store.accept(mail(1, 60)) == .stored, "mail comes through it")
            try require(try await bench.store.accept(mail(2, 60)) == .unknown, "and for no other key")
            try require(try await bench.store.accept(StoreSamples.mail(to: 1, of: 1)) == .unknown, "nor by another way")
            _ = try await bench.store.accept(StoreSamples.mail(to: 2, of: 1))
            let gone = try await bench.other.change([StoreSamples.change(1, of: 1, adds: false)], of: one)
            try require(gone == [.success], "it can be removed")
            try require(
                try await bench.store.read { try $0.ownKeys.key(StoreSamples.hash(60)) } == nil,
                "its routing key goes too")
            try require(try await bench.store.accept(mail(1, 62)) == .stored, "that of the other account stays")
            try require(try await StoreSamples.all(of: one, in: bench.store).count == 1, "and what waits for it")
            try require(try await bench.store.accept(mail(1, 60)) == .unknown, "nothing is taken any more")
        },
    ]

    static let accountCases = [
        Case("an account is opened, changed, listed and closed with all that is its own") { bench in
            let one = try await StoreSamples.open(1, in: bench.store)
            let two = try await StoreSamples.open(2, in: bench.store)
            try require(two > one, "numbers grow")
            let entry = try await bench.other.read { try $0.accounts.account(one) }
            try require(entry?.body == [1] && entry?.isServed == true && entry?.keyCount == 0, "it is as it was made")
            try await bench.store.write {
                try $0.accounts.update(one, body: [8, 8], isServed: false, seen: StoreSamples.time(77))
            }
            let changed = try await bench.other.read { try $0.accounts.account(one) }
            try require(changed?.body == [8, 8] && changed?.isServed == false, "it is changed")
            try require(
                changed?.seen == StoreSamples.time(77) && changed?.created == StoreSamples.time(0), "times are kept")
            _ = try await bench.store.change([StoreSamples.change(1, of: 1)], of: one)
            _ = try await bench.store.accept(StoreSamples.mail(to: 1, of: 1))
            _ = try await bench.store.fetch(
                .after(0, key: nil), of: one, limit: 1, maximumBytes: 1,
                claim: StoredClientRequest(StoreSamples.hash(5), .handsOut))
            let listed = try await bench.other.read { try $0.accounts.list(after: 0, limit: 9) }
            try require(listed.map(\.number) == [one, two] && listed[0].queue.count == 1, "both are listed")
            try require(
                try await bench.other.read { try $0.accounts.list(after: one, limit: 9) }.map(\.number) == [two],
                "by pages")
            try require(try await bench.other.write { try $0.accounts.close(one) }, "it is closed")
            try require(try await bench.store.write { try $0.accounts.close(one) } == false, "once")
            try require(try await bench.store.read { try $0.accounts.account(one) } == nil, "it is gone")
            try require(
                try await bench.store.read { try $0.ownKeys.key(StoreSamples.routing(1).hash) } == nil,
                "its keys are gone")
            try require(try await bench.store.accept(StoreSamples.mail(to: 1, of: 1)) == .unknown, "nothing comes in")
            try await requireError(.accountUnknown, "changing it") {
                try await bench.store.write { try $0.accounts.update(one, body: [1], isServed: nil, seen: nil) }
            }
            try require(try await bench.store.read { try $0.inspection.totals() }.accounts == 1, "one is left")
        },
        Case("there is a limited number of accounts") { bench in
            for number in 1...3 { _ = try await StoreSamples.open(number, in: bench.store) }
            try await requireError(.accountsFull, "a fourth") { _ = try await StoreSamples.open(4, in: bench.other) }
            try require(
                try await bench.store.read { try $0.ownKeys.key(StoreSamples.routing(4).hash) } == nil,
                "nothing of it remains")
        },
        Case("a setting is settled once, by the first that writes it") { bench in
            try require(try await bench.store.read { try $0.settings.value("a") } == nil, "there is none at first")
            try require(
                try await bench.store.write(adding: 1) { try $0.settings.settle("a", [1]) } == [1],
                "the first settles it")
            try require(
                try await bench.other.write(adding: 1) { try $0.settings.settle("a", [2]) } == [1],
                "the second takes what there is")
            try require(try await bench.other.read { try $0.settings.value("a") } == [1], "it is read back")
        },
        Case("a store that is closed says so") { bench in
            await bench.store.close()
            try await requireError(.closed, "a step") { _ = try await bench.store.read { try $0.inspection.totals() } }
            try await requireError(.closed, "a writing step") {
                _ = try await bench.store.write(adding: 0) { try $0.settings.settle("a", []) }
            }
        },
    ]
}
