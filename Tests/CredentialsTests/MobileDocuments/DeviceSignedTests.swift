import ByteCoding
import CBOR
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import Credentials

@Suite struct DeviceSignedTests {
    private static let transcript = CBORItem.array([.null, .null, .text("session")])

    /// A document whose device signed one element in a session.
    private func setting(
        signer: String = "symbolon device", session: CBORItem = transcript, type: String = MobileDocumentBuilder.mdl,
        authorizations: CBORItem? = .map([.text("nameSpaces"): .array([.text("example")])]),
        ownPayload: CBORItem = .null
    ) throws -> MobileDocumentForgery.Setting {
        var setting = try MobileDocumentForgery.Setting()
        let namespaces = CBORItem.embedded(.map([.text("example"): .map([.text("pin"): .int(1)])]))
        let payload = CBORItem.embedded(
            .array([.text("DeviceAuthentication"), session, .text(type), namespaces])
        ).encoded
        let protected = CBORItem.map([.int(1): .int(-7)]).encoded
        let signature = Signer.sign(
            CBORItem.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded, by: signer)
        setting.builder.authorizations = authorizations
        setting.builder.deviceSigned = .ordered([
            [.text("nameSpaces"), namespaces],
            [
                .text("deviceAuth"),
                .map([.text("deviceSignature"): .array([.bytes(protected), .map([:]), ownPayload, .bytes(signature)])]),
            ],
        ])
        setting.transcript = Self.transcript.encoded
        setting.request.policy.setDemand(.required, on: .holder)
        return setting
    }

    @Test(.shows("MS2")) func `an mdoc whose device signed in this session is genuine`() throws {
        let report = try setting().report
        try ReportCheck.check(report, .genuine)
        #expect(report.content.signatures.count == 2)
        let elements = CBORItem.map([
            .text("dataElements"): .map([.text("example"): .array([.text("pin")])])
        ])
        try ReportCheck.check(setting(authorizations: elements).report, .genuine)
    }

    @Test(.shows("MDR-114", "MDR-120", "MDC-013"))
    func `an mdoc with an element that the device key is not authorized for is refused`() throws {
        try ReportCheck.check(setting(authorizations: nil).report, .refused(.mdKeyAuth))
        let other = CBORItem.map([.text("dataElements"): .map([.text("example"): .array([.text("other")])])])
        try ReportCheck.check(setting(authorizations: other).report, .refused(.mdKeyAuth))
    }

    @Test func `an mdoc device signature of another key, session or document type is refused`() throws {
        try ReportCheck.check(setting(signer: "symbolon stranger").report, .refused(.sigInvalid))
        try ReportCheck.check(setting(session: .array([.null])).report, .refused(.sigInvalid))
        try ReportCheck.check(setting(type: "other").report, .refused(.sigInvalid))
    }

    @Test func `an mdoc device signature with an attached payload is refused`() throws {
        try ReportCheck.check(setting(ownPayload: .bytes([1])).report, .refused(.mdForm))
    }

    @Test func `without a session transcript the device signature of an mdoc is not checked`() throws {
        var bare = try setting()
        bare.transcript = nil
        #expect(bare.report.result == .notChecked)
        #expect(bare.report.checks.last { $0.kind == .holder }?.outcome == .notDone)
        bare.request.policy.setDemand(.wanted, on: .holder)
        #expect(bare.report.result == .genuine)
    }

    @Test func `an mdoc device MAC is not checked without the reader's key, and the report says so`() throws {
        var mac = try setting()
        mac.builder.deviceSigned = .ordered([
            [.text("nameSpaces"), .embedded(.map([:]))],
            [
                .text("deviceAuth"),
                .map([.text("deviceMac"): .array([.bytes([0xA1, 1, 5]), .map([:]), .null, .bytes([1])])]),
            ],
        ])
        #expect(mac.report.result == .notChecked)
        mac.builder.deviceSigned = .ordered([
            [.text("nameSpaces"), .embedded(.map([:]))], [.text("deviceAuth"), .map([:])],
        ])
        try ReportCheck.check(mac.report, .refused(.mdForm))
    }

    @Test func `an element that the device signs under the name of an issuer's is refused`() throws {
        var setting = try setting()
        setting.builder.authorizations = .map([.text("nameSpaces"): .array([.text(MobileDocumentBuilder.namespace)])])
        func sign(_ name: String) {
            setting.builder.deviceSigned = .ordered([
                [
                    .text("nameSpaces"),
                    .embedded(.map([.text(MobileDocumentBuilder.namespace): .map([.text(name): .text("x")])])),
                ],
                [
                    .text("deviceAuth"),
                    .map([.text("deviceMac"): .array([.bytes([0xA1, 1, 5]), .map([:]), .null, .bytes([1])])]),
                ],
            ])
        }
        sign("nickname")
        #expect(!setting.report.carries(.mdDoubled))
        sign("family_name")
        try ReportCheck.check(setting.report, .refused(.mdDoubled))
    }

    /// The response of the worked example of ISO/IEC 18013-5, annex D, whose device proved its key by a MAC.
    private static func published() throws -> (response: [UInt8], request: VerificationRequest) {
        let folder = "mdoc/annex-d/"
        var request = VerificationRequest(
            trust: TrustStore(), at: WallTime(millisecondsSinceEpoch: 1_601_640_000_000))  // 2020-10-02
        let signer = try OutsideVectors.contents(of: folder + "ds-certificate.der")
        request.trust.roots = [
            TrustedRoot(certificate: signer, purpose: .mobileDocuments(types: [], country: nil))
        ]
        let keys = try JSONValue(parsing: OutsideVectors.contents(of: folder + "keys.json"))
        let scalar = try #require(keys["ephemeral_reader_key_d"]?.string.flatMap { Hex.decode($0) })
        request.session = try MobileDocumentSession(
            transcript: OutsideVectors.contents(of: folder + "session-transcript-bytes.cbor"),
            readerKey: ECDSA.PrivateKey(curve: .p256, scalar: Secret(copying: scalar)))
        request.policy.requiresHolderProof = true
        return (try OutsideVectors.contents(of: folder + "device-response.cbor"), request)
    }

    @Test(.shows("MDR-121"), .enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the device MAC of the published ISO response is valid with the reader's session key`() throws {
        let (response, request) = try Self.published()
        let report = CredentialVerifier(request).verify(response)
        try ReportCheck.check(report, .genuine)
        #expect((report.issuance, report.holder, report.standing) == (.genuine, .proved, .valid))
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the published device MAC is not checked without reader key, and refused in another session`()
        throws
    {
        var (response, request) = try Self.published()
        let session = try #require(request.session)
        request.session = try MobileDocumentSession(transcript: session.transcript)
        let open = CredentialVerifier(request).verify(response)
        try ReportCheck.check(open, .notChecked(.kbUnchecked))
        #expect(open.issuance == .genuine && open.holder == .notShown)
        let other: [UInt8] = [0x83, 0xF6, 0xF6, 0xF6]
        request.session = try MobileDocumentSession(transcript: other, agreementKey: session.readerKey)
        try ReportCheck.check(CredentialVerifier(request).verify(response), .refused(.sigInvalid))
        // A MAC takes two keys of one curve: with another it cannot be right.
        var random = SeededRandom(seed: 1)
        request.session = try MobileDocumentSession(
            transcript: session.transcript, readerKey: ECDSA.PrivateKey.make(.p384, from: &random))
        try ReportCheck.check(CredentialVerifier(request).verify(response), .refused(.kbSig))
        response[response.count - 40] ^= 1
        request.session = session
        #expect(CredentialVerifier(request).verify(response).result == .refused)
    }

    @Test func `a session transcript that is no CBOR array of three is refused`() {
        for bytes: [UInt8] in [[], [0x82, 0xF6, 0xF6], [0x61, 0x78], [0x83, 0xF6, 0xF6, 0xF6, 0x00]] {
            #expect(throws: CredentialError.self) { try MobileDocumentSession(transcript: bytes) }
        }
    }

    @Test func `a policy that requires the holder's proof refuses an mdoc without device signature`() throws {
        var setting = try MobileDocumentForgery.Setting()
        setting.request.policy.requiresHolderProof = true
        try ReportCheck.check(setting.report, .refused(.kbMissing))
    }
}
