import ByteCoding
import CryptoSuite
import Determinism

@testable import Tuvali

/// Keys and messages of two honest peers in one Tuvali session, so that a random story can get as far as a delivery.
struct HonestPeer {
    static let nonce = Array(UInt8(1)...12)
    static let payload = Array("a credential that nobody may change on its way".utf8) + noise

    /// Bytes that do not shrink, so that there are several chunks.
    private static var noise: [UInt8] {
        var random = SeededRandom(seed: 7)
        return random.bytes(count: 600)
    }

    let verifier: VerifierSession
    let wallet: WalletSession
    let identify: [UInt8]
    let sealed: [UInt8]

    /// Made once: what a story changes is a copy.
    static let shared = HonestPeer()

    private init() {
        do {
            let verifierKey = Secret(copying: Array(UInt8(65)..<97))
            let walletKey = Secret(copying: Array(UInt8(33)..<65))
            verifier = try VerifierSession(name: "OVPMOSIP", privateKey: verifierKey)
            wallet = try WalletSession(
                uri: verifier.uri, privateKey: walletKey, nonce: Self.nonce, configuration: WalletConfiguration())
            identify = IdentifyRequest(nonce: Self.nonce, publicKey: try X25519.publicKey(for: walletKey)).bytes
            let keys = try SessionKeys(privateKey: walletKey, peerPublicKey: verifier.uri.key)
            sealed = try SealedPayload.seal(Self.payload, key: keys.verifier, nonce: Self.nonce)
        } catch {
            fatalError("the honest peers cannot be made: \(error)")
        }
    }

    /// The length as an honest wallet announces it.
    var size: [UInt8] { Self.size(sealed.count) }

    static func size(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(UInt32(clamping: count))
        return bytes
    }

    /// The chunk that an honest wallet sends as number `index` (from 0, wrapping around) over a link with `mtu`.
    func chunk(_ index: Int, mtu: Int) -> [UInt8] {
        guard let layout = ChunkLayout(totalBytes: sealed.count, mtu: mtu) else { return [] }
        return PayloadChunker(sealed: sealed, layout: layout).chunk(1 + index % layout.chunkCount)
    }

    /// A chunk whose check value is right, with any number and payload.
    static func chunk(_ sequence: UInt16, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(sequence)
        bytes.appendBigEndian(CRC16Kermit.checksum(of: payload))
        return bytes + payload
    }
}
