public import Bluetooth
public import Determinism

/// An observation of a device with a proximity sensor, in terms common to all implementations.
public enum ProximityObservation: Hashable, Sendable {
    /// The sensor reported a signal strength of the device that it names `target`.
    case measured(target: UInt64, rssi: Int)
    /// The sensor learnt the identity of `target`.
    case identified(target: UInt64, payload: [UInt8])
    /// The sensor read a payload over a link; `payload` as it was received.
    case payloadRead([UInt8])
    /// The sensor found that `target` and `other` are one device, which it names `into`.
    case merged(target: UInt64, into: UInt64)
    /// The sensor received a message of an application.
    case received([UInt8])
}

/// A simulated host with a proximity sensor; simulated crowds consist of such hosts.
public protocol ProximityHost: SimulatedHost {
    /// The number of other devices that it remembers.
    var recordCount: Int { get }

    /// Returns its events since the last call, oldest first.
    mutating func drainNotes(into notes: inout [ProximityObservation])

    /// Handles a new own address, which the system gave the device.
    mutating func addressChanged(
        to address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand])
}

extension ProximityHost {
    /// Zero: this host keeps no records.
    public var recordCount: Int { 0 }

    /// Appends nothing: this host has observed nothing.
    public mutating func drainNotes(into notes: inout [ProximityObservation]) {}

    /// Does nothing: this host does not depend on its address.
    public mutating func addressChanged(
        to address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {}
}
