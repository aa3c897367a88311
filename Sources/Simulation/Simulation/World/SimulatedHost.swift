public import Bluetooth
public import Determinism

/// The host of a simulated device: it answers what its controller says with commands, in no time at all.
///
/// A value: no tasks, no clock, no randomness but its own seed.
public protocol SimulatedHost: Sendable {
    /// The time at which the world calls `wake`; nil while the host waits for its controller only.
    var nextDeadline: MonotonicInstant? { get }

    /// The device was attached to the air; called once, before anything else.
    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand])

    /// The controller says something.
    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand])

    /// `nextDeadline` has come. A host that leaves it in the past is called again at once, and in the end stops the
    /// run.
    mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand])
}

extension SimulatedHost {
    /// Nil: this host has no deadlines.
    public var nextDeadline: MonotonicInstant? { nil }

    /// Does nothing: this host has nothing to start.
    public mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]) {
    }

    /// Does nothing: this host has no deadlines.
    public mutating func wake(at now: MonotonicInstant, into commands: inout [AirCommand]) {}
}
