/// The position of a device and its gains: plain numbers, because each search compares those of many devices.
struct DevicePlacement: Sendable {
    var position: FloorPoint
    /// The direction in which the owner of the device looks, a vector of length 1.
    var heading = FloorPoint(1, 0)
    let transmitOffset: Double
    let receiveOffset: Double
}

/// The positions of all devices at one instant, with a grid to find those within reach: read by all shards, changed
/// between instants.
struct DevicePositions: Sendable {
    private(set) var antennas: [DevicePlacement]
    /// The antennas in the order of grid cells, so that near ones are adjacent in memory; and their devices.
    private var sorted: [DevicePlacement]
    private var sortedItems: [Int32]
    private var cellStart: [Int32] = []
    private var columns = 1
    private var rows = 1
    private var origin = FloorPoint(0, 0)
    private let cell = SignalPropagationModel.reach
    let model: SignalPropagationModel
    /// The number of pairs of devices in adjacent cells, in both directions: at least those within reach.
    private(set) var closePairs = 0

    init(_ antennas: [DevicePlacement], seed: UInt64) {
        self.antennas = antennas
        sorted = antennas
        sortedItems = [Int32](repeating: 0, count: antennas.count)
        model = SignalPropagationModel(seed: seed)
        sort()
    }

    func mean(at receiver: Int, of sender: Int) -> Double {
        model.mean(antennas[receiver], antennas[sender], receiver, sender)
    }

    /// Moves all devices to their positions at `time`, in seconds.
    mutating func move(to time: Double, _ walks: inout [DeviceWalk]) {
        for index in antennas.indices {
            let old = antennas[index].position
            let new = walks[index].position(at: time)
            guard new != old else { continue }
            let way = old.squaredDistance(to: new).squareRoot()
            antennas[index].position = new
            if way > 0.05 { antennas[index].heading = FloorPoint((new.x - old.x) / way, (new.y - old.y) / way) }
        }
        sort()
    }

    /// Sorts devices into square grid cells as wide as signals reach.
    private mutating func sort() {
        var (low, high) = (FloorPoint(.infinity, .infinity), FloorPoint(-.infinity, -.infinity))
        for antenna in antennas {
            low = FloorPoint(min(low.x, antenna.position.x), min(low.y, antenna.position.y))
            high = FloorPoint(max(high.x, antenna.position.x), max(high.y, antenna.position.y))
        }
        guard !antennas.isEmpty else { return }
        origin = low
        columns = min(Int((high.x - low.x) / cell) + 1, 1024)
        rows = min(Int((high.y - low.y) / cell) + 1, 1024)
        var counts = [Int32](repeating: 0, count: columns * rows + 1)
        let cellIndices = antennas.map { cellIndex(of: $0.position) }
        for cellIndex in cellIndices { counts[cellIndex + 1] += 1 }
        for index in 1..<counts.count { counts[index] += counts[index - 1] }
        cellStart = counts
        closePairs = cellIndices.reduce(0) { $0 + around($1) - 1 }
        for (index, cellIndex) in cellIndices.enumerated() {
            let offset = Int(counts[cellIndex])
            sortedItems[offset] = Int32(index)
            sorted[offset] = antennas[index]
            counts[cellIndex] += 1
        }
    }

    /// The number of devices in a grid cell and the adjacent ones.
    private func around(_ cellIndex: Int) -> Int {
        let (column, row) = (cellIndex % columns, cellIndex / columns)
        var count = 0
        for line in max(0, row - 1)...min(rows - 1, row + 1) {
            let first = cellStart[line * columns + max(0, column - 1)]
            count += Int(cellStart[line * columns + min(columns - 1, column + 1) + 1] - first)
        }
        return count
    }

    private func column(_ position: FloorPoint) -> Int { min(max(Int((position.x - origin.x) / cell), 0), columns - 1) }

    private func row(_ position: FloorPoint) -> Int { min(max(Int((position.y - origin.y) / cell), 0), rows - 1) }

    private func cellIndex(of position: FloorPoint) -> Int { row(position) * columns + column(position) }

    /// Calls `body` with each other device within reach of one and its antenna, in an order that depends on the
    /// positions alone.
    func forEachNearby(of index: Int, _ body: (Int, DevicePlacement) -> Void) {
        let position = antennas[index].position
        let (column, row) = (column(position), row(position))
        for line in max(0, row - 1)...min(rows - 1, row + 1) {
            let first = Int(cellStart[line * columns + max(0, column - 1)])
            let last = Int(cellStart[line * columns + min(columns - 1, column + 1) + 1])
            for item in first..<last where sorted[item].position.squaredDistance(to: position) <= cell * cell {
                let other = Int(sortedItems[item])
                if other != index { body(other, sorted[item]) }
            }
        }
    }
}
