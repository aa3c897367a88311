package import Bluetooth
import ByteCoding

/// The sessions of mobile documents in the packets of a capture: messages put together, and deviations of the links.
///
/// Both GATT modes are read, from the side of either device. Characteristics are known from the discovery in the
/// capture. Source: ISO/IEC 18013-5, clause 11.1.3. Messages stay encrypted.
package struct MobileCapture: Sendable {
    /// A message that was put together from its parts, or could not be.
    package struct CapturedMessage: Sendable {
        /// The number of the packet with the last part.
        package let packet: Int
        /// The handle of the connection.
        package let connection: Int
        /// The way in which the two devices are connected.
        package let mode: MobileMode
        /// True for a message of the reader.
        package let isFromReader: Bool
        /// The number of parts.
        package let partCount: Int
        /// The number of bytes that came.
        package let byteCount: Int
        /// The explanation; nil for a message that is no structure of a session.
        package let inspection: MobileInspection?
        /// The error of a message that does not follow the protocol; nil for one that was put together.
        package let failure: MobileSessionError?
    }

    /// A deviation of a link.
    package struct CapturedDeviation: Hashable, Sendable {
        /// The deviation.
        package let deviation: MobileDeviation
        /// The number of the packet that shows it.
        package let packet: Int
        /// The handle of the connection.
        package let connection: Int
    }

    /// The most messages, and the most deviations, that are kept.
    package static let maximumCount = 1000
    /// The most links with a session at one time, and the most services that are remembered.
    private static let maximumLinks = 64
    /// The time that a client may stay after the end, in microseconds.
    private static let patience: Int64 = 3_000_000

    /// The messages in the order of their last parts.
    package private(set) var messages: [CapturedMessage] = []
    /// The deviations of links, in the order of the packets.
    package private(set) var deviations: [CapturedDeviation] = []

    private var links: [CapturedServer: CapturedLink] = [:]
    /// The services whose sessions had begun on links that are down.
    private var spent: Set<BluetoothUUID> = []

    /// Makes a reader that has seen no packet.
    package init() {}

    /// Takes an event of the capture; returns the name of the characteristic that it is about.
    ///
    /// - Parameter number: the number of the packet, which messages and deviations refer to.
    package mutating func take(_ event: CaptureEvent, number: Int) -> String? {
        switch event.content {
        case .connected(let connection): forget(connection.handle)
        case .disconnected(let connection, _):
            for isPeer in [false, true] {
                let server = CapturedServer(connection: connection, isPeer: isPeer)
                guard let link = links[server] else { continue }
                end(link, server, number, at: event.microsecondsSinceEpoch)
            }
            forget(connection)
        case .attribute(let connection, let isReceived, let bytes):
            guard let pdu = try? ATTPDU(bytes) else { return nil }
            return take(pdu, connection, isReceived, number, at: event.microsecondsSinceEpoch)
        case .advertisement, .extendedAdvertisement, .frame, .problem: break
        }
        return nil
    }

    private mutating func forget(_ connection: UInt16) {
        for isPeer in [false, true] { links[CapturedServer(connection: connection, isPeer: isPeer)] = nil }
    }

    private mutating func note(_ deviation: MobileDeviation, _ server: CapturedServer, _ number: Int) {
        guard deviations.count < Self.maximumCount else { return }
        deviations.append(
            CapturedDeviation(deviation: deviation, packet: number, connection: Int(server.connection)))
    }

    private mutating func end(_ link: CapturedLink, _ server: CapturedServer, _ number: Int, at time: Int64) {
        for isFromClient in [true, false] {
            let parts = link.parts(isFromClient: isFromClient)
            guard parts.isUnderWay else { continue }
            let count = parts.bytes.count
            add(
                link, server, number, isFromClient, count, nil,
                MobileSessionError(.brokenOff, "The link ended after \(count) bytes of a message."))
        }
        guard link.hasStarted else { return }
        if let service = link.service, spent.count < Self.maximumLinks { spent.insert(service) }
        if let ended = link.endedAt {
            if time.subtractingReportingOverflow(ended).partialValue > Self.patience {
                note(.stayedConnected, server, number)
            }
        } else if !link.hasStatus {
            note(.endWithoutStatus, server, number)
        }
    }

    // MARK: Packets

    private mutating func take(
        _ pdu: ATTPDU, _ connection: UInt16, _ isReceived: Bool, _ number: Int, at time: Int64
    ) -> String? {
        // The server of what a client asks for is the receiver; of what a server says, the sender.
        let asked = CapturedServer(connection: connection, isPeer: !isReceived)
        let answering = CapturedServer(connection: connection, isPeer: isReceived)
        switch pdu {
        case .findByTypeValueRequest(_, _, _, let value):
            if let uuid = BluetoothUUID(littleEndian: value), value.count == 16 { found(uuid, asked, number) }
        case .readByGroupTypeResponse(let groups):
            for group in groups {
                guard group.value.count == 16, let uuid = BluetoothUUID(littleEndian: group.value) else { continue }
                // Other services have long UUIDs too; the characteristics say which one it is.
                link(answering) { $0.groups[group.start] = uuid }
            }
        case .readByTypeResponse(let entries):
            for entry in entries { learn(entry.value, answering, number) }
        case .readRequest(let handle):
            return links[asked]?.characteristics[handle].map(Self.name)
        case .writeRequest(let handle, let value), .writeCommand(let handle, let value):
            return took(value, handle, asked, isFromClient: true, number, at: time)
        case .handleValueNotification(let handle, let value):
            return took(value, handle, answering, isFromClient: false, number, at: time)
        default: break
        }
        return nil
    }

    private mutating func link(_ server: CapturedServer, _ change: (inout CapturedLink) -> Void) {
        guard links[server] != nil || links.count < Self.maximumLinks else { return }
        change(&links[server, default: CapturedLink()])
    }

    /// Notes the service that a client looks for or a server has.
    private mutating func found(_ service: BluetoothUUID, _ server: CapturedServer, _ number: Int) {
        guard links[server]?.service != service else { return }
        link(server) { $0.service = service }
        if spent.contains(service) { note(.returnedAfterStart, server, number) }
    }

    /// Learns a characteristic's declaration: properties, handle of the value, UUID.
    private mutating func learn(_ declaration: [UInt8], _ server: CapturedServer, _ number: Int) {
        var reader = ByteReader(declaration)
        guard reader.byte() != nil, let handle = reader.littleEndian(UInt16.self),
            let uuid = BluetoothUUID(littleEndian: reader.rest())
        else { return }
        for mode in MobileMode.allCases {
            guard let characteristic = MobileCharacteristic(uuid, in: mode) else { continue }
            link(server) { link in
                link.mode = mode
                link.characteristics[handle] = characteristic
            }
            guard let group = links[server]?.groups.filter({ $0.key < handle }).max(by: { $0.key < $1.key }) else {
                continue
            }
            found(group.value, server, number)
        }
    }

    private mutating func took(
        _ value: [UInt8], _ handle: UInt16, _ server: CapturedServer, isFromClient: Bool, _ number: Int, at time: Int64
    ) -> String? {
        // Taken out, so that a message grows in place.
        guard let mode = links[server]?.mode, var link = links.removeValue(forKey: server) else { return nil }
        defer { links[server] = link }
        guard let characteristic = link.characteristics[handle] else {
            guard isFromClient, let described = link.described(by: handle) else { return nil }
            // The standard prints the bits in the other order, and some write them so.
            if value == [1, 0] || value == [0, 1] { link.subscribed.insert(described) }
            return "\(Self.name(described)), subscription"
        }
        switch characteristic {
        case .state:
            if value == [1] {
                if link.subscribed.count < 2 { note(.startWithoutSubscription, server, number) }
                link.hasStarted = true
            } else if value == [2], link.endedAt == nil {
                link.endedAt = time
            }
        case .clientToServer, .serverToClient:
            if value.count > PartSplitter.maximumValueBytes { note(.longValue, server, number) }
            takePart(value, of: &link, server, isFromClient: isFromClient, mode, number)
        case .ident: break
        }
        return Self.name(characteristic)
    }

    private mutating func takePart(
        _ value: [UInt8], of link: inout CapturedLink, _ server: CapturedServer, isFromClient: Bool, _ mode: MobileMode,
        _ number: Int
    ) {
        do throws(MobileSessionError) {
            guard let message = try link.take(value, isFromClient: isFromClient) else { return }
            let inspection = MobileInspection(message)
            if (try? SessionData(message, limit: MobileInspection.maximumBytes))?.status != nil {
                link.hasStatus = true
            }
            add(link, server, number, isFromClient, message.count, inspection, nil)
        } catch {
            add(link, server, number, isFromClient, value.count, nil, error)
        }
        link.clearCount(isFromClient: isFromClient)
    }

    private mutating func add(
        _ link: CapturedLink, _ server: CapturedServer, _ number: Int, _ isFromClient: Bool, _ count: Int,
        _ inspection: MobileInspection?, _ failure: MobileSessionError?
    ) {
        guard messages.count < Self.maximumCount, let mode = link.mode else { return }
        messages.append(
            CapturedMessage(
                packet: number, connection: Int(server.connection), mode: mode,
                // The holder is the server in peripheral server mode.
                isFromReader: isFromClient == (mode == .peripheralServer),
                partCount: link.partCount(isFromClient: isFromClient), byteCount: count, inspection: inspection,
                failure: failure))
    }

    private static func name(_ characteristic: MobileCharacteristic) -> String {
        switch characteristic {
        case .state: "State"
        case .clientToServer: "Client2Server"
        case .serverToClient: "Server2Client"
        case .ident: "Ident"
        }
    }
}

/// The server of a connection: the recording host, or its peer.
private struct CapturedServer: Hashable, Sendable {
    let connection: UInt16
    let isPeer: Bool
}

/// The facts about one server of a connection.
private struct CapturedLink: Sendable {
    /// One direction of messages.
    private struct CapturedDirection: Sendable {
        var parts = PartAssembler(limit: MobileInspection.maximumBytes)
        var count = 0
    }

    /// The services with a UUID of 128 bits, by the handles of their declarations.
    var groups: [UInt16: BluetoothUUID] = [:]
    var service: BluetoothUUID?
    var mode: MobileMode?
    var characteristics: [UInt16: MobileCharacteristic] = [:]
    var subscribed: Set<MobileCharacteristic> = []
    var hasStarted = false
    /// True when a message had a status.
    var hasStatus = false
    /// The time of State 02 in microseconds; nil before it.
    var endedAt: Int64?
    private var fromClient = CapturedDirection()
    private var fromServer = CapturedDirection()

    func parts(isFromClient: Bool) -> PartAssembler { isFromClient ? fromClient.parts : fromServer.parts }

    func partCount(isFromClient: Bool) -> Int { isFromClient ? fromClient.count : fromServer.count }

    mutating func take(_ part: [UInt8], isFromClient: Bool) throws(MobileSessionError) -> [UInt8]? {
        if isFromClient {
            fromClient.count += 1
            return try fromClient.parts.take(part)
        }
        fromServer.count += 1
        return try fromServer.parts.take(part)
    }

    mutating func clearCount(isFromClient: Bool) {
        if isFromClient { fromClient.count = 0 } else { fromServer.count = 0 }
    }

    /// Returns the notified characteristic whose descriptor has a handle: the last one before it.
    func described(by handle: UInt16) -> MobileCharacteristic? {
        let before = characteristics.filter { $0.key < handle }.max { $0.key < $1.key }
        guard let before, before.value == .state || before.value == .serverToClient else { return nil }
        return before.value
    }
}
