public import Bluetooth

/// The service and characteristic UUIDs that Herald uses, in all its generations.
///
/// Sources: Herald protocol specification (2020-12-09), Bluetooth identifiers; the deployed libraries 2.1 and 2.2.
public enum HeraldUUIDs {
    /// The service UUID of libraries from 2.1 on, assigned to the Linux Foundation.
    public static let service = BluetoothUUID(0xFCF6 as UInt16)
    /// The service UUID of the specification and of libraries up to 2.0 (HP-61).
    public static let documentedService = BluetoothUUID(high: 0x4281_32AF_4746_42D3, low: 0x801E_4572_D65B_FD9B)
    /// The UUID of the payload characteristic, which is read (HP-63).
    public static let payload = BluetoothUUID(high: 0x3E98_C0F8_8F05_4829, low: 0xA121_43E3_8F89_33E7)
    /// The UUID of the signal characteristic of compliant devices, which is written (HP-64).
    public static let compliantSignal = BluetoothUUID(high: 0xF617_B813_092E_437A, low: 0x8324_E09A_8082_1A11)
    /// The UUID of the signal characteristic of iPhones: write and notify (HP-66).
    ///
    /// Devices that do not follow the Bluetooth specification have it.
    public static let nonCompliantSignal = BluetoothUUID(high: 0x0EB0_D5F2_EAE4_4A9A, low: 0x8AF3_A4AD_B02D_4363)
    /// The service UUID of OpenTrace, for applications that interoperate with it (HP-68).
    public static let openTraceService = BluetoothUUID(high: 0xA6BA_4286_C550_4794, low: 0xA888_9467_EF0B_31A8)
    /// The UUID of the payload characteristic of OpenTrace.
    public static let openTracePayload = BluetoothUUID(high: 0xD103_4710_B11E_42F2, low: 0xBCA3_F481_177D_5BB2)
    /// The UUID of the Device Information service, whose model may be read (HP-45).
    public static let deviceInformation = BluetoothUUID(0x180A as UInt16)
    /// The UUID of the model number in Device Information.
    public static let modelNumber = BluetoothUUID(0x2A24 as UInt16)
}

/// The company numbers in manufacturer data that matter to Herald.
public enum HeraldCompany {
    /// The company number before the pseudo device address of libraries from 2.1 on.
    public static let current: UInt16 = 1521
    /// The company number before the pseudo device address of the specification and of libraries up to 2.0 (HP-60).
    public static let documented: UInt16 = 65530
    /// The documented company number with its bytes exchanged, which the C++ library accepts in its place.
    public static let exchanged: UInt16 = 0xFAFF
    /// The company number of Apple, whose background apps advertise in its own format.
    public static let apple: UInt16 = 0x004C
}

/// The kind of signal characteristic that a device has, which in effect shows its operating system.
public enum SignalCharacteristicKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The device follows the Bluetooth specification: its payload is read once, and it keeps advertising.
    case compliant
    /// The device may hide its advertisements, as iPhones do, so that a link to it may have to stay open.
    case nonCompliant

    /// The UUID of the signal characteristic of this kind.
    public var uuid: BluetoothUUID {
        switch self {
        case .compliant: HeraldUUIDs.compliantSignal
        case .nonCompliant: HeraldUUIDs.nonCompliantSignal
        }
    }
}
