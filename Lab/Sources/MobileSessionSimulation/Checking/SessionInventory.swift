import CryptoSuite

/// The secrets and the bytes that a session holds, found by reflection in all that it stores.
struct SessionInventory {
    /// A secret that is not kept alive by being watched.
    struct WatchedSecret: @unchecked Sendable {
        // Invariant: read on the thread of the simulation alone.
        weak var secret: Secret?
    }

    /// The secrets, with repetitions.
    private(set) var secrets: [WatchedSecret] = []
    /// The bytes of all arrays of bytes.
    private(set) var byteCount = 0

    init(of session: Any) { add(session, depth: 0) }

    private mutating func add(_ value: Any, depth: Int) {
        if let secret = value as? Secret {
            secrets.append(WatchedSecret(secret: secret))
        } else if let bytes = value as? [UInt8] {
            byteCount += bytes.count
        } else if depth < 24 {
            for child in Mirror(reflecting: value).children { add(child.value, depth: depth + 1) }
        }
    }
}
