import ByteCoding

/// One packet of the link layer as a sniffer recorded it: access address, PDU and checksum, without preamble.
///
/// Sources: the link types LINKTYPE_BLUETOOTH_LE_LL (251), LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR (256) and
/// LINKTYPE_NORDIC_BLE (272) as tcpdump.org and Wireshark describe them; Core Specification 5.3, Vol 6 Part B §2.
struct SniffedPacket: Hashable, Sendable {
    /// The reason why a record of a sniffer holds no packet that can be read.
    enum UnreadablePacketReason: Error {
        /// The record is cut off, or its lengths disagree.
        case malformed
        /// The record is a remark of the sniffer about itself.
        case note
        /// The checksum of the packet is wrong.
        case damaged
        /// The bits are still whitened, as they were on the air.
        case whitened
    }

    /// The access address of advertising.
    static let advertising: UInt32 = 0x8E89_BED6
    /// The bytes before and after a PDU: access address and checksum.
    private static let frameBytes = 7

    let accessAddress: UInt32
    /// Signal strength in dBm; nil when the sniffer did not tell.
    let rssi: Int?
    /// The PDU with its header of two bytes.
    let pdu: ArraySlice<UInt8>

    /// Reads the record of a sniffer.
    init(_ bytes: [UInt8], _ link: PacketRecord.SnifferLink) throws(UnreadablePacketReason) {
        var reader = ByteReader(bytes)
        var rssi: Int?
        // Nil where the sniffer did not check.
        var isValid: Bool?
        switch link {
        case .plain: break
        case .withHeader:
            guard reader.byte() != nil, let strength = reader.byte(), reader.bytes(6) != nil,
                let flags = reader.littleEndian(UInt16.self)
            else { throw .malformed }
            guard flags & 1 != 0 else { throw .whitened }
            if flags & 2 != 0 { rssi = Int(Int8(bitPattern: strength)) }
            if flags & 0x400 != 0 { isValid = flags & 0x800 != 0 }
        case .nordic:
            guard reader.bytes(3) != nil, let version = reader.byte(), reader.bytes(2) != nil,
                let packet = reader.byte()
            else { throw .malformed }
            guard (1...3).contains(version), packet == 6 || packet == 2 && version == 3 else { throw .note }
            guard let count = reader.byte(), count >= 10, let flags = reader.byte(), reader.byte() != nil,
                let strength = reader.byte(), reader.bytes(Int(count) - 4) != nil
            else { throw .malformed }
            isValid = flags & 1 != 0
            rssi = -Int(strength)
        }
        let rest = reader.rest()
        var inner = ByteReader(rest)
        guard rest.count >= Self.frameBytes + 2, let accessAddress = inner.littleEndian(UInt32.self),
            Int(rest[rest.startIndex + 5]) == rest.count - Self.frameBytes - 2,
            let pdu = inner.bytes(rest.count - Self.frameBytes), let sum = inner.bytes(3)
        else { throw isValid == false ? .damaged : .malformed }
        if isValid == nil, accessAddress == Self.advertising, sum.contains(where: { $0 != 0 }) {
            isValid = Array(sum) == Self.checksum(of: pdu)
        }
        guard isValid != false else { throw .damaged }
        self.accessAddress = accessAddress
        self.rssi = rssi
        self.pdu = pdu
    }

    /// The checksum of an advertising PDU, in the order of the air.
    ///
    /// Source: Core Specification 5.3, Vol 6 Part B §3.1.1; the shift register begins with 0x555555.
    static func checksum(of pdu: some Sequence<UInt8>) -> [UInt8] {
        var register: UInt32 = 0xAA_AAAA
        for byte in pdu {
            for bit in 0..<8 {
                let isSet = (register ^ UInt32(byte) >> bit) & 1 == 1
                register >>= 1
                if isSet { register ^= 0xDA_6000 }
            }
        }
        return [0, 8, 16].map { UInt8(truncatingIfNeeded: register >> $0) }
    }
}

/// A PDU on an advertising channel, or of extended advertising on another.
///
/// Source: Core Specification 5.3, Vol 6 Part B §2.3.
enum AdvertisingPDU: Hashable, Sendable {
    /// An advertisement or a scan response of legacy advertising.
    case legacy(AdvertisementReport)
    /// Data of an extended advertisement: `dataID` is what the sender calls these contents of its set.
    case extended(ExtendedAdvertisement, ExtendedAdvertisingReport.DataStatus, dataID: UInt16?)
    /// A pointer to the time and channel of an extended advertisement that follows; it has no data.
    case pointer
    /// A request for a scan response.
    case scanRequest
    /// A request for a connection.
    case connectRequest
    /// A type that the specification reserves.
    case reserved(type: UInt8)

    /// Reads a PDU with its header; nil when it is cut off or its fields disagree.
    init?(_ pdu: ArraySlice<UInt8>, rssi: Int?) {
        var reader = ByteReader(pdu)
        guard let header = reader.byte(), let count = reader.byte(), Int(count) == reader.remainingCount else {
            return nil
        }
        let kind: DeviceAddress.Kind = header & 0x40 == 0 ? .public : .random
        func legacy(_ report: AdvertisementReport.Kind, skipping skipped: Int = 0) -> AdvertisingPDU? {
            guard let wire = reader.bytes(6), let address = DeviceAddress(littleEndian: wire, kind: kind),
                reader.bytes(skipped) != nil, reader.remainingCount <= AdvertisingData.maximumBytes
            else { return nil }
            return .legacy(
                AdvertisementReport(address: address, kind: report, rssi: rssi, data: Array(reader.rest())))
        }
        let read: AdvertisingPDU? =
            switch header & 15 {
            case 0: legacy(.connectable)
            case 1: legacy(.connectable, skipping: 6)
            case 2: legacy(.broadcast)
            case 3: count == 12 ? .scanRequest : nil
            case 4: legacy(.scanResponse)
            case 5: count == 34 ? .connectRequest : nil
            case 6: legacy(.scannable)
            case 7: Self.extended(&reader, kind, rssi)
            case 8: .connectRequest
            case let type: .reserved(type: type)
            }
        guard let read else { return nil }
        self = read
    }

    private static func extended(
        _ reader: inout ByteReader, _ addressKind: DeviceAddress.Kind, _ rssi: Int?
    ) -> AdvertisingPDU? {
        guard let first = reader.byte(), let fields = reader.bytes(Int(first & 63)) else { return nil }
        var header = ByteReader(fields)
        let flags = fields.isEmpty ? 0 : header.byte() ?? 0
        // Each bit announces a field of so many bytes; the last is skipped with what the sender adds.
        let sizes = [6, 6, 1, 2, 3, 18, 1]
        var found: [Int: ArraySlice<UInt8>] = [:]
        for (bit, size) in sizes.enumerated() where flags >> bit & 1 == 1 {
            guard let field = header.bytes(size) else { return nil }
            found[bit] = field
        }
        let data = Array(reader.rest())
        guard !data.isEmpty || found[4] == nil else { return .pointer }
        let identifier = found[3].map { UInt16($0[$0.startIndex]) | UInt16($0[$0.startIndex + 1]) << 8 }
        let kind: AdvertisementReport.Kind =
            switch first >> 6 {
            case 1: .connectable
            case 2: .scannable
            default: .broadcast
            }
        let advertisement = ExtendedAdvertisement(
            address: found[0].flatMap { DeviceAddress(littleEndian: $0, kind: addressKind) }, kind: kind,
            setID: identifier.map { UInt8($0 >> 12) }, transmitPower: found[6]?.first.map { Int8(bitPattern: $0) },
            rssi: rssi, data: data)
        return .extended(
            advertisement, found[4] == nil ? .complete : .moreToCome, dataID: identifier.map { $0 & 0xFFF })
    }
}
