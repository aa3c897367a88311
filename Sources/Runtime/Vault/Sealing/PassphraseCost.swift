/// The work of opening a vault with a passphrase, or of guessing one: the parameters of Argon2id.
public struct PassphraseCost: Hashable, Sendable {
    /// Argon2id's number of passes over the memory: 1 to 16.
    public let operations: UInt32

    /// The memory in KiB: 8 to 1,048,576 (1 GiB).
    public let memoryKiB: UInt32

    /// The usual cost: 256 MiB of memory, about half a second.
    public static let moderate = PassphraseCost(operations: 3, memoryKiB: 256 * 1024, isChecked: ())

    /// Makes a cost; nil when it is out of range.
    public init?(operations: UInt32, memoryKiB: UInt32) {
        guard (1...16).contains(operations), (8...1_048_576).contains(memoryKiB) else { return nil }
        self.init(operations: operations, memoryKiB: memoryKiB, isChecked: ())
    }

    private init(operations: UInt32, memoryKiB: UInt32, isChecked: ()) {
        self.operations = operations
        self.memoryKiB = memoryKiB
    }
}
