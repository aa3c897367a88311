import COSE
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

/// The knowledge that a holder has of the reader that signed a request.
@Suite struct ReaderStandingTests {
    private static let judgedAt = WallTime(millisecondsSinceEpoch: 1_750_000_000_000)
    private static let transcript = SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])

    /// A reader with a certificate for some uses of its key, and the authority that issued it.
    private struct CertifiedReader {
        let identity: DeviceRequestWriter.ReaderIdentity
        let authority: Certificate

        init(uses: [ASN1Identifier] = [.mobileDocumentReader]) throws {
            var random = SeededRandom(seed: 1)
            let root = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
            let key = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p384, from: &random))
            let (start, end) = (
                WallTime(millisecondsSinceEpoch: 1_740_000_000_000), WallTime(millisecondsSinceEpoch: 1_760_000_000_000)
            )
            let name: [CertificateTemplate.NamePart] = [.commonName("Readers")]
            var authority = try CertificateTemplate(
                subject: name, issuer: name, publicKey: root, notBefore: start, notAfter: end)
            authority.extensions = [
                .basicConstraints(isAuthority: true, pathLength: 0), .keyUsage([.keyCertSign, .crlSign]),
                .subjectKeyIdentifier([1]),
            ]
            var reader = try CertificateTemplate(
                subject: [.commonName("Desk 1")], issuer: name, publicKey: key, notBefore: start, notAfter: end)
            reader.extensions = [
                .keyUsage(.digitalSignature), .authorityKeyIdentifier([1]), .subjectKeyIdentifier([2]),
                .extendedKeyUsage(uses),
            ]
            self.authority = try Certificate(der: authority.sign(by: root))
            identity = .init(key: key, certificates: [try reader.sign(by: root)])
        }
    }

    private static func standing(
        _ identity: DeviceRequestWriter.ReaderIdentity?, _ authorities: [Certificate],
        _ transcript: SessionTranscript = transcript
    ) throws -> ReaderAuthentication.ReaderStanding {
        let bytes = try SessionPair.request.encoded(transcript: Self.transcript, identity: identity)
        let request = try DeviceRequest(bytes)
        return ReaderAuthentication.standing(
            of: request, document: request.documents[0], transcript: transcript, authorities: authorities, at: judgedAt)
    }

    @Test(.shows("MDR-123", "MS6"))
    func `a reader is known under its authority, unknown without it, and absent without a signature`() throws {
        let reader = try CertifiedReader()
        #expect(try Self.standing(reader.identity, [reader.authority]) == .known("Desk 1"))
        #expect(try Self.standing(reader.identity, []) == .unknown("Desk 1"))
        #expect(try Self.standing(nil, [reader.authority]) == .absent)
    }

    @Test func `a reader that signs by an algorithm that is not known here is unknown, and not wrong`() throws {
        let reader = try CertifiedReader()
        var bytes = try SessionPair.request.encoded(transcript: Self.transcript, identity: reader.identity)
        // ES384 in the protected header becomes an algorithm without a meaning.
        let header: [UInt8] = [0xA1, 1, 0x38, 0x22]
        let place = try #require(bytes.firstRange(of: header))
        bytes[place.upperBound - 1] = 0xEF
        let request = try DeviceRequest(bytes)
        for authorities in [[], [reader.authority]] {
            let standing = ReaderAuthentication.standing(
                of: request, document: request.documents[0], transcript: Self.transcript, authorities: authorities,
                at: Self.judgedAt)
            #expect(standing == .unknown("Desk 1"))
        }
    }

    @Test(.shows("MDR-125"))
    func `a signature for another session, and a certificate for another use, are wrong`() throws {
        let reader = try CertifiedReader()
        let other = SessionTranscript(engagement: [0xA1, 0, 0], readerKeyBytes: [0xA0])
        let signer = try CertifiedReader(uses: [.mobileDocumentSigner])
        for standing in [
            try Self.standing(reader.identity, [reader.authority], other),
            try Self.standing(signer.identity, [signer.authority]),
        ] {
            guard case .wrong = standing else {
                Issue.record("\(standing)")
                continue
            }
        }
    }
}
