public import Bluetooth
import Determinism
public import Radio
public import Simulation

/// A radio on a simulated air: real ATT PDUs in L2CAP frames over links with the timing of real ones.
///
/// It has both roles and any number of links in each. When a shared air ends and another takes its place, the links are
/// lost, while advertising, scanning and connects go on by themselves. Made by `VirtualAir.makeRadio`.
public actor VirtualRadio: CentralRadio, PeripheralRadio {
    /// What a radio brings.
    public struct Configuration: Sendable {
        /// The capabilities and the bad luck of its device.
        public var conditions: AirConditions
        /// Its address; nil: a static random one.
        public var address: DeviceAddress?
        /// The largest ATT MTU that it agrees to, 23 to 517; the link may set a lower limit.
        public var maximumMTU: Int
        /// How long an ATT request or an indication may go unanswered before the link is ended.
        public var transactionTimeout: Duration
        /// Is told what goes over the border between host and controller.
        public var tap: (any PacketTap)?

        /// Makes a configuration; the defaults are a perfect device.
        public init(
            conditions: AirConditions = AirConditions(), address: DeviceAddress? = nil, maximumMTU: Int = 517,
            transactionTimeout: Duration = .seconds(30), tap: (any PacketTap)? = nil
        ) {
            self.conditions = conditions
            self.address = address
            self.maximumMTU = min(max(maximumMTU, 23), 517)
            self.transactionTimeout = transactionTimeout
            self.tap = tap
        }
    }

    /// The most events of the peripheral role that wait for their consumer.
    static let maximumEvents = 4096
    /// Room beyond `maximumEvents` that only connections, disconnections and the like may use.
    static let eventReserve = 512
    /// How many ended links are remembered for their statistics.
    static let maximumEndedLinks = 256

    /// The address of the device.
    public nonisolated let address: DeviceAddress
    /// What centrals do, see `PeripheralRadio`.
    public nonisolated var events: AsyncStream<PeripheralEvent> { peripheralEvents.stream }

    nonisolated let controller: VirtualController
    nonisolated let configuration: Configuration
    nonisolated let timekeeper: any Timekeeper
    nonisolated let peripheralEvents = Mailbox<PeripheralEvent>()

    var sessions: [LinkID: LinkSession] = [:]
    var ended: [LinkID: LinkStatistics] = [:]
    var database: GATTDatabase
    var advertisement: Advertisement?
    var scans: [UInt64: Scan] = [:]
    var attempts: [ConnectAttempt] = []
    var connecting = Connecting.idle
    /// Whether there is an air at the moment.
    var isOnAir = true
    /// Whether the radio is closed or found no air any more.
    var isClosed = false
    var alarm = Alarm()
    var closeWaiter: (continuation: CheckedContinuation<Void, Never>, deadline: MonotonicInstant)?

    private var lastNumber: UInt64 = 0
    private var lastLink: UInt64 = 0
    private let tapClock: TapClock
    private let onClose: @Sendable () -> Void
    private var listening: Task<Void, Never>?

    init(
        controller: VirtualController, configuration: Configuration, timekeeper: any Timekeeper,
        onClose: @escaping @Sendable () -> Void
    ) throws(RadioError) {
        self.controller = controller
        self.configuration = configuration
        self.timekeeper = timekeeper
        self.onClose = onClose
        address = controller.address
        do { database = try GATTDatabase([]) } catch { throw RadioError(error) }
        tapClock = TapClock(at: timekeeper.now())
    }

    /// Starts to listen to the controller.
    func start() {
        guard listening == nil else { return }
        listening = Task { [weak self, events = controller.events] in
            for await event in events { await self?.take(event) }
            await self?.shut()
        }
    }

    /// Ends every link, waits up to two seconds until they are down, and leaves the air.
    ///
    /// Closing again does nothing.
    public func close() async {
        guard !isClosed else { return }
        for session in orderedSessions { beginClosing(session, .local) }
        if !sessions.isEmpty, closeWaiter == nil {
            await withCheckedContinuation { continuation in
                closeWaiter = (continuation, timekeeper.now() + .seconds(2))
                rearm()
            }
        }
        shut()
    }

    /// Ends everything at once, as losing the air for good does.
    func shut() {
        guard !isClosed else { return }
        isClosed = true
        isOnAir = false
        for session in orderedSessions { finish(session, .radioLost, nil) }
        failAttempts(with: RadioError(.unavailable, "the radio is closed"))
        endScans()
        peripheralEvents.finish()
        alarm.cancel()
        listening?.cancel()
        controller.close()
        releaseCloseWaiter()
        onClose()
    }

    /// A number that names one operation, scan or attempt of this radio.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// The name of the next link.
    func nextLink() -> LinkID {
        lastLink += 1
        return LinkID(lastLink)
    }

    /// The links, oldest first.
    var orderedSessions: [LinkSession] { sessions.values.sorted { $0.id < $1.id } }

    /// Refuses work when there is no radio any more.
    func checkOpen() throws(RadioError) {
        if isClosed { throw RadioError(.unavailable, "the radio is closed") }
    }

    /// Tells the tap of a packet.
    func tap(_ content: TappedPacket.Content, _ direction: TappedPacket.Direction, link: UInt64, peer: DeviceAddress) {
        guard let tap = configuration.tap else { return }
        tap.record(
            TappedPacket(
                microsecondsSinceEpoch: tapClock.microseconds(at: timekeeper.now()), direction: direction,
                linkNumber: link, peer: peer, content: content))
    }

    func releaseCloseWaiter() {
        closeWaiter?.continuation.resume()
        closeWaiter = nil
    }
}

// MARK: - What the controller tells

extension VirtualRadio {
    private func take(_ event: VirtualController.Event) {
        guard !isClosed else { return }
        switch event {
        case .air(let event): take(event)
        case .lost:
            isOnAir = false
            for session in orderedSessions { finish(session, .radioLost, nil) }
            suspendAttempts()
        case .restored(let epoch):
            controller.acknowledge(epoch)
            isOnAir = true
            if let advertisement { command(advertisement) }
            if !scans.isEmpty { controller.perform(.startScanning(isActive: true)) }
            startNextAttempt()
        }
        rearm()
    }

    private func take(_ event: AirEvent) {
        switch event {
        case .report(let report): hear(report)
        case .connected(let link, let peer, let isCentral, let parameters, let queueCapacity):
            let session = makeSession(link, peer, isCentral: isCentral, parameters, queueCapacity: queueCapacity)
            if isCentral { completeAttempt(with: session) } else { admit(session) }
        case .connectCancelled: attemptCancelled()
        case .sent(let link):
            guard let session = sessions[link] else { return }
            session.inFlight -= 1
            pump(session)
        case .received(let link, let frame):
            if let session = sessions[link] { receive(frame, on: session) }
        case .statistics(let link, let counters):
            if let session = sessions[link] { take(counters, of: session) }
        case .disconnected(let link, let code, let counters):
            guard let session = sessions[link] else { return }
            finish(session, DisconnectReason(code, closing: session.closing), counters, code: code)
        }
    }

    /// Sets the alarm for whatever is due next.
    func rearm() {
        guard !isClosed else { return }
        let deadlines = sessions.values.compactMap(\.nextDeadline) + attempts.compactMap(\.wakeUp)
        alarm.set((deadlines + [closeWaiter?.deadline].compactMap { $0 }).min(), on: timekeeper) {
            [weak self] generation in await self?.wake(generation)
        }
    }

    private func wake(_ generation: UInt64) {
        guard !isClosed, alarm.hasRung(generation) else { return }
        let now = timekeeper.now()
        for session in orderedSessions { expire(session, at: now) }
        expireAttempts(at: now)
        if let waiter = closeWaiter, waiter.deadline <= now { releaseCloseWaiter() }
        rearm()
    }
}

extension DisconnectReason {
    /// What an HCI error code means; the cause on this side, if it has one, is more exact than the code.
    init(_ code: UInt8, closing: DisconnectReason?) {
        if let closing, code == DisconnectReason.local.rawValue {
            self = closing
        } else {
            self = DisconnectReason(rawValue: code) ?? .protocolFailure
        }
    }
}

extension RadioError {
    /// What a radio says of a failure in GATT.
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
