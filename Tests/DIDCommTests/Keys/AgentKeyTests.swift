import ByteCoding
import CryptoSuite
import Determinism
import Testing

@testable import DIDComm

@Suite struct AgentKeyTests {
    @Test func `a seed gives the key pair that other agents derive from it`() throws {
        let key = try EnvelopeSamples.trustee()
        #expect(key.verkey.base58 == "GJ1SzoWzavQYfNL9XkaJdrQejfztN4XqdsiV4ct3LXKL")
        #expect(
            Hex.encode(key.agreementKey) == "07d0b594683bdb6af5f4eacb1a392687d580a58db196a752dca316dedb7d251c")
        #expect(key.seed == Secret(copying: Array("000000000000000000000000Trustee1".utf8)))
    }

    @Test(arguments: [0, 31, 33]) func `a seed of another length is refused`(count: Int) {
        #expect(throws: DIDCommError(.keyMalformed, "")) {
            try AgentKey(seed: Secret(copying: [UInt8](repeating: 1, count: count)))
        }
    }

    @Test func `a new agent key is drawn from the given random source`() {
        var first = SeededRandom(seed: 8)
        var second = SeededRandom(seed: 8)
        let key = AgentKey.make(from: &first)
        #expect(key.seed.copyBytes() == second.bytes(count: 32))
        #expect(AgentKey.make(from: &first).verkey != key.verkey)
    }
}
