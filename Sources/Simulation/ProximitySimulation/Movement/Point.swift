/// A point on the floor, in metres.
public struct Point: Hashable, Sendable {
    /// Metres to the east.
    public var x: Double
    /// Metres to the north.
    public var y: Double

    /// Makes a point.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    /// The square of the distance, in square metres.
    func squaredDistance(to other: Point) -> Double {
        (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)
    }
}
