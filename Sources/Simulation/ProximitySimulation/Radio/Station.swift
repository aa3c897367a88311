import Bluetooth

/// What all others may know of a device: where it is and what it puts on the air.
struct Station: Sendable {
    var place: Place
    /// Where the one who carries it looks, of length 1.
    var heading = Place(1, 0)
    let transmitOffset: Double
    let receiveOffset: Double
    var address: DeviceAddress
    var advertisement: StationAdvertisement?
    /// From how many fresh addresses it advertises beside its own, each time that somebody looks.
    let phantoms: Int
    /// Whether it ever advertises.
    let canAdvertise: Bool
}

/// What a device advertises.
struct StationAdvertisement: Hashable, Sendable {
    let data: [UInt8]
    let isConnectable: Bool
    let intervalMilliseconds: Double
}

/// What changes on the air for all to see.
enum StationUpdate: Sendable {
    case advertisement(Int, StationAdvertisement?)
    case address(Int, DeviceAddress)
}

/// All devices at one instant, and which are near which: read by everybody, changed between instants.
struct Sky: Sendable {
    private(set) var stations: [Station]
    private var walks: [Walk]
    private var owners: [DeviceAddress: Int] = [:]
    private var cellStart: [Int32] = []
    private var cellItems: [Int32] = []
    private var columns = 1
    private var rows = 1
    private var origin = Place(0, 0)
    private let cell = RadioModel.reach
    let model: RadioModel

    init(_ members: [(station: Station, walk: Walk)], seed: UInt64) {
        stations = members.map(\.station)
        walks = members.map(\.walk)
        model = RadioModel(seed: seed)
        for index in stations.indices { owners[stations[index].address] = index }
        move(to: 0)
    }

    /// Whose address that is at present.
    func owner(of address: DeviceAddress) -> Int? { owners[address] }

    func mean(at receiver: Int, of sender: Int) -> Double {
        model.mean(stations[receiver], stations[sender], receiver, sender)
    }

    mutating func apply(_ updates: [StationUpdate]) {
        for update in updates {
            switch update {
            case .advertisement(let index, let advertisement): stations[index].advertisement = advertisement
            case .address(let index, let address):
                owners[stations[index].address] = nil
                stations[index].address = address
                owners[address] = index
            }
        }
    }

    /// Puts everybody where he is at `time`, in seconds.
    mutating func move(to time: Double) {
        for index in stations.indices {
            let old = stations[index].place
            let new = walks[index].place(at: time)
            guard new != old else { continue }
            let way = old.squaredDistance(to: new).squareRoot()
            stations[index].place = new
            if way > 0.05 { stations[index].heading = Place((new.x - old.x) / way, (new.y - old.y) / way) }
        }
        sort()
    }

    /// Sorts devices into square cells as wide as signals reach.
    private mutating func sort() {
        var (low, high) = (Place(.infinity, .infinity), Place(-.infinity, -.infinity))
        for station in stations {
            low = Place(min(low.x, station.place.x), min(low.y, station.place.y))
            high = Place(max(high.x, station.place.x), max(high.y, station.place.y))
        }
        guard !stations.isEmpty else { return }
        origin = low
        columns = min(Int((high.x - low.x) / cell) + 1, 1024)
        rows = min(Int((high.y - low.y) / cell) + 1, 1024)
        var counts = [Int32](repeating: 0, count: columns * rows + 1)
        let homes = stations.map { home(of: $0.place) }
        for home in homes { counts[home + 1] += 1 }
        for index in 1..<counts.count { counts[index] += counts[index - 1] }
        cellStart = counts
        cellItems = [Int32](repeating: 0, count: stations.count)
        for (index, home) in homes.enumerated() {
            cellItems[Int(counts[home])] = Int32(index)
            counts[home] += 1
        }
    }

    private func column(_ place: Place) -> Int { min(max(Int((place.x - origin.x) / cell), 0), columns - 1) }

    private func row(_ place: Place) -> Int { min(max(Int((place.y - origin.y) / cell), 0), rows - 1) }

    private func home(of place: Place) -> Int { row(place) * columns + column(place) }

    /// Calls `body` with each other device within reach of one, in an order that its place decides.
    func forEachNeighbour(of index: Int, _ body: (Int) -> Void) {
        let place = stations[index].place
        let (column, row) = (column(place), row(place))
        for line in max(0, row - 1)...min(rows - 1, row + 1) {
            let first = cellStart[line * columns + max(0, column - 1)]
            let last = cellStart[line * columns + min(columns - 1, column + 1) + 1]
            for item in first..<last {
                let other = Int(cellItems[Int(item)])
                if other != index, stations[other].place.squaredDistance(to: place) <= cell * cell { body(other) }
            }
        }
    }
}
