/// Something that happened, as a capture tells it.
public struct CaptureEvent: Hashable, Sendable {
    /// A decoded event: a connection, an advertisement, a PDU or a frame, or a record that cannot be read.
    public enum Content: Hashable, Sendable {
        /// A connection came up.
        case connected(HCIConnection)
        /// A connection went down; `reason` is an HCI error code.
        case disconnected(connection: UInt16, reason: UInt8)
        /// An advertisement or a scan response was heard.
        case advertisement(AdvertisementReport)
        /// An ATT PDU passed, whole.
        case attribute(connection: UInt16, isReceived: Bool, pdu: [UInt8])
        /// A frame of another L2CAP channel passed.
        case frame(connection: UInt16, isReceived: Bool, L2CAPFrame)
        /// A record could not be read, or a frame not be put together.
        case problem(String)
    }

    /// The time of the event in microseconds since 1970-01-01T00:00:00Z.
    public var microsecondsSinceEpoch: Int64

    /// The decoded event.
    public var content: Content
}

/// Turns the records of a capture into events, putting ATT PDUs together from their fragments.
public struct CaptureDecoder: Sendable {
    /// The most connections whose frames are put together at one time.
    public static let maximumConnections = 64

    private struct Direction: Hashable {
        let connection: UInt16
        let isReceived: Bool
    }

    private var reassemblers: [Direction: L2CAPReassembler] = [:]

    /// Starts before the first record.
    public init() {}

    /// The events that `record` completes; other HCI commands and events give none.
    public mutating func events(of record: BTSnoopRecord) -> [CaptureEvent] {
        contents(of: record).map {
            CaptureEvent(microsecondsSinceEpoch: record.microsecondsSinceEpoch, content: $0)
        }
    }

    private mutating func contents(of record: BTSnoopRecord) -> [CaptureEvent.Content] {
        switch HCIPacket(record.packet) {
        case nil: return [.problem("a malformed packet of \(record.packet.count) bytes")]
        case .data(let connection, let isFirst, let fragment):
            return receive(fragment, isFirst, Direction(connection: connection, isReceived: record.isReceived))
        case .connectionComplete(let connection, let status):
            forget(connection.handle)
            return status == 0 ? [.connected(connection)] : [.problem("connecting failed with status \(status)")]
        case .disconnectionComplete(let connection, let reason):
            forget(connection)
            return [.disconnected(connection: connection, reason: reason)]
        case .advertisingReports(let reports): return reports.map { .advertisement($0) }
        case .other: return []
        }
    }

    private mutating func forget(_ connection: UInt16) {
        reassemblers[Direction(connection: connection, isReceived: true)] = nil
        reassemblers[Direction(connection: connection, isReceived: false)] = nil
    }

    private mutating func receive(
        _ fragment: [UInt8], _ isFirst: Bool, _ direction: Direction
    ) -> [CaptureEvent.Content] {
        guard reassemblers[direction] != nil || reassemblers.count < 2 * Self.maximumConnections else {
            return [.problem("more than \(Self.maximumConnections) connections")]
        }
        do throws(BluetoothFormatError) {
            let whole = try reassemblers[direction, default: L2CAPReassembler(maximumPayloadBytes: 65_535)]
                .receive(fragment, isFirst: isFirst)
            guard let frame = whole else { return [] }
            let (connection, isReceived) = (direction.connection, direction.isReceived)
            return frame.channel == L2CAPFrame.attributeChannel
                ? [.attribute(connection: connection, isReceived: isReceived, pdu: frame.payload)]
                : [.frame(connection: connection, isReceived: isReceived, frame)]
        } catch {
            return [.problem(error.reason)]
        }
    }
}
