import Determinism

/// The scenarios that come with the program.
public enum BuiltInCrowdScenario: String, Hashable, Sendable, CaseIterable {
    /// Desks two metres apart; people leave from time to time.
    case office
    /// One device in the middle; the others walk away from it and back.
    case star
    /// Two columns that walk past each other.
    case parade
    /// A bus at whose stops people get on and off.
    case bus
    /// People who move about a hall: about thirty are in range of each, whatever their number.
    case crowd500 = "crowd-500"
    /// Slow phones in rows of eight, half a metre apart: fifty are in range of each.
    case slow50 = "slow-50"

    /// The default number of devices in the scenario.
    public var deviceCount: Int {
        switch self {
        case .office, .star: 10
        case .parade: 20
        case .bus: 30
        case .crowd500: 500
        case .slow50: 51
        }
    }

    /// Makes the scenario; the seed decides the kinds of phones and their movements.
    public func scenario(devices: Int, seed: UInt64) -> CrowdScenario {
        var random = SeededRandom(seed: seed ^ 0x5343_454E)
        let members = (0..<devices).map { index in
            let phone = CrowdPhoneProfile(kind(of: index))
            return CrowdScenario.Member(phone, walk(index, of: devices, &random))
        }
        return CrowdScenario(name: rawValue, members: members, lookSeconds: self == .crowd500 ? 5 : 1)
    }

    /// Returns the kind of a phone: any ten phones in a row have all kinds; in a hall, one in fifty is an iPhone.
    private func kind(of index: Int) -> CrowdPhoneProfile.Kind {
        if self == .slow50 { return .slow }
        let round: [CrowdPhoneProfile.Kind] =
            self == .crowd500
            ? [.android, .older, .android, .rotating, .android, .android, .older, .android, .android, .android]
            : [.android, .older, .iPhone, .rotating, .silent, .android, .iPhone, .older, .android, .background]
        if self == .crowd500 { return index % 50 == 49 ? .iPhone : round[index % round.count] }
        // One phone cannot advertise, because such a phone reaches at most a dozen others in half a minute.
        return index == 14 || index == 24 ? .android : round[index % round.count]
    }

    private func walk(_ index: Int, of count: Int, _ random: inout SeededRandom) -> DeviceWalk {
        switch self {
        case .office: Self.seat(index, of: count, &random)
        case .star: Self.spoke(index, of: count)
        case .parade: Self.column(index, of: count)
        case .bus: Self.ride(index, &random)
        case .crowd500: Self.roam(count, &random)
        case .slow50: DeviceWalk(at: FloorPoint(Double(index % 8) / 2, Double(index / 8) / 2))
        }
    }

    private static func seat(_ index: Int, of count: Int, _ random: inout SeededRandom) -> DeviceWalk {
        let columns = max(1, Int(Double(count).squareRoot().rounded(.up)))
        let seat = FloorPoint(Double(index % columns) * 2, Double(index / columns) * 2)
        // To a meeting sixty metres away, for twenty minutes, once in two hours or so.
        let leaves = Double(random.within(1200...6000))
        let period = leaves + Double(random.within(1800...3600))
        let away = FloorPoint(seat.x + 60, seat.y)
        return DeviceWalk(
            along: [
                .init(0, seat), .init(leaves, seat), .init(leaves + 50, away), .init(leaves + 1250, away),
                .init(leaves + 1300, seat),
            ], period: period)
    }

    private static func spoke(_ index: Int, of count: Int) -> DeviceWalk {
        guard index > 0 else { return DeviceWalk(at: FloorPoint(0, 0)) }
        let direction = direction(index - 1, of: max(1, count - 1))
        func at(_ distance: Double) -> FloorPoint { FloorPoint(direction.x * distance, direction.y * distance) }
        return DeviceWalk(
            along: [.init(0, at(0.7)), .init(40, at(12)), .init(60, at(12)), .init(100, at(0.7))], period: 120)
    }

    /// Returns one of `count` directions around a circle, as a vector of length 1, computed without sines.
    private static func direction(_ index: Int, of count: Int) -> FloorPoint {
        // Points on a square, scaled to the circle.
        let around = Double(index) / Double(count) * 8
        let side = around.truncatingRemainder(dividingBy: 2) - 1
        let corners = [FloorPoint(1, side), FloorPoint(-side, 1), FloorPoint(-1, -side), FloorPoint(side, -1)]
        let corner = corners[min(3, Int(around / 2))]
        let length = (corner.x * corner.x + corner.y * corner.y).squareRoot()
        return FloorPoint(corner.x / length, corner.y / length)
    }

    private static func column(_ index: Int, of count: Int) -> DeviceWalk {
        let rank = Double(index / 2) * 3
        let length = max(60, Double(count) * 3)
        let speed = 1.2
        // Both columns stand for ten seconds, walk past each other, turn, and come back.
        let start = index % 2 == 0 ? FloorPoint(rank, 0) : FloorPoint(length - rank, 2)
        let goal = index % 2 == 0 ? FloorPoint(rank + length, 0) : FloorPoint(-rank, 2)
        let time = length / speed
        return DeviceWalk(
            along: [.init(0, start), .init(10, start), .init(10 + time, goal), .init(20 + time, goal)]
                + [.init(20 + 2 * time, start)], period: 30 + 2 * time)
    }

    private static func ride(_ index: Int, _ random: inout SeededRandom) -> DeviceWalk {
        let seat = FloorPoint(Double(index / 4 % 12), Double(index % 4) * 0.6)
        let stop = FloorPoint(seat.x + 200, seat.y + Double(random.within(0...20)))
        let stops = Double(random.within(1...5)) * 180
        let rides = stops + Double(random.within(2...8)) * 180
        let onBoard = Double(random.within(0...4)) * 180
        return DeviceWalk(
            along: [
                .init(0, seat), .init(onBoard, seat), .init(onBoard + 30, stop), .init(onBoard + stops, stop),
                .init(onBoard + stops + 30, seat),
            ], period: onBoard + rides + 60)
    }

    /// The side of a hall in which each of `count` devices has thirty others within fifteen metres on average, in
    /// metres.
    ///
    /// Most advertisements are received within that distance. A device near a wall has fewer around it, so a small hall
    /// is fuller than a large one; the smallest is fifteen metres wide.
    static func hallSide(for count: Int) -> Double {
        let reach = 15.0
        var (low, high) = (reach, 100 * reach * Double(count).squareRoot())
        for _ in 0..<60 {
            let side = (low + high) / 2
            // The share of pairs of random points in a square that are not farther apart.
            let part = reach / side
            let share = part * part * (Double.pi - part * (8.0 / 3 - part / 2))
            if Double(count - 1) * share > 30 { low = side } else { high = side }
        }
        return low
    }

    private static func roam(_ count: Int, _ random: inout SeededRandom) -> DeviceWalk {
        let side = hallSide(for: count)
        func coordinate() -> Double { Double(random.within(0...1_000_000)) / 1e6 * side }
        let start = FloorPoint(coordinate(), coordinate())
        return DeviceWalk(
            roaming: DeviceWalk.RandomWalk(
                random: random.split(), width: side, height: side, speed: 1, pause: 60...900, stride: 15), from: start)
    }
}
