/// A point on the floor, in metres.
public struct FloorPoint: Hashable, Sendable {
    /// The distance to the east of the origin, in metres.
    public var x: Double
    /// The distance to the north of the origin, in metres.
    public var y: Double

    /// Makes a point.
    public init(_ x: Double, _ y: Double) {
        self.x = x
        self.y = y
    }

    /// The square of the distance to another point, in square metres.
    func squaredDistance(to other: FloorPoint) -> Double {
        (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)
    }
}
