public import DIDComm

/// A part of the list of an account's keys, in the order of their registration.
public struct KeylistPage: Hashable, Sendable {
    /// The most keys in one part.
    public static let maximumCount = 100

    /// The keys.
    public let keys: [Verkey]

    /// How many keys there are in all.
    public let total: Int

    /// Describes a part.
    public init(keys: [Verkey], total: Int) {
        self.keys = keys
        self.total = total
    }
}
