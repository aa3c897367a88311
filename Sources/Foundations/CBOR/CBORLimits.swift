/// The limits of a reader of CBOR (RFC 8949); each is checked before memory is taken for what it limits.
public struct CBORLimits: Hashable, Sendable {
    /// The most bytes of the whole input: 1 MiB; a program that reads larger inputs raises it.
    public var maximumBytes = 1 << 20

    /// The deepest nesting of arrays, maps and tags: 32.
    package static let maximumDepth = 32

    /// The most data items of the whole input: 200,000.
    package var maximumItems = 200_000

    /// Makes the usual limits.
    public init() {}
}
