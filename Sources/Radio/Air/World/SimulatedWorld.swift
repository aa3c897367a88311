public import Bluetooth
public import Determinism

/// An air and hosts that live on it, run in virtual time on the caller's thread.
///
/// Time jumps from one thing that happens to the next. Order at one instant: the air's deliveries, each with the
/// commands that its host answers, then the hosts whose deadline has come, oldest device first.
public struct SimulatedWorld: Sendable {
    /// The reason for the end of a run.
    public enum SimulationEndReason: Hashable, Sendable {
        /// Nothing is under way and no host has a deadline.
        case quiet
        /// The limit was reached; the clock stops there.
        case timeLimit
        /// The condition of the run holds no longer.
        case stopped
        /// A hundred thousand steps did not move the clock: a host asks to be woken in the past.
        case stuck
    }

    private struct AttachedHost: Sendable {
        var host: any SimulatedHost
        var scheduled: MonotonicInstant?
    }

    private static let maximumStepsAtOneInstant = 100_000

    /// The seed, which decides everything random.
    public let seed: UInt64

    /// The air; its deliveries go to the hosts.
    public private(set) var air: SimulatedAir

    private var residents: [AirDeviceID: AttachedHost] = [:]
    private var deadlines = EventHeap<AirDeviceID>()
    private var deliveries: [SimulatedAir.HostDelivery] = []
    private var commands: [AirCommand] = []

    /// Makes an empty world; `trace` records its events, nil records nothing.
    public init(seed: UInt64, advertisementLossShare: Double = 0, trace: SimulationTrace? = SimulationTrace()) {
        self.seed = seed
        air = SimulatedAir(seed: seed, advertisementLossShare: advertisementLossShare, trace: trace)
    }

    /// The present instant.
    public var now: MonotonicInstant { air.now }

    /// The recorded trace; empty when none is recorded.
    public var trace: SimulationTrace { air.trace ?? SimulationTrace(capacity: 0) }

    /// One line that tells runs apart: the seed and the digest of the trace.
    public var summary: String { "seed=\(seed) digest=\(trace.digest)" }

    // MARK: - Hosts

    /// Adds a device with its host and starts it; nil when the air is full.
    public mutating func add(
        _ host: some SimulatedHost, address: DeviceAddress? = nil,
        conditions: DeviceRadioConditions = DeviceRadioConditions()
    ) -> AirDeviceID? {
        guard let (device, address) = air.attach(address: address, conditions: conditions) else { return nil }
        residents[device] = AttachedHost(host: host)
        act(device) { $0.start(as: address, at: $1, into: &$2) }
        settleDeliveries()
        return device
    }

    /// Takes a device away, gracefully or as if it had lost power.
    public mutating func remove(_ device: AirDeviceID, gracefully: Bool = false) {
        air.detach(device, gracefully: gracefully, at: now, into: &deliveries)
        residents[device] = nil
        forgetStaleDeadlines()
        settleDeliveries()
    }

    /// Puts another host on a device and starts it, as a program that starts anew: the controller goes on as it was,
    /// and tells the new host of connections that it knows nothing of.
    public mutating func replaceHost(on device: AirDeviceID, with host: some SimulatedHost, at address: DeviceAddress) {
        guard residents[device] != nil else { return }
        residents[device]?.host = host
        act(device) { $0.start(as: address, at: $1, into: &$2) }
        settleDeliveries()
    }

    /// The host on `device`; nil unless it is one of that type.
    public func host<Host: SimulatedHost>(_ device: AirDeviceID, as type: Host.Type = Host.self) -> Host? {
        residents[device]?.host as? Host
    }

    /// Sends `command` to the controller of `device`, in place of its host.
    public mutating func perform(_ command: AirCommand, by device: AirDeviceID) {
        air.perform(command, by: device, at: now, into: &deliveries)
        settleDeliveries()
    }

    // MARK: - Time

    /// Runs until nothing happens any more, `limit` is reached, or `condition` fails, which is asked before each step.
    ///
    /// When nothing happens any more the clock stays where the last thing happened.
    @discardableResult
    public mutating func run(
        until limit: MonotonicInstant, while condition: (borrowing SimulatedWorld) -> Bool = { _ in true }
    ) -> SimulationEndReason {
        var steps = 0
        while let next = nextDeadline {
            guard condition(self) else { return .stopped }
            guard next <= limit else {
                air.advance(to: limit, into: &deliveries)
                return .timeLimit
            }
            steps = next > now ? 0 : steps + 1
            guard steps < Self.maximumStepsAtOneInstant else { return .stuck }
            step(to: next)
        }
        return .quiet
    }

    /// Runs until `instant`, at which the clock then stops even if no event is due.
    public mutating func advance(to instant: MonotonicInstant) {
        run(until: instant)
        air.advance(to: instant, into: &deliveries)
        settleDeliveries()
    }

    /// The time of the next event.
    public var nextDeadline: MonotonicInstant? {
        [air.nextDeadline, deadlines.first?.instant].compactMap { $0 }.min()
    }

    private mutating func step(to instant: MonotonicInstant) {
        air.advance(to: instant, into: &deliveries)
        settleDeliveries()
        guard let (_, device) = deadlines.popFirst(through: instant) else { return }
        residents[device]?.scheduled = nil
        act(device) { $0.wake(at: $1, into: &$2) }
        settleDeliveries()
    }

    private mutating func settleDeliveries() {
        var next = 0
        while next < deliveries.count {
            let delivery = deliveries[next]
            next += 1
            act(delivery.device) { $0.handle(delivery.event, at: $1, into: &$2) }
        }
        deliveries.removeAll(keepingCapacity: true)
    }

    /// Lets a host act, carries out its commands, and notes its deadline.
    private mutating func act(
        _ device: AirDeviceID, _ body: (inout any SimulatedHost, MonotonicInstant, inout [AirCommand]) -> Void
    ) {
        guard var resident = residents.removeValue(forKey: device) else { return }
        body(&resident.host, now, &commands)
        let deadline = resident.host.nextDeadline
        if let deadline, resident.scheduled != deadline { deadlines.insert(device, at: deadline) }
        resident.scheduled = deadline
        residents[device] = resident
        forgetStaleDeadlines()
        for command in commands {
            air.perform(command, by: device, at: now, into: &deliveries)
        }
        commands.removeAll(keepingCapacity: true)
    }

    /// Drops deadlines that a host has replaced from the head of the heap, so that `nextDeadline` tells the truth.
    private mutating func forgetStaleDeadlines() {
        while let (instant, device) = deadlines.first, residents[device]?.scheduled != instant { deadlines.popFirst() }
    }
}
