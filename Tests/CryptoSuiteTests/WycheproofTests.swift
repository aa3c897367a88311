import TestSupport
import Testing

@testable import CryptoSuite

/// Files of Project Wycheproof, each counted, so that a file which changes or is half read is noticed.
@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct WycheproofTests {
    // "acceptable" there means that a library may refuse or compute. Ours computes for points on the twist and for
    // non-canonical coordinates, as RFC 7748 says, and refuses whatever gives an all-zero secret.
    @Test(.shows("CHK-062")) func `X25519 computes all 487 Wycheproof secrets and refuses the 31 of low order`() throws
    {
        var computed = 0
        var refused = 0
        for (_, test) in try WycheproofFile.load("x25519").cases {
            let key = Secret(copying: test.private.bytes)
            let other = HashBackEnd.x25519SharedSecret(key, test.public.bytes)
            if test.flags.contains("ZeroSharedSecret") {
                refused += 1
                #expect(throws: CryptoError(.lowOrderPoint, ""), "case \(test.tcId)") {
                    try X25519.sharedSecret(privateKey: key, publicKey: test.public.bytes)
                }
                #expect(other == nil)
            } else {
                computed += 1
                let secret = try X25519.sharedSecret(privateKey: key, publicKey: test.public.bytes)
                #expect(secret.copyBytes() == test.shared.bytes, "case \(test.tcId)")
                #expect(other == secret)
                #expect(HashBackEnd.x25519PublicKey(key) == BackEnd.x25519PublicKey(key))
            }
        }
        #expect((computed, refused) == (487, 31))
    }

    @Test func `Ed25519 accepts the 88 valid Wycheproof signatures and refuses the 63 others`() throws {
        var results = CaseCounts()
        for (group, test) in try WycheproofFile.load("ed25519").cases {
            let isValid = Ed25519.verify(
                signature: test.sig.bytes, message: test.msg.bytes, publicKey: (group.publicKey?.pk ?? nil).bytes)
            #expect(isValid == (test.result == "valid"), "case \(test.tcId)")
            results.count(test)
        }
        #expect(results == CaseCounts(valid: 88, invalid: 63))
    }

    @Test func `HKDF derives the 83 Wycheproof keys and refuses the three that are too long`() throws {
        var results = CaseCounts()
        for (_, test) in try WycheproofFile.load("hkdf_sha256").cases {
            let input = Secret(copying: test.ikm.bytes)
            let (salt, info, count) = (test.salt.bytes, test.info.bytes, try #require(test.size))
            results.count(test)
            if test.result == "valid" {
                let key = try HKDF.deriveSHA256(inputKey: input, salt: salt, info: info, count: count)
                #expect(key.copyBytes() == test.okm.bytes, "case \(test.tcId)")
                let other = HashBackEnd.hkdfSHA256(inputKey: input, salt: salt, info: info, count: count)
                #expect(other == key, "case \(test.tcId)")
            } else {
                #expect(throws: CryptoError(.invalidLength, ""), "case \(test.tcId)") {
                    try HKDF.deriveSHA256(inputKey: input, salt: salt, info: info, count: count)
                }
            }
        }
        #expect(results == CaseCounts(valid: 83, invalid: 3))
    }

    @Test func `HMAC accepts the 66 valid Wycheproof tags, half of them of 16 bytes, and refuses the 108 others`()
        throws
    {
        var results = CaseCounts()
        for (group, test) in try WycheproofFile.load("hmac_sha256").cases {
            let isValid = HMACSHA256.verify(
                tag: test.tag.bytes, message: test.msg.bytes, key: Secret(copying: test.key.bytes),
                expectedCount: try #require(group.tagSize) / 8)
            #expect(isValid == (test.result == "valid"), "case \(test.tcId)")
            results.count(test)
        }
        #expect(results == CaseCounts(valid: 66, invalid: 108))
    }

    @Test func `AES-GCM passes the 133 Wycheproof cases of its sizes and refuses the sizes of the 183 others`() throws {
        var inside = CaseCounts()
        var otherSizes = 0
        for (group, test) in try WycheproofFile.load("aes_gcm").cases {
            if group.keySize == 192 || group.ivSize != 96 {
                otherSizes += 1
                #expect(throws: CryptoError(group.keySize == 192 ? .invalidKey : .invalidLength, "")) {
                    try AuthenticatedCipher.aesGCM.seal(
                        test.msg.bytes, key: Secret(copying: test.key.bytes), nonce: test.iv.bytes)
                }
                continue
            }
            inside.count(test)
            try check(test, seal: AuthenticatedCipher.aesGCM.seal, open: AuthenticatedCipher.aesGCM.open)
        }
        #expect(inside == CaseCounts(valid: 79, invalid: 54))
        #expect(otherSizes == 183)
    }

    @Test func `ChaCha20-Poly1305 passes the 316 Wycheproof cases of its sizes and refuses the sizes of the 9 others`()
        throws
    {
        var inside = CaseCounts()
        var otherSizes = 0
        for (group, test) in try WycheproofFile.load("chacha20_poly1305").cases {
            if group.ivSize != 96 {
                otherSizes += 1
                #expect(throws: CryptoError(.invalidLength, "")) {
                    try AuthenticatedCipher.chaChaPoly.seal(
                        test.msg.bytes, key: Secret(copying: test.key.bytes), nonce: test.iv.bytes)
                }
                continue
            }
            inside.count(test)
            try check(test, seal: AuthenticatedCipher.chaChaPoly.seal, open: AuthenticatedCipher.chaChaPoly.open)
            checkSodiumChaChaPoly(test)
        }
        #expect(inside == CaseCounts(valid: 256, invalid: 60))
        #expect(otherSizes == 9)
    }

    private func check(
        _ test: WycheproofFile.Case,
        seal: ([UInt8], Secret, [UInt8], [UInt8]) throws(CryptoError) -> [UInt8],
        open: ([UInt8], Secret, [UInt8], [UInt8]) throws(CryptoError) -> [UInt8]
    ) throws {
        let key = Secret(copying: test.key.bytes)
        let sealed = test.ct.bytes + test.tag.bytes
        let (nonce, data) = (test.iv.bytes, test.aad.bytes)
        if test.result == "valid" {
            #expect(try seal(test.msg.bytes, key, nonce, data) == sealed, "case \(test.tcId)")
            #expect(try open(sealed, key, nonce, data) == test.msg.bytes, "case \(test.tcId)")
        } else {
            #expect(throws: CryptoError(.authenticationFailed, ""), "case \(test.tcId)") {
                try open(sealed, key, nonce, data)
            }
        }
    }

    private func checkSodiumChaChaPoly(_ test: WycheproofFile.Case) {
        let key = Secret(copying: test.key.bytes)
        let sealed = test.ct.bytes + test.tag.bytes
        let opened = sealed.withUnsafeBytes {
            BackEnd.chaChaPolyOpen($0, key: key, nonce: test.iv.bytes, additionalData: test.aad.bytes)
        }
        #expect(opened == (test.result == "valid" ? test.msg.bytes : nil), "case \(test.tcId)")
        guard test.result == "valid" else { return }
        let again = test.msg.bytes.withUnsafeBytes {
            BackEnd.chaChaPolySeal($0, key: key, nonce: test.iv.bytes, additionalData: test.aad.bytes)
        }
        #expect(again == sealed, "case \(test.tcId)")
    }
}

/// The number of Wycheproof cases of each kind that were run.
private struct CaseCounts: Equatable {
    var valid = 0
    var invalid = 0

    mutating func count(_ test: WycheproofFile.Case) {
        if test.result == "valid" { valid += 1 } else { invalid += 1 }
    }
}
