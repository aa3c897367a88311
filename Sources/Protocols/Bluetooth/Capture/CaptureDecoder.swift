/// An event that a capture file records.
public struct CaptureEvent: Hashable, Sendable {
    /// A decoded event: a connection, an advertisement, a PDU or a frame, or a record that cannot be read.
    public enum Content: Hashable, Sendable {
        /// A connection began.
        case connected(HCIConnection)
        /// A connection ended; `reason` is an HCI error code.
        case disconnected(connection: UInt16, reason: UInt8)
        /// An advertisement or a scan response of legacy advertising was received.
        case advertisement(AdvertisementReport)
        /// An extended advertisement was received, and its parts were put together.
        case extendedAdvertisement(ExtendedAdvertisement)
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

/// A kind of records that a decoder counts and gives no event for.
public enum CaptureOmission: Hashable, Comparable, Sendable {
    /// Commands of a host.
    case command
    /// HCI events with this code; the replies to commands are among them.
    case event(code: UInt8)
    /// LE Meta events with this sub-code.
    case metaEvent(code: UInt8)
    /// Packets with another H4 type than commands, ACL data and events.
    case packet(type: UInt8)
    /// Packets of connections that a sniffer recorded.
    case dataPDU
    /// Packets of a sniffer that say where an extended advertisement follows.
    case pointer
    /// Scan requests that a sniffer recorded.
    case scanRequest
    /// Connection requests that a sniffer recorded.
    case connectRequest
    /// Packets of a sniffer with an advertising PDU type that the specification reserves.
    case reservedPDU(type: UInt8)
    /// Packets of a sniffer with a wrong checksum.
    case damaged
    /// Packets of a sniffer that are still whitened.
    case whitened
    /// Remarks of the recording program.
    case remark
    /// Packets of a link type that is not read.
    case linkType(UInt32)
}

/// Turns the records of a capture into events, putting ATT PDUs and advertisements together from their parts.
///
/// Every record gives an event or counts among `omissions`, except parts of what is not complete yet.
public struct CaptureDecoder: Sendable {
    /// The most connections whose frames are put together at one time.
    public static let maximumConnections = 64

    /// The most kinds of omissions that are told apart.
    private static let maximumOmissions = 1024

    private struct Direction: Hashable {
        let adapter: UInt16
        let connection: UInt16
        let isReceived: Bool
    }

    /// The number of records that gave no event, by their kind.
    public private(set) var omissions: [CaptureOmission: Int] = [:]

    private var reassemblers: [Direction: L2CAPReassembler] = [:]
    private var chains = AdvertisementChains()

    /// Starts before the first record.
    public init() {}

    /// The events that `record` completes.
    public mutating func events(of record: BTSnoopRecord) -> [CaptureEvent] {
        events(
            of: PacketRecord(
                microsecondsSinceEpoch: record.microsecondsSinceEpoch,
                link: .host(adapter: 0, isReceived: record.isReceived), bytes: record.packet))
    }

    /// The events that `record` completes.
    public mutating func events(of record: PacketRecord) -> [CaptureEvent] {
        let now = record.microsecondsSinceEpoch
        switch record.link {
        case .host(let adapter, let isReceived):
            return hostEvents(record.bytes, adapter: adapter, isReceived: isReceived, at: now)
        case .air(let link): return airEvents(record.bytes, link, at: now)
        case .remark: omit(.remark)
        case .other(let linkType): omit(.linkType(linkType))
        }
        return []
    }

    /// The extended advertisements whose last part has not come, as truncated; to be called after the last record.
    public mutating func finish() -> [CaptureEvent] { Self.events(chains.finish()) }

    private mutating func omit(_ kind: CaptureOmission) {
        guard omissions[kind] != nil || omissions.count < Self.maximumOmissions else { return }
        omissions[kind, default: 0] += 1
    }

    private static func events(_ advertisements: [AdvertisementChains.Timed]) -> [CaptureEvent] {
        advertisements.map {
            CaptureEvent(microsecondsSinceEpoch: $0.at, content: .extendedAdvertisement($0.advertisement))
        }
    }

    // MARK: - Between host and controller

    private mutating func hostEvents(
        _ packet: [UInt8], adapter: UInt16, isReceived: Bool, at now: Int64
    ) -> [CaptureEvent] {
        func event(_ content: CaptureEvent.Content) -> [CaptureEvent] {
            [CaptureEvent(microsecondsSinceEpoch: now, content: content)]
        }
        switch HCIPacket(packet) {
        case nil: return event(.problem("a malformed packet of \(packet.count) bytes"))
        case .data(let connection, let isFirst, let fragment):
            let direction = Direction(adapter: adapter, connection: connection, isReceived: isReceived)
            return receive(fragment, isFirst, direction).flatMap(event)
        case .connectionComplete(let connection, let status):
            forget(connection.handle, of: adapter)
            return event(status == 0 ? .connected(connection) : .problem("connecting failed with status \(status)"))
        case .disconnectionComplete(let connection, let reason):
            forget(connection, of: adapter)
            return event(.disconnected(connection: connection, reason: reason))
        case .advertisingReports(let reports): return reports.flatMap { event(.advertisement($0)) }
        case .extendedAdvertisingReports(let reports):
            return reports.flatMap { take($0, adapter: adapter, at: now) }
        case .other(let type, let content): return omit(type, content).map(event) ?? []
        }
    }

    private mutating func take(
        _ report: ExtendedAdvertisingReport, adapter: UInt16, at now: Int64
    ) -> [CaptureEvent] {
        if report.isLegacy, report.status == .complete, let address = report.address {
            let legacy = AdvertisementReport(address: address, kind: report.kind, rssi: report.rssi, data: report.data)
            return [CaptureEvent(microsecondsSinceEpoch: now, content: .advertisement(legacy))]
        }
        let part = ExtendedAdvertisement(
            address: report.address, kind: report.kind, setID: report.setID, transmitPower: report.transmitPower,
            rssi: report.rssi, data: report.data)
        let key = AdvertisementChains.Key(
            source: adapter, address: report.address, setID: report.setID,
            isScanResponse: report.kind == .scanResponse)
        return Self.events(chains.take(part, report.status, key, at: now))
    }

    /// Counts a packet that is not taken apart; a problem when it is of a kind that is.
    private mutating func omit(_ type: UInt8, _ content: [UInt8]) -> CaptureEvent.Content? {
        switch (type, content.first) {
        case (1, _): omit(.command)
        case (4, 0x3E?):
            let code = content.count > 2 ? content[2] : 0
            let names: [UInt8: String] = [
                0x01: "connection", 0x02: "advertising report", 0x0A: "connection", 0x0D: "extended advertising report",
            ]
            if let name = names[code] { return .problem("an HCI event (\(name)) whose fields disagree") }
            omit(.metaEvent(code: code))
        case (4, let code?): omit(.event(code: code))
        default: omit(.packet(type: type))
        }
        return nil
    }

    private mutating func forget(_ connection: UInt16, of adapter: UInt16) {
        for isReceived in [false, true] {
            reassemblers[Direction(adapter: adapter, connection: connection, isReceived: isReceived)] = nil
        }
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

    // MARK: - On the air

    private mutating func airEvents(
        _ bytes: [UInt8], _ link: PacketRecord.SnifferLink, at now: Int64
    ) -> [CaptureEvent] {
        let problem = CaptureEvent(
            microsecondsSinceEpoch: now, content: .problem("a malformed packet of \(bytes.count) bytes"))
        let packet: SniffedPacket
        do throws(SniffedPacket.UnreadablePacketReason) {
            packet = try SniffedPacket(bytes, link)
        } catch {
            switch error {
            case .malformed: return [problem]
            case .note: omit(.remark)
            case .damaged: omit(.damaged)
            case .whitened: omit(.whitened)
            }
            return []
        }
        guard packet.accessAddress == SniffedPacket.advertising else {
            omit(.dataPDU)
            return []
        }
        switch AdvertisingPDU(packet.pdu, rssi: packet.rssi) {
        case nil: return [problem]
        case .legacy(let report):
            return [CaptureEvent(microsecondsSinceEpoch: now, content: .advertisement(report))]
        case .extended(let part, let status, let dataID):
            // The parts after the first name their set alone.
            let key = AdvertisementChains.Key(
                address: dataID == nil ? part.address : nil, setID: part.setID, dataID: dataID)
            return Self.events(chains.take(part, status, key, isFirst: part.address != nil, at: now))
        case .pointer: omit(.pointer)
        case .scanRequest: omit(.scanRequest)
        case .connectRequest: omit(.connectRequest)
        case .reserved(let type): omit(.reservedPDU(type: type))
        }
        return []
    }
}
