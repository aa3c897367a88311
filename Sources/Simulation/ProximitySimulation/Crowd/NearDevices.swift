import Bluetooth

/// The devices that one device may hear, with their signal strengths.
struct NearDevices: Sendable {
    struct NearDevice: Sendable {
        let device: Int
        /// The mean signal strength at which the device is heard, in dBm.
        let mean: Double
    }

    private(set) var found: [NearDevice] = []
    private var addresses: [DeviceAddress] = []

    /// Finds the devices near `me`, and their mean signal strengths.
    mutating func survey(_ me: Int, _ stations: SimulatedDeviceRadios, _ positions: DevicePositions) {
        found.removeAll(keepingCapacity: true)
        addresses.removeAll(keepingCapacity: true)
        let antenna = positions.antennas[me]
        positions.forEachNearby(of: me) { other, its in
            let mean = positions.model.mean(antenna, its, me, other)
            guard mean >= SignalPropagationModel.sensitivity - 12 else { return }
            found.append(NearDevice(device: other, mean: mean))
        }
        for one in found { addresses.append(stations[one.device].address) }
    }

    /// Prefetches the memory about all near devices, so that the waits for it overlap.
    func prefetch(for device: inout CrowdDevice, _ stations: SimulatedDeviceRadios) -> UInt64 {
        var sum: UInt64 = 0
        for one in found { sum &+= device.measurements.figures.pairs.prefetch(one.device) }
        for one in found { sum &+= UInt64(stations.bytes[stations.range(of: one.device).lowerBound]) }
        return sum &+ device.host.prefetch(addresses.span)
    }
}
