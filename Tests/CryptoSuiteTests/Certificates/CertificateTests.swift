import ByteCoding
import CryptoSuite
import Determinism
import TestSupport
import Testing

@Suite struct CertificateTests {
    @Test func `each field of a certificate is read`() throws {
        let samples = try CertificateSamples()
        let root = try samples.rootCertificate()
        #expect(root.version == 3)
        #expect(root.serialNumber == [1])
        #expect(root.subject.country == "NL")
        #expect(root.subject.stateOrProvince == "Utrecht")
        #expect(root.subject.commonName == "Root")
        #expect(root.subject.description == "C=NL, ST=Utrecht, CN=Root")
        #expect(root.notBefore == CertificateSamples.start)
        #expect(root.notAfter == CertificateSamples.after(days: 3650))
        #expect(root.signatureAlgorithm == .ecdsa(.sha384))
        #expect(root.isSelfSigned)
        #expect(root.extensions.basicConstraints?.isAuthority == true)
        #expect(root.extensions.basicConstraints?.pathLength == 0)
        #expect(root.extensions.keyUsage == [.keyCertSign, .crlSign])
        #expect(root.extensions.subjectKeyIdentifier == [1, 2, 3])
        #expect(root.extensions.issuerAlternativeNames?.uris == ["https://root.example"])
        let signer = try samples.signerCertificate()
        #expect(signer.issuer == root.subject)
        #expect(!signer.isSelfIssued)
        #expect(!signer.isSelfSigned)
        #expect(signer.isSigned(by: root.publicKey))
        #expect(!signer.isSigned(by: signer.publicKey))
        #expect(signer.extensions.authorityKeyIdentifier == [1, 2, 3])
        #expect(signer.extensions.extendedKeyUsage == [.mobileDocumentSigner])
        #expect(signer.extensions.revocationListAddresses == ["https://root.example/crl"])
        #expect(signer.extensions.unknownCritical.isEmpty)
    }

    @Test func `a certificate is read with a key and a signature of each kind`() throws {
        var samples = try CertificateSamples()
        var random = SeededRandom(seed: 12)
        var keys: [CertificateTemplate.SigningKey] = [.ed25519(Secret(copying: [UInt8](repeating: 5, count: 32)))]
        for curve in ECDSA.Curve.allCases { keys.append(.ecdsa(try ECDSA.PrivateKey.make(curve, from: &random))) }
        keys.append(.rsa(try RSA.PrivateKey.make(bitCount: 2048, from: &random)))
        for key in keys {
            samples.root.publicKey = try key.subjectPublicKeyInfo()
            let certificate = try Certificate(der: try samples.root.sign(by: key))
            #expect(certificate.isSelfSigned)
            #expect(try SubjectPublicKey(der: samples.root.publicKey) == certificate.publicKey)
        }
    }

    @Test func `a certificate with any byte changed has no valid signature`() throws {
        let samples = try CertificateSamples()
        let issuer = try samples.rootCertificate().publicKey
        let der = try samples.signer.sign(by: samples.rootKey)
        for index in der.indices {
            for mask: UInt8 in [1, 0x80] {
                var changed = der
                changed[index] ^= mask
                #expect((try? Certificate(der: changed))?.isSigned(by: issuer) != true, "byte \(index)")
            }
        }
    }

    @Test func `a certificate that is cut short, extended or wrapped in other bytes is refused`() throws {
        let samples = try CertificateSamples()
        let der = try samples.signer.sign(by: samples.rootKey)
        var refused = der.indices.map { Array(der[..<$0]) }
        refused += [der + [0], [0] + der, der + der, [0x30, 0x80] + der[4...] + [0, 0], [], [0x30], [0x30, 0x84]]
        // The same length with a leading zero.
        refused.append([0x30, 0x83, 0] + der[2...])
        for bytes in refused {
            #expect(throws: CryptoError(.malformedCertificate, "")) { try Certificate(der: bytes) }
        }
    }

    @Test func `a certificate has at most 65,536 bytes`() throws {
        let padding = [UInt8](repeating: 0, count: Certificate.maximumCount)
        #expect(throws: CryptoError(.certificateTooLarge, "")) { try Certificate(der: padding + [0]) }
        #expect(throws: CryptoError(.malformedCertificate, "")) { try Certificate(der: padding) }
    }

    @Test func `a certificate serial number may be negative, and may not have surplus zero bytes`() throws {
        var samples = try CertificateSamples()
        for serial: [UInt8] in [[0xff], [0], [0x80, 1], [0, 0x80], [UInt8](repeating: 0x7f, count: 64)] {
            samples.signer.serialNumber = serial
            #expect(try samples.signerCertificate().serialNumber == serial)
        }
        for serial: [UInt8] in [[], [0, 1], [0xff, 0xff], [UInt8](repeating: 0x7f, count: 65)] {
            samples.signer.serialNumber = serial
            #expect(throws: CryptoError(.malformedCertificate, "")) { try samples.signerCertificate() }
        }
    }

    @Test func `a certificate of version 1 has no extensions`() throws {
        var samples = try CertificateSamples()
        samples.signer.version = 1
        #expect(throws: CryptoError(.malformedCertificate, "")) { try samples.signerCertificate() }
        samples.signer.extensions = []
        #expect(try samples.signerCertificate().version == 1)
        for version in [2, 3] {
            samples.signer.version = version
            #expect(try samples.signerCertificate().version == version)
        }
        samples.signer.version = 4
        #expect(throws: CryptoError(.malformedCertificate, "")) { try samples.signerCertificate() }
    }

    @Test func `a certificate extension that is there twice or malformed is refused, an unknown critical one reported`()
        throws
    {
        let samples = try CertificateSamples()
        let unknown = ASN1Identifier(1, 2, 3)
        var signer = samples.signer
        signer.extensions.append(.init(unknown, isCritical: true, value: [5, 0]))
        signer.extensions.append(.init(ASN1Identifier(1, 2, 4), isCritical: false, value: []))
        #expect(try Certificate(der: try signer.sign(by: samples.rootKey)).extensions.unknownCritical == [unknown])
        let keyUsage = CertificateTemplate.Extension.keyUsage(.digitalSignature)
        let malformed: [CertificateTemplate.Extension] = [
            keyUsage, .init(unknown, isCritical: false, value: []),
            .init(unknown, isCritical: false, value: []),
        ]
        signer.extensions = [malformed[1], malformed[2]]
        #expect(throws: CryptoError(.malformedCertificate, "")) {
            try Certificate(der: try signer.sign(by: samples.rootKey))
        }
        // Trailing zero bits, bits that are not used and set, bytes that follow, another type.
        for value: [UInt8] in [
            [3, 2, 0, 0x80], [3, 2, 7, 0x81], [3, 2, 7, 0x80, 0], [4, 1, 0x80], [], [3, 1, 1], [3, 0],
        ] {
            var entry = keyUsage
            entry.value = value
            signer.extensions = [entry]
            #expect(throws: CryptoError(.malformedCertificate, ""), "\(value)") {
                try Certificate(der: try signer.sign(by: samples.rootKey))
            }
        }
    }

    @Test func `a subject alternative name of a certificate has no characters that hide its end`() throws {
        var samples = try CertificateSamples()
        samples.signer.extensions = [
            .subjectAlternativeName(uris: ["https://a.example/x"], hosts: ["a.example", "b.example"])
        ]
        let names = try #require(try samples.signerCertificate().extensions.subjectAlternativeNames)
        #expect(names.uris == ["https://a.example/x"])
        #expect(names.hostNames == ["a.example", "b.example"])
        for host in ["a.example\u{0}.b", "a\n", "é"] {
            samples.signer.extensions = [.subjectAlternativeName(uris: [], hosts: [host])]
            #expect(throws: CryptoError(.malformedCertificate, "")) { try samples.signerCertificate() }
        }
    }

    @Test func `certificate times are read to the second, with two-digit years until 2049`() throws {
        var samples = try CertificateSamples()
        for seconds: Int64 in [
            0, -1, 951_782_400, 951_868_799, 2_524_607_999, 2_524_608_000, -631_152_000, 253_402_300_799,
        ] {
            let time = WallTime(millisecondsSinceEpoch: seconds * 1000)
            samples.signer.notAfter = time
            #expect(try samples.signerCertificate().notAfter == time, "\(seconds)")
        }
    }

    @Test func `a certificate key off its curve and one of another kind have different errors`() throws {
        let samples = try CertificateSamples()
        var information = samples.signer.publicKey
        information[information.count - 1] ^= 1
        #expect(throws: CryptoError(.invalidPoint, "")) { try SubjectPublicKey(der: information) }
        let unknown = ASN1Identifier(1, 3, 101, 110)
        let other = DERWriter.sequence(
            DERWriter.sequence(DERWriter.identifier(unknown)), DERWriter.byteString([UInt8](repeating: 9, count: 32)))
        #expect(try SubjectPublicKey(der: other) == .unsupported(unknown))
        // An RSA key of 1024 bits, and a curve that is written out in numbers.
        let rsa = ASN1Identifier(1, 2, 840, 113_549, 1, 1, 1)
        let short = DERWriter.sequence(
            DERWriter.sequence(DERWriter.identifier(rsa), [5, 0]),
            DERWriter.byteString(
                DERWriter.sequence(
                    DERWriter.integer([UInt8](repeating: 0xff, count: 128)), DERWriter.integer([1, 0, 1]))))
        #expect(try SubjectPublicKey(der: short) == .unsupported(rsa))
        let curve = ASN1Identifier(1, 2, 840, 10_045, 2, 1)
        let explicit = DERWriter.sequence(
            DERWriter.sequence(DERWriter.identifier(curve), DERWriter.sequence(DERWriter.integer(1))),
            DERWriter.byteString([4]))
        #expect(try SubjectPublicKey(der: explicit) == .unsupported(curve))
        #expect(throws: CryptoError(.malformedCertificate, "")) { try SubjectPublicKey(der: short + [0]) }
    }

    @Test func `an object identifier prints its numbers with dots`() throws {
        #expect(ASN1Identifier(2, 5, 29, 15).description == "2.5.29.15")
        #expect(ASN1Identifier(1, 0, 18013, 5, 1, 2).description == "1.0.18013.5.1.2")
        #expect(ASN1Identifier(2, 999, 1).description == "2.999.1")
        #expect(ASN1Identifier.mobileDocumentSigner == ASN1Identifier(1, 0, 18013, 5, 1, 2))
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
    func `certificates of real issuers are read`() throws {
        let chain = try CertificateSamples.injiChain("sdJwtWithKbJwtES256.txt")
        #expect(chain.count == 2)
        #expect(chain[0].subject.commonName == "credo dcs")
        #expect(chain[0].extensions.extendedKeyUsage == [.mobileDocumentSigner])
        #expect(chain[0].extensions.subjectAlternativeNames?.hostNames == ["funke.animo.id"])
        #expect(chain[0].isSigned(by: chain[1].publicKey))
        #expect(chain[1].isSelfSigned)
        #expect(chain[1].extensions.revocationListAddresses == ["https://funke.animo.id/crl"])
        #expect(chain[1].extensions.basicConstraints?.pathLength == 0)
        let single = try CertificateSamples.injiChain("sdJwt.txt")
        #expect(single.count == 1)
        #expect(single[0].signatureAlgorithm == .rsaPKCS1(.sha256))
        #expect(single[0].extensions.basicConstraints?.isAuthority == true)
        #expect(!single[0].isSelfIssued)
    }
}
