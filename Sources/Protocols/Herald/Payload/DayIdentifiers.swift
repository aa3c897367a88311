import CryptoSuite

/// The contact identifiers of one day, derived from its matching key.
///
/// Seeds run backwards: c[240] = h(matching key), c[j] = h(t(c[j + 1])); the contact key of a period is c[j] ⊕ c[j − 1]
/// hashed, and its first half is the identifier. Period 240 exists in the chain and is never sent.
public struct DayIdentifiers: Hashable, Sendable {
    /// The bytes of the day's 241 identifiers, 16 each, one after the other.
    private let bytes: [UInt8]

    /// Derives all identifiers of a day with 483 digests.
    ///
    /// - Parameter matchingKey: 32 bytes; any other count gives other identifiers and is no error.
    public init(matchingKey: [UInt8]) {
        let last = SimplePayloadCalendar.periodsPerDay
        var seed = SHA256.hash(matchingKey)
        var keys: [[UInt8]] = []
        keys.reserveCapacity(last + 1)
        for _ in 0...last {
            let previous = SHA256.hash(seed.prefix(16))
            keys.append(SHA256.hash((0..<32).map { seed[$0] ^ previous[$0] }))
            seed = previous
        }
        bytes = keys.reversed().flatMap { $0.prefix(SimplePayload.identifierBytes) }
    }

    /// The number of identifiers of a day: 241.
    public var count: Int { bytes.count / SimplePayload.identifierBytes }

    /// The identifier of a period in 16 bytes; nil for a period outside 0 to 240.
    public subscript(period: Int) -> [UInt8]? {
        guard (0..<count).contains(period) else { return nil }
        let start = period * SimplePayload.identifierBytes
        return Array(bytes[start..<start + SimplePayload.identifierBytes])
    }
}
