import CryptoSuite
import Determinism
import Testing

@testable import Tuvali

@Suite struct EphemeralKeysTests {
    @Test func `a verifier draws its key pair for the session, before it advertises`() throws {
        var random = SeededRandom(seed: 1)
        let first = try VerifierSession(name: "DESK", random: &random)
        let second = try VerifierSession(name: "DESK", random: &random)
        #expect(first.uri.key.count == 32)
        #expect(first.uri.key != second.uri.key)
    }

    @Test func `a wallet draws a key pair and a nonce for each session, with the same verifier too`() throws {
        var random = SeededRandom(seed: 2)
        let first = try WalletSession(uri: Samples.uri(), random: &random)
        let second = try WalletSession(uri: Samples.uri(), random: &random)
        #expect(first.identify.publicKey != second.identify.publicKey)
        #expect(first.identify.nonce != second.identify.nonce)
        #expect(first.keys?.verifier.copyBytes() != second.keys?.verifier.copyBytes())
    }
}
