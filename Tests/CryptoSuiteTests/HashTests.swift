import ByteCoding
import Testing

@testable import CryptoSuite

@Suite struct HashTests {
    // FIPS 180-4's example message.
    @Test func `SHA-2 gives the published digests on both libraries`() {
        let message = Array("abc".utf8)
        let digest256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let digest512 =
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
            + "454d4423643ce80e2a9ac94fa54ca49f"
        #expect(Hex.encode(SHA256.hash(message)) == digest256)
        #expect(Hex.encode(SHA512.hash(message)) == digest512)
        #expect(BackEnd.sha256(message).map(Hex.encode) == digest256)
        #expect(BackEnd.sha512(message).map(Hex.encode) == digest512)
        #expect(HashBackEnd.sha256([]) == BackEnd.sha256([]))
        #expect(HashBackEnd.sha512([]) == BackEnd.sha512([]))
    }

    // FIPS 180-4's example message for SHA-384.
    @Test func `SHA-256, SHA-384 and SHA-512 each give their digest`() {
        let message = Array("abc".utf8)
        #expect(
            Hex.encode(SHA2.sha384.hash(message))
                == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
        #expect(SHA2.sha256.hash(message) == SHA256.hash(message))
        #expect(SHA2.sha512.hash(message) == SHA512.hash(message))
        for kind in SHA2.allCases { #expect(kind.hash(message).count == kind.digestCount) }
    }

    // FIPS 180-4's example messages.
    @Test func `SHA-1 gives the published digests`() {
        #expect(Hex.encode(SHA1.hash(Array("abc".utf8))) == "a9993e364706816aba3e25717850c26c9cd0d89d")
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(Hex.encode(SHA1.hash(Array(long.utf8))) == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    }

    @Test func `a digest computed in pieces equals the one computed at once`() {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        for size in [1, 63, 64, 65, 1000] {
            var running = SHA256()
            for start in stride(from: 0, to: message.count, by: size) {
                running.update(message[start..<min(start + size, message.count)])
            }
            #expect(running.finish() == SHA256.hash(message))
        }
        #expect(SHA256().finish() == SHA256.hash([]))
    }

    @Test func `a copy of an unfinished digest is independent of the original`() {
        var first = SHA256()
        first.update([1])
        var second = first
        second.update([2])
        #expect(first.finish() == SHA256.hash([1]))
        first.update([3])
        #expect(first.finish() == SHA256.hash([1, 3]))
        #expect(second.finish() == SHA256.hash([1, 2]))
    }

    // RFC 4231, test case 2.
    @Test func `HMAC gives the tag of RFC 4231`() {
        let tag = HMACSHA256.authenticate(
            Array("what do ya want for nothing?".utf8), key: Secret(copying: "Jefe".utf8))
        #expect(Hex.encode(tag) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `an HMAC tag is accepted only in the agreed length`() {
        let key = Secret(copying: [1])
        let tag = HMACSHA256.authenticate([2], key: key)
        #expect(HMACSHA256.verify(tag: tag, message: [2], key: key))
        #expect(!HMACSHA256.verify(tag: tag, message: [3], key: key))
        #expect(!HMACSHA256.verify(tag: Array(tag[..<16]), message: [2], key: key))
        #expect(HMACSHA256.verify(tag: Array(tag[..<16]), message: [2], key: key, expectedCount: 16))
        #expect(!HMACSHA256.verify(tag: tag, message: [2], key: key, expectedCount: 16))
        #expect(!HMACSHA256.verify(tag: [], message: [2], key: key))
    }

    @Test func `constant-time comparison agrees with plain comparison`() {
        #expect(ConstantTime.equals([], []))
        #expect(ConstantTime.equals([1, 2], [1, 2]))
        #expect(!ConstantTime.equals([1, 2], [1, 3]))
        #expect(!ConstantTime.equals([1, 2], [1, 2, 3]))
        #expect(!ConstantTime.equals([], [0]))
    }

    @Test func `the system's random generator returns the requested number of bytes, different each time`() {
        var random = SystemRandom()
        #expect(random.bytes(count: 0).isEmpty)
        #expect(random.bytes(count: 33).count == 33)
        #expect(random.bytes(count: 32) != random.bytes(count: 32))
    }
}
