import Bluetooth
public import CryptoSuite
public import Determinism
public import Herald
public import Radio

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// A proximity sensor on a radio: a driver without decisions around `HeraldNode`.
///
/// Iterate `events` from before `start`. When the task that iterates is cancelled, the sensor stops.
public actor Sensor {
    /// The most events that wait for their consumer; of more the oldest are dropped, and counted.
    public static let maximumWaitingEvents = 65_536

    /// The radio's work for the node.
    private struct RadioActivity {
        var scanning: Task<Void, Never>?
        var listening: Task<Void, Never>?
        var recovering: Task<Void, Never>?
        /// The reason for the absence of the radio, as it was last reported; nil while it is present.
        var reportedAbsence: String?

        func cancel() {
            scanning?.cancel()
            listening?.cancel()
            recovering?.cancel()
        }

        mutating func stopScanning() {
            scanning?.cancel()
            scanning = nil
        }
    }

    /// The time of the day, and how far it was ahead of the clock when the node last got it.
    private struct CalendarReader {
        let now: @Sendable () -> WallTime
        private let clock: any MonotonicClock
        /// The offset of the calendar to the clock at the last reading, in milliseconds.
        private var lastOffset: Int64 = 0

        init(_ now: @escaping @Sendable () -> WallTime, clock: any MonotonicClock) {
            self.now = now
            self.clock = clock
        }

        private var offset: Int64 {
            let elapsed = Int64(clamping: clock.now().nanoseconds / 1_000_000)
            return now().millisecondsSinceEpoch.subtractingReportingOverflow(elapsed).partialValue
        }

        /// True when the calendar was set since the last reading; one that drifts is not.
        var wasSet: Bool { abs(offset - lastOffset) > 2000 }

        /// Reads the time for the node.
        mutating func read() -> WallTime {
            lastOffset = offset
            return now()
        }
    }

    /// The sensor's events on their way to the consumer.
    private struct EventOutput {
        let continuation: AsyncStream<SensorEvent>.Continuation
        private(set) var dropped = 0

        init(_ continuation: AsyncStream<SensorEvent>.Continuation) { self.continuation = continuation }

        mutating func yield(_ event: SensorEvent) {
            if case .dropped = continuation.yield(event) { dropped += 1 }
        }
    }

    /// The sensor's events, for one consumer; ends after `stop`.
    public nonisolated let events: AsyncStream<SensorEvent>

    /// The number of events that were dropped because their consumer was too slow.
    public var droppedEvents: Int { output.dropped }

    private let central: any CentralRadio
    private let peripheral: (any PeripheralRadio)?
    private let clock: any MonotonicClock
    /// The queue of the radio's work for the device itself: publishing, advertising, serving.
    private var operations = PeripheralOperations()
    private var links: [LinkID: LinkDriver] = [:]
    private var activity = RadioActivity()
    private var calendar: CalendarReader
    private var output: EventOutput
    private var node: HeraldNode
    private var distances = DistanceTracker(own: Sensor.system)
    private var timer: DeadlineTimer

    /// Makes a sensor.
    ///
    /// - Parameters:
    ///   - central: the radio that scans and connects.
    ///   - peripheral: the radio that advertises, usually the same; without one, the device counts as one that cannot.
    ///   - supplier: where its payload comes from.
    ///   - calendar: the time of the day; it is read at every deadline, so it may be set.
    /// - Throws: `herald.configuration.invalid`, `herald.advertisement.too-long`.
    public init(
        central: any CentralRadio, peripheral: (any PeripheralRadio)?, supplier: any PayloadSupplier,
        configuration: HeraldConfiguration = HeraldConfiguration(), clock: any MonotonicClock = SystemMonotonicClock(),
        calendar: @escaping @Sendable () -> WallTime = Sensor.systemCalendar, random: any RandomSource = SystemRandom()
    ) throws(HeraldError) {
        var configuration = configuration
        if peripheral == nil { configuration.platform.canAdvertise = false }
        if !central.readsLinkRSSI { configuration.platform.readsLinkRSSI = false }
        node = try HeraldNode(supplier: supplier, random: random, configuration: configuration)
        self.central = central
        self.peripheral = peripheral
        self.clock = clock
        self.calendar = CalendarReader(calendar, clock: clock)
        timer = DeadlineTimer(clock: clock)
        let (events, continuation) = AsyncStream.makeStream(
            of: SensorEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumWaitingEvents))
        self.events = events
        output = EventOutput(continuation)
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason else { return }
            Task { [weak self] in await self?.stop() }
        }
    }

    #if os(iOS)
        private static let system: PhoneSystem? = .iOS
    #else
        private static let system: PhoneSystem? = nil
    #endif

    /// The time of the day, as the system has it.
    public static let systemCalendar: @Sendable () -> WallTime = {
        WallTime(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// The devices nearby, in the order of their detection.
    public var devices: [DeviceSnapshot] { node.devices }

    /// One device; nil when it has no record.
    public func device(_ target: TargetID) -> DeviceSnapshot? { node.device(target) }

    /// The payload that is served; nil without one.
    public var ownPayload: [UInt8]? { node.ownPayload }

    /// Begins to scan and to advertise.
    ///
    /// A second call does nothing.
    public func start() {
        guard activity.listening == nil else { return }
        listen()
        feed(.start(calendar.read()))
    }

    /// Sends a message to devices near; `sent` and `notSent` report the outcome.
    ///
    /// - Throws: as `HeraldNode.send`.
    public func send(
        _ message: [UInt8], to recipients: HeraldNode.MessageTargets
    ) throws(HeraldError) -> HeraldNode.DispatchedMessage {
        var outputs: [HeraldNode.Output] = []
        let dispatch = try node.send(message, to: recipients, at: clock.now(), into: &outputs)
        carryOut(outputs)
        return dispatch
    }

    /// Records that the system has just given the device another address.
    public func addressChanged() { feed(.addressChanged) }

    /// Stops the sensor: returns when the radio has stopped, and ends `events`.
    public func stop() async {
        feed(.stop)
        timer.cancel()
        activity.cancel()
        for driver in links.values { await driver.finish() }
        links = [:]
        await operations.drain()
        output.continuation.finish()
    }

    /// Gives the node an input, and carries out its outputs, without an await in between.
    private func feed(_ input: HeraldNode.Input) {
        var outputs: [HeraldNode.Output] = []
        node.handle(input, at: clock.now(), into: &outputs)
        carryOut(outputs)
    }

    /// Gives the node an advertisement, without the cost of an input.
    private func heard(_ report: AdvertisementReport) {
        var outputs: [HeraldNode.Output] = []
        node.hear(
            report.address, kind: report.kind, rssi: report.rssi, data: report.data.span, at: clock.now(),
            into: &outputs)
        carryOut(outputs)
    }

    private func carryOut(_ outputs: [HeraldNode.Output]) {
        for output in outputs { carryOut(output) }
        let own = node.nextDeadline
        let window = distances.nextDeadline
        timer.arm(own.map { min($0, window ?? $0) } ?? window) { [weak self] in await self?.timerFired($0) }
    }

    private func timerFired(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        if calendar.wasSet { feed(.wallTime(calendar.read())) }
        var answers: [DistanceTracker.DeviceDistance] = []
        distances.advance(to: clock.now(), into: &answers)
        report(answers)
        feed(.tick)
    }

    /// Reports an event of the node, and the distances of the windows that ended before it.
    private func follow(_ event: HeraldEvent) {
        switch event {
        case .read(let target, _, _), .recognised(let target):
            guard let signal = node.device(target)?.signal else { break }
            distances.setSystem(PhoneSystem(signal), of: target, at: clock.now())
        default: break
        }
        report(event)
        var answers: [DistanceTracker.DeviceDistance] = []
        distances.take(event, into: &answers)
        report(answers)
    }

    private func report(_ answers: [DistanceTracker.DeviceDistance]) {
        for answer in answers { report(.distance(answer.target, answer.estimate)) }
    }

    private func report(_ event: HeraldEvent) {
        var payload: [UInt8]?
        switch event {
        case .measured(let reading): payload = node.payload(of: reading.target)
        case .distance(let target, _): payload = node.payload(of: target)
        default: break
        }
        let event = SensorEvent(at: clock.now(), time: calendar.now(), event: event, payload: payload)
        output.yield(event)
    }

    // MARK: - Requests of the node to the radio

    private func carryOut(_ output: HeraldNode.Output) {
        switch output {
        case .publish(let services): serve { radio throws(RadioError) in try await radio.publish(services) }
        case .setValue(let value, let uuid):
            serve { radio throws(RadioError) in try await radio.setValue(value, of: uuid) }
        case .startAdvertising(let advertisement): advertise(advertisement)
        case .stopAdvertising: operations.add { [peripheral] in await peripheral?.stopAdvertising() }
        case .startScanning(let services): startScanning(services)
        case .stopScanning: activity.stopScanning()
        case .notify(let central, let uuid, let value):
            // A notification fails when the link is ending, which the radio reports.
            operations.add(notifying: central) { [peripheral] in
                try? await peripheral?.notify(value, of: uuid, on: central, confirmed: false)
            }
        case .disconnectCentral(let central):
            if let peripheral { operations.disconnect(central, on: peripheral) }
        case .event(let event): follow(event)
        case .connect(let link, let address, let timeout): connect(link, address, timeout)
        case .discover(let link, let services): links[link]?.discover(services)
        case .read(let link, let uuid): links[link]?.read(uuid)
        case .write(let link, let uuid, let value): links[link]?.write(value, to: uuid)
        case .subscribe(let link, let uuid): links[link]?.subscribe(to: uuid)
        case .readRSSI(let link): links[link]?.readRSSI()
        case .disconnect(let link): links[link]?.disconnect()
        }
    }

    private func serve(_ operation: @escaping @Sendable (any PeripheralRadio) async throws(RadioError) -> Void) {
        guard let peripheral else { return }
        operations.add { [weak self] in
            do throws(RadioError) {
                try await operation(peripheral)
            } catch {
                await self?.radioFailed(error)
            }
        }
    }

    private func advertise(_ advertisement: HeraldAdvertisement) {
        guard let peripheral else { return }
        let advertisement = Advertisement(
            data: advertisement.data, scanResponse: advertisement.scanResponse, interval: .milliseconds(250))
        operations.add { [weak self] in
            do throws(RadioError) {
                try await peripheral.startAdvertising(advertisement)
                await self?.radioWorks()
            } catch {
                await self?.advertisingFailed(error)
            }
        }
    }

    private func radioWorks() { activity.reportedAbsence = nil }

    /// Continues without advertising: a radio that is present but does not advertise has not failed.
    private func advertisingFailed(_ error: RadioError) {
        switch error.code {
        case .unavailable: radioFailed(error)
        case .cancelled: break
        case .notPermitted, .connectTimeout, .linkLost, .requestTimeout, .attError, .badAnswer, .notFound, .tooLarge,
            .unsupported:
            feed(.cannotAdvertise(reason: error.reason))
        }
    }

    private func startScanning(_ services: [BluetoothUUID]) {
        activity.scanning?.cancel()
        let central = central
        activity.scanning = Task { [weak self] in
            do {
                for try await report in try await central.scan(services: services) { await self?.heard(report) }
                if !Task.isCancelled { await self?.radioLost() }
            } catch {
                if !Task.isCancelled { await self?.radioLost() }
            }
        }
    }

    /// Handles a failed operation of the device's own radio; only a missing radio has consequences.
    private func radioFailed(_ error: RadioError) {
        switch error.code {
        case .unavailable, .notPermitted:
            // It is retried every five seconds, and reported once.
            if error.reason != activity.reportedAbsence {
                report(.trouble(HeraldError(.radioUnavailable, error.reason), nil))
            }
            activity.reportedAbsence = error.reason
            radioLost()
        case .connectTimeout, .linkLost, .requestTimeout, .attError, .badAnswer, .notFound, .tooLarge, .unsupported,
            .cancelled:
            break
        }
    }

    /// Handles the loss of the radio, which is opened again after five seconds.
    private func radioLost() {
        guard activity.recovering == nil else { return }
        // Counted from the loss, not from when the task below runs.
        let clock = clock
        let end = clock.now() + .seconds(5)
        activity.stopScanning()
        feed(.radio(.unavailable))
        activity.recovering = Task { [weak self] in
            try? await clock.wait(until: end)
            if !Task.isCancelled { await self?.recover() }
        }
    }

    private func recover() {
        activity.recovering = nil
        feed(.radio(.on))
    }

    private func listen() {
        guard let peripheral else {
            activity.listening = Task {}
            return
        }
        let events = peripheral.events
        activity.listening = Task { [weak self] in
            for await event in events { await self?.heard(event) }
        }
    }

    private func heard(_ event: PeripheralEvent) {
        switch event {
        case .connected(let link, let peer): feed(.centralConnected(link, peer))
        case .written(let link, let uuid, let value, let isCommand):
            feed(.centralWrote(link, uuid, value, isCommand: isCommand))
        case .subscribed(let link, let uuid, let isSubscribed):
            feed(.centralSubscribed(link, uuid, isSubscribed))
        case .disconnected(let link, _):
            operations.ended(link)
            feed(.centralDisconnected(link))
        case .mtu, .read: break
        }
    }

    private func connect(_ link: LinkID, _ address: DeviceAddress, _ timeout: Duration) {
        let driver = LinkDriver(link) { [weak self] input in await self?.take(input, of: link) }
        links[link] = driver
        driver.connect(to: address, on: central, timeout: timeout)
    }

    private func take(_ input: HeraldNode.Input, of link: LinkID) {
        if case .disconnected = input { links[link] = nil }
        if case .connectFailed = input { links[link] = nil }
        feed(input)
    }
}
