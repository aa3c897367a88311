import CloudAgentConformance
import Determinism
import Testing

@testable import CloudAgent

@Suite struct StoreHistoryTests {
    private func step(_ number: Int64, epoch: Int64 = 7, timeline: Int64? = nil) -> StoreRevision {
        StoreRevision(number: number, epoch: epoch, timeline: timeline)
    }

    @Test func `a store whose step number only rises is never reported as rolled back`() {
        let history = StoreHistory()
        for number in [0, 1, 1, 2, 9, 1 << 62, .max] as [Int64] {
            #expect(history.saw(step(number), since: history.floor) == nil)
        }
    }

    @Test func `a rolled-back store is reported once, with the number of lost steps and the timelines`() {
        let history = StoreHistory()
        _ = history.saw(step(60, timeline: 1), since: history.floor)
        let loss = history.saw(step(50, timeline: 2), since: history.floor)
        #expect(loss?.steps == 10 && loss?.timelineBefore == 1 && loss?.timelineAfter == 2)
        #expect(history.saw(step(50), since: history.floor) == nil)
        #expect(history.saw(step(51), since: history.floor) == nil)
        let other = history.saw(step(70, epoch: 8), since: history.floor)
        #expect(other != nil && other?.steps == nil)
    }

    @Test
    func `store steps of a former timeline after the new one began are reported as lost`() {
        let history = StoreHistory()
        func newer(_ number: Int64, _ beginnings: [(Int64, Int64)]) -> StoreRevision {
            StoreRevision(
                number: number, epoch: 7, timeline: beginnings.last?.0,
                beginnings: beginnings.map { TimelineBeginning(timeline: $0.0, step: $0.1) })
        }
        _ = history.saw(step(60, timeline: 1), since: history.floor)
        #expect(history.saw(newer(90, [(1, 0), (2, 50)]), since: history.floor)?.steps == 10)
        #expect(history.saw(newer(91, [(1, 0), (2, 50)]), since: history.floor) == nil)
        // Nothing of it was lost: all that was known was there when the timeline began.
        #expect(history.saw(newer(99, [(1, 0), (2, 50), (3, 91)]), since: history.floor) == nil)
        // Of several timelines since then, one may have begun before the steps that are known.
        let last = newer(200, [(1, 0), (2, 50), (3, 91), (4, 95), (5, 150)])
        #expect(history.saw(last, since: history.floor)?.steps == 4)
    }

    @Test func `a store step of a former timeline leaves the latest known step unchanged`() {
        let history = StoreHistory()
        _ = history.saw(step(60, timeline: 2), since: history.floor)
        for number in [59, 61] as [Int64] {
            #expect(history.saw(step(number, timeline: 1), since: history.floor) == nil)
            #expect(history.floor.step == step(60, timeline: 2))
        }
    }

    @Test func `transactions that began before a store loss was reported do not report it again`() {
        let history = StoreHistory()
        _ = history.saw(step(60), since: history.floor)
        let before = history.floor
        #expect(history.saw(step(50), since: history.floor)?.steps == 10)
        #expect(history.saw(step(50), since: before) == nil)
        #expect(history.saw(step(49), since: history.floor)?.steps == 1)
    }

    @Test func `a store transaction need not see what another one commits while it begins`() {
        let history = StoreHistory()
        _ = history.saw(step(60), since: history.floor)
        let floor = history.floor
        _ = history.saw(step(61), since: history.floor)
        #expect(history.saw(step(60), since: floor) == nil)
        #expect(history.floor.step?.number == 61)
    }

    @Test func `extreme store step numbers are compared without overflow`() {
        let history = StoreHistory()
        _ = history.saw(step(.max), since: history.floor)
        #expect(history.saw(step(.min), since: history.floor)?.steps == .max)
        #expect(step(.min).previous.number == .max)
    }

    @Test func `the greatest loss of steps stays in the store until an operator has seen it`() async throws {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: folder + "/store.sqlite")
            let time = WallTime(millisecondsSinceEpoch: 1000)
            @Sendable func loss(_ steps: Int64?) -> StoreDataLoss {
                StoreDataLoss(steps: steps, age: .zero, timelineBefore: nil, timelineAfter: nil)
            }
            #expect(try await store.read { try $0.inspection.totals() }.loss == nil)
            for (steps, expected) in [(40, 40), (191, 191), (190, 191)] as [(Int64, Int)] {
                try await store.write { try $0.losses.record(loss(steps), at: time) }
                let kept = try await store.read { try $0.inspection.totals() }.loss
                #expect(kept == RecordedStoreDataLoss(steps: expected, time: time))
            }
            try await store.write { try $0.losses.record(loss(nil), at: time) }
            try await store.write { try $0.losses.record(loss(3), at: time) }
            #expect(
                try await store.read { try $0.losses.unseen() }?.steps == nil, "another store is more than any step")
            #expect(try await store.write { try $0.losses.markSeen() })
            #expect(try await store.read { try $0.losses.unseen() } == nil)
            #expect(try await store.write { try $0.losses.markSeen() } == false)
            try await store.write { try $0.settings.set("went-back", Array("x".utf8)) }
            await #expect(throws: CloudAgentError(.damaged, "")) { _ = try await store.read { try $0.losses.unseen() } }
            await store.close()
        }
    }

    @Test(arguments: [false, true])
    func `an older file put back under a running store is reported by the next step`(writing: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let store = try await DatabaseStore.sqlite(at: folder + "/store.sqlite")
            let told = Lock<[StoreDataLoss]>([])
            store.listen { news in if case .wentBack(let loss) = news { told.withLock { $0.append(loss) } } }
            let account = try await StoreSamples.open(1, in: store)
            _ = try await store.change([StoreSamples.change(1, of: 1)], of: account)
            _ = try await store.accept(StoreSamples.mail(to: 1, of: 1, [1]))
            _ = try await store.read { try $0.inspection.totals() }
            // A change by another program counts no step of ours.
            try await store.write { try $0.database.run("UPDATE store_steps SET number = number - 3") }
            if writing {
                _ = try await store.accept(StoreSamples.mail(to: 1, of: 1, [2]))
            } else {
                _ = try await store.read { try $0.inspection.totals() }
            }
            _ = try await store.read { try $0.inspection.totals() }
            #expect(told.withLock { $0.map(\.steps) } == [3])
            await store.close()
        }
    }
}
