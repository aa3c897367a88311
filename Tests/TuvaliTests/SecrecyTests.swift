import ByteCoding
import CryptoSuite
import TestSupport
import Testing

@testable import Tuvali

@Suite struct SecrecyTests {
    /// Everything that printing, debugging and dumping say of a value.
    private func everything(of value: some Sendable) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }

    @Test(.shows("T11")) func `printing or dumping a session shows no private key and no session key`() throws {
        var verifier = try VerifierScript()
        var wallet = try WalletScript()
        wallet.goToReady()
        let before = everything(of: verifier.session)
        verifier.goToIdentified()
        let text = before + everything(of: verifier.session) + everything(of: wallet.session)
        let keys = try SessionKeys(
            privateKey: Secret(copying: Samples.walletPrivateKey), peerPublicKey: Samples.verifierPublicKey)
        let derived = [keys.wallet, keys.verifier].map { $0.withBytes { Array($0) } }
        for secret in [Samples.verifierPrivateKey, Samples.walletPrivateKey] + derived {
            #expect(!text.contains(Hex.encode(secret[..<8])))
            #expect(!text.contains(secret[..<8].map { "\($0)" }.joined(separator: ", ")))
            #expect(!text.contains(secret[..<4].map { "- \($0)" }.joined(separator: "\n")))
        }
        #expect(text.contains("Secret(32 bytes)"))
    }

    @Test(.shows("T11")) func `no event and no error contains keys, nonce or payload`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        let payload = Samples.noise(900)
        let sealed = try VerifierScript.sealed(payload)
        verifier.write(.responseSize, VerifierScript.size(sealed.count))
        verifier.write(.responseSize, [1])
        for chunk in try VerifierScript.chunks(sealed) {
            verifier.write(.submitResponse, Array(chunk.dropLast()))
            verifier.write(.submitResponse, chunk)
        }
        verifier.write(.reportRequest, [1])
        verifier.put(.cancel)
        let events = verifier.said.events.filter { if case .received = $0 { false } else { true } }
        let text = events.map { "\($0)" }.joined() + verifier.said.endings.map { "\($0)" }.joined()
        for secret in [Samples.verifierPrivateKey, Samples.nonce, payload, sealed] {
            #expect(!text.contains(Hex.encode(secret[..<8])))
            #expect(!text.contains(secret[..<8].map { "\($0)" }.joined(separator: ", ")))
        }
    }
}
