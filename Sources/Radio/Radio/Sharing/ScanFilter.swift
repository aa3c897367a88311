package import Bluetooth

/// Decides which reports a scan with a filter delivers: both of each device that either of them names a service of.
///
/// Bounded: it remembers the 256 devices heard last.
package struct ScanFilter {
    private static let maximumDevices = 256

    private struct ScannedDevice {
        var isMatched = false
        /// The last advertisement of a device that has not matched.
        var held: AdvertisementReport?
    }

    private let services: [BluetoothUUID]
    private var devices: [DeviceAddress: ScannedDevice] = [:]
    private var order: [DeviceAddress] = []

    /// Makes a filter; without services it lets everything through.
    package init(services: [BluetoothUUID]) {
        self.services = services
    }

    /// The reports to deliver now that `report` was heard.
    package mutating func reports(after report: AdvertisementReport) -> [AdvertisementReport] {
        if services.isEmpty { return [report] }
        if devices[report.address] == nil { makeRoom(for: report.address) }
        var device = devices[report.address] ?? ScannedDevice()
        defer { devices[report.address] = device }
        if device.isMatched { return [report] }
        if namesService(report.data) {
            device.isMatched = true
            defer { device.held = nil }
            return [device.held, report].compactMap { $0 }
        }
        device.held = report.kind == .scanResponse ? device.held : report
        return []
    }

    /// Returns true when the reports of a device are delivered.
    package func passes(_ address: DeviceAddress) -> Bool {
        services.isEmpty || devices[address]?.isMatched == true
    }

    private mutating func makeRoom(for address: DeviceAddress) {
        if order.count >= Self.maximumDevices { devices[order.removeFirst()] = nil }
        order.append(address)
    }

    private func namesService(_ bytes: [UInt8]) -> Bool {
        let data = AdvertisingData(parsing: bytes)
        return (data.serviceUUIDs + data.serviceData.map(\.uuid)).contains(where: services.contains)
    }
}
