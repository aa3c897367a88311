import Bluetooth
import Determinism

/// The services and subscribers that the system kept while the app did not run, until the app publishes them again.
///
/// The system may start the app for a request of a central, before the app has published: what centrals do waits.
struct RestoredServices: Sendable {
    /// A central that was subscribed, and the bytes that a notification to it carries.
    struct Subscriber: Hashable, Sendable {
        var address: DeviceAddress
        var room: Int
    }

    struct Characteristic: Hashable, Sendable {
        var uuid: BluetoothUUID
        var properties: CharacteristicProperties
        var subscribers: [Subscriber] = []
    }

    struct Service: Hashable, Sendable {
        var uuid: BluetoothUUID
        var characteristics: [Characteristic]
    }

    /// The most requests and subscriptions that wait.
    static let maximumHeld = 64

    let services: [Service]
    let advertisement: SystemAdvertisement?
    let deadline: MonotonicInstant
    private(set) var held: [PeripheralCore.Input] = []

    /// Makes the record of what the system kept until `deadline`; nil without a service and without an advertisement.
    init?(_ services: [Service], _ advertisement: SystemAdvertisement?, deadline: MonotonicInstant) {
        guard !services.isEmpty || advertisement != nil else { return nil }
        self.services = services
        self.advertisement = advertisement
        self.deadline = deadline
    }

    var withoutServices: RestoredServices? { RestoredServices([], advertisement, deadline: deadline) }

    var withoutAdvertisement: RestoredServices? {
        guard var rest = RestoredServices(services, nil, deadline: deadline) else { return nil }
        rest.held = held
        return rest
    }

    /// Holds back a central's requests to services that are not published yet; beyond the limit they are refused.
    ///
    /// - Returns: nil for an input that is handled at once.
    mutating func hold(_ input: PeripheralCore.Input) -> [PeripheralCore.Output]? {
        guard !services.isEmpty else { return nil }
        switch input {
        case .subscribed, .unsubscribed, .read, .written: break
        default: return nil
        }
        if held.count < Self.maximumHeld {
            held.append(input)
            return []
        }
        return Self.refusal(of: input, .insufficientResources)
    }

    /// The answers to all requests that wait, when their services are gone.
    var refusals: [PeripheralCore.Output] { held.flatMap { Self.refusal(of: $0, .attributeNotFound) } }

    private static func refusal(of input: PeripheralCore.Input, _ code: ATTErrorCode) -> [PeripheralCore.Output] {
        switch input {
        case .read(let request, _, _, _, _), .written(let request, _, _, _):
            [.respond(request: request, error: code.rawValue, value: [])]
        default: []
        }
    }
}
