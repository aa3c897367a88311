/// The limits of a JSON parser; each is checked before memory is allocated for what it limits.
public struct JSONLimits: Hashable, Sendable {
    /// The default limits for received JSON: 1 MiB, 32 deep, 10,000 members and elements each.
    public static let standard = JSONLimits()

    /// The greatest depth that can be asked for, because parsing and writing use the stack.
    public static let greatestDepth = 128

    /// The most bytes of the whole document.
    public var maximumBytes: Int

    /// The deepest nesting of objects and arrays; 0 allows neither.
    public var maximumDepth: Int

    /// The most bytes of one string or name, in UTF-8 and without escapes.
    public var maximumStringBytes: Int

    /// The most characters of one number.
    public var maximumNumberBytes: Int

    /// The most members of one object.
    public var maximumMembers: Int

    /// The most elements of one array.
    public var maximumElements: Int

    /// Makes limits; negative ones, and a depth beyond `greatestDepth`, are a mistake of the caller and trap.
    public init(
        maximumBytes: Int = 1 << 20, maximumDepth: Int = 32, maximumStringBytes: Int = 1 << 20,
        maximumNumberBytes: Int = 128, maximumMembers: Int = 10_000, maximumElements: Int = 10_000
    ) {
        precondition(
            maximumBytes >= 0 && maximumStringBytes >= 0 && maximumNumberBytes >= 0 && maximumMembers >= 0
                && maximumElements >= 0, "limits are not negative")
        precondition((0...Self.greatestDepth).contains(maximumDepth), "a depth is at most \(Self.greatestDepth)")
        self.maximumBytes = maximumBytes
        self.maximumDepth = maximumDepth
        self.maximumStringBytes = maximumStringBytes
        self.maximumNumberBytes = maximumNumberBytes
        self.maximumMembers = maximumMembers
        self.maximumElements = maximumElements
    }
}
