public import Bluetooth
import Determinism
public import Radio

// The central role: scanning.
extension BlueZRadio {
    /// One consumer of reports.
    struct Scan {
        var filter: ScanFilter
        let continuation: AsyncThrowingStream<AdvertisementReport, any Error>.Continuation
    }

    /// The most streams of reports at a time.
    private static let maximumScans = 16
    /// How often in a row a discovery may fail to start.
    private static let maximumFailures = 20

    /// Starts scanning, see `CentralRadio`.
    public func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try await awaitPresence()
        guard scans.count < Self.maximumScans else {
            throw RadioError(.tooLarge, "\(scans.count) scans are under way already")
        }
        let (stream, continuation) = AsyncThrowingStream<AdvertisementReport, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(256))
        let number = nextNumber()
        scans[number] = Scan(filter: ScanFilter(services: services), continuation: continuation)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.endScan(number) }
        }
        discoverIfWanted()
        return stream
    }

    /// bluetoothd told of a device that was heard.
    func heard(_ device: [String: DBusValue]) {
        guard !scans.isEmpty, let report = DeviceReport.report(of: device) else { return }
        pace.heard(report.address)
        tap(.report(report), .received, link: 0, peer: report.address)
        for number in scans.keys.sorted() {
            for wanted in scans[number]?.filter.reports(after: report) ?? [] {
                scans[number]?.continuation.yield(wanted)
            }
        }
    }

    func failScans(_ error: RadioError) {
        for number in scans.keys.sorted() { scans[number]?.continuation.finish(throwing: error) }
        scans = [:]
    }

    private func endScan(_ number: UInt64) {
        guard scans.removeValue(forKey: number) != nil else { return }
        wake()
    }

    // MARK: - Discovery

    /// Whether bluetoothd should look for devices.
    private var wantsDiscovery: Bool {
        !isClosed && (!scans.isEmpty || attempts.first.map { $0.needsDiscovery && !$0.isOver } ?? false)
    }

    /// Whether it may, at the moment.
    private var mayDiscover: Bool { discoveryHolds == 0 && absentSince == nil }

    /// Starts the task that keeps discovery going, unless it runs.
    func discoverIfWanted() {
        wake()
        guard wantsDiscovery, discovery == nil else { return }
        discovery = Task {
            var failures = 0
            while wantsDiscovery {
                guard mayDiscover else {
                    _ = await until(.seconds(60)) { !self.wantsDiscovery || self.mayDiscover }
                    continue
                }
                failures = await discoverOnce() ? 0 : failures + 1
                if failures >= Self.maximumFailures {
                    failScans(RadioError(.unavailable, "bluetoothd does not start to look for devices."))
                    failures = 0
                }
            }
            discovery = nil
        }
    }

    private func discoverOnce() async -> Bool {
        let filter = DBusValue.properties([("Transport", .string("le")), ("DuplicateData", .bool(true))])
        _ = await call(adapterPath, BlueZ.adapter, "SetDiscoveryFilter", [filter])
        let isStarted: Bool
        switch await call(adapterPath, BlueZ.adapter, "StartDiscovery") {
        case .success: isStarted = true
        case .failure(let error): isStarted = error.name.hasSuffix("InProgress")
        }
        guard isStarted else {
            _ = await until(.milliseconds(500)) { !self.wantsDiscovery || !self.mayDiscover }
            return false
        }
        isDiscovering = true
        pace.begin()
        _ = await until(DiscoveryPace.silent) { !self.wantsDiscovery || !self.mayDiscover }
        if !pace.isSilent {
            _ = await until(DiscoveryPace.least - DiscoveryPace.silent) { !self.wantsDiscovery || !self.mayDiscover }
        }
        if pace.isRepeating {
            _ = await until(DiscoveryPace.most - DiscoveryPace.least) { !self.wantsDiscovery || !self.mayDiscover }
        }
        if absentSince == nil { _ = await call(adapterPath, BlueZ.adapter, "StopDiscovery") }
        isDiscovering = false
        wake()
        return true
    }
}
