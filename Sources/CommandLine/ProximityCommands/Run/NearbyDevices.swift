import ByteCoding
import Herald
import Terminal

/// The devices that are near, from the records of one device.
struct NearbyDevices: Sendable {
    /// One nearby device of the table.
    struct NearbyDeviceRow: Sendable {
        let peer: String
        var payload: [UInt8]?
        var isHerald = false
        /// The start of the contact in milliseconds since the start of the run; nil outside a contact.
        var since: Int?
        /// The length of the last ended contact, in milliseconds.
        var span: Int?
        var lastReading: Int?
        var rssi: Int?
        var distance: ProximityRecord?
        var readings = 0

        /// The shown name of the device: the short name of its payload, as the deployed libraries write it.
        var identity: String? { payload.map { ContactLog.shortName(of: $0) } }
    }

    /// The time for which a device without contact stays in the table, in milliseconds.
    static let stay = 60_000
    /// The most devices that are kept; the one heard longest ago is evicted.
    static let maximumDevices = 4096

    /// The nearby devices, in the order in which they were noticed.
    private(set) var devices: [NearbyDeviceRow] = []
    private var indices: [String: Int] = [:]

    init() {}

    /// The shown name of a device; nil while its payload is not known.
    func identity(of peer: String) -> String? { indices[peer].flatMap { devices[$0].identity } }

    /// Updates the devices from a record of this device's events.
    mutating func take(_ record: ProximityRecord) {
        guard let peer = record.peer else { return }
        switch record.kind {
        case .forget: remove(peer)
        case .merge:
            let payload = indices[peer].flatMap { devices[$0].payload }
            remove(peer)
            if let other = record.text, let payload { change(other) { $0.payload = $0.payload ?? payload } }
        case .detect: change(peer) { _ in }
        case .recognise: change(peer) { $0.isHerald = true }
        case .read:
            change(peer) {
                $0.payload = record.payload
                $0.isHerald = true
            }
        case .measure:
            change(peer) {
                $0.rssi = record.rssi
                $0.lastReading = record.at
                $0.readings += 1
            }
        case .distance: change(peer) { $0.distance = record }
        case .begin: change(peer) { $0.since = record.since }
        case .end:
            change(peer) {
                $0.since = nil
                $0.span = record.until.flatMap { until in record.since.map { max(0, until - $0) } }
            }
        default: break
        }
    }

    /// The Herald devices that are near at `now`, in the order in which they were noticed.
    func present(at now: Int) -> [NearbyDeviceRow] {
        devices.filter { $0.isHerald && ($0.since != nil || ($0.lastReading ?? .min) > now - Self.stay) }
    }

    /// Formats the table of nearby devices, cut to `rows` devices.
    ///
    /// - Parameter isOver: whether the run has ended, and with it all contacts, so that the table shows their lengths.
    func lines(
        at now: Int, rows: Int = .max, width: Int = .max, palette: TerminalPalette = .plain, isOver: Bool = false
    ) -> [String] {
        var table = TextTable([
            .init("identity"), .init("name"), .init("near for", alignsRight: true), .init("heard", alignsRight: true),
            .init("RSSI", alignsRight: true), .init("distance", alignsRight: true), .init("80 % between"),
        ])
        let present = present(at: now)
        for device in present.prefix(rows) {
            table.add([
                device.identity.map { TerminalText.sanitised($0) } ?? "–", device.peer,
                (device.since.map { now - $0 } ?? (isOver ? device.span : nil)).map {
                    NumberText.clock(Double($0) / 1000)
                } ?? "–",
                device.lastReading.map { NumberText.seconds(Double(max(0, now - $0)) / 1000) + " ago" } ?? "–",
                device.rssi.map { "\($0) dBm" } ?? "–", Self.metres(device.distance?.centimetres),
                device.distance.map { "\(Self.metres($0.low)) and \(Self.metres($0.high))" } ?? "–",
            ])
        }
        var lines = table.lines(width: width, palette: palette)
        if present.count > rows { lines.append("and \(present.count - rows) more") }
        return lines
    }

    private static func metres(_ centimetres: Int?) -> String {
        centimetres.map { NumberText.decimal(Double($0) / 100, places: 1) + " m" } ?? "–"
    }

    private mutating func change(_ peer: String, _ change: (inout NearbyDeviceRow) -> Void) {
        if let index = indices[peer] { return change(&devices[index]) }
        if devices.count >= Self.maximumDevices,
            let oldest = devices.min(by: { ($0.lastReading ?? .min) < ($1.lastReading ?? .min) })
        {
            remove(oldest.peer)
        }
        indices[peer] = devices.count
        devices.append(NearbyDeviceRow(peer: peer))
        change(&devices[devices.count - 1])
    }

    private mutating func remove(_ peer: String) {
        guard let index = indices.removeValue(forKey: peer) else { return }
        devices.remove(at: index)
        for index in devices.indices[index...] { indices[devices[index].peer] = index }
    }
}
