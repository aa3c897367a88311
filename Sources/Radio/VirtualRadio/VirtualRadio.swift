public import Air
public import Bluetooth
import Determinism
public import Radio

/// A radio on a simulated air: real ATT PDUs in L2CAP frames over links with the timing of real ones.
///
/// It has both roles and any number of links in each. When a shared air ends and another takes its place, the links are
/// lost, while advertising, scanning and connects go on. Made by `VirtualAir.makeRadio`.
public actor VirtualRadio: CentralRadio, PeripheralRadio {
    /// The properties of a radio.
    public struct Configuration: Sendable {
        /// The capabilities and faults of its device.
        public var conditions: DeviceRadioConditions
        /// The address of the device; nil for a static random one.
        public var address: DeviceAddress?
        /// The largest ATT MTU that it agrees to, 23 to 517; the link may set a lower limit.
        public var maximumMTU: Int
        /// The longest wait for an ATT response or a confirmation before the link is ended.
        public var transactionTimeout: Duration
        /// Receives the packets between host and controller, for a capture.
        public var tap: (any PacketTap)?

        /// Makes a configuration; the defaults are a perfect device.
        public init(
            conditions: DeviceRadioConditions = DeviceRadioConditions(), address: DeviceAddress? = nil,
            maximumMTU: Int = 517,
            transactionTimeout: Duration = .seconds(30), tap: (any PacketTap)? = nil
        ) {
            self.conditions = conditions
            self.address = address
            self.maximumMTU = min(max(maximumMTU, 23), 517)
            self.transactionTimeout = transactionTimeout
            self.tap = tap
        }
    }

    /// The most events of one link, or of the peripheral role, that wait for their consumer.
    static let maximumEvents = 4096
    /// The events beyond `maximumEvents` that only connections, disconnections and similar ones may use.
    static let eventReserve = 512

    /// The life of a radio, from the first event to its end.
    private struct Lifetime {
        let onClose: @Sendable () -> Void
        /// The task that handles the events of the controller; nil before the radio was started.
        var listening: Task<Void, Never>?
        /// The caller that waits for the end of all links, and the deadline of that.
        var waiter: (continuation: CheckedContinuation<Void, Never>, deadline: MonotonicInstant)?
        /// True once the radio is closed or found no air any more.
        private(set) var isClosed = false

        /// Closes the radio; false when that is done.
        mutating func close() -> Bool {
            defer { isClosed = true }
            return !isClosed
        }

        /// Resumes the caller that waits.
        mutating func releaseWaiter() {
            waiter?.continuation.resume()
            waiter = nil
        }
    }

    /// The address of the device.
    public nonisolated let address: DeviceAddress
    /// The events that centrals cause, see `PeripheralRadio`.
    public nonisolated var events: AsyncStream<PeripheralEvent> { peripheralEvents.stream }

    private nonisolated let environment: VirtualLinkSession.LinkDependencies
    private nonisolated let configuration: Configuration

    private var links = LinkTable()
    private var scans = AdvertisementReportStreams()
    private var attempts: ConnectQueue
    private var services: VirtualServices
    private var advertisements = VirtualAdvertisements()
    /// True while the radio is attached to an air.
    private var isOnAir = true
    private var timer: DeadlineTimer
    private var lastNumber: UInt64 = 0
    private var lifetime: Lifetime

    init(
        controller: VirtualController, configuration: Configuration, clock: any MonotonicClock,
        onClose: @escaping @Sendable () -> Void
    ) throws(RadioError) {
        environment = VirtualLinkSession.LinkDependencies(
            controller: controller, clock: clock, recorder: HCIPacketRecorder(configuration.tap, clock),
            peripheralEvents: SingleConsumerQueue<PeripheralEvent>())
        self.configuration = configuration
        timer = DeadlineTimer(clock: clock)
        lifetime = Lifetime(onClose: onClose)
        address = controller.address
        services = try VirtualServices()
        attempts = ConnectQueue(controller)
    }

    private nonisolated var controller: VirtualController { environment.controller }
    private nonisolated var clock: any MonotonicClock { environment.clock }
    private nonisolated var peripheralEvents: SingleConsumerQueue<PeripheralEvent> { environment.peripheralEvents }

    /// Starts to listen to the controller.
    func start() {
        guard lifetime.listening == nil else { return }
        lifetime.listening = Task { [weak self, events = controller.events] in
            for await event in events { await self?.take(event) }
            await self?.shut()
        }
    }

    /// Ends every link, waits up to two seconds until they are down, and leaves the air.
    ///
    /// Closing again does nothing.
    public func close() async {
        guard !lifetime.isClosed else { return }
        for session in links.ordered { session.beginClosing(.local) }
        if !links.isEmpty, lifetime.waiter == nil {
            await withCheckedContinuation { continuation in
                lifetime.waiter = (continuation, clock.now() + .seconds(2))
                rearm()
            }
        }
        shut()
    }

    /// Closes the radio at once, without the orderly end of links that `close` waits for; used when the air is lost.
    func shut() {
        guard lifetime.close() else { return }
        isOnAir = false
        for session in links.ordered { finish(session, .radioLost, nil) }
        let error = RadioError(.unavailable, "the radio is closed")
        attempts.fail(error)
        scans.fail(error)
        peripheralEvents.finish()
        timer.cancel()
        lifetime.listening?.cancel()
        controller.close()
        lifetime.releaseWaiter()
        lifetime.onClose()
    }

    /// A number that names one operation, scan or attempt of this radio.
    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Refuses work when there is no radio any more.
    private func checkOpen() throws(RadioError) {
        if lifetime.isClosed { throw RadioError(.unavailable, "the radio is closed") }
    }

    // MARK: - Events of the controller

    private func take(_ event: VirtualController.Event) {
        guard !lifetime.isClosed else { return }
        switch event {
        case .air(let event): take(event)
        case .lost:
            isOnAir = false
            for session in links.ordered { finish(session, .radioLost, nil) }
            attempts.suspend()
        case .restored(let epoch):
            controller.acknowledge(epoch)
            isOnAir = true
            for command in advertisements.commands { controller.perform(command) }
            if !scans.isEmpty { controller.perform(.startScanning(isActive: true)) }
            attempts.startNext()
        }
        rearm()
    }

    private func take(_ event: AirEvent) {
        switch event {
        case .report(let report):
            environment.recorder.record(.report(report), .received, link: 0, peer: report.address)
            scans.take(report)
        case .connected(let link, let peer, let isCentral, let parameters, let queueCapacity):
            connected(link, peer, isCentral: isCentral, parameters, queueCapacity: queueCapacity)
        case .connectCancelled:
            let error = RadioError(.unsupported, "the controller does not connect to that device, or not again")
            attempts.takeFirst()?.resume(returning: .failure(error))
            startNextAttempt()
        case .sent(let link): links.session(onAir: link)?.frameSent()
        case .received(let link, let frame): links.session(onAir: link)?.receive(frame)
        case .statistics(let link, let counters): links.session(onAir: link)?.take(counters)
        case .disconnected(let link, let code, let counters):
            guard let session = links.session(onAir: link) else { return }
            finish(session, DisconnectReason(code, closing: session.closing), counters, code: code)
        }
    }

    private func connected(
        _ link: LinkID, _ peer: DeviceAddress, isCentral: Bool, _ parameters: LinkParameters, queueCapacity: Int
    ) {
        let timeout = configuration.transactionTimeout
        let session = VirtualLinkSession(
            VirtualLinkSession.LinkDescription(
                id: links.nextLink(), air: link, peer: peer, isCentral: isCentral, parameters: parameters,
                queueCapacity: queueCapacity),
            client: GATTClient(configuration: GATTClient.Configuration(transactionTimeout: timeout)),
            server: GATTServer(
                database: services.database,
                configuration: GATTServer.Configuration(
                    maximumMTU: min(configuration.maximumMTU, parameters.maximumMTU), transactionTimeout: timeout)),
            in: environment)
        links.add(session)
        if let events = session.events {
            completeAttempt(with: session, events)
        } else {
            // The controller has stopped advertising.
            advertisements.plain = nil
            peripheralEvents.put(
                .connected(session.id, peer: peer), limit: Self.maximumEvents + Self.eventReserve)
        }
    }

    /// Hands a new connection as central to the caller of its attempt, or ends it when the attempt was given up.
    private func completeAttempt(with session: VirtualLinkSession, _ events: SingleConsumerQueue<CentralLinkEvent>) {
        if let waiter = attempts.takeFirst() {
            waiter.resume(
                returning: .success(
                    VirtualCentralLink(radio: self, id: session.id, peer: session.peer, mailbox: events)))
        } else {
            session.beginClosing(.local)
        }
        startNextAttempt()
    }

    private func startNextAttempt() {
        if isOnAir { attempts.startNext() }
    }

    /// Handles the end of a link: reports it, and keeps its statistics.
    private func finish(
        _ session: VirtualLinkSession, _ reason: DisconnectReason, _ counters: AirLinkStatistics?, code: UInt8? = nil
    ) {
        guard links.remove(session) else { return }
        session.finish(reason, counters, code: code)
        links.remember(session)
        if links.isEmpty { lifetime.releaseWaiter() }
    }

    /// Sets the timer for the next deadline.
    private func rearm() {
        guard !lifetime.isClosed else { return }
        let deadlines = [links.nextDeadline, attempts.nextDeadline, lifetime.waiter?.deadline]
        timer.arm(deadlines.compactMap { $0 }.min()) { [weak self] in await self?.wake($0) }
    }

    private func wake(_ generation: UInt64) {
        guard !lifetime.isClosed, timer.hasFired(generation) else { return }
        let now = clock.now()
        for session in links.ordered {
            if let reason = session.expire(at: now) { finish(session, reason, nil) }
        }
        attempts.expire(at: now)
        if let waiter = lifetime.waiter, waiter.deadline <= now { lifetime.releaseWaiter() }
        rearm()
    }

    // MARK: - Links

    /// Makes a request on a link and waits for its end.
    func run(_ request: VirtualLinkOperation, on link: LinkID) async throws(RadioError) -> VirtualLinkResult {
        guard !Task.isCancelled else { throw RadioError(.cancelled, "the operation was cancelled") }
        guard let session = links.session(link), session.closing == nil else {
            throw RadioError(.linkLost, "the link is down")
        }
        guard session.operationCount < VirtualLinkSession.maximumOperations else {
            throw RadioError(.tooLarge, "\(session.operationCount) operations are under way on the link")
        }
        let number = nextNumber()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                session.begin(request, number, continuation)
                rearm()
            }
        } onCancel: {
            Task { await self.cancel(number, on: link) }
        }
        return try result.get()
    }

    private func cancel(_ number: UInt64, on link: LinkID) {
        links.session(link)?.cancel(number)
        rearm()
    }

    /// Returns the number of operations that are under way on a link.
    func operationCount(of link: LinkID) -> Int { links.session(link)?.operationCount ?? 0 }

    /// The counters of a link, also for a while after its end.
    public func statistics(of link: LinkID) async -> LinkStatistics {
        _ = try? await run(.statistics, on: link)
        return links.statistics(of: link) ?? LinkStatistics()
    }

    /// Ends a link, see `PeripheralRadio`, and waits until it is down.
    public func disconnect(_ link: LinkID) async {
        guard let session = links.session(link) else { return }
        await withCheckedContinuation { continuation in
            session.beginClosing(continuation)
            rearm()
        }
    }

    func mtu(of link: LinkID) -> Int { links.statistics(of: link)?.mtu ?? ATTPDU.minimumMTU }

    /// The largest MTU that both this radio and the link allow.
    func maximumMTU(of link: LinkID) -> Int {
        min(configuration.maximumMTU, links.session(link)?.parameters.maximumMTU ?? ATTPDU.maximumMTU)
    }

    /// Delivers the values of a characteristic from now on, also when the write to its descriptor fails.
    func subscribe(to characteristic: RemoteCharacteristic, on link: LinkID) async throws(RadioError) {
        links.session(link)?.deliver(characteristic)
        _ = try await run(.procedure(.subscribe(characteristic, isOn: true)), on: link)
    }

    /// Stops delivering values of a characteristic.
    func unsubscribe(from characteristic: RemoteCharacteristic, on link: LinkID) async throws(RadioError) {
        links.session(link)?.ignore(characteristic)
        _ = try await run(.procedure(.subscribe(characteristic, isOn: false)), on: link)
    }

    // MARK: - The central role

    /// Starts scanning, see `CentralRadio`.
    public func scan(
        services: [BluetoothUUID]
    ) async throws(RadioError) -> AsyncThrowingStream<AdvertisementReport, any Error> {
        try checkOpen()
        let isFirst = scans.isEmpty
        let number = nextNumber()
        let stream = try scans.open(number, services: services) { [weak self] in
            Task { await self?.endScan(number) }
        }
        if isFirst { controller.perform(.startScanning(isActive: true)) }
        return stream
    }

    private func endScan(_ number: UInt64) {
        guard scans.close(number), scans.isEmpty else { return }
        controller.perform(.stopScanning)
    }

    /// Connects to an advertiser, see `CentralRadio`; attempts to several devices go one after the other.
    public func connect(
        to address: DeviceAddress, timeout: Duration
    ) async throws(RadioError) -> any CentralLink {
        try checkOpen()
        guard !Task.isCancelled else { throw RadioError(.cancelled, "the connect was cancelled") }
        try attempts.checkRoom()
        let number = nextNumber()
        let deadline = clock.now() + timeout
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                attempts.add(number, address, until: deadline, continuation)
                startNextAttempt()
                rearm()
            }
        } onCancel: {
            Task { await self.endAttempt(number, with: RadioError(.cancelled, "the connect was cancelled")) }
        }
        return try result.get()
    }

    /// The number of attempts to connect that wait or are under way.
    var pendingConnectCount: Int { attempts.count }

    private func endAttempt(_ number: UInt64, with error: RadioError) { attempts.end(number, with: error) }

    // MARK: - The peripheral role

    /// True: services are added and removed while something is connected.
    public nonisolated var addsServices: Bool { true }
    /// True: 16 advertisements are on the air at once, the one without a number among them.
    public nonisolated var advertisesSeveral: Bool { true }

    /// Replaces the published services, see `PeripheralRadio`.
    public func publish(_ services: [ServiceDefinition]) async throws(RadioError) {
        try checkOpen()
        guard links.isEmpty else {
            throw RadioError(.unsupported, "services cannot be replaced while something is connected")
        }
        try self.services.publish(services)
    }

    /// Adds a service, see `PeripheralRadio`.
    public func addService(_ service: ServiceDefinition) async throws(RadioError) {
        try checkOpen()
        try services.add(service)
        for session in links.ordered { session.setDatabase(services.database) }
    }

    /// Removes a service, see `PeripheralRadio`.
    public func removeService(_ uuid: BluetoothUUID) async {
        guard services.remove(uuid) else { return }
        for session in links.ordered { session.setDatabase(services.database) }
    }

    /// Starts or replaces advertising, see `PeripheralRadio`.
    public func startAdvertising(_ advertisement: Advertisement) async throws(RadioError) {
        try checkOpen()
        try advertisement.checkLengths()
        advertisements.plain = advertisement
        if isOnAir { controller.perform(VirtualAdvertisements.start(advertisement)) }
    }

    /// Stops advertising, see `PeripheralRadio`.
    public func stopAdvertising() async {
        guard advertisements.plain != nil else { return }
        advertisements.plain = nil
        controller.perform(.stopAdvertising)
    }

    /// Starts or replaces the advertisement of a number, see `PeripheralRadio`.
    public func startAdvertising(_ advertisement: Advertisement, number: UInt8) async throws(RadioError) {
        try checkOpen()
        try advertisement.checkLengths()
        try advertisements.set(advertisement, number: number)
        if isOnAir { controller.perform(VirtualAdvertisements.start(advertisement, number: number)) }
    }

    /// Stops the advertisement of a number, see `PeripheralRadio`.
    public func stopAdvertising(number: UInt8) async {
        guard advertisements.remove(number: number) else { return }
        controller.perform(.removeAdvertisement(number))
    }

    /// Pushes a value, see `PeripheralRadio`.
    public func notify(
        _ value: [UInt8], of characteristic: BluetoothUUID, on link: LinkID, confirmed: Bool
    ) async throws(RadioError) {
        _ = try await run(.notify(value, of: characteristic, confirmed: confirmed), on: link)
    }

    /// Sets the value that reads return, see `PeripheralRadio`.
    public func setValue(_ value: [UInt8], of characteristic: BluetoothUUID) async throws(RadioError) {
        try checkOpen()
        do {
            try services.setValue(value, of: characteristic)
            for session in links.ordered { try session.setValue(value, of: characteristic) }
        } catch {
            throw RadioError(error)
        }
    }

    /// Answers a read, see `PeripheralRadio`.
    public func answerRead(_ value: [UInt8], on link: LinkID) async throws(RadioError) {
        try checkOpen()
        links.ordered.first { $0.id == link }?.answerRead(value)
    }
}

extension DisconnectReason {
    /// Makes the reason for a disconnection from an HCI error code; the cause on this side, if there is one, is more
    /// exact.
    init(_ code: UInt8, closing: DisconnectReason?) {
        if let closing, code == DisconnectReason.local.rawValue {
            self = closing
        } else {
            self = DisconnectReason(rawValue: code) ?? .protocolFailure
        }
    }
}

extension RadioError {
    /// Maps a failure in GATT to that of a radio.
    init(_ error: GATTError) {
        let code: Code =
            switch error.code {
            case .attError: .attError
            case .badAnswer, .unexpectedPDU: .badAnswer
            case .transactionTimeout: .requestTimeout
            case .linkLost: .linkLost
            case .tooLarge, .queueFull: .tooLarge
            case .notFound: .notFound
            }
        self.init(code, error.reason, attError: error.wireCode)
    }
}
