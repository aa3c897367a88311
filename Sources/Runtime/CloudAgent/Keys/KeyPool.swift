import CryptoSuite
import DIDComm
import Determinism

/// Keys that were made ahead, so that a request does not wait for one.
final class KeyPool: Sendable {
    private let size: Int
    private let keys = Lock<[AgentKey]>([])

    init(size: Int) { self.size = size }

    /// A key that was never used, drawn at once when none is left.
    func take() -> AgentKey {
        if let key = keys.withLock({ $0.popLast() }) { return key }
        var random = SystemRandom()
        return AgentKey.make(from: &random)
    }

    /// Draws keys until there are as many as there should be.
    func fill() {
        var random = SystemRandom()
        while keys.withLock({ $0.count }) < size {
            let key = AgentKey.make(from: &random)
            keys.withLock { $0.append(key) }
        }
    }
}
