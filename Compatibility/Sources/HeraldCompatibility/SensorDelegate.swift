import Determinism
import Herald

#if canImport(Darwin)
    public import Foundation
#else
    public import FoundationEssentials
#endif

/// Receives the events of a `SensorArray`, by the calls of the deployed libraries; all are optional.
///
/// Calls come one after the other, on no particular thread. Source: Herald 2.2 for iOS.
public protocol SensorDelegate: Sendable {
    /// A device was detected that speaks Herald, or may.
    func sensor(_ sensor: SensorType, didDetect: TargetIdentifier)
    /// Reports that a device was detected (`available` is true), or that its record was removed (false).
    func sensor(_ sensor: SensorType, available: Bool, didDeleteOrDetect: TargetIdentifier)
    /// The payload of a device was read for the first time, or has changed.
    func sensor(_ sensor: SensorType, didRead: PayloadData, fromTarget: TargetIdentifier)
    /// A device shared the payloads of others.
    func sensor(_ sensor: SensorType, didShare: [PayloadData], fromTarget: TargetIdentifier)
    /// A device sent data by its immediate send.
    func sensor(_ sensor: SensorType, didReceive: Data, fromTarget: TargetIdentifier)
    /// The signal strength of a device was measured.
    func sensor(_ sensor: SensorType, didMeasure: Proximity, fromTarget: TargetIdentifier)
    /// Reports that this device is or was at a beacon.
    func sensor(_ sensor: SensorType, didVisit: Location?)
    /// The signal strength of a device with a known payload was measured.
    func sensor(
        _ sensor: SensorType, didMeasure: Proximity, fromTarget: TargetIdentifier, withPayload: PayloadData)
    /// The radio came on, went off or is gone.
    func sensor(_ sensor: SensorType, didUpdateState: SensorState)
}

extension SensorDelegate {
    /// Does nothing.
    public func sensor(_ sensor: SensorType, didDetect: TargetIdentifier) {}
    /// Does nothing.
    public func sensor(_ sensor: SensorType, available: Bool, didDeleteOrDetect: TargetIdentifier) {}
    /// Does nothing.
    public func sensor(_ sensor: SensorType, didRead: PayloadData, fromTarget: TargetIdentifier) {}
    /// Does nothing.
    public func sensor(_ sensor: SensorType, didShare: [PayloadData], fromTarget: TargetIdentifier) {}
    /// Does nothing.
    public func sensor(_ sensor: SensorType, didReceive: Data, fromTarget: TargetIdentifier) {}
    /// Does nothing.
    public func sensor(_ sensor: SensorType, didMeasure: Proximity, fromTarget: TargetIdentifier) {}
    /// Does nothing.
    public func sensor(_ sensor: SensorType, didVisit: Location?) {}
    /// Does nothing.
    public func sensor(
        _ sensor: SensorType, didMeasure: Proximity, fromTarget: TargetIdentifier, withPayload: PayloadData
    ) {}
    /// Does nothing.
    public func sensor(_ sensor: SensorType, didUpdateState: SensorState) {}
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The kind of a sensor; the deployed libraries have more, which are not here.
public enum SensorType: String, Hashable, Sendable {
    /// Bluetooth Low Energy.
    case BLE
}

/// The state of the radio that a sensor uses.
public enum SensorState: String, Hashable, Sendable {
    /// The radio is ready.
    case on
    /// The radio is switched off.
    case off
    /// The radio is missing, or its use is not permitted.
    case unavailable
}

/// Names a device for as long as its record lives; the text of a `TargetID`.
public typealias TargetIdentifier = String

/// A signal strength, with the sender's power where it is known.
public struct Proximity: Hashable, Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The unit of the value.
    public enum ProximityMeasurementUnit: String, Hashable, Sendable {
        /// The received signal strength in dBm.
        case RSSI
    }

    /// The unit of the value.
    public let unit = ProximityMeasurementUnit.RSSI
    /// The signal strength in dBm.
    public let value: Double
    /// The transmit power that the device claims; nil when it claims none.
    public let calibration: Calibration?

    /// The measurement as the libraries' logs have it: `RSSI:-57.0[BLETransmitPower:12.0]`.
    public var description: String {
        "RSSI:\(value)" + (calibration.map { "[BLETransmitPower:\($0.value)]" } ?? "")
    }
}

/// The transmit power that a device claims.
public struct Calibration: Hashable, Sendable {
    /// The transmit power in dBm.
    public let value: Double
}

/// A stay at a beacon.
public struct Location: Hashable, Sendable {
    /// The short name of the beacon's payload.
    public let value: String
    /// The beginning of the stay.
    public let start: Date
    /// The end of the stay, or the time of the report while it lasts.
    public let end: Date

    /// The stay as the libraries' logs have it: `PLACE(name=…):[from=…,to=…]`, times in UTC.
    public var description: String {
        func text(_ date: Date) -> String {
            ContactLog.timestamp(WallTime(millisecondsSinceEpoch: Int64(date.timeIntervalSince1970 * 1000))) + " +0000"
        }
        return "PLACE(name=\(value)):[from=\(text(start)),to=\(text(end))]"
    }
}
