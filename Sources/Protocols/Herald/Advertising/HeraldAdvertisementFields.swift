public import Bluetooth

/// The parts of a received advertisement or scan response that Herald uses.
///
/// Reading any bytes takes no memory and never fails; a structure that is cut short ends it.
public struct HeraldAdvertisementFields: Hashable, Sendable {
    /// The service UUIDs by which a device counts as a Herald device.
    public struct DetectionCriteria: Hashable, Sendable {
        /// True when the service UUID of Herald libraries from 2.1 on counts.
        public var findsCurrent = true
        /// True when the service UUID of the Herald specification and of libraries up to 2.0 counts.
        public var findsDocumented = true
        /// Further service UUIDs that count, for an application with its own service (HP-59).
        public var services: [BluetoothUUID] = []
        /// True when the company number 65530 is also read with its bytes exchanged, as the C++ library accepts it.
        public var readsExchangedCompany = true

        /// Makes the default detection: all generations.
        public init() {}
    }

    /// True when the advertisement names a Herald service.
    public internal(set) var namesHerald = false
    /// The pseudo device address in the advertisement; nil without one of six bytes.
    public internal(set) var pseudoAddress: PseudoDeviceAddress?
    /// The transmit power in dBm that the sender claims; nil without one.
    public internal(set) var transmitPower: Int8?
    /// True when the advertisement has manufacturer data of Apple.
    public internal(set) var isApple = false
    /// The result of checking Apple's messages in the advertisement.
    public internal(set) var apple = AppleFilter.AppleFilterResult.none

    /// True when nothing in the advertisement is related to Herald.
    public var isForeign: Bool { !namesHerald && pseudoAddress == nil && !isApple }

    /// Reads advertising data or a scan response.
    public init(parsing data: Span<UInt8>, detecting detection: borrowing DetectionCriteria) {
        var index = 0
        while index < data.count {
            let length = Int(data[index])
            guard length > 0, length < data.count - index else { return }
            let start = index + 2
            let end = index + 1 + length
            switch data[index + 1] {
            case 0x02, 0x03: readShortServices(data, start, end, detection)
            case 0x04, 0x05: readWordServices(data, start, end, detection)
            case 0x06, 0x07: readLongServices(data, start, end, detection)
            case 0x0A: if end > start { transmitPower = Int8(bitPattern: data[start]) }
            case 0xFF: readManufacturerData(data, start, end, detection)
            default: break
            }
            index = end
        }
    }

    /// Parses advertising data in an array, as `init(parsing:detecting:)` does.
    public init(parsing data: [UInt8], detecting detection: DetectionCriteria = DetectionCriteria()) {
        self.init(parsing: data.span, detecting: detection)
    }

    private mutating func readShortServices(
        _ data: Span<UInt8>, _ start: Int, _ end: Int, _ detection: borrowing DetectionCriteria
    ) {
        var index = start
        while index + 2 <= end {
            let short = UInt16(data[index]) | UInt16(data[index + 1]) << 8
            if short == 0xFCF6 {
                if detection.findsCurrent { namesHerald = true }
            } else if !detection.services.isEmpty, detection.services.contains(BluetoothUUID(short)) {
                namesHerald = true
            }
            index += 2
        }
    }

    /// Reads Herald's assigned service UUID in a list of four-byte UUIDs, as the specification stores short ones.
    private mutating func readWordServices(
        _ data: Span<UInt8>, _ start: Int, _ end: Int, _ detection: borrowing DetectionCriteria
    ) {
        var index = start
        while index + 4 <= end {
            let low = UInt32(data[index]) | UInt32(data[index + 1]) << 8
            let uuid = BluetoothUUID(low | UInt32(data[index + 2]) << 16 | UInt32(data[index + 3]) << 24)
            if uuid == HeraldUUIDs.service {
                if detection.findsCurrent { namesHerald = true }
            } else if !detection.services.isEmpty, detection.services.contains(uuid) {
                namesHerald = true
            }
            index += 4
        }
    }

    private mutating func readLongServices(
        _ data: Span<UInt8>, _ start: Int, _ end: Int, _ detection: borrowing DetectionCriteria
    ) {
        var index = start
        while index + 16 <= end {
            let uuid = BluetoothUUID(high: Self.word(data, index + 8), low: Self.word(data, index))
            if uuid == HeraldUUIDs.documentedService {
                if detection.findsDocumented { namesHerald = true }
            } else if uuid == HeraldUUIDs.service {
                if detection.findsCurrent { namesHerald = true }
            } else if !detection.services.isEmpty, detection.services.contains(uuid) {
                namesHerald = true
            }
            index += 16
        }
    }

    private mutating func readManufacturerData(
        _ data: Span<UInt8>, _ start: Int, _ end: Int, _ detection: borrowing DetectionCriteria
    ) {
        guard end - start >= 2 else { return }
        switch UInt16(data[start]) | UInt16(data[start + 1]) << 8 {
        case HeraldCompany.apple:
            isApple = true
            apple = AppleFilter.merge(apple, AppleFilter.verdict(of: data.extracting(start + 2..<end)))
        case HeraldCompany.exchanged where !detection.readsExchangedCompany: break
        case HeraldCompany.current, HeraldCompany.documented, HeraldCompany.exchanged:
            guard end - start == 2 + PseudoDeviceAddress.byteCount else { return }
            var value: UInt64 = 0
            for offset in 0..<PseudoDeviceAddress.byteCount {
                value |= UInt64(data[start + 2 + offset]) << UInt64(8 * offset)
            }
            pseudoAddress = PseudoDeviceAddress(value: value)
        default: break
        }
    }

    /// Reads eight bytes as an integer, least significant first.
    private static func word(_ data: Span<UInt8>, _ index: Int) -> UInt64 {
        UInt64(littleEndian: data.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}
