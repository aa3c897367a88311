import Bluetooth

/// Decides how long a discovery lasts before the next one begins.
///
/// Many controllers, and bluetoothd's own emulator, tell of a device once for each discovery, so that the next is due
/// after two seconds. Those that tell of every advertisement need none, and what is heard while the kernel begins one
/// is lost: it lasts until shortly before the kernel ends it, after 10.24 seconds. Where nothing at all was heard, the
/// one report of a device may be what was lost, and the next begins soon.
struct ScanDiscoverySchedule {
    /// The length of a discovery in which no device is heard.
    static let silent = Duration.milliseconds(500)
    /// The least length of a discovery in which a device is heard.
    static let least = Duration.seconds(2)
    /// The total length where advertisements are reported repeatedly.
    static let most = Duration.seconds(9)
    /// The number of reports of one device within `least` by which a controller is known to repeat.
    static let repeats = 4

    private static let deviceLimit = 64
    private var counts: [DeviceAddress: Int] = [:]

    /// True when no device was reported since `begin`.
    var isSilent: Bool { counts.isEmpty }

    /// True when a device was reported repeatedly since `begin`.
    private(set) var isRepeating = false

    /// Records that a discovery begins.
    mutating func begin() {
        counts.removeAll(keepingCapacity: true)
        isRepeating = false
    }

    /// Counts a report of a device.
    mutating func heard(_ address: DeviceAddress) {
        guard !isRepeating, counts[address] != nil || counts.count < Self.deviceLimit else { return }
        counts[address, default: 0] += 1
        isRepeating = counts[address, default: 0] >= Self.repeats
    }
}
