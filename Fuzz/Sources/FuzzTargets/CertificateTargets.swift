import CryptoSuite
import Determinism

extension FuzzTarget {
    /// Untrusted certificates, alone and in a chain: no bytes trap, and what is read is signed by the authority only if
    /// the authority made it.
    static var certificate: FuzzTarget {
        let sample = SampleChain()
        return FuzzTarget(name: "certificate", maximumBytes: 1500) {
            sample.certificates
        } run: { input in
            guard let certificate = try? Certificate(der: input) else { return }
            require(certificate.der == input, "a certificate keeps its bytes")
            require(certificate.serialNumber.count <= 64, "a serial number has a limit")
            if let authority = sample.authority, certificate.isSigned(by: authority.publicKey) {
                require(sample.certificates.contains(input), "a changed certificate is not signed")
            }
            for purpose in [CertificatePath.LeafPurpose.mobileDocument(isLicence: true), .authorityList, .token()] {
                let path = CertificatePath(
                    chain: [certificate], anchors: sample.authority.map { [$0] } ?? [], purpose: purpose,
                    time: SampleChain.time)
                let isOurs = sample.certificates.contains(input)
                require(!path.isValid || isOurs, "only a certificate of the authority has a valid path")
                _ = path.failures.map(\.reason) + path.notes.map(\.reason) + [certificate.subject.description]
            }
        }
    }

    /// Untrusted revocation lists: no bytes trap, and only the authority's own say anything.
    static var revocationList: FuzzTarget {
        let sample = SampleChain()
        return FuzzTarget(name: "revocation-list", maximumBytes: 800) {
            sample.lists
        } run: { input in
            guard let list = try? RevocationList(der: input), let authority = sample.authority,
                let signer = sample.certificates.last.flatMap({ try? Certificate(der: $0) })
            else { return }
            switch list.answer(for: signer, issuedBy: authority, at: SampleChain.time) {
            case .unknown: break
            case .good, .revoked: require(sample.lists.contains(input), "a changed list is not signed")
            }
        }
    }

    /// Untrusted signatures in DER and in two halves, and untrusted public keys.
    static var derSignature: FuzzTarget {
        let sample = SampleChain()
        return FuzzTarget(name: "der-signature", maximumBytes: 400) {
            [sample.derSignature, sample.signature, sample.signerKey]
        } run: { input in
            _ = try? SubjectPublicKey(der: input)
            guard let key = sample.publicKey else { return require(false, "the sample's key is made") }
            if ECDSA.verify(derSignature: input, message: SampleChain.message, publicKey: key, hash: .sha256) {
                require(input == sample.derSignature, "a signature has one form in DER")
            }
            if ECDSA.verify(signature: input, message: SampleChain.message, publicKey: key, hash: .sha256) {
                require(input == sample.signature, "a signature has one form in two halves")
            }
            for curve in ECDSA.Curve.allCases {
                guard let point = try? ECDSA.PublicKey(curve: curve, x963: input) else { continue }
                require(point.x963 == input || point.compressed == input, "a point is read as it is written")
            }
        }
    }
}

/// An authority with what it issued, from a seed.
private struct SampleChain {
    static let message: [UInt8] = [1, 2, 3]
    static let time = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)

    private(set) var certificates: [[UInt8]] = []
    private(set) var lists: [[UInt8]] = []
    private(set) var authority: Certificate?
    private(set) var publicKey: ECDSA.PublicKey?
    private(set) var signature: [UInt8] = []
    private(set) var derSignature: [UInt8] = []
    private(set) var signerKey: [UInt8] = []

    init() { try? fill() }

    private mutating func fill() throws {
        var random = SeededRandom(seed: 1)
        let root = try ECDSA.PrivateKey.make(.p256, from: &random)
        let signer = try ECDSA.PrivateKey.make(.p256, from: &random)
        let (start, end) = (
            WallTime(millisecondsSinceEpoch: 1_699_000_000_000), WallTime(millisecondsSinceEpoch: 1_701_000_000_000)
        )
        let name: [CertificateTemplate.NamePart] = [.country("NL"), .commonName("Root")]
        var template = try CertificateTemplate(
            subject: name, issuer: name, publicKey: .ecdsa(root), notBefore: start, notAfter: end)
        template.extensions = [
            .basicConstraints(isAuthority: true, pathLength: 0), .keyUsage([.keyCertSign, .crlSign]),
            .subjectKeyIdentifier([1]), .issuerAlternativeName(uris: ["https://a.example"]),
        ]
        certificates.append(try template.sign(by: .ecdsa(root)))
        authority = try Certificate(der: certificates[0])
        var leaf = try CertificateTemplate(
            subject: [.country("NL"), .commonName("Signer")], issuer: name, publicKey: .ecdsa(signer), notBefore: start,
            notAfter: end)
        leaf.extensions = [
            .keyUsage(.digitalSignature), .extendedKeyUsage([.mobileDocumentSigner]), .authorityKeyIdentifier([1]),
            .revocationList(uri: "https://a.example/crl"), .subjectAlternativeName(uris: [], hosts: ["a.example"]),
        ]
        certificates.append(try leaf.sign(by: .ecdsa(root)))
        for serials: [[UInt8]] in [[], [[1]], [[2], [3]]] {
            let list = RevocationListTemplate(
                issuer: name, thisUpdate: start, nextUpdate: end, revokedSerialNumbers: serials)
            lists.append(try list.sign(by: .ecdsa(root)))
        }
        publicKey = signer.publicKey
        signature = try signer.sign(Self.message, hash: .sha256)
        derSignature = try signer.signDER(Self.message, hash: .sha256)
        signerKey = leaf.publicKey
    }
}
