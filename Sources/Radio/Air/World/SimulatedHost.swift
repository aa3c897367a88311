public import Bluetooth
public import Determinism

/// The host of a simulated device: it answers its controller's events with commands, in no time at all.
///
/// A value: no tasks, no clock, no randomness but its own seed.
public protocol SimulatedHost: Sendable {
    /// The time at which the world calls `wake`; nil while the host waits for its controller only.
    var nextDeadline: MonotonicInstant? { get }

    /// Starts the host on the air; called once, before any other call.
    mutating func start(as address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand])

    /// Handles an event of the controller.
    mutating func handle(_ event: AirEvent, at now: MonotonicInstant, into commands: inout [AirCommand])

    /// Acts on a deadline: `nextDeadline` has come.
    ///
    /// A host that leaves `nextDeadline` in the past is called again at once, and in the end stops the run.
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
