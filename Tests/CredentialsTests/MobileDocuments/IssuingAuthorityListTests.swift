import CBOR
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Credentials

@Suite struct IssuingAuthorityListTests {
    /// A list with one entry, and what can be changed of it.
    struct Sample {
        var authority: SignerAuthority
        var signer: CertificateTemplate
        var entry: [[CBORItem]]
        var version = "1.0"
        var nextUpdate = "2025-07-01T00:00:00Z"
        var end: String?
        var provider: String? = "Test"
        var changeSignature: (inout [UInt8]) -> Void = { _ in }
        var date = "2025-05-01T00:00:00Z"
        var protectedHeader: [[CBORItem]] = [[.int(1), .int(-7)]]
        /// False for a list that brings no certificate.
        var bringsChain = true
        let rootKey = SignerAuthority.key("symbolon vical root")
        let signerKey = SignerAuthority.key("symbolon vical signer")
        let root: [UInt8]

        static let rootName: [CertificateTemplate.NamePart] = [.country("US"), .commonName("Test VICAL root")]

        init() throws {
            authority = try SignerAuthority()
            var root = try CertificateTemplate(
                subject: Self.rootName, issuer: Self.rootName, publicKey: .ecdsa(rootKey),
                notBefore: SignerAuthority.start, notAfter: SignerAuthority.rootEnd)
            root.extensions = [.basicConstraints(isAuthority: true), .keyUsage([.keyCertSign])]
            self.root = try root.sign(by: .ecdsa(rootKey))
            signer = try CertificateTemplate(
                subject: [.country("US"), .commonName("Test VICAL signer")], issuer: Self.rootName,
                publicKey: .ecdsa(signerKey), notBefore: SignerAuthority.start, notAfter: SignerAuthority.end)
            signer.extensions = [.keyUsage(.contentCommitment), .extendedKeyUsage([.authorityListSigner])]
            entry = [
                [.text("certificate"), .bytes(try authority.rootDER())],
                [.text("serialNumber"), .tagged(2, .bytes([1]))], [.text("ski"), .bytes([1, 2, 3, 4])],
                [.text("docType"), .array([.text(MobileDocumentBuilder.mdl)])],
            ]
        }

        func encoded() throws -> [UInt8] {
            var members: [[CBORItem]] = [
                [.text("version"), .text(version)], [.text("vicalProvider"), provider.map { .text($0) } ?? .int(0)],
                [.text("date"), .tagged(0, .text(date))],
                [.text("nextUpdate"), .tagged(0, .text(nextUpdate))],
                [.text("certificateInfos"), .array([.ordered(entry)])],
            ]
            if let end { members.append([.text("notAfter"), .tagged(0, .text(end))]) }
            let payload = CBORItem.ordered(members).encoded
            let protected = CBORItem.ordered(protectedHeader).encoded
            var signature = try signerKey.sign(
                CBORItem.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded,
                hash: .sha256)
            changeSignature(&signature)
            let chain = try signer.sign(by: .ecdsa(rootKey))
            return CBORItem.array([
                .bytes(protected), .map(bringsChain ? [.int(33): .bytes(chain)] : [:]), .bytes(payload),
                .bytes(signature),
            ]).encoded
        }

        func report() throws -> CredentialReport {
            var setting = try MobileDocumentForgery.Setting()
            setting.request.trust.roots = []
            setting.request.trust.authorityLists = [PinnedAuthorityList(bytes: try encoded(), root: root)]
            return setting.report
        }
    }

    @Test func `an authority in a genuine VICAL list is trusted for the document types of its entry`() throws {
        try ReportCheck.check(Sample().report(), .genuine)
    }

    @Test func `a VICAL key identifier wrapped in a DER octet string is accepted, as a list in use has it`() throws {
        var sample = try Sample()
        sample.entry[2] = [.text("ski"), .bytes([4, 4, 1, 2, 3, 4])]
        try ReportCheck.check(sample.report(), .genuine)
    }

    @Test(.shows("MDC-007"))
    func `case 72: a VICAL entry for another document type makes no authority trusted`() throws {
        var sample = try Sample()
        sample.entry[3] = [.text("docType"), .array([.text("org.iso.23220.photoid.1")])]
        try ReportCheck.check(sample.report(), .notChecked(.x5Anchor))
    }

    @Test func `case 73: a VICAL list with a wrong signature is not used`() throws {
        var sample = try Sample()
        sample.changeSignature = { $0[9] ^= 1 }
        let report = try sample.report()
        try ReportCheck.check(report, .notChecked(.x5Anchor))
        #expect(report.carries(.sigInvalid))
    }

    @Test func `case 74: a VICAL list past its next update is used, and the report calls it stale`() throws {
        var sample = try Sample()
        sample.nextUpdate = "2025-05-02T00:00:00Z"
        try ReportCheck.check(sample.report(), .genuineWithNote(.stStale))
    }

    @Test func `an expired VICAL list is not used`() throws {
        var sample = try Sample()
        sample.end = "2025-05-02T00:00:00Z"
        let report = try sample.report()
        try ReportCheck.check(report, .notChecked(.x5Anchor))
        #expect(report.carries(.timeExpired))
    }

    @Test func `case 75: a VICAL entry that contradicts its certificate is not used`() throws {
        var sample = try Sample()
        sample.entry[2] = [.text("ski"), .bytes([9, 9, 9, 9])]
        try ReportCheck.check(sample.report(), .notChecked(.x5Anchor))
        sample = try Sample()
        sample.entry[1] = [.text("serialNumber"), .tagged(2, .bytes([7]))]
        try ReportCheck.check(sample.report(), .notChecked(.x5Anchor))
        sample = try Sample()
        sample.entry.append([.text("subject"), .bytes([0x30, 0])])
        try ReportCheck.check(sample.report(), .notChecked(.x5Anchor))
    }

    @Test func `case 76: a VICAL list signed with a key for another use is not used`() throws {
        var sample = try Sample()
        sample.signer.extensions = [.keyUsage(.digitalSignature), .extendedKeyUsage([.mobileDocumentSigner])]
        let report = try sample.report()
        try ReportCheck.check(report, .notChecked(.x5Anchor))
        #expect(report.carries(.x5Eku))
    }

    @Test func `a VICAL list of another root or version is not used`() throws {
        var sample = try Sample()
        sample.version = "2.0"
        #expect(try sample.report().carries(.mdVersion))
        sample = try Sample()
        sample.signer.issuer = [.country("US"), .commonName("Other root")]
        let report = try sample.report()
        try ReportCheck.check(report, .notChecked(.x5Anchor))
    }

    @Test func `a VICAL list presented as a credential is refused`() throws {
        let bytes = try Sample().encoded()
        let request = CWTForgery.Setting().request
        #expect(CredentialVerifier(request).verify(bytes).result == .refused)
    }
}
