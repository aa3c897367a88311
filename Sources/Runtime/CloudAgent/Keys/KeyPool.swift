import CryptoSuite
import DIDComm
import Determinism

/// Keys that are made in advance, so that a request does not wait for one.
final class KeyPool: Sendable {
    private let size: Int
    private let keys = Lock<[AgentKey]>([])

    init(size: Int) { self.size = size }

    /// A fresh key, drawn at once when the pool is empty.
    func take() -> AgentKey {
        if let key = keys.withLock({ $0.popLast() }) { return key }
        var random = SystemRandom()
        return AgentKey.make(from: &random)
    }

    /// Draws keys until the pool is full.
    func fill() {
        var random = SystemRandom()
        while keys.withLock({ $0.count }) < size {
            let key = AgentKey.make(from: &random)
            keys.withLock { $0.append(key) }
        }
    }
}
