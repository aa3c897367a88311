import CoreBluetoothRadio
import TuvaliHandover

/// The state of one hand-over for the wallet's screen, from the scanned code to the verifier's decision.
public enum WalletState: Hashable, Sendable {
    /// No hand-over is under way.
    case idle
    /// The verifier is looked for.
    case searching
    /// The verifier is connected; the words are the same on its screen.
    case connected(words: String)
    /// The share of the credential that has arrived, 0 to 1.
    case sending(Double)
    /// The credential has arrived, and the verifier's decision is awaited.
    case sent
    /// The verifier accepted or rejected it.
    case decided(isAccepted: Bool)
    /// It failed, with a sentence for the user and a code for the log.
    case failed(sentence: String, code: String)
}

/// Hands one credential over. The screen calls `handOver` and shows `states`.
@MainActor public final class WalletModel {
    /// The states in their order, for one consumer.
    public nonisolated let states: AsyncStream<WalletState>

    private let continuation: AsyncStream<WalletState>.Continuation
    private var radio: CoreBluetoothRadio?
    private var wallet: Wallet?

    public init() { (states, continuation) = AsyncStream.makeStream() }

    /// Sends `credential` to the verifier whose code says `text`.
    public func handOver(_ credential: [UInt8], to text: String) async {
        continuation.yield(.searching)
        do {
            let uri = try TuvaliURI(parsing: text)
            let radio = try await openRadio()
            let wallet = Wallet(radio: radio)
            self.wallet = wallet
            try await wallet.connect(to: uri)
            for await event in wallet.events {
                if case .connected = event {
                    continuation.yield(.connected(words: KeyCheckWords.words(for: uri.key).joined(separator: " ")))
                }
                try await show(event, of: wallet, credential)
            }
        } catch let error as TuvaliError {
            continuation.yield(.failed(sentence: error.reason, code: error.code.rawValue))
        } catch let error as RadioError {
            continuation.yield(.failed(sentence: error.reason, code: error.code.rawValue))
        } catch {
            continuation.yield(.failed(sentence: "\(error)", code: "unknown"))
        }
        wallet = nil
    }

    /// Gives up; the states end with a failure or with what was decided.
    public func cancel() async { await wallet?.disconnect() }

    /// Lets go of Bluetooth, when the app no longer needs it.
    public func close() async {
        await radio?.close()
        radio = nil
        continuation.finish()
    }

    /// The system asks the user for permission here, the first time.
    private func openRadio() async throws -> CoreBluetoothRadio {
        if let radio { return radio }
        let opened = try await CoreBluetoothRadio.open(CoreBluetoothRadio.Configuration(hasPeripheralRole: false))
        radio = opened
        return opened
    }

    private func show(_ event: WalletEvent, of wallet: Wallet, _ credential: [UInt8]) async throws {
        switch event {
        case .secureChannelEstablished:
            try await wallet.send(credential)
        case .progress(let progress):
            continuation.yield(.sending(Double(progress.bytes) / Double(max(1, progress.totalBytes))))
        case .sent: continuation.yield(.sent)
        case .status(let status): continuation.yield(.decided(isAccepted: status == .accepted))
        case .error(let error): continuation.yield(.failed(sentence: error.reason, code: error.code.rawValue))
        default: break
        }
    }
}
