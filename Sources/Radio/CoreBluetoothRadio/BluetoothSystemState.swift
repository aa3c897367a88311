import Radio

/// The state of Bluetooth for this app, as the system reports it.
public enum BluetoothSystemState: Hashable, Sendable, CaseIterable {
    /// The system has not said yet.
    case unknown
    /// The connection to the system's Bluetooth service was lost for a moment; another state follows.
    case resetting
    /// The device has no Bluetooth LE.
    case unsupported
    /// The user does not allow this app to use Bluetooth, or may not decide about it.
    case unauthorized
    /// Bluetooth is off.
    case off
    /// Bluetooth is on and this app may use it.
    case on

    /// The error of an operation that needs Bluetooth to be on; nil when it is.
    var failure: RadioError? {
        switch self {
        case .on: nil
        case .unauthorized: RadioError(.notPermitted, "The user does not allow this app to use Bluetooth.")
        case .off: RadioError(.unavailable, "Bluetooth is off.")
        case .unsupported: RadioError(.unavailable, "This device has no Bluetooth LE.")
        case .unknown, .resetting: RadioError(.unavailable, "The system's Bluetooth service is not ready.")
        }
    }
}

/// Names one operation of a radio that waits for its result.
struct RadioOperationID: Hashable, Sendable {
    let number: UInt64
}
