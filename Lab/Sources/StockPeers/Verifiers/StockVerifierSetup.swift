public import Bluetooth
public import CryptoSuite
import Determinism

/// The set-up of a modelled verifier.
public struct StockVerifierSetup: Sendable {
    /// The centrals that values are pushed to.
    public enum PushRule: String, Hashable, Sendable, CaseIterable {
        /// Values go to the connected central, as notifications, without any descriptor: so Android does.
        case always
        /// Values go to subscribed centrals only, as indications, with descriptors: so servers on other systems do.
        case subscribersOnly
    }

    /// The answer to a read of REQUEST_SIZE, which no deployed wallet sends.
    public enum RequestSizeAnswer: Hashable, Sendable {
        /// The read gets this value; the deployed libraries never set one, so that it is empty.
        case value([UInt8])
        /// The read gets no answer ever, as where the app does not serve the callback of its system.
        case unanswered
    }

    /// The verifier's private key: 32 bytes.
    public var privateKey: Secret

    /// The name that is advertised.
    public var name = "OVPMOSIP"

    /// The release that is modelled.
    public var generation = StockGeneration.v05

    /// The MTU that the GATT server agrees to: 23 to 517.
    public var maximumMTU = 517

    /// The centrals that it pushes to.
    public var pushRule = PushRule.always

    /// The app's decision about the payload: 0 accepted, anything else rejected; nil for none.
    public var decision: Int? = 0

    /// The time until the app decides; measured where it decides at once: 5 to 102 ms after the report.
    public var decisionDelay: Duration = .milliseconds(60)

    /// Characteristics that are declared in another way than usual, as old releases do.
    public var properties: [StockCharacteristic: CharacteristicProperties] = [:]

    /// The answer to a read of REQUEST_SIZE.
    public var sizeRead = RequestSizeAnswer.value([])

    /// True when the service is published at all.
    public var publishesService = true

    /// The delays of the phone.
    public var timing = StockTiming()

    /// Makes a set-up whose key `seed` decides.
    public init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        self.init(privateKey: X25519.makePrivateKey(from: &random))
    }

    /// Makes a set-up with a given key.
    public init(privateKey: Secret) {
        self.privateKey = privateKey
    }

    /// The public key: 32 bytes.
    public var publicKey: [UInt8] { (try? X25519.publicKey(for: privateKey)) ?? [] }

    /// The text of the QR code.
    public var uri: String { StockURI.text(name: name, key: publicKey, generation: generation) }

    var services: [ServiceDefinition] {
        guard publishesService else { return [] }
        let characteristics = StockCharacteristic.allCases.map { characteristic in
            let isSize = characteristic == .requestSize
            var value: [UInt8] = []
            if isSize, case .value(let bytes) = sizeRead { value = bytes }
            return CharacteristicDefinition(
                uuid: generation.uuid(of: characteristic),
                properties: properties[characteristic] ?? characteristic.properties, initialValue: value,
                hasClientConfiguration: pushRule == .subscribersOnly && characteristic.properties.contains(.indicate),
                passesReadsOn: isSize && sizeRead == .unanswered)
        }
        return [ServiceDefinition(uuid: generation.service, characteristics: characteristics)]
    }
}
