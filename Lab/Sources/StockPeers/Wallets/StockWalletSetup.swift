public import CryptoSuite
import Determinism

/// The set-up of a modelled wallet: a scanned code, a payload, and keys that a seed or a test decides.
public struct StockWalletSetup: Sendable {
    /// The text of the scanned QR code.
    public var uri: String

    /// The payload that is sent once the channel is established.
    public var payload: [UInt8]

    /// The wallet's private key: 32 bytes.
    public var privateKey: Secret

    /// The nonce of the Identify request: 12 bytes.
    public var nonce: [UInt8]

    /// The release that is modelled.
    public var generation = StockGeneration.v05

    /// The delays of the phone.
    public var timing = StockTiming()

    /// The time for which the user thinks before sending.
    public var consentDelay: Duration = .zero

    /// The size that the wallet announces instead of the true one, as no release does; nil for the true one.
    public var announcedBytes: Int?

    /// Makes a set-up whose keys `seed` decides.
    public init(uri: String, payload: [UInt8], seed: UInt64) {
        var random = SeededRandom(seed: seed)
        self.init(
            uri: uri, payload: payload, privateKey: X25519.makePrivateKey(from: &random),
            nonce: random.bytes(count: 12))
    }

    /// Makes a set-up with given keys.
    public init(uri: String, payload: [UInt8], privateKey: Secret, nonce: [UInt8]) {
        self.uri = uri
        self.payload = payload
        self.privateKey = privateKey
        self.nonce = nonce
    }

    /// Nonce and public key: 44 bytes.
    var identify: [UInt8] { nonce + ((try? X25519.publicKey(for: privateKey)) ?? []) }
}
