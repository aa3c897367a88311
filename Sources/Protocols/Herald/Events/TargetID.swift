/// The identifier of one noticed device while it has a record; never reused by the same node.
///
/// It reveals nothing about the device and has no meaning elsewhere.
public struct TargetID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of the device, counted from 1 in the order in which devices were noticed.
    public let number: UInt64

    /// Makes the identifier of device `number`.
    public init(_ number: UInt64) { self.number = number }

    /// Orders devices by the time at which they were noticed.
    public static func < (left: TargetID, right: TargetID) -> Bool { left.number < right.number }

    /// The number of the device in decimal digits.
    public var description: String { String(number) }
}

/// The identifier of one message of the application while the node lives.
public struct HeraldMessageID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of the message, counted from 1.
    public let number: UInt64

    /// Makes the identifier of message `number`.
    public init(_ number: UInt64) { self.number = number }

    /// Orders messages by the time of their requests.
    public static func < (left: HeraldMessageID, right: HeraldMessageID) -> Bool { left.number < right.number }

    /// The number of the message in decimal digits.
    public var description: String { String(number) }
}
