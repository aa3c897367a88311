import Bluetooth
import CBOR
import COSE
import Credentials
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

/// The key and the certificate by which a reader signs, and the signature over a whole request.
@Suite struct ReaderIdentityTests {
    private static let now = WallTime(millisecondsSinceEpoch: 1_750_000_000_000)
    private static let day: Int64 = 86_400_000

    private let key: CertificateTemplate.SigningKey
    private let issuer: TestReaderIssuer

    init() throws {
        var random = SeededRandom(seed: 1)
        key = .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        issuer = try TestReaderIssuer(reader: "Desk", key: key, at: Self.now, random: &random)
    }

    private func identity(
        key other: CertificateTemplate.SigningKey? = nil, chain: [[UInt8]]? = nil, days: Int64 = 0
    ) throws -> DeviceRequestWriter.ReaderIdentity {
        try DeviceRequestWriter.ReaderIdentity(
            key: PEMText.block("PRIVATE KEY", of: (other ?? key).privateKeyInfo()),
            certificates: (chain ?? [issuer.certificate]).map { PEMText.block("CERTIFICATE", of: $0) }.joined(),
            at: WallTime(millisecondsSinceEpoch: Self.now.millisecondsSinceEpoch + days * Self.day))
    }

    @Test func `a key and its certificate make an identity with the name of the certificate`() throws {
        let made = try identity()
        #expect(made.name == "Desk (test)")
        #expect(made.certificates == [issuer.certificate])
    }

    @Test func `the root at the end of a chain is left out, and a chain has four certificates at most`() throws {
        #expect(try identity(chain: [issuer.certificate, issuer.authority]).certificates == [issuer.certificate])
        #expect(throws: MobileSessionError(.readerIdentity, "")) {
            try identity(chain: [[UInt8]](repeating: issuer.certificate, count: 5))
        }
    }

    @Test func `a key of another certificate, a text that is none, and a sealed key are errors`() throws {
        var random = SeededRandom(seed: 2)
        let other = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        #expect(throws: MobileSessionError(.readerIdentity, "")) { try identity(key: other) }
        #expect(throws: MobileSessionError(.readerIdentity, "")) { try identity(chain: []) }
        let certificate = PEMText.block("CERTIFICATE", of: issuer.certificate)
        for name in ["ENCRYPTED PRIVATE KEY", "PUBLIC KEY"] {
            #expect(throws: MobileSessionError(.readerIdentity, "")) {
                try DeviceRequestWriter.ReaderIdentity(
                    key: PEMText.block(name, of: key.privateKeyInfo()), certificates: certificate, at: Self.now)
            }
        }
    }

    @Test(arguments: [(-2, false), (0, true), (1184, true), (1186, false)])
    func `a certificate is taken in its time alone`(_ days: Int64, _ isTaken: Bool) throws {
        if isTaken {
            _ = try identity(days: days)
        } else {
            #expect(throws: MobileSessionError(.readerIdentity, "")) { try identity(days: days) }
        }
    }

    @Test func `a certificate for another use is an error`() throws {
        var random = SeededRandom(seed: 3)
        var template = try CertificateTemplate(
            subject: [.commonName("Web")], issuer: [.commonName("Web authority")], publicKey: key,
            notBefore: Self.now,
            notAfter: WallTime(millisecondsSinceEpoch: Self.now.millisecondsSinceEpoch + Self.day))
        template.extensions = [.keyUsage(.digitalSignature), .extendedKeyUsage([.mobileDocumentSigner])]
        let root = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random))
        let certificate = try template.sign(by: root)
        #expect(throws: MobileSessionError(.readerIdentity, "")) { try identity(chain: [certificate]) }
    }

    // MARK: The signature over a whole request

    private static let transcript = SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])

    private func standings(_ bytes: [UInt8]) throws -> [ReaderAuthentication.ReaderStanding] {
        let request = try DeviceRequest(bytes)
        let authority = try Certificate(der: issuer.authority)
        return request.documents.map {
            ReaderAuthentication.standing(
                of: request, document: $0, transcript: Self.transcript, authorities: [authority], at: Self.now)
        }
    }

    @Test(.shows("MDR-026", "MDR-032", "MDR-123"))
    func `one signature over the whole makes a request of version 1.1, in which each document is signed`() throws {
        let writer = try MobileRequest(asking: "over-18,portrait").writer
        let whole = try writer.encoded(
            transcript: Self.transcript, identity: identity(), abilities: [.readerAuthenticationOfAll])
        #expect(try DeviceRequest(whole).version == "1.1")
        #expect(try standings(whole) == [.known("Desk (test)"), .known("Desk (test)")])
        let parts = try writer.encoded(transcript: Self.transcript, identity: identity())
        #expect(try DeviceRequest(parts).version == "1.0")
        #expect(try standings(parts) == [.known("Desk (test)"), .known("Desk (test)")])
        let unsigned = try writer.encoded(transcript: Self.transcript, abilities: [.readerAuthenticationOfAll])
        #expect(try DeviceRequest(unsigned).version == "1.0")
        #expect(try standings(unsigned) == [.absent, .absent])
    }

    @Test(.shows("MDR-125"))
    func `a change in one document makes the signature over the whole wrong for all of them`() throws {
        let writer = try MobileRequest(asking: "over-18").writer
        var bytes = try writer.encoded(
            transcript: Self.transcript, identity: identity(), abilities: [.readerAuthenticationOfAll])
        let place = try #require(bytes.firstRange(of: Array("age_over_18".utf8)))
        bytes[place.upperBound - 1] = UInt8(ascii: "9")
        for standing in try standings(bytes) {
            guard case .wrong = standing else {
                Issue.record("\(standing)")
                continue
            }
        }
    }

    @Test(.shows("MDR-029"))
    func `the largest answer is told to a holder that understands it, and to no other`() throws {
        let writer = try MobileRequest(asking: "over-18").writer
        for (abilities, size) in [(Set([DeviceEngagement.Capability.extendedRequests]), 8 << 20), ([], nil)] {
            let request = try DeviceRequest(
                writer.encoded(transcript: Self.transcript, identity: identity(), abilities: abilities))
            #expect(request.documents.map(\.maximumResponseSize) == [size, size])
            #expect(request.version == "1.0")
        }
    }

    @Test func `only an engagement of version 1.1 states abilities`() throws {
        var random = SeededRandom(seed: 4)
        let agreement = try AgreementKey.make(
            onCurveOf: .ecdsa(try ECDSA.PrivateKey.make(.p256, from: &random).publicKey), from: &random)
        let made = DeviceEngagement(
            key: try #require(agreement).publicKey(),
            bluetooth: .init(peripheralServer: BluetoothUUID(high: 1, low: 2)),
            capabilities: [.readerAuthenticationOfAll])
        #expect(try DeviceEngagement(bytes: made.bytes).capabilities == [.readerAuthenticationOfAll])
        var older = made.bytes
        let place = try #require(older.firstRange(of: Array("1.1".utf8)))
        older[place.upperBound - 1] = UInt8(ascii: "0")
        let read = try DeviceEngagement(bytes: older)
        #expect(read.capabilities.isEmpty)
        #expect(read.deviations.contains(.membersOfNewerVersion))
    }
}
