import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Tuvali

@Suite struct EphemeralKeysTests {
    @Test(.shows("TUV-020", "TUV-027", "TUV-069", "T5", "T13"))
    func `a verifier draws its key pair for the session, before it advertises`() throws {
        var random = SeededRandom(seed: 1)
        let first = try VerifierSession(name: "DESK", random: &random)
        let second = try VerifierSession(name: "DESK", random: &random)
        #expect(first.uri.key.count == 32)
        #expect(first.uri.key != second.uri.key)
    }

    @Test(.shows("TUV-024", "TUV-027", "TUV-069", "T4", "T13"))
    func `a wallet draws a key pair and a nonce for each session, with the same verifier too`() throws {
        var random = SeededRandom(seed: 2)
        let first = try identify(of: WalletSession(uri: Samples.uri(), random: &random))
        let second = try identify(of: WalletSession(uri: Samples.uri(), random: &random))
        #expect(first.publicKey != second.publicKey)
        #expect(first.nonce != second.nonce)
        let keys = try [first, second].map {
            try SessionKeys(
                privateKey: Secret(copying: Samples.verifierPrivateKey), peerPublicKey: $0.publicKey
            ).verifier.copyBytes()
        }
        #expect(keys[0] != keys[1])
    }

    /// Returns the Identify value that the wallet of a session writes.
    private func identify(of session: WalletSession) throws -> IdentifyRequest {
        var script = try WalletScript()
        script.session = session
        script.goToReady()
        let value = try #require(script.said.writes.first { $0.0 == .identify }?.1)
        return try #require(IdentifyRequest(parsing: value))
    }
}
