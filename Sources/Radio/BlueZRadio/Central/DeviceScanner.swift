import Bluetooth
import Determinism
import Radio

/// Scans for every consumer at once, and has bluetoothd look for devices while a scan or a connect needs it.
final class DeviceScanner {
    /// One consumer of advertising reports.
    private struct ScanConsumer {
        var filter: ScanFilter
        let continuation: AsyncThrowingStream<AdvertisementReport, any Error>.Continuation
    }

    /// The most streams of reports at a time.
    private static let maximumScans = 16

    private let daemon: BluetoothdConnection
    private let recorder: PacketRecorder
    private var scans: [UInt64: ScanConsumer] = [:]
    private var lastScan: UInt64 = 0
    /// Keeps discovery going; nil while none is wanted.
    private var discovery: Task<Void, Never>?
    private var pace = ScanDiscoverySchedule()
    /// The number of connects that keep discovery off.
    private var holds = 0
    /// Returns true while a connect still needs a device to be found; nil when none does.
    private var isSearching: (() -> Bool)?

    /// True while a discovery that this program started is under way.
    private(set) var isDiscovering = false

    init(_ daemon: BluetoothdConnection, recorder: PacketRecorder) {
        self.daemon = daemon
        self.recorder = recorder
    }

    /// Starts scanning, see `CentralRadio`.
    func scan(
        services: [BluetoothUUID],
        isolation: isolated any Actor = #isolation
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try await daemon.adapter.awaitPresence()
        guard scans.count < Self.maximumScans else {
            throw RadioError(.tooLarge, "\(scans.count) scans are under way already")
        }
        let (stream, continuation) = AsyncThrowingStream<AdvertisementReport, any Error>.makeStream(
            bufferingPolicy: .bufferingNewest(256))
        lastScan += 1
        let number = lastScan
        scans[number] = ScanConsumer(filter: ScanFilter(services: services), continuation: continuation)
        continuation.onTermination = { [handle = daemon.handle] _ in
            handle.start { $0.central.scanner.endScan(number) }
        }
        discoverIfWanted()
        return stream
    }

    /// Passes bluetoothd's report of a device on to the scans that want it.
    ///
    /// Returns true when a scan for services does not know the device by one of them.
    func heard(_ device: [String: DBusValue]) -> Bool {
        guard !scans.isEmpty, let report = BlueZAdvertisementReport.report(of: device) else { return false }
        pace.heard(report.address)
        recorder.report(report)
        for number in scans.keys.sorted() {
            for wanted in scans[number]?.filter.reports(after: report) ?? [] {
                scans[number]?.continuation.yield(wanted)
            }
        }
        return scans.values.contains { !$0.filter.passes(report.address) }
    }

    /// Ends all scans with an error.
    func fail(_ error: RadioError) {
        for number in scans.keys.sorted() { scans[number]?.continuation.finish(throwing: error) }
        scans = [:]
    }

    func endScan(_ number: UInt64) {
        guard scans.removeValue(forKey: number) != nil else { return }
        daemon.waiters.wake()
    }

    /// Records that discovery has ended, because bluetoothd or the adapter went away.
    func stopped() { isDiscovering = false }

    func close() { discovery?.cancel() }

    // MARK: - For connects

    /// Keeps discovery going while `isNeeded` holds, until `endSearch`.
    func search(while isNeeded: @escaping () -> Bool) {
        isSearching = isNeeded
        discoverIfWanted()
    }

    func endSearch() { isSearching = nil }

    /// Keeps discovery off until it is cancelled, or `time` has passed.
    func hold(for time: Duration) -> Task<Void, Never> {
        holds += 1
        daemon.waiters.wake()
        return daemon.handle.start { await $0.central.scanner.release(after: time) }
    }

    func release(after time: Duration, isolation: isolated any Actor = #isolation) async {
        await daemon.waiters.pause(time)
        holds -= 1
        discoverIfWanted()
    }

    // MARK: - Discovery

    /// True when a scan or a connect needs bluetoothd to look for devices.
    private var wantsDiscovery: Bool { !daemon.waiters.isClosed && (!scans.isEmpty || isSearching?() ?? false) }

    /// True when no connect keeps discovery off and the adapter is present.
    private var mayDiscover: Bool { holds == 0 && !daemon.adapter.isAbsent }

    /// Starts the task that keeps discovery going, unless it runs.
    private func discoverIfWanted() {
        daemon.waiters.wake()
        guard wantsDiscovery, discovery == nil else { return }
        discovery = daemon.handle.start { await $0.central.scanner.keepDiscovering() }
    }

    func keepDiscovering(isolation: isolated any Actor = #isolation) async {
        var failures = ScanDiscoveryFailures()
        while wantsDiscovery {
            guard mayDiscover else {
                _ = await daemon.waiters.until(.seconds(60)) { !self.wantsDiscovery || self.mayDiscover }
                continue
            }
            if failures.endScans(afterStart: await discoverOnce()) {
                fail(RadioError(.unavailable, "bluetoothd does not start to look for devices."))
            }
        }
        discovery = nil
    }

    private func discoverOnce(isolation: isolated any Actor = #isolation) async -> Bool {
        let filter = DBusValue.properties([("Transport", .string("le")), ("DuplicateData", .bool(true))])
        _ = await daemon.bus.call(daemon.adapter.path, BlueZNames.adapter, "SetDiscoveryFilter", [filter])
        let isStarted: Bool
        switch await daemon.bus.call(daemon.adapter.path, BlueZNames.adapter, "StartDiscovery") {
        case .success: isStarted = true
        case .failure(let error): isStarted = error.name.hasSuffix("InProgress")
        }
        guard isStarted else {
            await stay(ScanDiscoveryFailures.pause)
            return false
        }
        isDiscovering = true
        pace.begin()
        await stay(ScanDiscoverySchedule.silent)
        if !pace.isSilent { await stay(ScanDiscoverySchedule.least - ScanDiscoverySchedule.silent) }
        if pace.isRepeating { await stay(ScanDiscoverySchedule.most - ScanDiscoverySchedule.least) }
        if !daemon.adapter.isAbsent {
            _ = await daemon.bus.call(daemon.adapter.path, BlueZNames.adapter, "StopDiscovery")
        }
        isDiscovering = false
        daemon.waiters.wake()
        return true
    }

    /// Waits while discovery is wanted and allowed.
    private func stay(_ time: Duration, isolation: isolated any Actor = #isolation) async {
        _ = await daemon.waiters.until(time) { !self.wantsDiscovery || !self.mayDiscover }
    }
}
