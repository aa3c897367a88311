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
        var nextUpdate: String? = "2025-07-01T00:00:00Z"
        var end: String?
        var provider: String? = "Test"
        /// The number of the list; nil for a list without one.
        var issue: Int?
        var changeSignature: (inout [UInt8]) -> Void = { _ in }
        var date = "2025-05-01T00:00:00Z"
        var protectedHeader: [[CBORItem]] = [[.int(1), .int(-7)]]
        /// False for a list that brings no certificate.
        var bringsChain = true
        /// The certificates of the list's signer; nil for one that the root issued.
        var chain: [[UInt8]]?
        let rootKey: ECDSA.PrivateKey
        let signerKey = SignerAuthority.key("symbolon vical signer")
        let root: [UInt8]

        static let rootName: [CertificateTemplate.NamePart] = [.country("US"), .commonName("Test VICAL root")]

        init(root name: String = "symbolon vical root") throws {
            authority = try SignerAuthority()
            rootKey = SignerAuthority.key(name)
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
                [.text("certificateInfos"), .array([.ordered(entry)])],
            ]
            if let nextUpdate { members.insert([.text("nextUpdate"), .tagged(0, .text(nextUpdate))], at: 3) }
            if let issue { members.append([.text("vicalIssueID"), .int(issue)]) }
            if let end { members.append([.text("notAfter"), .tagged(0, .text(end))]) }
            let payload = CBORItem.ordered(members).encoded
            let protected = CBORItem.ordered(protectedHeader).encoded
            var signature = try signerKey.sign(
                CBORItem.array([.text("Signature1"), .bytes(protected), .bytes([]), .bytes(payload)]).encoded,
                hash: .sha256)
            changeSignature(&signature)
            let chain = try chain ?? [signer.sign(by: .ecdsa(rootKey))]
            let header: CBORItem = chain.count == 1 ? .bytes(chain[0]) : .array(chain.map { .bytes($0) })
            return CBORItem.array([
                .bytes(protected), .map(bringsChain ? [.int(33): header] : [:]), .bytes(payload),
                .bytes(signature),
            ]).encoded
        }

        func report(_ change: (inout VerificationPolicy) -> Void = { _ in }) throws -> CredentialReport {
            var setting = try MobileDocumentForgery.Setting()
            change(&setting.request.policy)
            setting.request.trust.roots = []
            setting.request.trust.authorityLists = [PinnedAuthorityList(bytes: try encoded(), root: root)]
            return setting.report
        }
    }

    @Test func `an authority in a genuine VICAL list is trusted for the document types of its entry`() throws {
        try ReportCheck.check(Sample().report(), .genuine)
    }

    @Test func `a VICAL key identifier in one or two DER octet strings is accepted, as lists in use have it`() throws {
        var sample = try Sample()
        for identifier: [UInt8] in [[4, 4, 1, 2, 3, 4], [4, 6, 4, 4, 1, 2, 3, 4]] {
            sample.entry[2] = [.text("ski"), .bytes(identifier)]
            try ReportCheck.check(sample.report(), .genuine)
        }
        for identifier: [UInt8] in [[4, 5, 4, 4, 1, 2, 3, 4], [4, 8, 4, 6, 4, 4, 1, 2, 3, 4], [4, 6, 4, 4, 1, 2, 3]] {
            sample.entry[2] = [.text("ski"), .bytes(identifier)]
            try ReportCheck.check(sample.report(), .notChecked(.x5Anchor))
        }
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
        let report = try sample.report()
        try ReportCheck.check(report, .genuineWithNote(.stStale))
        #expect(report.checks.contains { $0.reason.contains("is 31 days old; the next one was due 30 days ago") })
        let strict = try sample.report { $0.requiresFreshStatus = true }
        try ReportCheck.check(strict, .notChecked(.x5Anchor))
        #expect(strict.carries(.stStale))
    }

    @Test func `a VICAL signer of other documents vouches for no authority of licences`() throws {
        var sample = try Sample()
        let other = "org.iso.23220.photoid.1"
        sample.signer.extensions = [.keyUsage(.contentCommitment), .extendedKeyUsage([.otherAuthorityListSigner])]
        sample.entry[3] = [.text("docType"), .array([.text(MobileDocumentBuilder.mdl), .text(other)])]
        try ReportCheck.check(sample.report(), .notChecked(.x5Anchor))
        var setting = try MobileDocumentForgery.Setting()
        (setting.builder.signedType, setting.builder.outerType) = (other, other)
        setting.request.trust.roots = []
        setting.request.trust.authorityLists = [PinnedAuthorityList(bytes: try sample.encoded(), root: sample.root)]
        #expect(setting.report.result == .genuine)
    }

    @Test func `of the VICAL lists of a provider the newest one counts, whatever it left out`() throws {
        func result(_ lists: [Sample]) throws -> CredentialReport.CredentialVerdict {
            var setting = try MobileDocumentForgery.Setting()
            setting.request.trust.roots = []
            setting.request.trust.authorityLists = try lists.map {
                PinnedAuthorityList(bytes: try $0.encoded(), root: $0.root)
            }
            return setting.report.result
        }
        let older = try Sample()
        var newer = try Sample()
        newer.date = "2025-05-02T00:00:00Z"
        newer.entry[3] = [.text("docType"), .array([.text("org.iso.23220.photoid.1")])]
        #expect(try result([older]) == .genuine)
        #expect(try result([older, newer]) == .notChecked)
        #expect(try result([newer, older]) == .notChecked)
        // Of another provider it says nothing, nor where it is not valid itself.
        newer.provider = "Other"
        #expect(try result([older, newer]) == .genuine)
        newer.provider = "Test"
        newer.changeSignature = { $0[9] ^= 1 }
        #expect(try result([older, newer]) == .genuine)
    }

    @Test func `the age of a VICAL list is said, with the date of the next one or that it names none`() throws {
        func sentences(_ sample: Sample) throws -> [String] {
            try sample.report().checks.map(\.reason).filter { $0.contains("list of authorities") }
        }
        var sample = try Sample()
        #expect(
            try sentences(sample) == ["The list of authorities of Test is 31 days old; the next one is due in 30 days."]
        )
        sample.nextUpdate = nil
        try ReportCheck.check(sample.report(), .genuine)
        #expect(
            try sentences(sample)
                == ["The list of authorities of Test is 31 days old; it names no date for the next one."])
    }

    @Test func `the members of a VICAL entry are read with a small or a capital first letter`() throws {
        var sample = try Sample()
        sample.entry += [[.text("Extensions"), .map([:])], [.text("CertificateProfile"), .array([])]]
        try ReportCheck.check(sample.report(), .genuine)
        for index in sample.entry.indices {
            guard case .text(let name) = sample.entry[index][0] else { continue }
            sample.entry[index][0] = .text(name.prefix(1).uppercased() + name.dropFirst())
        }
        try ReportCheck.check(sample.report(), .genuine)
        sample.entry.append([.text("IssuingCountry"), .text("CA")])
        try ReportCheck.check(sample.report(), .notChecked(.x5Anchor))
    }

    @Test func `a VICAL list may bring its signer alone, or three certificates with the root at the end`() throws {
        var sample = try Sample()
        let (middleKey, name) = (SignerAuthority.key("middle"), CertificateTemplate.NamePart.commonName("Middle"))
        var middle = try CertificateTemplate(
            subject: [.country("US"), name], issuer: Sample.rootName, publicKey: .ecdsa(middleKey),
            notBefore: SignerAuthority.start, notAfter: SignerAuthority.rootEnd)
        middle.extensions = [.basicConstraints(isAuthority: true), .keyUsage([.keyCertSign])]
        sample.signer.issuer = middle.subject
        let chain = [try sample.signer.sign(by: .ecdsa(middleKey)), try middle.sign(by: .ecdsa(sample.rootKey))]
        for chain in [chain, chain + [sample.root]] {
            sample.chain = chain
            try ReportCheck.check(sample.report(), .genuine)
        }
        // The root in the list is not the one that is pinned.
        sample.chain = chain + [try SignerAuthority().rootDER()]
        try ReportCheck.check(sample.report(), .genuine)
        sample.chain = [chain[0]]
        try ReportCheck.check(sample.report(), .notChecked(.x5Anchor))
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `a VICAL list in use names its authorities, and is told stale by its age two days later`() throws {
        let list = try OutsideVectors.contents(of: "mdoc/vical/aamva-2024-09-25.cbor")
        let pem = String(decoding: try OutsideVectors.contents(of: "mdoc/vical/aamva-root.pem"), as: UTF8.self)
        let root = try #require(PEMText.certificate(pem))
        func read(_ milliseconds: Int64) throws -> ListedAuthorities {
            try ListedAuthorities(
                PinnedAuthorityList(bytes: list, root: root), at: WallTime(millisecondsSinceEpoch: milliseconds))
        }
        let fresh = try read(1_727_222_400_000)  // 2024-09-25
        #expect(fresh.entries.count == 3)
        #expect(fresh.entries.allSatisfy { $0.types == ["org.iso.18013.5.1.mDL"] })
        #expect(fresh.ageSentence.contains("the next one is due in"))
        #expect(try read(1_727_395_200_000).ageSentence.contains("the next one was due"))  // 2024-09-27
        var changed = list
        changed[changed.count - 1] ^= 1
        #expect(throws: CredentialError(.sigInvalid, "")) {
            try ListedAuthorities(
                PinnedAuthorityList(bytes: changed, root: root), at: WallTime(millisecondsSinceEpoch: 1_727_222_400_000)
            )
        }
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

    @Test func `a VICAL list of a later minor version is used`() throws {
        var sample = try Sample()
        sample.version = "1.1"
        try ReportCheck.check(sample.report(), .genuine)
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
