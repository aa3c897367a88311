import ByteCoding
import Testing

@testable import CryptoSuite

@Suite struct PassphraseTests {
    // Values of the reference implementation, one lane, 32 bytes.
    @Test(arguments: [
        ("password", "somesaltsomesalt", 1, 64, "e793d64ef75d58f503d4631b2b149f7f80127c5f3993d89b1c9b781e51d0b413"),
        ("password", "somesaltsomesalt", 3, 256, "45712205ca8e0777e07eeb552e27165d3450b42ba9d9e646b9be536116b192cc"),
        ("", "0123456789abcdef", 2, 8, "57367adad072c59cb6481ef657cdaff6394cbeda118fa18ab5d1cf575c7d1378"),
    ]) func `Argon2id gives the key of the reference implementation`(
        passphrase: String, salt: String, operations: Int, kibibytes: Int, expected: String
    ) throws {
        let key = try Argon2id.deriveKey(
            passphrase: Secret(copying: Array(passphrase.utf8)), salt: Array(salt.utf8), operations: operations,
            memoryBytes: kibibytes * 1024)
        #expect(key.count == Argon2id.keyCount)
        #expect(Hex.encode(key.copyBytes()) == expected)
    }

    @Test func `Argon2id costs and salts outside of the limits are refused`() throws {
        let salt = [UInt8](repeating: 1, count: 16)
        #expect(try derive(salt, operations: 1, memoryBytes: 8_192) == derive(salt, operations: 1, memoryBytes: 8_192))
        for (operations, memory) in [
            (0, 8_192), (65, 8_192), (1, 8_191), (1, 4_294_967_297), (-1, 8_192), (1, -1), (.max, .max),
        ] {
            #expect(throws: CryptoError(.invalidLength, "")) {
                try derive(salt, operations: operations, memoryBytes: memory)
            }
        }
        #expect(try derive(salt, operations: 64, memoryBytes: 8_192).count == 32)
        for count in [0, 15, 17] {
            let salt = [UInt8](repeating: 1, count: count)
            #expect(throws: CryptoError(.invalidLength, "")) { try derive(salt, operations: 1, memoryBytes: 8_192) }
        }
    }

    // The first, fourth and last entries of the published keyed test values, and the example of RFC 7693, appendix A.
    @Test func `BLAKE2b gives the published digests`() throws {
        let key = Secret(copying: 0...63)
        let cases: [([UInt8], Secret?, String)] = [
            (
                [], key,
                "10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786"
                    + "b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568"
            ),
            (
                [0, 1, 2], key,
                "33d0825dddf7ada99b0e7e307104ad07ca9cfd9692214f1561356315e784f3e5"
                    + "a17e364ae9dbb14cb2036df932b77f4b292761365fb328de7afdc6d8998f5fc1"
            ),
            (
                Array(0...254), key,
                "142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e9248"
                    + "4be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461"
            ),
            (
                Array("abc".utf8), nil,
                "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                    + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
            ),
        ]
        for (message, key, digest) in cases {
            #expect(Hex.encode(try Blake2b.hash(message, key: key, count: 64)) == digest)
        }
        let short = try Blake2b.hash(Array("abc".utf8), count: 24)
        #expect(Hex.encode(short) == "56a17e38cc371a46b12c32f18e0c61de2a84e9c2555b114e")
    }

    @Test func `a BLAKE2b digest has 1 to 64 bytes, and so has its key`() throws {
        for count in [1, 15, 64] { #expect(try Blake2b.hash([1], count: count).count == count) }
        for count in [-1, 0, 65, .max] {
            #expect(throws: CryptoError(.invalidLength, "")) { try Blake2b.hash([1], count: count) }
        }
        for count in [1, 64] {
            let key = Secret(copying: [UInt8](repeating: 5, count: count))
            #expect(try Blake2b.hash([1], key: key) != Blake2b.hash([1]))
        }
        for count in [0, 65] {
            let key = Secret(copying: [UInt8](repeating: 5, count: count))
            #expect(throws: CryptoError(.invalidKey, "")) { try Blake2b.hash([1], key: key) }
        }
    }

    private func derive(_ salt: [UInt8], operations: Int, memoryBytes: Int) throws(CryptoError) -> Secret {
        try Argon2id.deriveKey(
            passphrase: Secret(copying: [1]), salt: salt, operations: operations, memoryBytes: memoryBytes)
    }
}
