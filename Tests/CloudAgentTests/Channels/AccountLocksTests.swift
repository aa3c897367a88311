import Determinism
import Testing

@testable import CloudAgent

@Suite struct AccountLocksTests {
    @Test func `tasks acquire the lock of an account in order, and no account waits for another`() async throws {
        let locks = AccountLocks()
        let had = Lock<[Int]>([])
        await locks.take(1)
        await locks.take(2)
        locks.end(2)
        await locks.take(2)
        var others: [Task<Void, Never>] = []
        for number in 0..<3 {
            others.append(
                Task {
                    await locks.take(1)
                    had.withLock { $0.append(number) }
                })
            // The next one comes when this one waits.
            #expect(try await eventually { locks.waitingCount(1) == number + 1 })
        }
        for number in 0..<3 {
            #expect(had.withLock { $0 } == Array(0..<number))
            locks.end(1)
            await others[number].value
        }
        locks.end(1)
        await locks.take(1)
        #expect(had.withLock { $0 } == [0, 1, 2])
    }
}
