import ByteCoding

/// One HCI packet between a host and its controller, as on a UART (H4): a type byte, then the packet.
///
/// Only what a capture of ATT traffic needs is taken apart; the rest is kept as bytes. Source: Core Specification 5.3,
/// Vol 4 Part A §2 and Part E §5.4, §7.7.
public enum HCIPacket: Hashable, Sendable {
    /// ACL data: a fragment of an L2CAP frame on a connection (0 to 0x0EFF).
    case data(connection: UInt16, isFirst: Bool, fragment: [UInt8])
    /// An LE connection began, or failed with `status`.
    case connectionComplete(HCIConnection, status: UInt8)
    /// The HCI event of a connection that ended; `reason` is an HCI error code.
    case disconnectionComplete(connection: UInt16, reason: UInt8)
    /// The HCI event with received advertisements and scan responses.
    case advertisingReports([AdvertisementReport])
    /// The HCI event with advertisements, scan responses or parts of them, from a controller with extended advertising.
    case extendedAdvertisingReports([ExtendedAdvertisingReport])
    /// Any other packet with its H4 type: 1 command, 2 data, 3 synchronous data, 4 event, 5 isochronous data.
    case other(type: UInt8, content: [UInt8])

    /// The most bytes of an ACL data packet that controllers usually accept.
    public static let usualACLBytes = 1021

    /// Reads one HCI packet, which must fill `bytes` exactly; nil when it does not, or is empty.
    public init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let type = reader.byte() else { return nil }
        let packet: HCIPacket? =
            switch type {
            case 2: Self.readData(&reader)
            case 4: Self.readEvent(&reader)
            default: .other(type: type, content: Array(reader.rest()))
            }
        guard let packet, reader.isAtEnd else { return nil }
        self = packet
    }

    /// Returns the bytes of the HCI packet with its type byte.
    ///
    /// - Parameter isReceived: true when the controller gives the packet to the host; decides how a first fragment is
    ///   marked.
    /// - Precondition: each length fits its field on the wire: data 65,535 bytes, advertising data 31 each, the reports
    ///   of an event 253 bytes.
    public func bytes(isReceived: Bool) -> [UInt8] {
        switch self {
        case .data(let connection, let isFirst, let fragment):
            let boundary: UInt16 = isFirst ? (isReceived ? 2 : 0) : 1
            var bytes: [UInt8] = [2]
            bytes.appendLittleEndian(connection & 0x0FFF | boundary << 12)
            bytes.appendLittleEndian(UInt16(fragment.count))
            return bytes + fragment
        case .connectionComplete(let connection, let status):
            return Self.event(0x3E, [0x01, status] + connection.parameters)
        case .disconnectionComplete(let connection, let reason):
            var parameters: [UInt8] = [0]
            parameters.appendLittleEndian(connection)
            return Self.event(0x05, parameters + [reason])
        case .advertisingReports(let reports):
            return Self.event(0x3E, [0x02, UInt8(truncatingIfNeeded: reports.count)] + reports.flatMap(\.parameters))
        case .extendedAdvertisingReports(let reports):
            return Self.event(0x3E, [0x0D, UInt8(truncatingIfNeeded: reports.count)] + reports.flatMap(\.parameters))
        case .other(let type, let content): return [type] + content
        }
    }

    /// True when the packet is a command or an event, false when it is data.
    public var isControl: Bool {
        switch self {
        case .data: false
        case .connectionComplete, .disconnectionComplete, .advertisingReports, .extendedAdvertisingReports: true
        case .other(let type, _): type == 1 || type == 4
        }
    }

    private static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [4, code, UInt8(parameters.count)] + parameters
    }

    private static func readData(_ reader: inout ByteReader) -> HCIPacket? {
        guard let head = reader.littleEndian(UInt16.self), let count = reader.littleEndian(UInt16.self),
            let fragment = reader.bytes(Int(count))
        else { return nil }
        return .data(connection: head & 0x0FFF, isFirst: head >> 12 & 3 != 1, fragment: Array(fragment))
    }

    private static func readEvent(_ reader: inout ByteReader) -> HCIPacket? {
        guard let code = reader.byte(), let count = reader.byte(), let parameters = reader.bytes(Int(count)) else {
            return nil
        }
        var inner = ByteReader(parameters)
        let event: HCIPacket? =
            switch (code, parameters.first) {
            case (0x05, _): readDisconnection(&inner)
            case (0x3E, 0x01), (0x3E, 0x0A): readConnection(&inner)
            case (0x3E, 0x02): readReports(&inner, AdvertisementReport.init).map { .advertisingReports($0) }
            case (0x3E, 0x0D):
                readReports(&inner, ExtendedAdvertisingReport.init).map { .extendedAdvertisingReports($0) }
            default: nil
            }
        if let event, inner.isAtEnd { return event }
        return .other(type: 4, content: [code, count] + parameters)
    }

    private static func readDisconnection(_ reader: inout ByteReader) -> HCIPacket? {
        guard reader.byte() == 0, let connection = reader.littleEndian(UInt16.self), let reason = reader.byte() else {
            return nil
        }
        return .disconnectionComplete(connection: connection, reason: reason)
    }

    /// Reads the event of a new connection; skips the two resolvable addresses of the enhanced event.
    private static func readConnection(_ reader: inout ByteReader) -> HCIPacket? {
        let isEnhanced = reader.byte() == 0x0A
        guard let status = reader.byte(), let connection = HCIConnection(&reader, skipping: isEnhanced ? 12 : 0) else {
            return nil
        }
        return .connectionComplete(connection, status: status)
    }

    /// Reads the number of reports, and each of them; nil when one cannot be read.
    private static func readReports<Report>(
        _ reader: inout ByteReader, _ read: (inout ByteReader) -> Report?
    ) -> [Report]? {
        guard reader.byte() != nil, let count = reader.byte() else { return nil }
        var reports: [Report] = []
        for _ in 0..<count {
            guard let report = read(&reader) else { return nil }
            reports.append(report)
        }
        return reports
    }
}

/// A connection as the controller's event describes it.
public struct HCIConnection: Hashable, Sendable {
    /// The connection handle of data packets: 0 to 0x0EFF.
    public var handle: UInt16
    /// True when this side is the central.
    public var isCentral: Bool
    /// The address of the device at the other end.
    public var peer: DeviceAddress
    /// The connection interval, in steps of 1.25 ms.
    public var intervalSteps: UInt16
    /// The supervision time-out, in steps of 10 ms.
    public var supervisionSteps: UInt16

    /// Makes an HCI connection from its parts.
    public init(
        handle: UInt16, isCentral: Bool, peer: DeviceAddress, intervalSteps: UInt16, supervisionSteps: UInt16
    ) {
        self.handle = handle
        self.isCentral = isCentral
        self.peer = peer
        self.intervalSteps = intervalSteps
        self.supervisionSteps = supervisionSteps
    }

    fileprivate init?(_ reader: inout ByteReader, skipping skipped: Int) {
        guard let handle = reader.littleEndian(UInt16.self), let role = reader.byte(), let kind = reader.byte(),
            let wire = reader.bytes(6), reader.bytes(skipped) != nil,
            let peer = DeviceAddress(littleEndian: wire, kind: kind & 1 == 0 ? .public : .random),
            let interval = reader.littleEndian(UInt16.self), reader.littleEndian(UInt16.self) != nil,
            let supervision = reader.littleEndian(UInt16.self), reader.byte() != nil
        else { return nil }
        self.init(
            handle: handle, isCentral: role == 0, peer: peer, intervalSteps: interval, supervisionSteps: supervision)
    }

    /// The parameters of the HCI event after the status; peripheral latency and clock accuracy are 0.
    fileprivate var parameters: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(handle)
        bytes += [isCentral ? 0 : 1, peer.kind.rawValue] + peer.littleEndian
        bytes.appendLittleEndian(intervalSteps)
        bytes.appendLittleEndian(UInt16(0))
        bytes.appendLittleEndian(supervisionSteps)
        return bytes + [0]
    }
}
