public import DIDComm

/// A part of the list of an account's keys, in the order of their registration.
public struct KeylistPage: Hashable, Sendable {
    /// The most keys in one part.
    public static let maximumCount = 100

    /// The recipient keys in this part of the list.
    public let keys: [Verkey]

    /// The number of keys on the whole list.
    public let total: Int

    /// Makes a part of the list from its keys and the number of all.
    public init(keys: [Verkey], total: Int) {
        self.keys = keys
        self.total = total
    }
}
