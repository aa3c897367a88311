public import DIDComm

/// A page of the list of an account's keys, in the order of their registration.
public struct KeylistPage: Hashable, Sendable {
    /// The most keys on one page of the key list.
    public static let maximumCount = 100

    /// The recipient keys on this page of the list.
    public let keys: [Verkey]

    /// The number of keys in the whole list.
    public let total: Int

    /// Makes a page of the list from its keys and the number of all.
    public init(keys: [Verkey], total: Int) {
        self.keys = keys
        self.total = total
    }
}
