import Determinism

/// A store of the bytes that a sensor keeps beyond its life, where the application chooses.
///
/// The bytes hold a secret; keep them as you keep a key.
public protocol SensorStateStore: Sendable {
    /// The bytes that were saved last; nil when there are none.
    func load() async throws -> [UInt8]?

    /// Replaces the stored state.
    func save(_ bytes: [UInt8]) async throws
}

/// Keeps the state as long as the process runs.
public final class MemoryStateStore: SensorStateStore {
    private let bytes: Lock<[UInt8]?>

    /// Makes a memory state store from its parts.
    public init(_ bytes: [UInt8]? = nil) { self.bytes = Lock(bytes) }

    /// The bytes that were saved last.
    public func load() async -> [UInt8]? { bytes.withLock { $0 } }

    /// Replaces the stored state.
    public func save(_ bytes: [UInt8]) async { self.bytes.withLock { $0 = bytes } }
}
