import Bluetooth

/// Where a device is and how well it sends and hears: plain numbers, because each look compares those of many devices.
struct Antenna: Sendable {
    var place: Place
    /// Where the one who carries it looks, of length 1.
    var heading = Place(1, 0)
    let transmitOffset: Double
    let receiveOffset: Double
}

/// What all others may know of a device beside where it is: what it puts on the air.
struct Station: Sendable {
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
    /// Whether it is that of an iPhone whose application is in the background.
    let isInBackground: Bool
}

/// What changes on the air for all to see.
enum StationUpdate: Sendable {
    case advertisement(Int, StationAdvertisement?)
    case address(Int, DeviceAddress)
}

/// All devices at one instant, and which are near which: read by everybody, changed between instants.
struct Sky: Sendable {
    private(set) var stations: [Station]
    private(set) var antennas: [Antenna]
    private var walks: [Walk]
    private var owners: [DeviceAddress: Int] = [:]
    private var cellStart: [Int32] = []
    private var cellItems: [Int32] = []
    private var columns = 1
    private var rows = 1
    private var origin = Place(0, 0)
    private let cell = RadioModel.reach
    let model: RadioModel

    init(_ members: [(antenna: Antenna, station: Station, walk: Walk)], seed: UInt64) {
        antennas = members.map(\.antenna)
        stations = members.map(\.station)
        walks = members.map(\.walk)
        model = RadioModel(seed: seed)
        for index in stations.indices { owners[stations[index].address] = index }
        move(to: 0)
    }

    /// Whose address that is at present.
    func owner(of address: DeviceAddress) -> Int? { owners[address] }

    func mean(at receiver: Int, of sender: Int) -> Double {
        model.mean(antennas[receiver], antennas[sender], receiver, sender)
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
        for index in antennas.indices {
            let old = antennas[index].place
            let new = walks[index].place(at: time)
            guard new != old else { continue }
            let way = old.squaredDistance(to: new).squareRoot()
            antennas[index].place = new
            if way > 0.05 { antennas[index].heading = Place((new.x - old.x) / way, (new.y - old.y) / way) }
        }
        sort()
    }

    /// Sorts devices into square cells as wide as signals reach.
    private mutating func sort() {
        var (low, high) = (Place(.infinity, .infinity), Place(-.infinity, -.infinity))
        for antenna in antennas {
            low = Place(min(low.x, antenna.place.x), min(low.y, antenna.place.y))
            high = Place(max(high.x, antenna.place.x), max(high.y, antenna.place.y))
        }
        guard !antennas.isEmpty else { return }
        origin = low
        columns = min(Int((high.x - low.x) / cell) + 1, 1024)
        rows = min(Int((high.y - low.y) / cell) + 1, 1024)
        var counts = [Int32](repeating: 0, count: columns * rows + 1)
        let homes = antennas.map { home(of: $0.place) }
        for home in homes { counts[home + 1] += 1 }
        for index in 1..<counts.count { counts[index] += counts[index - 1] }
        cellStart = counts
        cellItems = [Int32](repeating: 0, count: antennas.count)
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
        let place = antennas[index].place
        let (column, row) = (column(place), row(place))
        for line in max(0, row - 1)...min(rows - 1, row + 1) {
            let first = cellStart[line * columns + max(0, column - 1)]
            let last = cellStart[line * columns + min(columns - 1, column + 1) + 1]
            for item in first..<last {
                let other = Int(cellItems[Int(item)])
                if other != index, antennas[other].place.squaredDistance(to: place) <= cell * cell { body(other) }
            }
        }
    }
}
