import Compression
import CryptoSuite
import TestSupport
import Testing

@testable import Tuvali

@Suite struct SealedPayloadTests {
    let key = Secret(copying: Samples.verifierPrivateKey)
    let limits = VerifierConfiguration.unzipLimits

    @Test(.shows("TUV-040")) func `a sealed payload is opened unchanged, and a changed one refused`() throws {
        let payload = Array(#"{"k":"v1"}{"k":"v1"}{"k":"v1"}"#.utf8)
        let sealed = try SealedPayload.seal(payload, key: key, nonce: Samples.nonce)
        #expect(try SealedPayload.open(sealed, key: key, nonce: Samples.nonce, limits: limits) == payload)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x20
            #expect(throws: SealedPayload.OpeningFailure.notAuthentic) {
                try SealedPayload.open(changed, key: key, nonce: Samples.nonce, limits: limits)
            }
        }
    }

    @Test func `authentic bytes that are no gzip stream have another code than changed bytes`() throws {
        let sealed = try AuthenticatedCipher.aesGCM.seal([1, 2, 3], key: key, nonce: Samples.nonce)
        #expect(throws: SealedPayload.OpeningFailure.notGzip) {
            try SealedPayload.open(sealed, key: key, nonce: Samples.nonce, limits: limits)
        }
    }

    @Test func `a payload at the size limit is decompressed and one byte more refused`() throws {
        let limits = Gzip.Limits(maximumBytes: 5000, maximumRatio: 100)
        for (count, opens) in [(5000, true), (5001, false)] {
            let sealed = try SealedPayload.seal(Samples.noise(count), key: key, nonce: Samples.nonce)
            let opened = try? SealedPayload.open(sealed, key: key, nonce: Samples.nonce, limits: limits)
            #expect((opened != nil) == opens)
        }
    }

    @Test func `a decompression bomb is refused before it is decompressed`() throws {
        let bomb = try SealedPayload.seal([UInt8](repeating: 0, count: 32 << 20), key: key, nonce: Samples.nonce)
        #expect(bomb.count < 64 << 10)
        #expect(throws: SealedPayload.OpeningFailure.tooLarge) {
            try SealedPayload.open(bomb, key: key, nonce: Samples.nonce, limits: limits)
        }
    }
}
