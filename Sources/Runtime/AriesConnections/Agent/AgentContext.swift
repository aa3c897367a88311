import Aries
import ByteCoding
import DIDComm
import Determinism
import Vault

/// The constants of an agent; only the state of the random source changes.
struct AgentContext: Sendable {
    let store: any RecordStore
    let configuration: AgentConfiguration
    let clock: any MonotonicClock
    let wallTime: @Sendable () -> WallTime
    let random: SharedRandomSource

    func now() -> MonotonicInstant { clock.now() }

    /// Finds the documents of inviters' DIDs.
    var lookup: InviterLookup { InviterLookup(configuration, clock: clock) }

    /// A fresh identifier for a message.
    func makeID() -> String {
        var random = random
        return Message.makeID(from: &random)
    }

    /// Generates a key pair.
    func makeKey() -> AgentKey {
        var random = random
        return AgentKey.make(from: &random)
    }

    /// An independent random source for a core.
    func drawnRandom() -> SeededRandom {
        SeededRandom(seed: UInt64(bigEndianBytes: random.bytes(count: 8)))
    }
}

/// One source of randomness for all parts of an agent.
final class SharedRandomSource: RandomSource {
    private let source: Lock<any RandomSource>

    init(_ source: any RandomSource) { self.source = Lock(source) }

    func bytes(count: Int) -> [UInt8] { source.withLock { $0.bytes(count: count) } }
}
