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

    /// What happens, for one consumer; ends after `stop`.
    public nonisolated let events: AsyncStream<SensorEvent>

    /// How many events were dropped because their consumer was too slow.
    public private(set) var droppedEvents = 0

    let central: any CentralRadio
    let peripheral: (any PeripheralRadio)?
    let timekeeper: any Timekeeper
    /// What the radio does for the device itself: publishing, advertising, serving.
    let line = SerialQueue()
    var links: [HeraldNode.Link: LinkDriver] = [:]
    var scanning: Task<Void, Never>?
    var listening: Task<Void, Never>?
    var recovering: Task<Void, Never>?
    /// Why the radio is not there, as far as it has been told; nil while it is.
    var toldAbsence: String?
    private let calendar: @Sendable () -> WallTime
    private let continuation: AsyncStream<SensorEvent>.Continuation
    private var node: HeraldNode
    private var timer: DeadlineTimer
    /// How far the calendar was ahead of the clock when the node was told, in milliseconds.
    private var calendarOffset: Int64 = 0

    /// Makes a sensor.
    ///
    /// - Parameters:
    ///   - central: the radio that scans and connects.
    ///   - peripheral: the radio that advertises, usually the same; without one, the device counts as one that cannot.
    ///   - supplier: where its payload comes from.
    ///   - calendar: tells the time of the day; it is looked at again and again, so it may be set.
    /// - Throws: `herald.configuration.invalid`, `herald.advertisement.too-long`.
    public init(
        central: any CentralRadio, peripheral: (any PeripheralRadio)?, supplier: any PayloadSupplier,
        configuration: HeraldConfiguration = HeraldConfiguration(), timekeeper: any Timekeeper = SystemTimekeeper(),
        calendar: @escaping @Sendable () -> WallTime = Sensor.systemCalendar, random: any RandomSource = SystemRandom()
    ) throws(HeraldError) {
        var configuration = configuration
        if peripheral == nil { configuration.platform.canAdvertise = false }
        // The seam has no way to ask for it.
        configuration.platform.readsLinkRSSI = false
        node = try HeraldNode(supplier: supplier, random: random, configuration: configuration)
        self.central = central
        self.peripheral = peripheral
        self.timekeeper = timekeeper
        self.calendar = calendar
        timer = DeadlineTimer(timekeeper: timekeeper)
        (events, continuation) = AsyncStream.makeStream(
            of: SensorEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumWaitingEvents))
        continuation.onTermination = { [weak self] reason in
            guard case .cancelled = reason else { return }
            Task { [weak self] in await self?.stop() }
        }
    }

    /// The time of the day, as the system has it.
    public static let systemCalendar: @Sendable () -> WallTime = {
        WallTime(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// What is known of the devices around, in the order in which they were noticed.
    public var devices: [DeviceSnapshot] { node.devices }

    /// What is known of a device; nil when it has no record.
    public func device(_ target: TargetID) -> DeviceSnapshot? { node.device(target) }

    /// The payload that is served; nil without one.
    public var ownPayload: [UInt8]? { node.ownPayload }

    /// Begins to notice and to be noticed.
    ///
    /// A second call does nothing.
    public func start() {
        guard listening == nil else { return }
        listen()
        feed(.start(readCalendar()))
    }

    /// Sends a message to devices around; its fate is told by events.
    ///
    /// - Throws: as `HeraldNode.send`.
    public func send(
        _ message: [UInt8], to recipients: HeraldNode.Recipients
    ) throws(HeraldError) -> HeraldNode.Dispatch {
        var outputs: [HeraldNode.Output] = []
        let dispatch = try node.send(message, to: recipients, at: timekeeper.now(), into: &outputs)
        carryOut(outputs)
        return dispatch
    }

    /// Tells the sensor that the system gave the device another address just now.
    public func addressChanged() { feed(.addressChanged) }

    /// Ends everything, returns when the radio has been told, and ends `events`.
    public func stop() async {
        feed(.stop)
        timer.cancel()
        scanning?.cancel()
        listening?.cancel()
        recovering?.cancel()
        for driver in links.values { await driver.finish() }
        links = [:]
        await line.drain()
        continuation.finish()
    }

    /// Gives the node an input, and does what it answers; nothing waits in between.
    func feed(_ input: HeraldNode.Input) {
        var outputs: [HeraldNode.Output] = []
        node.handle(input, at: timekeeper.now(), into: &outputs)
        carryOut(outputs)
    }

    private func carryOut(_ outputs: [HeraldNode.Output]) {
        for output in outputs { carryOut(output) }
        timer.arm(node.nextDeadline) { [weak self] in await self?.timerFired() }
    }

    private func timerFired() {
        timer.fired()
        let offset = offset()
        // A calendar that was set, not one that drifts.
        if abs(offset - calendarOffset) > 2000 { feed(.wallTime(readCalendar())) }
        feed(.tick)
    }

    private func offset() -> Int64 {
        let clock = Int64(clamping: timekeeper.now().nanoseconds / 1_000_000)
        return calendar().millisecondsSinceEpoch.subtractingReportingOverflow(clock).partialValue
    }

    private func readCalendar() -> WallTime {
        calendarOffset = offset()
        return calendar()
    }

    func tell(_ event: HeraldEvent) {
        var payload: [UInt8]?
        if case .measured(let reading) = event { payload = node.payload(of: reading.target) }
        let event = SensorEvent(at: timekeeper.now(), time: calendar(), event: event, payload: payload)
        if case .dropped = continuation.yield(event) { droppedEvents += 1 }
    }
}
