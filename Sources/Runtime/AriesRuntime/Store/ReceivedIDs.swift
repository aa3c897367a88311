import ByteCoding
import CryptoSuite
import DIDComm
import Vault

/// The last messages of one connection, by hashes of sender and `@id`, so that none is processed twice.
struct ReceivedIDs: Sendable {
    /// How many are remembered.
    static let capacity = 512

    private static let hashBytes = 16

    private var hashes: [[UInt8]] = []
    private var storeVersion: UInt64 = 0

    init() {}

    init(_ record: StoredRecord) {
        storeVersion = record.version
        var reader = ByteReader(record.value)
        while let hash = reader.bytes(Self.hashBytes) { hashes.append(Array(hash)) }
    }

    /// Whether a message is new; it is remembered, and the oldest forgotten.
    mutating func insert(sender: Verkey, id: String) -> Bool {
        let hash = Array(SHA256.hash(sender.bytes + Array(id.utf8)).prefix(Self.hashBytes))
        guard !hashes.contains(hash) else { return false }
        if hashes.count >= Self.capacity { hashes.removeFirst() }
        hashes.append(hash)
        return true
    }

    func save(_ connection: String, in store: any RecordWriting) throws {
        let value = Array(hashes.joined())
        guard storeVersion > 0 else {
            try store.insert(connection, in: AgentCategories.received, tags: [], value: value)
            return
        }
        try store.replace(connection, in: AgentCategories.received, expecting: storeVersion, tags: [], value: value)
    }
}
