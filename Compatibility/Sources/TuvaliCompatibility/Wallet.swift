import Determinism
public import Radio
public import Tuvali
import TuvaliHandover

/// A wallet with the calls of Tuvali's own libraries: one object for all hand-overs, which reports events to listeners.
///
/// An adapter without decisions around `TuvaliHandover.Wallet`, one of which it makes for each hand-over. Calls return
/// at once and take effect in their order; listeners are called one event after the other, on no particular thread. A
/// hand-over that is under way when the object is released is ended.
public final class Wallet: Sendable {
    private let listeners = EventListeners()
    private let calls = SerialQueue()
    private let handOver = HandOver<TuvaliHandover.Wallet>()
    private let makeWallet: @Sendable () -> TuvaliHandover.Wallet

    /// Makes a wallet on a radio; the deployed libraries take the phone's.
    public init(radio: any CentralRadio, configuration: WalletConfiguration = WalletConfiguration()) {
        makeWallet = { TuvaliHandover.Wallet(radio: radio, configuration: configuration) }
    }

    /// Looks for the verifier of a scanned code and connects to it.
    ///
    /// A hand-over that is under way is ended first. A code that is none makes an `ErrorEvent` with `TVW_CON_001`.
    public func startConnection(_ uri: String) {
        calls.add { [weak self] in await self?.start(uri) }
    }

    /// Sends data after `SecureChannelEstablishedEvent`; at another time it makes an `ErrorEvent` with `TUV_UNK_001`.
    public func sendData(_ payload: String) {
        calls.add { [weak self] in
            guard let self else { return }
            do throws(TuvaliError) {
                guard let wallet = handOver.session else {
                    throw TuvaliError(.sessionMisused, "There is no connection.")
                }
                try await wallet.send(Array(payload.utf8))
            } catch {
                listeners.emit(ErrorEvent(error, orElse: .walletUnknown))
            }
        }
    }

    /// Sends data, as `sendData(_:)`: the name of the library for iOS.
    public func send(_ payload: String) { sendData(payload) }

    /// Ends the connection; `DisconnectedEvent` follows when the link is down.
    public func disconnect() {
        calls.add { [weak self] in await self?.handOver.session?.disconnect() }
    }

    /// Adds a function that gets all events from now on.
    public func subscribe(_ listener: @escaping @Sendable (any Event) -> Void) { listeners.add(listener) }

    /// Takes all listeners away.
    public func unsubscribe() { listeners.removeAll() }

    private func start(_ text: String) async {
        await handOver.end { await $0.disconnect() }
        do throws(TuvaliError) {
            let uri = try TuvaliURI(parsing: text)
            let wallet = makeWallet()
            let events = Task { [listeners] in
                for await event in wallet.events { Self.report(event, to: listeners) }
            }
            handOver.begin(wallet, reporting: events)
            try await wallet.connect(to: uri)
        } catch {
            listeners.emit(ErrorEvent(error, orElse: .walletUnknown))
        }
    }

    private static func report(_ event: WalletEvent, to listeners: EventListeners) {
        switch event {
        case .connected: listeners.emit(ConnectedEvent())
        case .secureChannelEstablished: listeners.emit(SecureChannelEstablishedEvent())
        case .sent: listeners.emit(DataSentEvent())
        case .status(let status):
            listeners.emit(VerificationStatusEvent(status: status == .accepted ? .ACCEPTED : .REJECTED))
        case .error(let error):
            listeners.emit(ErrorEvent(error, orElse: .walletUnknown))
            listeners.emit(DisconnectedEvent())
        case .disconnected: listeners.emit(DisconnectedEvent())
        case .found, .heardOther, .reconnecting, .requested, .progress, .failureFrame, .linkReport: break
        }
    }
}
