/// A bounded cache that evicts, half of the capacity at a time, what has not been used for longest.
///
/// Entries are in two generations. What is inserted or used is in the young one; when that has half of the capacity, it
/// becomes the old one and the previous old one is dropped. So an entry survives as long as it is used again before
/// half of the capacity of other entries was. Each operation costs one or two look-ups in a dictionary.
public struct GenerationalCache<Key: Hashable, Value> {
    /// The most entries that the cache holds.
    public let capacity: Int

    @usableFromInline var young: [Key: Value] = [:]
    @usableFromInline var old: [Key: Value] = [:]

    /// Makes an empty cache of `capacity` entries, at least 2.
    @inlinable public init(capacity: Int) {
        precondition(capacity >= 2, "a cache of two generations has room for two entries")
        self.capacity = capacity
    }

    /// The number of entries.
    @inlinable public var count: Int { young.count + old.count }

    /// Returns the value under `key` without counting as use; nil when there is none.
    @inlinable public func peek(_ key: Key) -> Value? { young[key] ?? old[key] }

    /// Returns the value under `key` and counts as use; nil when there is none.
    @inlinable public mutating func use(_ key: Key) -> Value? {
        if let value = young[key] { return value }
        guard let value = old[key] else { return nil }
        insert(value, for: key)
        return value
    }

    /// Puts `value` under `key`, in place of what is there; counts as use.
    @inlinable public mutating func insert(_ value: Value, for key: Key) {
        if young[key] == nil {
            if young.count >= capacity / 2 {
                old = young
                young = [:]
            } else {
                old[key] = nil
            }
        }
        young[key] = value
    }

    /// Removes the entry under `key`.
    @inlinable public mutating func remove(_ key: Key) {
        young[key] = nil
        old[key] = nil
    }

    /// Removes the entries whose value satisfies the condition.
    @inlinable public mutating func removeAll(where isUnwanted: (Value) -> Bool) {
        young = young.filter { !isUnwanted($0.value) }
        old = old.filter { !isUnwanted($0.value) }
    }

    /// Removes all entries.
    @inlinable public mutating func removeAll() {
        young = [:]
        old = [:]
    }
}

extension GenerationalCache: Sendable where Key: Sendable, Value: Sendable {}
