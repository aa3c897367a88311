public import Bluetooth

/// A deployed generation of Tuvali, by its UUIDs.
///
/// All else is the same in both.
///
/// Sources: Tuvali documentation 0.5 (docs.inji.io) "Constants"; Tuvali implementation notes (0.4) "Constants".
public enum WireProfile: String, Hashable, Sendable, CaseIterable {
    /// Tuvali of Android 0.5.x and iOS 0.5.0: services 0x0001, 0x0002 on `…-5026-444A-9E0E-D6F2450F3A77`.
    case tuvali05 = "tuvali-0.5"

    /// Tuvali of Android and React Native 0.4.x: services 0xAB29 and 0xAB2A, characteristics 0x2030 to 0x2038.
    case tuvali04 = "tuvali-0.4"

    /// The service that a verifier publishes and advertises; its service data hold the name and five key bytes.
    public var service: BluetoothUUID {
        switch self {
        case .tuvali05: BluetoothUUID(0x0001 as UInt16)
        case .tuvali04: BluetoothUUID(0xAB29 as UInt16)
        }
    }

    /// The UUID whose service data in the scan response hold the other 27 bytes of the verifier's key.
    public var scanResponseService: BluetoothUUID {
        switch self {
        case .tuvali05: BluetoothUUID(0x0002 as UInt16)
        case .tuvali04: BluetoothUUID(0xAB2A as UInt16)
        }
    }

    /// Returns the UUID of a characteristic.
    ///
    /// The verification status kept its old UUID in 0.5, alone of all.
    public func uuid(of characteristic: TuvaliCharacteristic) -> BluetoothUUID {
        switch self {
        case .tuvali05:
            if characteristic == .verificationStatus { return BluetoothUUID(0x2037 as UInt16) }
            return BluetoothUUID(tuvali05Number: characteristic.numberIn05)
        case .tuvali04:
            return BluetoothUUID(UInt16(0x2030) + characteristic.offsetIn04)
        }
    }

    private static let publishedOrder =
        TuvaliCharacteristic.allCases.filter { $0 != .verificationStatus } + [.verificationStatus]

    /// Returns the characteristic that has `uuid` in this profile, if any.
    public func characteristic(with uuid: BluetoothUUID) -> TuvaliCharacteristic? {
        TuvaliCharacteristic.allCases.first { self.uuid(of: $0) == uuid }
    }

    /// Returns the Tuvali service as a verifier publishes it, with nine characteristics.
    ///
    /// None has a client configuration descriptor, because no deployed verifier has one.
    ///
    /// The verification status comes last, because a discovery answer holds UUIDs of one length: among the others its
    /// short one would cost the wallet two round trips.
    ///
    /// - Parameters:
    ///   - hasClientConfiguration: publishes the descriptor with the characteristics that are pushed, for radios that
    ///     serve subscribers alone.
    ///   - servesRequest: has the radio pass reads of the request on, for a verifier that holds one.
    public func serviceDefinition(
        hasClientConfiguration: Bool = false, servesRequest: Bool = false
    ) -> ServiceDefinition {
        ServiceDefinition(
            uuid: service,
            characteristics: Self.publishedOrder.map { characteristic in
                CharacteristicDefinition(
                    uuid: uuid(of: characteristic), properties: characteristic.properties,
                    hasClientConfiguration: hasClientConfiguration && characteristic.properties == .indicate,
                    passesReadsOn: servesRequest && TuvaliCharacteristic.asked.contains(characteristic))
            })
    }
}

/// The characteristics of the Tuvali service, by the names of the documentation; raw values are those of recordings.
public enum TuvaliCharacteristic: String, Hashable, Sendable, CaseIterable {
    /// The characteristic with which the wallet sends its nonce and public key, 44 bytes.
    case identify
    /// The characteristic with the length of the verifier's request, read by the wallet; unused by deployed releases.
    case requestSize
    /// The characteristic with one window of the verifier's request, read by the wallet; unused by deployed releases.
    case request
    /// The characteristic with which the wallet sends the length of the sealed payload, 4 bytes big-endian.
    case responseSize
    /// The characteristic with which the wallet sends one chunk.
    case submitResponse
    /// The characteristic with which the wallet requests a report: one byte, 1.
    case reportRequest
    /// The characteristic with which the verifier notifies a transfer report.
    case reportResponse
    /// The characteristic with which the verifier notifies its decision: one byte, 0 accepted, else rejected.
    case verificationStatus
    /// The characteristic with which the verifier asks the wallet to disconnect: one byte, 1.
    case disconnect

    /// The characteristics that a wallet writes.
    public static let written: [TuvaliCharacteristic] = [.identify, .responseSize, .submitResponse, .reportRequest]

    /// The characteristics that a wallet reads.
    public static let asked: [TuvaliCharacteristic] = [.requestSize, .request]

    /// The characteristics whose values a verifier notifies.
    public static let pushed: [TuvaliCharacteristic] = [.reportResponse, .verificationStatus, .disconnect]

    /// The properties in the characteristic's declaration.
    ///
    /// The pushed characteristics declare "indicate" though every release sends notifications.
    public var properties: CharacteristicProperties {
        switch self {
        case .identify, .responseSize, .submitResponse, .reportRequest: [.write, .writeWithoutResponse]
        case .requestSize, .request: [.read, .indicate]
        case .reportResponse, .verificationStatus, .disconnect: .indicate
        }
    }

    fileprivate var numberIn05: UInt8 {
        switch self {
        case .requestSize: 0x04
        case .request: 0x05
        case .identify: 0x06
        case .responseSize: 0x07
        case .submitResponse: 0x08
        case .reportRequest: 0x09
        case .reportResponse: 0x0A
        case .disconnect: 0x0B
        case .verificationStatus: 0x00
        }
    }

    fileprivate var offsetIn04: UInt16 {
        switch self {
        case .identify: 0
        case .requestSize: 1
        case .request: 2
        case .responseSize: 3
        case .submitResponse: 4
        case .reportRequest: 5
        case .reportResponse: 6
        case .verificationStatus: 7
        case .disconnect: 8
        }
    }
}

extension BluetoothUUID {
    /// Makes the UUID `000000NN-5026-444A-9E0E-D6F2450F3A77` with this number.
    fileprivate init(tuvali05Number number: UInt8) {
        self.init(high: UInt64(number) << 32 | 0x5026_444A, low: 0x9E0E_D6F2_450F_3A77)
    }
}

extension TuvaliCharacteristic {
    /// Finds the characteristic of a UUID in any profile; nil where none has it.
    package init?(_ uuid: BluetoothUUID) {
        guard let found = WireProfile.allCases.lazy.compactMap({ $0.characteristic(with: uuid) }).first else {
            return nil
        }
        self = found
    }
}
