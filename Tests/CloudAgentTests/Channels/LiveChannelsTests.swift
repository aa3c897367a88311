import Determinism
import Testing
import WebTransport

@testable import CloudAgent

@Suite struct LiveChannelsTests {
    /// A live client on a connection that has no use.
    private final class Client: LiveClient {
        let reply: any ReplyChannel = HTTPReplyChannel()
        let heard: MonotonicInstant

        init(heard seconds: Int) { heard = .zero + .seconds(seconds) }

        func mailArrived() async {}
        func queueWentBack() async {}
    }

    @Test
    func `a live channel watch is called once when a client becomes live, is replaced, sends, leaves, or is closed`() {
        let (live, first, second, calls) = (LiveChannels(), Client(heard: 1), Client(heard: 2), Lock(0))
        /// Returns the number of the watch's calls after the change, and after one more change.
        func count(_ change: () -> Void) -> [Int] {
            calls.withLock { $0 = 0 }
            live.watch(7) { calls.withLock { $0 += 1 } }
            change()
            let first = calls.withLock { $0 }
            live.changed(7)
            return [first, calls.withLock { $0 }]
        }
        #expect(count { live.add(first, for: 7) } == [1, 1])
        #expect(count { live.add(second, for: 7) } == [1, 1])
        #expect(live.heard(7) == second.heard)
        #expect(count { live.changed(7) } == [1, 1])
        #expect(count { _ = live.remove(second, for: 7) } == [1, 1])
        #expect(live.heard(7) == nil)
        live.add(first, for: 7)
        #expect(count { live.close(7, reason: "") } == [1, 1])
        #expect(live.heard(7) == nil)
    }

    @Test func `a change of another account, or of a channel that is not the live one, calls no watch`() {
        let (live, first, second, calls) = (LiveChannels(), Client(heard: 1), Client(heard: 2), Lock(0))
        live.add(second, for: 7)
        live.watch(7) { calls.withLock { $0 += 1 } }
        live.add(first, for: 8)
        live.changed(8)
        #expect(!live.remove(first, for: 7))
        #expect(calls.withLock { $0 } == 0)
        live.unwatch(7)
        live.changed(7)
        #expect(calls.withLock { $0 } == 0, "the watch was removed")
    }

    @Test func `a live channel watch that is called sees the state after the change, and may watch again`() {
        let (live, client, seen) = (LiveChannels(), Client(heard: 5), Lock<[MonotonicInstant?]>([]))
        @Sendable func watch() {
            live.watch(7) {
                seen.withLock { $0.append(live.heard(7)) }
                watch()
            }
        }
        watch()
        live.add(client, for: 7)
        #expect(live.remove(client, for: 7))
        #expect(seen.withLock { $0 } == [client.heard, nil])
    }
}
