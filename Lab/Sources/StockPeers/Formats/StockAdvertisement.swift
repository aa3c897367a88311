import Bluetooth

/// The bytes on the air before a connection, laid out one by one.
public enum StockAdvertisement {
    /// The longest name with which the advertisement still fits; a longer one is never advertised, and no error is
    /// raised.
    public static let longestNameBytes = 14

    /// The advertisement (flags, list of one service, service data) and the scan response (service data).
    ///
    /// Nil when the name is too long. The key has 32 bytes.
    public static func make(
        name: String, key: [UInt8], generation: StockGeneration
    ) -> (data: [UInt8], scanResponse: [UInt8])? {
        guard name.utf8.count <= longestNameBytes else { return nil }
        let service = generation.service.littleEndian
        let content = service + identity(name: name, leadingKey: Array(key.prefix(5)))
        let rest = generation.scanResponse.littleEndian + key.dropFirst(5)
        let data = [2, 0x01, 0x02, 3, 0x03] + service + [UInt8(content.count + 1), 0x16] + content
        return (data, [UInt8(rest.count + 1), 0x16] + rest)
    }

    /// The service data of the advertisement: name, underscore, first five key bytes.
    public static func identity(name: String, leadingKey: [UInt8]) -> [UInt8] {
        Array(name.utf8) + [0x5F] + leadingKey
    }
}
