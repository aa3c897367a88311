import Bluetooth

/// The advertisers that a phone's stack remembers, so that it reports advertisement and scan response together.
struct ScanMemory: Sendable {
    private static let limit = 64
    private var latest: [(address: DeviceAddress, data: AdvertisingData)] = []

    /// The data that the app receives for a report: the advertisement alone at first, then both together.
    mutating func take(_ report: AdvertisementReport) -> AdvertisingData? {
        let data = AdvertisingData(parsing: report.data)
        guard report.kind == .scanResponse else {
            latest.removeAll { $0.address == report.address }
            latest.append((report.address, data))
            if latest.count > Self.limit { latest.removeFirst() }
            return data
        }
        guard let first = latest.first(where: { $0.address == report.address })?.data else { return nil }
        return AdvertisingData(first.structures + data.structures)
    }
}
