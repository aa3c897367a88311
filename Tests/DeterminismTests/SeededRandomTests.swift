import Determinism
import Testing

@Suite struct SeededRandomTests {
    @Test func `a random seed gives the same sequence however it is drawn`() {
        var words = SeededRandom(seed: 7)
        var bytes = SeededRandom(seed: 7)
        let word = words.nextWord()
        #expect(bytes.bytes(count: 8) == (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) })
        #expect(words.nextWord() == bytes.nextWord())
    }

    @Test func `a random seed gives the same numbers with every compiler`() {
        var random = SeededRandom(seed: 0)
        #expect(random.nextWord() == 0x99EC_5F36_CB75_F2B4)
    }

    @Test func `random ranges include both ends and nothing else`() {
        var random = SeededRandom(seed: 1)
        let drawn = Set((0..<200).map { _ in random.within(3...5) })
        #expect(drawn == [3, 4, 5])
        #expect(random.within(4...4) == 4)
    }

    @Test func `a random chance of 0 never comes true and a chance of 1 always does`() {
        var random = SeededRandom(seed: 2)
        #expect(!(0..<100).contains { _ in random.chance(0.0) })
        #expect((0..<100).allSatisfy { _ in random.chance(1.0) })
    }
}
