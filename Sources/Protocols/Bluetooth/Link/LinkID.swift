/// The identifier of one connection of a radio or a simulated radio; it is never reused.
///
/// A number has a meaning only to the radio or the air that gave it.
public struct LinkID: Hashable, Comparable, Sendable {
    /// The number of the connection, counted from 1.
    public let number: UInt64

    /// Makes the identifier of connection `number`.
    public init(_ number: UInt64) { self.number = number }

    /// Orders links by the time at which they came up.
    public static func < (left: LinkID, right: LinkID) -> Bool { left.number < right.number }
}
