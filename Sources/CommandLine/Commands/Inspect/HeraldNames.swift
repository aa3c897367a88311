import Bluetooth
import ByteCoding
import Herald

/// The names of parts of advertisements and links of Herald and of related contact tracing.
enum HeraldNames {
    /// The service of Exposure Notification: data of 20 bytes, a rolling identifier and encrypted metadata.
    ///
    /// Source: Exposure Notification, Bluetooth Specification 1.2, by Apple and Google.
    private static let exposureNotification = BluetoothUUID(0xFD6F as UInt16)
    /// The service of the application that OpenTrace was published from.
    private static let blueTraceService = BluetoothUUID(high: 0xB82A_B3FC_1595_4F6A, low: 0x80F0_FE09_4CC2_18F9)
    /// The company number under which OpenTrace on Android advertises; assigned to another company.
    private static let openTraceCompany: UInt16 = 0x03FF

    /// The name of a service or characteristic; nil when it is none of these.
    static func name(of uuid: BluetoothUUID) -> String? {
        switch uuid {
        case HeraldUUIDs.service: "Herald, libraries from 2.1"
        case HeraldUUIDs.documentedService: "Herald, libraries up to 2.0"
        case HeraldUUIDs.payload: "Herald payload"
        case HeraldUUIDs.compliantSignal: "Herald signal, Android"
        case HeraldUUIDs.nonCompliantSignal: "Herald signal, iOS"
        case HeraldUUIDs.openTraceService, blueTraceService: "OpenTrace"
        case exposureNotification: "Exposure Notification"
        case HeraldUUIDs.openTracePayload: "OpenTrace payload"
        default: nil
        }
    }

    /// The meaning of manufacturer data; nil when neither Herald, OpenTrace nor Apple gives it one.
    static func meaning(company: UInt16, data: [UInt8]) -> String? {
        switch company {
        case HeraldCompany.current, HeraldCompany.documented, HeraldCompany.exchanged:
            let generation = company == HeraldCompany.current ? "from 2.1" : "up to 2.0"
            guard data.count == PseudoDeviceAddress.byteCount else { return "Herald, libraries \(generation)" }
            return "Herald, libraries \(generation): pseudo device address \(Hex.encode(data))"
        case HeraldCompany.apple: return apple(data)
        case openTraceCompany: return "OpenTrace, Android"
        default: return nil
        }
    }

    /// Apple's messages that Herald meets: beacons, and the overflow area in which background applications advertise.
    private static func apple(_ data: [UInt8]) -> String {
        if data.starts(with: [0x02, 0x15]), data.count >= 22,
            let uuid = BluetoothUUID(littleEndian: data[2..<18].reversed())
        {
            let (major, minor) = (Int(data[18]) << 8 | Int(data[19]), Int(data[20]) << 8 | Int(data[21]))
            return "Apple beacon \(uuid), major \(major), minor \(minor)"
        }
        guard data.first == 0x01, data.count == 17 else { return "Apple" }
        // The bit that the documented service of Herald sets; services may share it.
        return "Apple, applications in the background"
            + (data[11] & 0x20 != 0 ? ", perhaps Herald up to 2.0" : "")
    }
}
