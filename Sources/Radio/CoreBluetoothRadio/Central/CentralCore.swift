import Bluetooth
import Determinism
import Radio

/// The central role on Core Bluetooth as a value: what the system reports and what callers ask go in, what to ask of
/// the system comes out.
///
/// The system connects without a time-out, keeps no addresses, and scans for one set of services at a time. So connects
/// end here, addresses stand for the system's identifiers, and scans are merged.
struct CentralCore: StateMachine, Sendable {
    enum Input: Hashable, Sendable {
        case state(BluetoothSystemState)
        case scan(number: UInt64, services: [BluetoothUUID])
        case endScan(number: UInt64)
        case connect(RadioOperationID, DeviceAddress, timeout: Duration)
        case request(RadioOperationID, LinkID, LinkOperationQueue.Request)
        case disconnect(RadioOperationID, LinkID)
        case cancel(RadioOperationID)
        /// A device was heard, and the system can connect to it from now on.
        case heard(DeviceAddress)
        /// The system was asked to connect to a device that it does not know.
        case notKnown(DeviceAddress)
        case connected(DeviceAddress, writeBytes: Int)
        case failedToConnect(DeviceAddress, reason: String)
        case disconnected(DeviceAddress, DisconnectReason)
        case answer(DeviceAddress, LinkOperationQueue.PeripheralCallback, writeBytes: Int)
        /// The system started the app anew and kept connections or attempts to devices, and a scan for services.
        case restored([RestoredPeripheral], scan: [BluetoothUUID]?)
        /// The consumer of a link's events does not take them.
        case overflow(LinkID)
        case tick
    }

    enum Output: Hashable, Sendable {
        /// Scan for these services, or for everything, in place of any scan under way.
        case startScanning([BluetoothUUID])
        case stopScanning
        /// End all streams of reports.
        case failScans(RadioError)
        case connect(DeviceAddress)
        /// Give up a connect or end a connection.
        case cancelConnection(DeviceAddress)
        case perform(DeviceAddress, LinkOperationQueue.Request)
        case opened(RadioOperationID, LinkID)
        case completed(RadioOperationID, Result<LinkOperationQueue.LinkOperationResult, RadioError>)
        case event(LinkID, CentralLinkEvent)
        /// Tell the scans of a device that the system kept a connection to, as if it had been heard.
        case heard(AdvertisementReport)
    }

    /// A device to which the system kept a connection, or the attempt to connect.
    struct RestoredPeripheral: Hashable, Sendable {
        var address: DeviceAddress
        var isConnected: Bool
    }

    /// The devices and the scan that the system kept from before the app started, until taken up or out of time.
    private struct PendingRestoration {
        var devices: [RestoredPeripheral]
        /// The services that the system still scans for.
        var scan: [BluetoothUUID]?
        let deadline: MonotonicInstant
    }

    /// An attempt to connect.
    private struct CentralConnectAttempt {
        enum Phase {
            /// The device is not known to the system, and is scanned for.
            case sought
            case connecting
        }

        let id: RadioOperationID
        let address: DeviceAddress
        let deadline: MonotonicInstant
        var phase = Phase.connecting
        var failureCount = 0
    }

    /// A connection.
    private struct Link {
        let id: LinkID
        let address: DeviceAddress
        var operations: LinkOperationQueue
        /// The reason for which this side ends the link, and the time at which it counts as ended.
        var closing: (reason: DisconnectReason, deadline: MonotonicInstant)?
        /// The operations that wait for the end of the link.
        var waiters: [RadioOperationID] = []
    }

    /// The most links and attempts, each.
    static let maximumLinks = 64
    /// The number of failed connects that the system may report before the attempt ends early.
    private static let maximumFailures = 3
    /// The longest wait for the system to end a link.
    private static let closeWait = Duration.seconds(5)
    /// The number of ended links that keep their counters.
    private static let maximumEnded = 16

    private let requestTimeout: Duration
    private let restoreWait: Duration
    private var kept: PendingRestoration?
    private var state = BluetoothSystemState.unknown
    private var scans: [(number: UInt64, services: [BluetoothUUID])] = []
    private var attempts: [CentralConnectAttempt] = []
    private var links: [Link] = []
    private var ended: [(id: LinkID, statistics: LinkStatistics)] = []
    /// The services that the system scans for; nil while it does not scan.
    private var scanned: [BluetoothUUID]?
    private var lastLink: UInt64 = 0

    /// Makes the core; links and scans that the system kept end when no caller takes them up in `restoreWait`.
    init(requestTimeout: Duration = .seconds(30), restoreWait: Duration = .seconds(30)) {
        self.requestTimeout = requestTimeout
        self.restoreWait = restoreWait
    }

    /// The time at which `tick` is due.
    var nextDeadline: MonotonicInstant? {
        let deadlines =
            attempts.map(\.deadline) + links.compactMap(\.operations.nextDeadline)
            + links.compactMap { $0.closing?.deadline } + [kept?.deadline].compactMap { $0 }
        return deadlines.min()
    }

    /// Returns true when an attempt waits until this device is heard.
    func seeks(_ address: DeviceAddress) -> Bool {
        attempts.contains { $0.address == address && $0.phase == .sought }
    }

    func mtu(of link: LinkID) -> Int { statistics(of: link).mtu }

    /// The counters of a link, also for a while after its end.
    func statistics(of link: LinkID) -> LinkStatistics {
        links.first { $0.id == link }?.operations.statistics
            ?? ended.last { $0.id == link }?.statistics ?? LinkStatistics()
    }

    mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .state(let state): changed(to: state, into: &outputs)
        case .scan(let number, let services): scan(number, services, into: &outputs)
        case .endScan(let number): scans.removeAll { $0.number == number }
        case .connect(let id, let address, let timeout):
            connect(id, address, until: now + timeout, into: &outputs)
        case .request(let id, let link, let request): begin(id, link, request, at: now, into: &outputs)
        case .disconnect(let id, let link): disconnect(id, link, at: now, into: &outputs)
        case .cancel(let id): cancel(id, at: now, into: &outputs)
        case .heard(let address): heard(address, into: &outputs)
        case .notKnown(let address):
            if let index = attempts.firstIndex(where: { $0.address == address }) { attempts[index].phase = .sought }
        case .connected(let address, let writeBytes): connected(address, writeBytes, into: &outputs)
        case .failedToConnect(let address, let reason): failed(address, reason, into: &outputs)
        case .disconnected(let address, let reason): disconnected(address, reason, into: &outputs)
        case .answer(let address, let answer, let writeBytes):
            guard let index = links.firstIndex(where: { $0.address == address }) else { break }
            run(index, at: now, into: &outputs) { operations, now, results in
                operations.handle(answer, writeBytes: writeBytes, at: now, into: &results)
            }
        case .restored(let devices, let scan): restored(devices, scan, at: now, into: &outputs)
        case .overflow(let link):
            if let index = index(of: link) { close(index, .protocolFailure, at: now, into: &outputs) }
        case .tick: expire(at: now, into: &outputs)
        }
        adjustScan(into: &outputs)
    }
}

// Scans and the state of the system.
extension CentralCore {
    private mutating func changed(to state: BluetoothSystemState, into outputs: inout [Output]) {
        self.state = state
        guard let error = state.failure else { return }
        scanned = nil
        scans = []
        kept = nil
        outputs.append(.failScans(error))
        for attempt in attempts { outputs.append(.completed(attempt.id, .failure(error))) }
        attempts = []
        for link in links { finish(link, .radioLost, into: &outputs) }
        links = []
    }

    private mutating func scan(_ number: UInt64, _ services: [BluetoothUUID], into outputs: inout [Output]) {
        scans.append((number, services))
        guard let kept else { return }
        // A device that was reported while no one listened is reported again by a new scan alone. One that is connected
        // may not advertise at all.
        if kept.scan != nil { scanned = nil }
        let known = kept.scan ?? []
        let heard = HeardAdvertisement(services: known + services.filter { !known.contains($0) })
        for device in kept.devices { outputs.append(.heard(heard.report(from: device.address, rssi: nil))) }
        self.kept?.scan = nil
        dropKeptIfEmpty()
    }

    /// Asks the system for one scan that serves all: for everything, when someone wants that.
    private mutating func adjustScan(into outputs: inout [Output]) {
        guard state == .on else { return }
        var wanted: [BluetoothUUID]?
        if !scans.isEmpty || attempts.contains(where: { $0.phase == .sought }) {
            let isOpen = scans.contains { $0.services.isEmpty } || attempts.contains { $0.phase == .sought }
            var union: [BluetoothUUID] = []
            for service in isOpen ? [] : scans.flatMap(\.services) where !union.contains(service) {
                union.append(service)
            }
            wanted = union
        } else {
            wanted = kept?.scan
        }
        guard wanted != scanned else { return }
        scanned = wanted
        outputs.append(wanted.map(Output.startScanning) ?? .stopScanning)
    }
}

// Connects.
extension CentralCore {
    private mutating func connect(
        _ id: RadioOperationID, _ address: DeviceAddress, until deadline: MonotonicInstant, into outputs: inout [Output]
    ) {
        var error = state.failure
        if attempts.count >= Self.maximumLinks || links.count >= Self.maximumLinks {
            error = RadioError(.tooLarge, "\(links.count) links and \(attempts.count) attempts are there already")
        }
        if attempts.contains(where: { $0.address == address }) || links.contains(where: { $0.address == address }) {
            error = RadioError(.unsupported, "this radio is connected to the device, or about to be")
        }
        if let error { return outputs.append(.completed(id, .failure(error))) }
        if takeKept(address)?.isConnected == true {
            return open(id, address, writeBytes: ATTPDU.minimumMTU - 3, into: &outputs)
        }
        attempts.append(CentralConnectAttempt(id: id, address: address, deadline: deadline))
        outputs.append(.connect(address))
    }

    private mutating func heard(_ address: DeviceAddress, into outputs: inout [Output]) {
        guard let index = attempts.firstIndex(where: { $0.address == address && $0.phase == .sought }) else { return }
        attempts[index].phase = .connecting
        outputs.append(.connect(address))
    }

    private mutating func connected(_ address: DeviceAddress, _ writeBytes: Int, into outputs: inout [Output]) {
        guard !links.contains(where: { $0.address == address }) else { return }
        if let index = kept?.devices.firstIndex(where: { $0.address == address }) {
            kept?.devices[index].isConnected = true
            return
        }
        guard let index = attempts.firstIndex(where: { $0.address == address }) else {
            return outputs.append(.cancelConnection(address))
        }
        open(attempts.remove(at: index).id, address, writeBytes: writeBytes, into: &outputs)
    }

    private mutating func open(
        _ id: RadioOperationID, _ address: DeviceAddress, writeBytes: Int, into outputs: inout [Output]
    ) {
        lastLink += 1
        let operations = LinkOperationQueue(writeBytes: writeBytes, timeout: requestTimeout)
        links.append(Link(id: LinkID(lastLink), address: address, operations: operations))
        outputs.append(.opened(id, LinkID(lastLink)))
    }

    /// Handles a connect that the system gave up: asks again up to a limit, as the system does so without a time-out.
    private mutating func failed(_ address: DeviceAddress, _ reason: String, into outputs: inout [Output]) {
        _ = takeKept(address)
        guard let index = attempts.firstIndex(where: { $0.address == address }) else { return }
        attempts[index].failureCount += 1
        if attempts[index].failureCount < Self.maximumFailures { return outputs.append(.connect(address)) }
        let error = RadioError(.connectTimeout, "the system gave up connecting: \(reason)")
        outputs.append(.completed(attempts.remove(at: index).id, .failure(error)))
    }

    private mutating func end(_ index: Int, with error: RadioError, into outputs: inout [Output]) {
        let attempt = attempts.remove(at: index)
        if attempt.phase == .connecting { outputs.append(.cancelConnection(attempt.address)) }
        outputs.append(.completed(attempt.id, .failure(error)))
    }

    private mutating func cancel(_ id: RadioOperationID, at now: MonotonicInstant, into outputs: inout [Output]) {
        if let index = attempts.firstIndex(where: { $0.id == id }) {
            return end(index, with: RadioError(.cancelled, "the connect was cancelled"), into: &outputs)
        }
        for index in links.indices {
            run(index, at: now, into: &outputs) { operations, now, results in
                operations.cancel(id, at: now, into: &results)
            }
        }
    }

    private mutating func expire(at now: MonotonicInstant, into outputs: inout [Output]) {
        while let index = attempts.firstIndex(where: { $0.deadline <= now }) {
            end(index, with: RadioError(.connectTimeout, "the device was not reached in time"), into: &outputs)
        }
        for index in links.indices {
            run(index, at: now, into: &outputs) { operations, now, results in
                operations.expire(at: now, into: &results)
            }
        }
        while let link = links.first(where: { $0.closing.map { $0.deadline <= now } ?? false }) {
            disconnected(link.address, .local, into: &outputs)
        }
        if let kept, kept.deadline <= now {
            for device in kept.devices { outputs.append(.cancelConnection(device.address)) }
            self.kept = nil
        }
    }
}

// The state that the system kept while the app did not run.
extension CentralCore {
    /// Keeps the scan, the connections and the attempts, up to the most links; the others are ended.
    private mutating func restored(
        _ devices: [RestoredPeripheral], _ scan: [BluetoothUUID]?, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        for device in devices.dropFirst(Self.maximumLinks) { outputs.append(.cancelConnection(device.address)) }
        kept = PendingRestoration(
            devices: Array(devices.prefix(Self.maximumLinks)), scan: scan, deadline: now + restoreWait)
        scanned = scan
        dropKeptIfEmpty()
    }

    private mutating func takeKept(_ address: DeviceAddress) -> RestoredPeripheral? {
        guard let index = kept?.devices.firstIndex(where: { $0.address == address }) else { return nil }
        defer { dropKeptIfEmpty() }
        return kept?.devices.remove(at: index)
    }

    private mutating func dropKeptIfEmpty() {
        if let kept, kept.devices.isEmpty, kept.scan == nil { self.kept = nil }
    }
}

// Links.
extension CentralCore {
    private func index(of link: LinkID) -> Int? { links.firstIndex { $0.id == link } }

    private mutating func begin(
        _ id: RadioOperationID, _ link: LinkID, _ request: LinkOperationQueue.Request, at now: MonotonicInstant,
        into outputs: inout [Output]
    ) {
        guard let index = index(of: link), links[index].closing == nil else {
            return outputs.append(.completed(id, .failure(RadioError(.linkLost, "the link is down"))))
        }
        run(index, at: now, into: &outputs) { operations, now, results in
            operations.begin(id, request, at: now, into: &results)
        }
    }

    /// Lets the operations of a link proceed, and appends their outputs.
    private mutating func run(
        _ index: Int, at now: MonotonicInstant, into outputs: inout [Output],
        _ work: (inout LinkOperationQueue, MonotonicInstant, inout [LinkOperationQueue.Output]) -> Void
    ) {
        var results: [LinkOperationQueue.Output] = []
        work(&links[index].operations, now, &results)
        for result in results {
            switch result {
            case .perform(let request): outputs.append(.perform(links[index].address, request))
            case .completed(let id, let result): outputs.append(.completed(id, result))
            case .event(let event): outputs.append(.event(links[index].id, event))
            case .end: close(index, .protocolFailure, at: now, into: &outputs)
            }
        }
    }

    private mutating func disconnect(
        _ id: RadioOperationID, _ link: LinkID, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard let index = index(of: link) else { return outputs.append(.completed(id, .success(.done))) }
        links[index].waiters.append(id)
        close(index, .local, at: now, into: &outputs)
    }

    /// Asks the system to end a link; the system's report of the end does not change the reason.
    private mutating func close(
        _ index: Int, _ reason: DisconnectReason, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        guard links[index].closing == nil else { return }
        links[index].closing = (reason, now + Self.closeWait)
        outputs.append(.cancelConnection(links[index].address))
    }

    private mutating func disconnected(
        _ address: DeviceAddress, _ reason: DisconnectReason, into outputs: inout [Output]
    ) {
        if let index = attempts.firstIndex(where: { $0.address == address }) {
            return failed(attempts[index].address, "the connection did not last", into: &outputs)
        }
        _ = takeKept(address)
        guard let index = links.firstIndex(where: { $0.address == address }) else { return }
        finish(links.remove(at: index), reason, into: &outputs)
    }

    private mutating func finish(_ link: Link, _ reason: DisconnectReason, into outputs: inout [Output]) {
        var link = link
        var results: [LinkOperationQueue.Output] = []
        link.operations.fail(into: &results)
        for case .completed(let id, let result) in results { outputs.append(.completed(id, result)) }
        outputs.append(.event(link.id, .disconnected(link.closing?.reason ?? reason)))
        for waiter in link.waiters { outputs.append(.completed(waiter, .success(.done))) }
        ended.append((link.id, link.operations.statistics))
        if ended.count > Self.maximumEnded { ended.removeFirst() }
    }
}
