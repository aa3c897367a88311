import Determinism

/// The location of a device over time.
public struct DeviceWalk: Sendable {
    /// A point that a device passes at a time.
    public struct Waypoint: Hashable, Sendable {
        /// The time of the waypoint, in seconds from the beginning of the walk.
        public var time: Double
        /// The position of the waypoint.
        public var position: FloorPoint

        /// Makes a waypoint.
        public init(_ time: Double, _ position: FloorPoint) {
            self.time = time
            self.position = position
        }
    }

    /// A random walk without an end: the device pauses, walks to another point, and so on.
    struct RandomWalk: Sendable {
        var random: SeededRandom
        let width: Double
        let height: Double
        let speed: Double
        let pause: ClosedRange<Int>
        /// The longest distance between two points of the walk, in metres.
        let stride: Double
    }

    private var points: [Waypoint]
    /// The seconds after which a walk begins again; nil for a walk that ends at its last point.
    private let period: Double?
    private var roaming: RandomWalk?
    private var index = 0
    private var lap = 0.0

    /// Makes a walk that stays at one point.
    public init(at position: FloorPoint) { self.init(along: [Waypoint(0, position)]) }

    /// Makes a walk from point to point in straight lines.
    ///
    /// - Parameters:
    ///   - points: at least one, times ascending.
    ///   - period: the seconds after which it begins again; nil for one that stays at the last point.
    public init(along points: [Waypoint], period: Double? = nil) {
        precondition(!points.isEmpty, "a walk has at least one point")
        self.points = points
        self.period = period.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Makes a walk between random points of a rectangle with a corner at the origin.
    init(roaming: RandomWalk, from start: FloorPoint) {
        points = [Waypoint(0, start)]
        period = nil
        self.roaming = roaming
    }

    /// The first point of the walk.
    var start: FloorPoint { points[0].position }

    /// Returns the position at `time`, in seconds; times must not decrease.
    mutating func position(at time: Double) -> FloorPoint {
        var time = time - lap
        if let period {
            while time >= period {
                lap += period
                time -= period
                index = 0
            }
        }
        extend(beyond: time)
        while index + 1 < points.count, points[index + 1].time <= time { index += 1 }
        guard index + 1 < points.count else { return points[index].position }
        let (from, to) = (points[index], points[index + 1])
        let share = (time - from.time) / max(1e-9, to.time - from.time)
        guard share > 0 else { return from.position }
        return FloorPoint(
            from.position.x + (to.position.x - from.position.x) * share,
            from.position.y + (to.position.y - from.position.y) * share)
    }

    /// Draws random points up to `time`, and removes earlier ones.
    private mutating func extend(beyond time: Double) {
        guard var roaming else { return }
        while let last = points.last, last.time <= time {
            let rest = last.time + Double(roaming.random.within(roaming.pause))
            let goal = FloorPoint(
                roaming.coordinate(near: last.position.x, upTo: roaming.width),
                roaming.coordinate(near: last.position.y, upTo: roaming.height))
            let way = last.position.squaredDistance(to: goal).squareRoot()
            points = [last, Waypoint(rest, last.position), Waypoint(rest + 0.001 + way / roaming.speed, goal)]
            index = 0
        }
        self.roaming = roaming
    }
}

extension DeviceWalk.RandomWalk {
    fileprivate mutating func coordinate(near old: Double, upTo limit: Double) -> Double {
        let step = (Double(random.within(-1000...1000)) / 1000) * stride
        return min(max(old + step, 0), limit)
    }
}
