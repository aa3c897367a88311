import CryptoSuite
import Determinism
import TestSupport
import Testing

/// The rules that a chain for a mobile document can break, each by one change to a good chain.
@Suite struct CertificatePathTests {
    private let samples: CertificateSamples
    private let now = CertificateSamples.after(days: 10)

    init() throws { samples = try CertificateSamples() }

    private func path(
        _ chain: [Certificate], anchors: [Certificate],
        purpose: CertificatePath.LeafPurpose = .mobileDocument(isLicence: true),
        at time: WallTime? = nil, signingTime: WallTime? = nil
    ) -> CertificatePath {
        CertificatePath(chain: chain, anchors: anchors, purpose: purpose, time: time ?? now, signingTime: signingTime)
    }

    /// The rules that a document signer breaks after a change to its template or to that of its authority.
    private func rules(
        isLicence: Bool = true, root changeRoot: (inout CertificateTemplate) -> Void = { _ in },
        signer changeSigner: (inout CertificateTemplate) -> Void = { _ in }
    ) throws -> [CertificatePath.PathRule] {
        var (root, signer) = (samples.root, samples.signer)
        changeRoot(&root)
        changeSigner(&signer)
        let anchor = try Certificate(der: try root.sign(by: samples.rootKey))
        let leaf = try Certificate(der: try signer.sign(by: samples.rootKey))
        return path([leaf], anchors: [anchor], purpose: .mobileDocument(isLicence: isLicence)).failures.map(\.rule)
    }

    @Test func `a certificate path of a document signer under a pinned authority is valid without notes`() throws {
        let (root, signer) = (try samples.rootCertificate(), try samples.signerCertificate())
        for chain in [[signer], [signer, root]] {
            let path = path(chain, anchors: [root], signingTime: now)
            #expect(path.failures == [])
            #expect(path.notes == [])
            #expect(path.isValid)
            #expect(path.anchor == root)
            #expect(path.certificates == [signer, root])
        }
    }

    @Test(.shows("MDC-002")) func `a root certificate that is only in the chain is not trusted`() throws {
        let (root, signer) = (try samples.rootCertificate(), try samples.signerCertificate())
        #expect(path([signer, root], anchors: []).failures.map(\.rule) == [.anchor])
        #expect(path([signer], anchors: [signer]).isValid)
        #expect(path([], anchors: [root]).failures.map(\.rule) == [.chain])
    }

    @Test func `a root certificate with the right name and another key is no issuer`() throws {
        var other = samples.root
        other.publicKey = try samples.otherKey.subjectPublicKeyInfo()
        let anchor = try Certificate(der: try other.sign(by: samples.otherKey))
        let signer = try samples.signerCertificate()
        #expect(path([signer], anchors: [anchor]).failures.map(\.rule) == [.signature])
        // Beside the right one, as when the authority changed its key, it does no harm.
        #expect(path([signer], anchors: [anchor, try samples.rootCertificate()]).isValid)
    }

    @Test func `a self-signed document signer is refused unless it is pinned itself`() throws {
        var signer = samples.signer
        signer.issuer = signer.subject
        signer.remove(ASN1Identifier(2, 5, 29, 35))
        let leaf = try Certificate(der: try signer.sign(by: samples.signerKey))
        #expect(leaf.isSelfSigned)
        #expect(path([leaf], anchors: [try samples.rootCertificate()]).failures.map(\.rule) == [.selfSigned])
        #expect(path([leaf], anchors: [leaf]).isValid)
    }

    @Test func `a certificate chain in another order is refused`() throws {
        let (root, signer) = (try samples.rootCertificate(), try samples.signerCertificate())
        #expect(path([root, signer], anchors: [root]).failures.first?.rule == .chain)
        #expect(path([signer, signer], anchors: [root]).failures.first?.rule == .chain)
        let other = try Certificate(der: try samples.signer.sign(by: samples.otherKey))
        #expect(path([signer, other], anchors: [root]).failures.first?.rule == .chain)
    }

    @Test func `behind the path to a pinned authority, a link or the certificate of another one does no harm`() throws {
        let (root, signer) = (try samples.rootCertificate(), try samples.signerCertificate())
        // The former authority, of another name and key, signed a certificate for the present one.
        var former = samples.root
        former.subject = [.country("NL"), .commonName("Former")]
        former.issuer = former.subject
        former.publicKey = try samples.otherKey.subjectPublicKeyInfo()
        former.replace(.subjectKeyIdentifier([9]))
        var link = samples.root
        link.issuer = former.subject
        link.replace(.authorityKeyIdentifier([9]))
        let anchor = try Certificate(der: try former.sign(by: samples.otherKey))
        let certificate = try Certificate(der: try link.sign(by: samples.otherKey))
        #expect(path([signer, certificate], anchors: [root]).isValid)
        #expect(path([signer, certificate], anchors: [anchor, root]).isValid)
        #expect(path([signer, certificate], anchors: [anchor]).failures.map(\.rule) == [.pathLength])
        #expect(path([signer, certificate], anchors: []).failures.map(\.rule) == [.anchor])
    }

    @Test func `of a renewed authority the certificate counts that is valid`() throws {
        var former = samples.root
        former.notAfter = CertificateSamples.after(days: -1)
        let expired = try Certificate(der: try former.sign(by: samples.rootKey))
        let (root, signer) = (try samples.rootCertificate(), try samples.signerCertificate())
        for anchors in [[expired, root], [root, expired]] { #expect(path([signer], anchors: anchors).isValid) }
        #expect(path([signer], anchors: [expired]).failures.map(\.rule) == [.expired])
    }

    @Test func `a licence's signer and its authority have no extension that annex B forbids, critical or not`() throws {
        for last in [33, 36, 46, 54] as [UInt64] {
            let forbidden = CertificateTemplate.Extension(
                ASN1Identifier(2, 5, 29, last), isCritical: false, value: [0x30, 0])
            #expect(try rules(signer: { $0.extensions.append(forbidden) }) == [.critical])
            #expect(try rules(root: { $0.extensions.append(forbidden) }) == [.critical])
            #expect(try rules(isLicence: false, signer: { $0.extensions.append(forbidden) }) == [])
        }
    }

    @Test func `the keys of a licence's signer and of its authority are on a curve of the standard`() throws {
        var random = SeededRandom(seed: 5)
        let key = CertificateTemplate.SigningKey.ecdsa(try ECDSA.PrivateKey.make(.secp256k1, from: &random))
        let encoded = try key.subjectPublicKeyInfo()
        #expect(try rules(signer: { $0.publicKey = encoded }) == [.weak])
        #expect(try rules(isLicence: false, signer: { $0.publicKey = encoded }) == [])
    }

    @Test func `a certificate chain has at most 8 certificates`() throws {
        let (root, signer) = (try samples.rootCertificate(), try samples.signerCertificate())
        let chain = { (count: Int) in [Certificate](repeating: signer, count: count) }
        #expect(path(chain(9), anchors: [root]).failures.map(\.rule) == [.count])
        #expect(!path(chain(8), anchors: [root]).failures.map(\.rule).contains(.count))
    }

    @Test(.shows("MDC-004"))
    func `each certificate of a chain must be valid now, with a minute of tolerance at both ends`() throws {
        let (root, signer) = (try samples.rootCertificate(), try samples.signerCertificate())
        let rules = { (time: WallTime) in path([signer], anchors: [root], at: time).failures.map(\.rule) }
        let (start, end) = (signer.notBefore.millisecondsSinceEpoch, signer.notAfter.millisecondsSinceEpoch)
        #expect(rules(WallTime(millisecondsSinceEpoch: start - 60_000)) == [])
        #expect(rules(WallTime(millisecondsSinceEpoch: start - 60_001)) == [.notYetValid, .notYetValid])
        #expect(rules(WallTime(millisecondsSinceEpoch: end + 60_999)) == [])
        #expect(rules(WallTime(millisecondsSinceEpoch: end + 61_000)) == [.expired])
        #expect(rules(CertificateSamples.after(days: 3651)) == [.expired, .expired])
        #expect(rules(WallTime(millisecondsSinceEpoch: .max)).first == .expired)
        #expect(!rules(WallTime(millisecondsSinceEpoch: .min)).isEmpty)
        #expect(
            path([signer], anchors: [root], signingTime: CertificateSamples.after(days: -1)).failures.map(\.rule)
                == [.signingTime])
        #expect(
            path([signer], anchors: [root], signingTime: CertificateSamples.after(days: 458)).failures.map(\.rule)
                == [.signingTime])
    }

    @Test(.shows("MDC-003"))
    func `the certificate key of a document signer signs documents and nothing else`() throws {
        let purpose = ASN1Identifier(2, 5, 29, 37)
        #expect(try rules(signer: { $0.remove(purpose) }) == [.extendedKeyUsage])
        let wrong = [
            ASN1Identifier(1, 0, 18013, 5, 1, 6), ASN1Identifier(1, 3, 6, 1, 5, 5, 7, 3, 1), .anyExtendedKeyUsage,
        ]
        for use in wrong {
            #expect(try rules(signer: { $0.replace(.extendedKeyUsage([use])) }) == [.extendedKeyUsage])
        }
        // A signer of other documents signs no licence.
        let other = CertificateTemplate.Extension.extendedKeyUsage([.mdocSigner])
        #expect(try rules(signer: { $0.replace(other) }) == [.extendedKeyUsage])
        #expect(try rules(isLicence: false, signer: { $0.replace(other) }) == [])
        #expect(try rules(signer: { $0.replace(.keyUsage(.contentCommitment)) }) == [.keyUsage])
        #expect(try rules(signer: { $0.remove(ASN1Identifier(2, 5, 29, 15)) }) == [.keyUsage])
        #expect(try rules(signer: { $0.replace(.keyUsage([.digitalSignature, .keyCertSign])) }) == [.keyUsage])
        #expect(try rules(signer: { $0.replace(.basicConstraints(isAuthority: true)) }) == [.authority])
        #expect(try rules(signer: { $0.replace(.basicConstraints(isAuthority: false)) }) == [])
    }

    @Test func `a signer of documents that are no licences may leave use and place open, and be for no other use`()
        throws
    {
        #expect(try rules(isLicence: false, signer: { $0.remove(ASN1Identifier(2, 5, 29, 37)) }) == [])
        #expect(try rules(isLicence: false, signer: { $0.remove(ASN1Identifier(2, 5, 29, 15)) }) == [])
        #expect(try rules(isLicence: false, signer: { $0.subject = [.country("BE"), .commonName("Signer")] }) == [])
        let server = ASN1Identifier(1, 3, 6, 1, 5, 5, 7, 3, 1)
        #expect(
            try rules(isLicence: false, signer: { $0.replace(.extendedKeyUsage([server])) }) == [.extendedKeyUsage])
        #expect(try rules(isLicence: false, signer: { $0.replace(.keyUsage(.contentCommitment)) }) == [.keyUsage])
    }

    @Test(.shows("MDC-005"))
    func `certificate names are compared byte for byte, and country and state are those of the authority`() throws {
        #expect(
            try rules(signer: { $0.issuer = [.country("NL", isPrintable: false)] + CertificateSamples.rootName[1...] })
                == [.name])
        #expect(
            try rules(signer: { $0.issuer = [.country("NL"), .stateOrProvince("Utrecht"), .commonName("root")] })
                == [.anchor])
        let subject = { (country: String?, state: String?) in
            (country.map { [CertificateTemplate.NamePart.country($0)] } ?? [])
                + (state.map { [.stateOrProvince($0)] } ?? []) + [.commonName("Signer")]
        }
        #expect(try rules(signer: { $0.subject = subject("BE", "Utrecht") }) == [.name])
        #expect(try rules(signer: { $0.subject = subject(nil, "Utrecht") }) == [.name])
        #expect(try rules(signer: { $0.subject = subject("NL", "Gelderland") }) == [.name])
        #expect(try rules(signer: { $0.subject = subject("NL", nil) }) == [.name])
    }

    @Test func `the key identifiers of issuer and certificate must agree when both are present`() throws {
        #expect(try rules(signer: { $0.replace(.authorityKeyIdentifier([9])) }) == [.chain])
        #expect(try rules(signer: { $0.remove(ASN1Identifier(2, 5, 29, 35)) }) == [])
        #expect(try rules(root: { $0.remove(ASN1Identifier(2, 5, 29, 14)) }) == [])
    }

    @Test func `a certificate chain with an unknown critical extension is refused`() throws {
        // Name constraints are critical by RFC 5280, and are not read.
        let constraints = CertificateTemplate.Extension(
            ASN1Identifier(2, 5, 29, 30), isCritical: true, value: [0x30, 0])
        #expect(try rules(signer: { $0.extensions.append(constraints) }) == [.critical])
        #expect(try rules(root: { $0.extensions.append(constraints) }) == [.critical])
    }

    @Test func `a certificate with a weak signature, or one that names two algorithms, is refused`() throws {
        let withSHA1 = DERWriter.sequence(DERWriter.identifier(ASN1Identifier(1, 2, 840, 10_045, 4, 1)))
        let withSHA256 = DERWriter.sequence(DERWriter.identifier(ASN1Identifier(1, 2, 840, 10_045, 4, 3, 2)))
        #expect(
            try rules(signer: {
                $0.innerAlgorithm = withSHA1
                $0.outerAlgorithm = withSHA1
            }) == [.weak])
        #expect(try rules(signer: { $0.outerAlgorithm = withSHA256 }) == [.signature])
        #expect(try rules(signer: { $0.innerAlgorithm = withSHA256 }) == [.signature])
        // The anchor's own signature is of no account.
        #expect(
            try rules(root: {
                $0.innerAlgorithm = withSHA1
                $0.outerAlgorithm = withSHA1
            }) == [])
    }

    @Test func `a certificate issued by one that is no authority is refused`() throws {
        let middle = try Certificate(der: try samples.signer.sign(by: samples.rootKey))
        var leaf = samples.signer
        leaf.issuer = leaf.subject
        leaf.subject = [.country("NL"), .stateOrProvince("Utrecht"), .commonName("Second")]
        leaf.replace(.authorityKeyIdentifier([4]))
        let last = try Certificate(der: try leaf.sign(by: samples.signerKey))
        let rules = path([last, middle], anchors: [try samples.rootCertificate()]).failures.map(\.rule)
        #expect(rules == [.authority, .pathLength, .keyUsage])
        #expect(path([last], anchors: [middle]).failures.map(\.rule) == [.authority, .keyUsage])
    }

    @Test func `a certificate chain longer than a path length allows is refused`() throws {
        var middle = samples.signer
        middle.replace(.basicConstraints(isAuthority: true))
        middle.replace(.keyUsage(.keyCertSign))
        var leaf = samples.signer
        leaf.issuer = middle.subject
        leaf.subject = [.country("NL"), .commonName("Second")]
        leaf.replace(.authorityKeyIdentifier([4]))
        let chain = [
            try Certificate(der: try leaf.sign(by: samples.signerKey)),
            try Certificate(der: try middle.sign(by: samples.rootKey)),
        ]
        for (limit, expected) in [(0, [CertificatePath.PathRule.pathLength]), (1, []), (nil, [])] {
            var root = samples.root
            root.replace(.basicConstraints(isAuthority: true, pathLength: limit))
            root.subject = [.country("NL"), .commonName("Root")]
            root.issuer = root.subject
            middle.issuer = root.subject
            middle.subject = [.country("NL"), .commonName("Middle")]
            leaf.issuer = middle.subject
            let anchor = try Certificate(der: try root.sign(by: samples.rootKey))
            let chain = [
                try Certificate(der: try leaf.sign(by: samples.signerKey)),
                try Certificate(der: try middle.sign(by: samples.rootKey)),
            ]
            let other = CertificatePath.LeafPurpose.mobileDocument(isLicence: false)
            #expect(path(chain, anchors: [anchor], purpose: other).failures.map(\.rule) == expected)
            // Under an authority between them, no licence is signed (annex B.1.2).
            #expect(path(chain, anchors: [anchor]).failures.map(\.rule) == [.pathLength])
        }
        // Without its own anchor at the end, the chain may end in a pinned one in its middle.
        #expect(!path(chain, anchors: [chain[1]]).failures.map(\.rule).contains(.anchor))
    }

    @Test func `a link certificate leads from the pinned old key of an authority to its new one`() throws {
        let old = try samples.rootCertificate()
        var (link, leaf) = (samples.root, samples.signer)
        link.publicKey = try samples.otherKey.subjectPublicKeyInfo()
        link.replace(.subjectKeyIdentifier([5, 5]))
        link.extensions.append(.authorityKeyIdentifier(try #require(old.extensions.subjectKeyIdentifier)))
        leaf.replace(.authorityKeyIdentifier([5, 5]))
        let signer = try Certificate(der: try leaf.sign(by: samples.otherKey))
        let linked = try Certificate(der: try link.sign(by: samples.rootKey))
        let path = path([signer, linked], anchors: [old])
        #expect(path.failures == [])
        #expect(path.certificates == [signer, linked, old])
        // Pinned as a root of its own, it needs no other one.
        #expect(self.path([signer], anchors: [linked]).isValid)
        #expect(!self.path([signer], anchors: [old]).isValid)
        // One that the old key did not sign links to nothing.
        let forged = try Certificate(der: try link.sign(by: samples.signerKey))
        #expect(!self.path([signer, forged], anchors: [old]).isValid)
    }

    @Test func `a certificate that only deviates from its profile is valid with a note`() throws {
        var signer = samples.signer
        signer.notAfter = CertificateSamples.after(days: 3000)
        signer.remove(ASN1Identifier(2, 5, 29, 31))
        signer.replace(.extendedKeyUsage([.mobileDocumentSigner], isCritical: false))
        var root = samples.root
        root.serialNumber = [0xff]
        root.replace(.basicConstraints(isAuthority: true))
        let anchor = try Certificate(der: try root.sign(by: samples.rootKey))
        let path = path([try Certificate(der: try signer.sign(by: samples.rootKey))], anchors: [anchor])
        #expect(path.isValid)
        #expect(path.notes.map(\.rule) == [.profile, .profile, .profile, .profile, .profile])
        #expect(path.notes.map(\.index) == [0, 0, 0, 1, 1])
        #expect(AuthorityCertificateProfile.notes(anchor).count == 2)
        #expect(AuthorityCertificateProfile.notes(try samples.rootCertificate()) == [])
    }

    @Test func `an authority list's signer certificate has its own extended key usage, and may sign content`() throws {
        var signer = samples.signer
        signer.replace(.extendedKeyUsage([.authorityListSigner]))
        signer.replace(.keyUsage(.contentCommitment))
        let anchor = try samples.rootCertificate()
        let good = try Certificate(der: try signer.sign(by: samples.rootKey))
        #expect(path([good], anchors: [anchor], purpose: .authorityList).isValid)
        for (change, rule) in [
            (CertificateTemplate.Extension.keyUsage(.keyCertSign), CertificatePath.PathRule.keyUsage),
            (.basicConstraints(isAuthority: true, pathLength: nil), .authority),
        ] {
            var other = signer
            other.replace(change)
            let certificate = try Certificate(der: try other.sign(by: samples.rootKey))
            #expect(
                path([certificate], anchors: [anchor], purpose: .authorityList).failures.map(\.rule) == [rule])
        }
        let wrong = try samples.signerCertificate()
        #expect(path([wrong], anchors: [anchor], purpose: .authorityList).failures.map(\.rule) == [.extendedKeyUsage])
    }

    @Test func `a token signer's certificate may sign, and any extended key usage it has must fit`() throws {
        let anchor = try samples.rootCertificate()
        func rules(_ change: (inout CertificateTemplate) -> Void, uses: Set<ASN1Identifier> = []) throws
            -> [CertificatePath.PathRule]
        {
            var signer = samples.signer
            change(&signer)
            let leaf = try Certificate(der: try signer.sign(by: samples.rootKey))
            return path([leaf], anchors: [anchor], purpose: .token(extendedKeyUses: uses)).failures.map(\.rule)
        }
        let server = ASN1Identifier(1, 3, 6, 1, 5, 5, 7, 3, 1)
        #expect(try rules { _ in } == [])
        #expect(try rules { $0.remove(ASN1Identifier(2, 5, 29, 37)) } == [])
        #expect(try rules { $0.remove(ASN1Identifier(2, 5, 29, 15)) } == [])
        #expect(try rules { $0.replace(.basicConstraints(isAuthority: true, pathLength: 1)) } == [.authority])
        #expect(try rules { $0.replace(.extendedKeyUsage([server])) } == [.extendedKeyUsage])
        #expect(try rules({ $0.replace(.extendedKeyUsage([server])) }, uses: [server]) == [])
        #expect(try rules { $0.replace(.extendedKeyUsage([server, .anyExtendedKeyUsage])) } == [])
        #expect(try rules { $0.replace(.keyUsage(.keyCertSign)) } == [.keyUsage])
        // Country and state belong to the rules of mobile documents.
        #expect(try rules { $0.subject = [.commonName("Signer")] } == [])
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
    func `the certificate chain of a real token is valid in its time under its pinned root alone`() throws {
        let chain = try CertificateSamples.injiChain("sdJwtWithKbJwtES256.txt")
        let time = WallTime(millisecondsSinceEpoch: 1_758_607_631_000)
        let good = path(chain, anchors: [chain[1]], purpose: .token(), at: time)
        #expect(good.failures == [])
        #expect(good.anchor == chain[1])
        #expect(path(chain, anchors: [], purpose: .token(), at: time).failures.map(\.rule) == [.anchor])
        let late = WallTime(millisecondsSinceEpoch: 1_790_000_000_000)
        #expect(path(chain, anchors: [chain[1]], purpose: .token(), at: late).failures.map(\.rule) == [.expired])
        let alone = try CertificateSamples.injiChain("sdJwt.txt")
        #expect(path(alone, anchors: [chain[1]], purpose: .token(), at: time).failures.map(\.rule) == [.anchor])
        let pinned = path(alone, anchors: alone, purpose: .token(), at: time)
        #expect(pinned.isValid, "an authority that is pinned itself is trusted for what it is")
    }
}
