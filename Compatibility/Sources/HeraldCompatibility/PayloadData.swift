public import Bluetooth
import Herald

#if canImport(Darwin)
    public import Foundation
#else
    public import FoundationEssentials
#endif

/// The payload of a device; also that of an older application, of which `service` is known.
///
/// A value, where the deployed library for iOS has a class: what is appended to needs `var`.
public struct PayloadData: Hashable, Sendable {
    /// The protocols that a payload may be of.
    public enum ProtocolName: String, Hashable, Sendable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        /// The service is none of the others, or not known, or that of Herald or OpenTrace.
        case UNKNOWN, NOT_AVAILABLE, HERALD, OPENTRACE
    }

    /// The bytes of the payload.
    public var data: Data
    /// The service of the older application that it is of; nil for a payload of Herald.
    public let service: BluetoothUUID?

    /// Makes a payload.
    public init(_ data: Data, service: BluetoothUUID? = nil) {
        self.data = data
        self.service = service
    }

    /// Makes an empty payload, to append to.
    public init() { self.init(Data()) }

    /// Makes the payload of an older application.
    public init(service: BluetoothUUID, data: Data) { self.init(data, service: service) }

    /// Makes a payload of Base64; nil for a text that is none.
    public init?(base64Encoded text: String) {
        guard let data = Data(base64Encoded: text) else { return nil }
        self.init(data)
    }

    /// The protocol that the service belongs to.
    public var protocolName: ProtocolName {
        switch service {
        case nil: .NOT_AVAILABLE
        case HeraldUUIDs.service?, HeraldUUIDs.documentedService?: .HERALD
        case HeraldUUIDs.openTraceService?: .OPENTRACE
        default: .UNKNOWN
        }
    }

    /// Six base64 characters of the bytes after the first three, for people.
    public var shortName: String { ContactLog.shortName(of: Array(data)) }

    /// The number of bytes of the payload.
    public var count: Int { data.count }
}

/// The payload of an older application: a payload with `service`.
///
/// In place of `payload as? LegacyPayloadData` ask whether `payload.service` is there.
public typealias LegacyPayloadData = PayloadData

// MARK: - Appending

extension PayloadData {
    /// Appends the bytes of another payload.
    public mutating func append(_ other: PayloadData) { data.append(other.data) }
    /// Appends bytes.
    public mutating func append(_ other: Data) { data.append(other) }
    /// Appends one byte.
    public mutating func append(_ other: UInt8) { data.append(other) }
    /// Appends two bytes, least significant first.
    public mutating func append(_ other: UInt16) { appendLittleEndian(other) }
    /// Appends four bytes, least significant first.
    public mutating func append(_ other: UInt32) { appendLittleEndian(other) }
    /// Appends eight bytes, least significant first.
    public mutating func append(_ other: UInt64) { appendLittleEndian(other) }
    /// Appends one byte.
    public mutating func append(_ other: Int8) { append(UInt8(bitPattern: other)) }
    /// Appends two bytes, least significant first.
    public mutating func append(_ other: Int16) { append(UInt16(bitPattern: other)) }
    /// Appends four bytes, least significant first.
    public mutating func append(_ other: Int32) { append(UInt32(bitPattern: other)) }
    /// Appends eight bytes, least significant first.
    public mutating func append(_ other: Int64) { append(UInt64(bitPattern: other)) }
    /// Appends the four bytes of the number's bit pattern, least significant first.
    public mutating func append(_ other: Float32) { append(other.bitPattern) }
    #if !((os(macOS) || targetEnvironment(macCatalyst)) && arch(x86_64))
        /// Appends the two bytes of the number's bit pattern, least significant first.
        public mutating func append(_ other: Float16) { append(other.bitPattern) }
    #endif

    private mutating func appendLittleEndian(_ value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            data.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}

// MARK: - Formatting

/// Says how a log shows a payload.
public protocol PayloadDataFormatter: Sendable {
    /// A short text for a payload.
    func shortFormat(_ payloadData: PayloadData) -> String
}

/// Shows a payload by its short name.
public struct ConcretePayloadDataFormatter: PayloadDataFormatter {
    /// Makes a formatter.
    public init() {}

    /// The short name of the payload.
    public func shortFormat(_ payloadData: PayloadData) -> String { payloadData.shortName }
}
