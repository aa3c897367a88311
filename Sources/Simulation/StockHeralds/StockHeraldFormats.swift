import Bluetooth
import ByteCoding
import Determinism

/// The generations of Herald libraries that are modelled.
///
/// Sources: herald-for-android 1.x, 2.0 and 2.2, herald-for-ios 2.2, herald-for-cpp 2.1, by what they do; written anew.
public enum StockHeraldLibrary: String, Hashable, Sendable, CaseIterable {
    /// Android, up to 1.x: the documented service, a pseudo address of its company number, no messages of applications.
    case android1 = "android-1"
    /// Android 2.0: as before, with messages of applications.
    case android20 = "android-2.0"
    /// Android 2.2: the assigned service and company number; finds the documented service too.
    case android22 = "android-2.2"
    /// iOS 2.2: the assigned service; keeps links to its like open.
    case ios22 = "ios-2.2"
    /// C++ 2.1 on a wearable: the documented service alone, no frames, ten records.
    case cpp = "cpp-2.1"

    /// True when the library finds devices that advertise the assigned service, and advertises that service.
    var isCurrent: Bool { self == .android22 || self == .ios22 }
}

/// Names and bytes of Herald as the deployed libraries have them.
enum StockHeraldWire {
    static let assignedService = BluetoothUUID(0xFCF6 as UInt16)
    static let documentedService = BluetoothUUID(high: 0x4281_32AF_4746_42D3, low: 0x801E_4572_D65B_FD9B)
    static let payload = BluetoothUUID(high: 0x3E98_C0F8_8F05_4829, low: 0xA121_43E3_8F89_33E7)
    static let androidSignal = BluetoothUUID(high: 0xF617_B813_092E_437A, low: 0x8324_E09A_8082_1A11)
    static let iosSignal = BluetoothUUID(high: 0x0EB0_D5F2_EAE4_4A9A, low: 0x8AF3_A4AD_B02D_4363)

    /// The parts of an advertisement that the libraries read.
    struct AdvertisementFields: Sendable {
        var hasAssigned = false
        var hasDocumented = false
        var pseudo: UInt64?
        var isApple = false
        var isExcludedApple = false
    }

    /// Reads an advertisement; `swapsCompany` as the C++ library does, which looks for the company number the wrong way
    /// round.
    static func read(_ data: [UInt8], swapsCompany: Bool = false) -> AdvertisementFields {
        var reading = AdvertisementFields()
        for structure in AdvertisingData(parsing: data).structures {
            let bytes = structure.value
            switch structure.kind.rawValue {
            case 0x02, 0x03:
                for index in stride(from: 0, to: bytes.count - 1, by: 2)
                where bytes[index] == 0xF6 && bytes[index + 1] == 0xFC {
                    reading.hasAssigned = true
                }
            case 0x06, 0x07:
                let wanted: [UInt8] = documentedService.bytes.reversed()
                for index in stride(from: 0, through: bytes.count - 16, by: 16)
                where Array(bytes[index..<index + 16]) == wanted {
                    reading.hasDocumented = true
                }
            case 0xFF where bytes.count >= 2: readCompany(bytes, swapsCompany, into: &reading)
            default: break
            }
        }
        return reading
    }

    private static func readCompany(_ bytes: [UInt8], _ swaps: Bool, into reading: inout AdvertisementFields) {
        let company = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
        if company == 0x004C {
            reading.isApple = true
            reading.isExcludedApple = isExcluded(Array(bytes[2...]))
        }
        let wanted: [UInt16] = swaps ? [0xFAFF] : [0xFFFA, 0x05F1]
        if wanted.contains(company), bytes.count == 8 {
            reading.pseudo = UInt64(bigEndianBytes: bytes[2...])
        }
    }

    /// The Android library's patterns, as far as simulated devices send what they look for.
    private static func isExcluded(_ messages: [UInt8]) -> Bool {
        guard let type = messages.first else { return true }
        switch type {
        case 0x01: return messages.dropFirst().allSatisfy { $0 == 0 }
        case 0x10: return messages.count > 3 && (messages[3] == 0x04 || messages[3] == 0x14 || messages[1] == 2)
        case 0x02, 0x0A, 0x11...0xFF: return false
        default: return true
        }
    }

    /// The advertisement of a library.
    static func advertisement(of library: StockHeraldLibrary, pseudo: [UInt8]) -> [UInt8] {
        let long: [UInt8] = [0x11, 0x07] + documentedService.bytes.reversed()
        switch library {
        case .android1, .android20: return [2, 1, 2] + long + [0x09, 0xFF, 0xFA, 0xFF] + pseudo
        case .android22: return [2, 1, 2, 3, 3, 0xF6, 0xFC, 0x09, 0xFF, 0xF1, 0x05] + pseudo
        case .ios22: return [2, 1, 0x1A, 2, 0x0A, 0x0C, 3, 3, 0xF6, 0xFC]
        case .cpp: return [2, 1, 6, 5, 3, 0x01, 0x18, 0x00, 0x18] + long
        }
    }

    /// The services that a library publishes.
    static func services(of library: StockHeraldLibrary, payload bytes: [UInt8]) -> [ServiceDefinition] {
        let payload = CharacteristicDefinition(uuid: Self.payload, properties: .read, initialValue: bytes)
        let signal =
            library == .ios22
            ? CharacteristicDefinition(uuid: iosSignal, properties: [.write, .notify], hasClientConfiguration: true)
            : CharacteristicDefinition(uuid: androidSignal, properties: .write)
        let name = library.isCurrent ? assignedService : documentedService
        return [ServiceDefinition(uuid: name, characteristics: [signal, payload])]
    }

    // MARK: - Frames

    enum Frame: Hashable, Sendable {
        case payload([UInt8])
        case rssi(Int)
        case sharing(rssi: Int, [UInt8])
        case immediate([UInt8])
    }

    static func word(_ value: Int) -> [UInt8] {
        let bits = UInt16(truncatingIfNeeded: value)
        return [UInt8(bits & 0xFF), UInt8(bits >> 8)]
    }

    static func bytes(_ frame: Frame) -> [UInt8] {
        switch frame {
        case .payload(let bytes): [1] + word(bytes.count) + bytes
        case .rssi(let rssi): [2] + word(rssi)
        case .sharing(let rssi, let bytes): [3] + word(rssi) + word(bytes.count) + bytes
        case .immediate(let bytes): [4] + word(bytes.count) + bytes
        }
    }

    /// Reads a whole frame; nil while it is not whole, or when it is malformed.
    static func frame(_ bytes: [UInt8]) -> Frame? {
        func word(_ index: Int) -> Int { Int(bytes[index]) | Int(bytes[index + 1]) << 8 }
        guard let action = bytes.first else { return nil }
        switch action {
        case 1 where bytes.count >= 3 && bytes.count == 3 + word(1): return .payload(Array(bytes[3...]))
        case 2 where bytes.count == 3: return .rssi(Int(Int16(truncatingIfNeeded: word(1))))
        case 3 where bytes.count >= 5 && bytes.count == 5 + word(3):
            return .sharing(rssi: Int(Int16(truncatingIfNeeded: word(1))), Array(bytes[5...]))
        case 4 where bytes.count >= 3 && bytes.count == 3 + word(1): return .immediate(Array(bytes[3...]))
        default: return nil
        }
    }

    /// Cuts a value as Android does for a write to Android: twenty bytes at a time.
    static func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: 20).map { Array(bytes[$0..<min($0 + 20, bytes.count)]) }
    }
}
