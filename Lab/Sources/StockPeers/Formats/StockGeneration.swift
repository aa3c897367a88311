public import Bluetooth

/// A deployed generation of the Tuvali libraries: its names on the air; every format is the same in both.
///
/// Written from the tables of the deployed releases alone and sharing nothing with the cores that are tested against
/// it.
public enum StockGeneration: String, Hashable, Sendable, CaseIterable {
    /// Android 0.5.2 and iOS 0.5.0.
    case v05 = "0.5"

    /// The generation of Android 0.4.9.
    case v04 = "0.4.9"

    /// The service that is advertised and published.
    public var service: BluetoothUUID {
        self == .v05 ? BluetoothUUID(0x0001 as UInt16) : BluetoothUUID(0xAB29 as UInt16)
    }

    /// The UUID of the service data in the scan response.
    public var scanResponse: BluetoothUUID {
        self == .v05 ? BluetoothUUID(0x0002 as UInt16) : BluetoothUUID(0xAB2A as UInt16)
    }

    /// The UUID of a characteristic.
    public func uuid(of characteristic: StockCharacteristic) -> BluetoothUUID {
        switch self {
        case .v04: BluetoothUUID(0x2030 + UInt16(characteristic.rawValue))
        case .v05: Self.uuids05[characteristic.rawValue]
        }
    }

    /// The characteristic with that UUID, if it is one of the nine.
    public func characteristic(with uuid: BluetoothUUID) -> StockCharacteristic? {
        StockCharacteristic.allCases.first { self.uuid(of: $0) == uuid }
    }

    /// The UUIDs in the order of the old numbers 2030 to 2038; only the verification status kept its own.
    private static let uuids05 = [
        "00000006-5026-444A-9E0E-D6F2450F3A77", "00000004-5026-444A-9E0E-D6F2450F3A77",
        "00000005-5026-444A-9E0E-D6F2450F3A77", "00000007-5026-444A-9E0E-D6F2450F3A77",
        "00000008-5026-444A-9E0E-D6F2450F3A77", "00000009-5026-444A-9E0E-D6F2450F3A77",
        "0000000A-5026-444A-9E0E-D6F2450F3A77", "00002037-0000-1000-8000-00805F9B34FB",
        "0000000B-5026-444A-9E0E-D6F2450F3A77",
    ].map { text in
        guard let uuid = BluetoothUUID(text) else { preconditionFailure("\(text) is a UUID") }
        return uuid
    }
}

/// The nine characteristics; raw values count from the old number 2030.
public enum StockCharacteristic: Int, Hashable, Sendable, CaseIterable {
    /// Nonce and wallet key.
    case identify
    /// Declared and never used.
    case requestSize
    /// Declared and never used.
    case request
    /// The characteristic that receives the length of the response.
    case responseSize
    /// The characteristic that receives chunks.
    case submitResponse
    /// One byte asking for a report.
    case reportRequest
    /// The characteristic that pushes transfer reports.
    case reportResponse
    /// One byte: accepted or rejected.
    case verificationStatus
    /// One byte: please disconnect.
    case disconnect

    /// True when the wallet writes the characteristic.
    public var isWritten: Bool {
        switch self {
        case .identify, .responseSize, .submitResponse, .reportRequest: true
        case .requestSize, .request, .reportResponse, .verificationStatus, .disconnect: false
        }
    }

    /// The properties in the characteristic's declaration.
    public var properties: CharacteristicProperties {
        switch self {
        case .identify, .responseSize, .submitResponse, .reportRequest: [.write, .writeWithoutResponse]
        case .requestSize, .request: [.read, .indicate]
        case .reportResponse, .verificationStatus, .disconnect: .indicate
        }
    }
}

/// The error codes of the deployed libraries that a model can raise, as they spell them.
public enum StockErrorCode: String, Hashable, Sendable, CaseIterable {
    /// An exception escaped a call of the public interface.
    case unknown = "TUV_UNK_001"
    /// The thread of the central failed.
    case walletCentral = "TVW_UNK_002"
    /// The thread of the wallet's transfer failed.
    case walletTransfer = "TVW_UNK_003"
    /// The thread of the peripheral failed.
    case verifierPeripheral = "TVV_UNK_002"
    /// The thread of the verifier's transfer failed.
    case verifierTransfer = "TVV_UNK_003"
    /// The QR code is not usable.
    case invalidURI = "TVW_CON_001"
    /// No MTU was agreed on.
    case mtuNegotiation = "TVW_CON_002"
    /// The service is not there.
    case serviceNotFound = "TVW_CON_003"
    /// The retries are used up, or the report request could not be sent.
    case transferFailed = "TVW_REP_001"
    /// The MTU holds less than 64 bytes.
    case unsupportedMTU = "TVV_CON_001"
    /// More than 70 % of the chunks are missing.
    case tooManyFailures = "TVV_TRA_002"
}
