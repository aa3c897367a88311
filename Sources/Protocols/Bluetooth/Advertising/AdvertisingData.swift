import ByteCoding

/// Advertising data or scan response data: structures one after the other.
///
/// Reading never fails: bytes that cannot be read are kept as a problem. Source: Core Specification 5.3, Vol 3 Part C
/// §11.
public struct AdvertisingData: Hashable, Sendable {
    /// Service data: bytes that belong to a service UUID.
    public struct ServiceData: Hashable, Sendable {
        /// The UUID of the service that the data belong to.
        public var uuid: BluetoothUUID
        /// The service data, without the UUID.
        public var data: [UInt8]
    }

    /// Manufacturer data: bytes that belong to a company number.
    public struct ManufacturerData: Hashable, Sendable {
        /// The Bluetooth SIG's number of the company that the data belong to.
        public var company: UInt16
        /// The manufacturer data, without the company number.
        public var data: [UInt8]
    }

    /// A format error in received advertising data that the parser tolerates.
    public enum Problem: Hashable, Sendable {
        /// The structure at `offset` announces `announced` bytes, but only `tail` follows.
        case lengthPastEnd(offset: Int, announced: Int, tail: [UInt8])
        /// Bytes that are not all zeros follow the zero length at `offset`, which ends the data early.
        case dataAfterEnd(offset: Int, tail: [UInt8])
    }

    /// The most bytes of legacy advertising data: 31.
    public static let maximumBytes = 31

    /// The structures of the advertising data, in the order of the wire.
    public var structures: [AdvertisingStructure]

    /// The format error in parsed advertising data; nil when there was none.
    public private(set) var problem: Problem?

    /// Makes advertising data of `structures`, which keep their order.
    public init(_ structures: [AdvertisingStructure] = []) {
        self.structures = structures
    }

    /// Reads bytes of any content; a zero length ends the data early, as the specification says.
    public init(parsing bytes: [UInt8]) {
        structures = []
        var reader = ByteReader(bytes)
        while let length = reader.byte() {
            let offset = bytes.count - reader.remainingCount - 1
            guard length > 0 else {
                let tail = Array(reader.rest())
                if tail.contains(where: { $0 != 0 }) { problem = .dataAfterEnd(offset: offset, tail: tail) }
                return
            }
            guard let content = reader.bytes(Int(length)), let kind = content.first else {
                problem = .lengthPastEnd(offset: offset, announced: Int(length), tail: Array(reader.rest()))
                return
            }
            structures.append(.init(.init(rawValue: kind), Array(content.dropFirst())))
        }
    }

    /// Returns the structures as they are on the wire.
    ///
    /// - Throws: `advertisingTooLong` above `limit` bytes, or when one structure is longer than 255 bytes.
    public func encoded(limit: Int = maximumBytes) throws(BluetoothFormatError) -> [UInt8] {
        let count = structures.reduce(0) { $0 + $1.byteCount }
        guard count <= limit, structures.allSatisfy({ $0.value.count <= 254 }) else {
            throw BluetoothFormatError(.advertisingTooLong, "\(count) bytes of advertising data, at most \(limit) fit")
        }
        return structures.flatMap { [UInt8($0.value.count + 1), $0.kind.rawValue] + $0.value }
    }
}

// MARK: - What the structures say

extension AdvertisingData {
    /// The flags byte of the advertising data; nil without flags.
    public var flags: UInt8? { first(.flags)?.first }

    /// The listed service UUIDs, of complete and incomplete lists, in the order of the wire.
    ///
    /// A rest too short for a UUID is left out.
    public var serviceUUIDs: [BluetoothUUID] {
        structures.flatMap { structure -> [BluetoothUUID] in
            guard let size = structure.kind.listedUUIDBytes else { return [] }
            var reader = ByteReader(structure.value)
            var uuids: [BluetoothUUID] = []
            while let wire = reader.bytes(size), let uuid = BluetoothUUID(littleEndian: wire) { uuids.append(uuid) }
            return uuids
        }
    }

    /// False when a list of service UUIDs is marked as incomplete.
    public var hasAllServiceUUIDs: Bool {
        !structures.contains {
            [.incompleteServices16, .incompleteServices32, .incompleteServices128].contains($0.kind)
        }
    }

    /// All service data in the order of the wire; structures too short for their UUID are left out.
    public var serviceData: [ServiceData] {
        structures.compactMap { structure in
            guard let size = structure.kind.dataUUIDBytes,
                let uuid = BluetoothUUID(littleEndian: structure.value.prefix(size))
            else { return nil }
            return ServiceData(uuid: uuid, data: Array(structure.value.dropFirst(size)))
        }
    }

    /// Returns the first data of a service, whatever the form of its UUID; nil without any.
    public func serviceData(of uuid: BluetoothUUID) -> [UInt8]? {
        serviceData.first { $0.uuid == uuid }?.data
    }

    /// All manufacturer data in the order of the wire; structures of fewer than two bytes are left out.
    public var manufacturerData: [ManufacturerData] {
        structures.compactMap { structure in
            guard structure.kind == .manufacturerData, structure.value.count >= 2 else { return nil }
            let company = UInt16(structure.value[0]) | UInt16(structure.value[1]) << 8
            return ManufacturerData(company: company, data: Array(structure.value.dropFirst(2)))
        }
    }

    /// The complete local name, else the shortened one; invalid UTF-8 is replaced.
    public var localName: String? {
        (first(.completeName) ?? first(.shortenedName)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The transmit power in dBm; nil when the data have none.
    public var transmitPower: Int8? { first(.transmitPower)?.first.map { Int8(bitPattern: $0) } }

    private func first(_ kind: AdvertisingStructure.Kind) -> [UInt8]? {
        structures.first { $0.kind == kind }?.value
    }
}
