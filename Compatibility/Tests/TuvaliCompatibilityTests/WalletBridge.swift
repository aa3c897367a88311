import TuvaliCompatibility

// Code of the form that Inji's bridge to its wallet has: its calls, in words of our own and without React. It compiles
// with the change that Documentation/Manual/TuvaliLibraries.md names: the wallet gets a radio.

/// The side of JavaScript: gets events as names and values.
protocol BridgeEmitter: AnyObject, Sendable {
    func emit(_ name: String, _ body: [String: any Sendable])
}

/// The module that JavaScript calls.
final class WalletBridge {
    private static let eventName = "DATA_EVENT"

    private let wallet: any WalletProtocol
    private weak let emitter: (any BridgeEmitter)?

    init(wallet: any WalletProtocol, emitter: any BridgeEmitter) {
        self.wallet = wallet
        self.emitter = emitter
        wallet.subscribe { [weak emitter] event in
            var body = Self.body(of: event)
            body["type"] = event.type
            emitter?.emit(Self.eventName, body)
        }
    }

    func startConnection(_ uri: String) { wallet.startConnection(uri) }
    func sendData(_ payload: String) { wallet.send(payload) }
    func disconnect() { wallet.disconnect() }
    func unsubscribe() { wallet.unsubscribe() }

    private static func body(of event: any Event) -> [String: any Sendable] {
        switch event {
        case let event as VerificationStatusEvent: ["status": event.status.rawValue]
        case let event as ErrorEvent: ["message": event.message, "code": event.code]
        default: [:]
        }
    }
}
