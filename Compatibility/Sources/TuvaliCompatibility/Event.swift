import Determinism
import Tuvali

/// An event of `Wallet` or `Verifier`, with the names of the deployed libraries.
///
/// Source: the events of Tuvali 0.5 for Android and iOS, and what Inji's React Native module makes of them.
public protocol Event: Sendable {
    /// The name of the event in the React Native module, such as `onConnected`.
    var type: String { get }
    /// The fields of the event in the React Native module beside `type`: `String` or `Int` values.
    var fields: [String: any Sendable] { get }
}

extension Event {
    /// The fields of the event: none.
    public var fields: [String: any Sendable] { [:] }
}

/// The devices are connected.
public struct ConnectedEvent: Event, Hashable {
    /// The name of the event: `onConnected`.
    public var type: String { "onConnected" }
}

/// The keys are agreed: the wallet may send.
public struct SecureChannelEstablishedEvent: Event, Hashable {
    /// The name of the event: `onSecureChannelEstablished`.
    public var type: String { "onSecureChannelEstablished" }
}

/// The verifier confirmed that everything arrived.
public struct DataSentEvent: Event, Hashable {
    /// The name of the event: `onDataSent`.
    public var type: String { "onDataSent" }
}

/// The wallet's data arrived.
public struct DataReceivedEvent: Event, Hashable {
    /// The data: bytes that are no UTF-8 are replaced.
    public let data: String
    /// The number of chunks that arrived with a wrong check value, over all rounds.
    public let crcFailureCount: Int
    /// The number of chunks into which the data was cut.
    public let totalChunkCount: Int

    /// The name of the event: `onDataReceived`.
    public var type: String { "onDataReceived" }
    /// The three properties under their names.
    public var fields: [String: any Sendable] {
        ["data": data, "crcFailureCount": crcFailureCount, "totalChunkCount": totalChunkCount]
    }
}

/// The verifier's decision reached the wallet.
public struct VerificationStatusEvent: Event, Hashable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The decision, with the numbers of the protocol.
    public enum VerificationStatus: Int, Hashable, Sendable {
        /// The verifier accepted the credential.
        case ACCEPTED = 0
        /// The verifier rejected the credential.
        case REJECTED = 1
    }

    /// The decision.
    public let status: VerificationStatus

    /// The name of the event: `onVerificationStatusReceived`.
    public var type: String { "onVerificationStatusReceived" }
    /// The number of the decision under `status`.
    public var fields: [String: any Sendable] { ["status": status.rawValue] }
}

/// The hand-over failed, or a call was not possible.
public struct ErrorEvent: Event, Hashable {
    /// A sentence; one of a verifier's transfer begins with its counts: `CRCFailureCount:0 TotalChunkCount:5 -`.
    public let message: String
    /// One of the fourteen codes of the Tuvali documentation, such as `TVW_CON_001`.
    public let code: String

    /// The name of the event: `onError`.
    public var type: String { "onError" }
    /// Both properties under their names.
    public var fields: [String: any Sendable] { ["message": message, "code": code] }
}

/// The devices are no longer connected; comes last, after an error too.
public struct DisconnectedEvent: Event, Hashable {
    /// The name of the event: `onDisconnected`.
    public var type: String { "onDisconnected" }
}

extension ErrorEvent {
    /// The event of an error; a cause without a code of its own has `other`.
    init(_ error: TuvaliError, orElse other: TuvaliWireCode, counts: String = "") {
        self.init(message: counts + error.reason, code: (error.wireCode ?? other).rawValue)
    }
}

/// The functions that get the events, in the order in which they subscribed.
final class EventListeners: Sendable {
    private let functions = Lock<[@Sendable (any Event) -> Void]>([])

    func add(_ function: @escaping @Sendable (any Event) -> Void) { functions.withLock { $0.append(function) } }

    func removeAll() { functions.withLock { $0 = [] } }

    func emit(_ event: any Event) {
        // Called outside the lock, because a listener may subscribe or unsubscribe.
        let current = functions.withLock { $0 }
        for function in current { function(event) }
    }
}
