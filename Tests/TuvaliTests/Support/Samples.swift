import Bluetooth
import ByteCoding
import CryptoSuite
import Determinism
import Tuvali

/// Keys, names and times that the tests of Tuvali share.
enum Samples {
    /// The verifier's private key of the published vectors: RFC 7748 §6.1, "Alice".
    static let verifierPrivateKey = bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    static let verifierPublicKey = bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    /// The wallet's private key of the published vectors: RFC 7748 §6.1, "Bob".
    static let walletPrivateKey = bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    static let walletPublicKey = bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    static let nonce = bytes("000102030405060708090a0b")
    static let address = DeviceAddress(staticRandom: 7)
    static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    static func bytes(_ hex: String) -> [UInt8] {
        guard let bytes = Hex.decode(hex) else { preconditionFailure("the sample is not hexadecimal") }
        return bytes
    }

    static func uri(name: String = "OVPMOSIP") throws -> TuvaliURI {
        try TuvaliURI(name: name, key: verifierPublicKey)
    }

    /// Makes bytes that do not compress, so that chunk counts are known.
    static func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return random.bytes(count: count)
    }
}
