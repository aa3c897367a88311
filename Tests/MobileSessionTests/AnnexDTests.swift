import ByteCoding
import CBOR
import COSE
import Credentials
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import MobileSession

@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct AnnexDTests {
    private static let judgedAt = WallTime(millisecondsSinceEpoch: 1_601_596_800_000)

    private static func cipher(_ side: SessionCipher.Side) throws -> SessionCipher {
        let (own, peer) =
            side == .reader ? ("ephemeral_reader", "ephemeral_device") : ("ephemeral_device", "ephemeral_reader")
        let secret = try AgreementKey.ecdsa(AnnexD.key(own)).sharedSecret(with: .ecdsa(AnnexD.key(peer).publicKey))
        return try SessionCipher(side: side, secret: secret, transcript: AnnexD.transcript())
    }

    @Test(.shows("MDR-008", "MDR-010", "MDR-058", "MDR-090"))
    func `the published engagement has its key, its service and its Ident`() throws {
        let bytes = try AnnexD.contents("device-engagement.cbor")
        let engagement = try DeviceEngagement(bytes: bytes)
        #expect(bytes.count == 116)
        #expect(engagement.version == "1.0")
        #expect(engagement.key == .ecdsa(try AnnexD.key("ephemeral_device").publicKey))
        #expect(engagement.bluetooth?.modes == [.centralClient])
        #expect(Hex.encode(try engagement.ident()) == "8da0b7a85919f05673054ea996bbd124")
        #expect(engagement.keyBytes == (try AnnexD.contents("e-device-key-bytes.cbor")))
        #expect(engagement.deviations == [])
        let made = DeviceEngagement(
            key: engagement.key, bluetooth: try #require(engagement.bluetooth))
        #expect(made.bytes == bytes)
        #expect(try DeviceEngagement(text: made.text.utf8).bytes == bytes)
    }

    @Test(.shows("MDR-096", "MDR-097", "MDR-098", "MDR-099", "MDR-105", "MDR-106"))
    func `the published session decrypts on both sides, and no changed byte does`() throws {
        var holder = try Self.cipher(.holder)
        let establishment = try AnnexD.contents("session-establishment.cbor")
        let first = try SessionEstablishment(establishment, limit: 1 << 16)
        #expect(first.readerKey == .ecdsa(try AnnexD.key("ephemeral_reader").publicKey))
        let request = try AnnexD.contents("device-request.cbor")
        #expect(holder.open(first.data) == request)
        var reader = try Self.cipher(.reader)
        let answer = try SessionData(AnnexD.contents("session-data.cbor"), limit: 1 << 16)
        let response = try AnnexD.contents("device-response.cbor")
        #expect(reader.open(answer.data ?? []) == response)
        #expect(answer.status == nil)
        #expect(try SessionData(AnnexD.contents("session-termination.cbor"), limit: 100).status == 20)
        let data = try #require(answer.data)
        for index in stride(from: 0, to: data.count, by: 7) {
            var changed = data
            changed[index] ^= 1
            var reader = try Self.cipher(.reader)
            #expect(reader.open(changed) == nil, "byte \(index)")
        }
    }

    @Test(.shows("MDR-002", "MDR-003", "MDR-088", "MDR-089", "MDR-106"))
    func `the published messages are made anew byte for byte`() throws {
        var reader = try Self.cipher(.reader)
        let establishment = try AnnexD.contents("session-establishment.cbor")
        let request = try AnnexD.contents("device-request.cbor")
        let keyBytes = try SessionEstablishment(establishment, limit: 1 << 16).readerKeyBytes
        let sealedRequest = reader.seal(request) ?? []
        #expect(SessionEstablishment.encoded(readerKeyBytes: keyBytes, data: sealedRequest) == establishment)
        var holder = try Self.cipher(.holder)
        let response = try AnnexD.contents("device-response.cbor")
        let sealedResponse = holder.seal(response) ?? []
        let published = try AnnexD.contents("session-data.cbor")
        #expect(SessionData(data: sealedResponse).encoded == published)
        #expect(SessionData(status: 20).encoded == (try AnnexD.contents("session-termination.cbor")))
    }

    @Test(.shows("MDR-003", "MDR-034", "MDR-035", "MDR-036", "MDR-041", "MDR-118", "MDR-119", "MDR-121"))
    func `the published answer is made anew byte for byte from what the issuer signed and the device's key`() throws {
        let published = try AnnexD.contents("device-response.cbor")
        let document = try #require(try CBORValue(parsing: published)["documents"]?.array?.first)
        let signed = try #require(document["issuerSigned"])
        let held = try HeldMobileDocument(
            issuerSigned: Array(signed.encoding), deviceKey: .agreement(.ecdsa(AnnexD.key("static_device"))))
        let keys = MobileSessionKeys(
            transcript: try AnnexD.transcript(), ownKey: .ecdsa(try AnnexD.key("ephemeral_device")),
            peerKey: .ecdsa(try AnnexD.key("ephemeral_reader").publicKey))
        let made = try held.document(with: held.elements.map(\.name), in: keys)
        #expect(DeviceResponse.encoded(documents: [made]) == published)
        let namespaces = try document["deviceSigned"]?["nameSpaces"]?.embedded()
        #expect(namespaces?.map?.isEmpty == true, "the holder's device signs no element")
    }

    @Test(.shows("MDR-025"))
    func `the published request is made anew but for its signature, which no two signers make alike`() throws {
        let published = try AnnexD.contents("device-request.cbor")
        let read = try DeviceRequest(published)
        let document = try #require(read.documents.first)
        let written = DeviceRequestWriter([(document.type, document.elements)])
        let made = try DeviceRequest(written.encoded(transcript: AnnexD.transcript()))
        #expect(made.version == "1.0")
        let items = CBORItem.bytes(try AnnexD.contents("items-request.cbor"))
        #expect(made.documents.first?.itemsBytes == CBORItem.tagged(24, items).encoded)
        #expect(made.documents.first?.itemsBytes == document.itemsBytes)
    }

    @Test(.shows("MDR-123"))
    func `the published request is read, and its reader is unknown without an authority`() throws {
        let request = try DeviceRequest(AnnexD.contents("device-request.cbor"))
        #expect(request.documents.count == 1)
        let document = try #require(request.documents.first)
        #expect(document.type == "org.iso.18013.5.1.mDL")
        #expect(
            document.elements.map(\.name.identifier) == [
                "family_name", "document_number", "driving_privileges", "issue_date", "expiry_date", "portrait",
            ])
        func standing(_ transcript: SessionTranscript, _ authorities: [Certificate])
            -> ReaderAuthentication.ReaderStanding
        {
            ReaderAuthentication.standing(
                of: request, document: document, transcript: transcript, authorities: authorities, at: Self.judgedAt)
        }
        #expect(standing(try AnnexD.transcript(), []) == .unknown("reader"))
        let other = SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])
        guard case .wrong = standing(other, []) else {
            Issue.record("a signature over another transcript is not wrong")
            return
        }
    }

    @Test(.shows("MDR-117", "MDR-118", "MDC-014", "MS1"))
    func `the published answer is the device's in its session, and in no other`() throws {
        let response = try DeviceResponse(AnnexD.contents("device-response.cbor"), limit: 1 << 16)
        #expect(response.status == 0)
        #expect(response.documentTypes == ["org.iso.18013.5.1.mDL"])
        #expect(response.refusal == nil)
        let key = AgreementKey.ecdsa(try AnnexD.key("ephemeral_reader"))
        func holder(_ transcript: SessionTranscript) throws -> [CredentialCheck.CheckOutcome] {
            var request = VerificationRequest(trust: TrustStore(), at: Self.judgedAt)
            request.session = try MobileDocumentSession(transcript: transcript.bytes, agreementKey: key)
            let report = MobileDocumentVerifier(request).verify(response.bytes)
            return report.checks.filter { $0.kind == .holder }.map(\.outcome)
        }
        #expect(try holder(AnnexD.transcript()) == [.passed])
        #expect(try holder(SessionTranscript(engagement: [0xA0], readerKeyBytes: [0xA0])) != [.passed])
    }
}
