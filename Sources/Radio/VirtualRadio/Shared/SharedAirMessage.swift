import Air
import Bluetooth
import Radio

/// The messages between a process on a shared air and its host.
///
/// Encoding: a tag byte, then fixed fields, least significant byte first, then at most one run of bytes that ends with
/// the message. Decoding is strict: an unknown tag, a field out of its range or a byte too many is refused.
enum SharedAirMessage: Hashable, Sendable {
    /// The version of this protocol; the two ends must have the same.
    static let version: UInt16 = 1

    // The ranges of fields; a sender clamps to them, as the air would.
    static let intervals = 1250...4_000_000
    static let dataLengths = 27...251
    static let packetCounts = 1...10_000
    static let mtus = 23...517
    static let timeouts = 10...32_000
    static let queueCapacities = 1...1024

    /// The client's first message: the device that joins, and its conditions.
    case hello(DeviceAddress, DeviceRadioConditions)
    /// The host's first message.
    case welcome
    /// The host refuses the client; the stream ends.
    case refused(AirJoinRefusal)
    /// A command that a client sends to the host.
    case command(AirCommand)
    /// An event that the host sends to a client.
    case event(AirEvent)

    /// The host's reason for refusing a client.
    enum AirJoinRefusal: UInt8, Error, Hashable, Sendable, CaseIterable {
        /// The two speak different versions.
        case version = 1
        /// The air holds as many devices as it may.
        case full = 2
        /// Another device on the air has this address.
        case addressTaken = 3

        /// The radio error for this refusal.
        var error: RadioError {
            switch self {
            case .version: RadioError(.unsupported, "the process that hosts the air is of another version")
            case .full: RadioError(.unavailable, "the air holds as many devices as it may")
            case .addressTaken: RadioError(.unavailable, "another device on the air has this address")
            }
        }
    }
}
