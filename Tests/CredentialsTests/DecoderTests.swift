import ByteCoding
import Compression
import JSON
import TestSupport
import Testing

@testable import Credentials

/// Each reader with messages that are cut short and that go on.
@Suite struct DecoderTests {
    private let limits = VerificationLimits()

    @Test func `a JWT credential that is cut short or extended is not genuine`() {
        let sample = JWTSample()
        let token = Array(sample.text.utf8)
        let verify: ([UInt8]) throws -> CompactJWS? = { bytes in
            let report = CredentialVerifier(sample.request).verify(bytes)
            return report.result == .genuine ? try CompactJWS(parsing: bytes, limits: VerificationLimits()) : nil
        }
        #expect(DecoderVerifier.acceptedTruncations(of: token, by: verify) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: token, by: verify) == [])
    }

    @Test func `a signed JWT that is cut short or extended has no valid signature`() {
        let sample = JWTSample()
        let token = Array(sample.text.utf8)
        let read: ([UInt8]) throws -> SignedToken? = { bytes in
            let token = try SignedToken(parsing: bytes, limits: VerificationLimits())
            return token.checkSignature(issuer: nil, sample.request).isValid ? token : nil
        }
        #expect(DecoderVerifier.acceptedTruncations(of: token, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: token, by: read) == [])
    }

    @Test func `an SD-JWT that is cut short or extended is not genuine if the holder's proof is required`() {
        var sample = SDSample()
        sample.request.policy.requiresHolderProof = true
        let text = Array(sample.text.utf8)
        let request = sample.request
        let verify: ([UInt8]) throws -> SDJWTParts? = { bytes in
            let report = CredentialVerifier(request).verify(bytes)
            return report.result == .genuine ? try SDJWTParts(parsing: bytes, limits: VerificationLimits()) : nil
        }
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: verify) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: verify) == [])
    }

    @Test func `an SD-JWT disclosure that is cut short or extended is refused`() {
        let text = Array(SDSample.name.utf8)
        let read: ([UInt8]) throws -> Disclosure? = { bytes in
            try Disclosure(parsing: String(decoding: bytes, as: UTF8.self), hash: .sha256, limits: VerificationLimits())
        }
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: read) == [])
    }

    @Test func `a selective-disclosure proof value that is cut short or extended is refused`() throws {
        let proof = SelectiveForgeries.sample(isDerived: true).signed["proof"]
        let text = Array(try #require(proof?["proofValue"]?.string).utf8)
        let read: ([UInt8]) throws -> SelectiveDisclosureProof? = { bytes in
            try SelectiveDisclosureProof(parsing: String(decoding: bytes, as: UTF8.self), limits: VerificationLimits())
        }
        #expect(try read(text) != nil)
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: read) == [])
    }

    @Test func `a compressed status list that is cut short or extended is refused`() throws {
        let packed = try Zlib.compress([1, 2, 3, 4])
        let unpack: ([UInt8]) throws -> StatusListBits? = { bytes in
            let order = StatusListBits.BitOrder.leastSignificantFirst
            let values = try StatusListBits.decompress(bytes, order: order)
            return StatusListBits(values, width: 1, order: order)
        }
        #expect(try #require(try unpack(packed)).value(at: 0) == 1)
        #expect(DecoderVerifier.acceptedTruncations(of: packed, by: unpack) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: packed, by: unpack) == [])
    }

    @Test func `a status list token with a part missing is refused`() {
        let token = StatusSample().pinned.bytes
        let read: ([UInt8]) throws -> StatusListToken? = {
            try StatusListToken(parsing: $0, limits: VerificationLimits())
        }
        let signature = token.lastIndex(of: UInt8(ascii: ".")) ?? 0
        #expect(DecoderVerifier.acceptedTruncations(of: Array(token[..<signature]), by: read) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: token, by: read) == [])
    }

    @Test func `a trust file is read line by line, and cut in the middle of a digest it is refused`() throws {
        let text = Array("issuer a\n  document x sha256 00 taken 2025-01-02".utf8)
        let read: ([UInt8]) throws -> TrustStore? = { try TrustFile(parsing: $0).store(files: ["x": [1]]) }
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: read).allSatisfy { $0 == 0 || (8...11).contains($0) })
    }
}
