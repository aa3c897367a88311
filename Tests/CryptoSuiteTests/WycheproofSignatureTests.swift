import TestSupport
import Testing

@testable import CryptoSuite

/// The files of Project Wycheproof for ECDSA, RSA and ECDH, each counted, so that a file which changes or is half read
/// is noticed.
///
/// `json_web_signature_test.json` is about tokens, and is tested where tokens are read.
@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct WycheproofSignatureTests {
    @Test(arguments: [
        ("ecdsa_secp256r1_sha256_p1363", ECDSA.Curve.p256, SHA2.sha256, [173, 89]),
        ("ecdsa_secp256k1_sha256_p1363", .secp256k1, .sha256, [167, 85]),
        ("ecdsa_secp384r1_sha384_p1363", .p384, .sha384, [193, 87]),
    ])
    func `ECDSA accepts the valid Wycheproof signatures in two halves and refuses the others`(
        name: String, curve: ECDSA.Curve, hash: SHA2, counts: [Int]
    ) throws {
        var (valid, invalid) = (0, 0)
        for (group, test) in try WycheproofFile.load(name).cases {
            let key = try ECDSA.PublicKey(curve: curve, x963: (group.publicKey?.uncompressed ?? nil).bytes)
            let isValid = ECDSA.verify(
                signature: test.sig.bytes, message: test.msg.bytes, publicKey: key, hash: hash)
            #expect(isValid == (test.result == "valid"), "case \(test.tcId)")
            #expect(try SubjectPublicKey(der: group.publicKeyDer.bytes) == .ecdsa(key))
            if test.result == "valid" { valid += 1 } else { invalid += 1 }
        }
        #expect([valid, invalid] == counts)
    }

    // BER, leading zeros, negative numbers, other lengths and what follows the signature are all among the refused.
    @Test func `ECDSA accepts the 174 valid Wycheproof signatures in DER and refuses the 310 others`() throws {
        var (valid, invalid) = (0, 0)
        for (group, test) in try WycheproofFile.load("ecdsa_secp256r1_sha256").cases {
            let key = try ECDSA.PublicKey(curve: .p256, x963: (group.publicKey?.uncompressed ?? nil).bytes)
            let isValid = ECDSA.verify(
                derSignature: test.sig.bytes, message: test.msg.bytes, publicKey: key, hash: .sha256)
            #expect(isValid == (test.result == "valid"), "case \(test.tcId)")
            // The two forms are never confused.
            #expect(
                !ECDSA.verify(signature: test.sig.bytes, message: test.msg.bytes, publicKey: key, hash: .sha256))
            if test.result == "valid" { valid += 1 } else { invalid += 1 }
        }
        #expect([valid, invalid] == [174, 310])
    }

    @Test func `RSA PSS accepts the 63 valid Wycheproof signatures and refuses the 45 others`() throws {
        var (valid, invalid) = (0, 0)
        for (group, test) in try WycheproofFile.load("rsa_pss_2048_sha256_mgf1_32").cases {
            let isValid = RSA.verifyPSS(
                signature: test.sig.bytes, message: test.msg.bytes, publicKey: try Self.rsaKey(group), hash: .sha256,
                saltCount: 32)
            #expect(isValid == (test.result == "valid"), "case \(test.tcId)")
            if test.result == "valid" { valid += 1 } else { invalid += 1 }
        }
        #expect([valid, invalid] == [63, 45])
    }

    // The acceptable one encodes the digest without the NULL parameters that RFC 8017 demands: refused.
    @Test func `RSA PKCS1 accepts the 9 valid Wycheproof signatures and refuses the 249 others and the acceptable one`()
        throws
    {
        var counts = [0, 0, 0]
        for (group, test) in try WycheproofFile.load("rsa_signature_2048_sha256").cases {
            let isValid = RSA.verifyPKCS1(
                signature: test.sig.bytes, message: test.msg.bytes, publicKey: try Self.rsaKey(group), hash: .sha256)
            #expect(isValid == (test.result == "valid"), "case \(test.tcId)")
            counts[test.result == "valid" ? 0 : test.result == "invalid" ? 1 : 2] += 1
            if test.result == "acceptable" { #expect(test.flags == ["MissingNull"]) }
        }
        #expect(counts == [9, 249, 1])
    }

    // The acceptable one has a compressed public key: computed, because compressed points are read.
    @Test func `ECDH computes the 330 valid Wycheproof secrets and the acceptable one, and refuses the 24 other keys`()
        throws
    {
        var counts = [0, 0, 0]
        for (_, test) in try WycheproofFile.load("ecdh_secp256r1_ecpoint").cases {
            counts[test.result == "valid" ? 0 : test.result == "invalid" ? 1 : 2] += 1
            let digits = test.private.bytes.drop { $0 == 0 }
            let scalar = [UInt8](repeating: 0, count: 32 - digits.count) + digits
            let privateKey = try ECDSA.PrivateKey(curve: .p256, scalar: Secret(copying: scalar))
            if test.result == "invalid" {
                #expect(throws: CryptoError(.invalidPoint, ""), "case \(test.tcId)") {
                    try ECDSA.PublicKey(curve: .p256, x963: test.public.bytes)
                }
            } else {
                let peer = try ECDSA.PublicKey(curve: .p256, x963: test.public.bytes)
                let secret = try ECDH.sharedSecret(privateKey: privateKey, publicKey: peer)
                #expect(secret.copyBytes() == test.shared.bytes, "case \(test.tcId)")
            }
            if test.result == "acceptable" { #expect(test.flags.contains("CompressedPublic")) }
        }
        #expect(counts == [330, 24, 1])
    }

    /// The key of a group, once from its numbers and once from its DER form.
    private static func rsaKey(_ group: WycheproofFile.Group) throws -> RSA.PublicKey {
        let key = try RSA.PublicKey(
            modulus: Array((group.publicKey?.modulus ?? nil).bytes.drop { $0 == 0 }),
            exponent: (group.publicKey?.publicExponent ?? nil).bytes)
        #expect(try SubjectPublicKey(der: group.publicKeyDer.bytes) == .rsa(key))
        return key
    }
}
