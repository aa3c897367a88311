import DIDComm
import Determinism
import Testing

@testable import Aries

@Suite struct SpareKeysTests {
    private func keys(_ count: Int, seed: UInt64 = 3) -> [Verkey] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in AgentKey.make(from: &random).verkey }
    }

    @Test func `spare keys are made up to the wanted number plus one for each waiting envelope, 32 at most`() {
        var spares = SpareKeys()
        #expect(spares.missing(of: 4) == 4)
        spares.add(keys(3))
        #expect(spares.missing(of: 4) == 1 && spares.missing(of: 2) == 0)
        spares.setWaitingArrivals(27)
        #expect(spares.missing(of: 4) == 28)
        spares.setWaitingArrivals(28)
        #expect(spares.missing(of: 4) == 29)
        spares.setWaitingArrivals(29)
        #expect(spares.missing(of: 4) == 29)
    }

    @Test func `a spare key can be removed once`() {
        var spares = SpareKeys()
        let known = keys(2)
        spares.add(known)
        #expect(spares.remove(known[0]) && !spares.remove(known[0]))
        #expect(spares.keys == [known[1]] && spares.contains(known[1]) && !spares.contains(known[0]))
    }

    @Test func `key updates are sent in order, up to the free room, and none while earlier ones are verified`() {
        var spares = SpareKeys()
        let changes = keys(3).map { KeylistUpdate($0, isAddition: true) }
        spares.queue(changes)
        #expect(spares.takeChanges(room: 0).isEmpty && spares.takeChanges(room: -1).isEmpty)
        #expect(spares.takeChanges(room: 2) == Array(changes.prefix(2)))
        #expect(spares.takeChanges(room: 2).isEmpty && spares.hasChanges)
        spares.verified()
        #expect(spares.takeChanges(room: 2) == [changes[2]] && !spares.hasChanges)
    }

    @Test func `a mediator counts as left when every key is removed there, and as kept when leaving is cancelled`() {
        var spares = SpareKeys()
        let known = keys(2)
        #expect(!spares.isLeaving && spares.isLeft == nil)
        spares.leave(known)
        #expect(spares.isLeaving && spares.isLeft == false)
        #expect(spares.takeChanges(room: 9) == known.map { KeylistUpdate($0, isAddition: false) })
        spares.removed(known[0])
        #expect(spares.isLeft == false)
        spares.removed(known[1])
        #expect(spares.isLeft == true)
        spares.verified()
        spares.stay(known)
        #expect(!spares.isLeaving && spares.takeChanges(room: 9) == known.map { KeylistUpdate($0, isAddition: true) })
    }

    @Test func `keys that the mediator lost are added again, and at most 256 keys unknown to us are removed`() {
        let (ours, foreign) = (keys(3), keys(257, seed: 4))
        let lost = [KeylistUpdate(ours[0], isAddition: true)]
        func removals(_ count: Int) -> [KeylistUpdate] {
            foreign.prefix(count).map { KeylistUpdate($0, isAddition: false) }
        }
        let one = SpareKeys.difference(ours: ours, listed: Array(ours.dropFirst()) + foreign.prefix(256))
        #expect(one == lost + removals(256))
        let more = SpareKeys.difference(ours: ours, listed: Array(ours.dropFirst()) + foreign)
        #expect(more == lost + removals(256))
        #expect(SpareKeys.difference(ours: ours, listed: ours).isEmpty)
    }
}
