public import Bluetooth
public import Determinism

/// What a device with a proximity sensor noticed, in words that all its implementations have.
public enum ProximityNote: Hashable, Sendable {
    /// It reported a signal strength of the device that it names `target`.
    case measured(target: UInt64, rssi: Int)
    /// It learnt the identity of `target`.
    case identified(target: UInt64, payload: [UInt8])
    /// It read a payload over a link; `payload` as it came.
    case payloadRead([UInt8])
    /// What it called `target` is what it calls `other`.
    case merged(target: UInt64, into: UInt64)
    /// It got a message of an application.
    case received([UInt8])
}

/// A host with a proximity sensor, as crowds are made of.
public protocol ProximityHost: SimulatedHost {
    /// How many others it remembers.
    var recordCount: Int { get }

    /// Returns its events since the last call, oldest first.
    mutating func drainNotes(into notes: inout [ProximityNote])

    /// The system gave the device another address.
    mutating func addressChanged(
        to address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand])
}

extension ProximityHost {
    /// Remembers no device.
    public var recordCount: Int { 0 }

    /// Has noticed nothing.
    public mutating func drainNotes(into notes: inout [ProximityNote]) {}

    /// Does nothing.
    public mutating func addressChanged(
        to address: DeviceAddress, at now: MonotonicInstant, into commands: inout [AirCommand]
    ) {}
}
