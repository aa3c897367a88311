import CryptoSuite
import Determinism
import TestSupport
import Testing

@Suite struct RevocationListTests {
    private let samples: CertificateSamples
    private let now = CertificateSamples.after(days: 10)

    init() throws { samples = try CertificateSamples() }

    private func template(revoking serials: [[UInt8]] = []) -> RevocationListTemplate {
        RevocationListTemplate(
            issuer: CertificateSamples.rootName, thisUpdate: CertificateSamples.after(days: 9),
            nextUpdate: CertificateSamples.after(days: 11), revokedSerialNumbers: serials)
    }

    private func answer(
        _ template: RevocationListTemplate, by key: CertificateTemplate.SigningKey? = nil, at time: WallTime? = nil
    ) throws -> RevocationList.CertificateStatus {
        let list = try RevocationList(der: try template.sign(by: key ?? samples.rootKey))
        return list.answer(
            for: try samples.signerCertificate(), issuedBy: try samples.rootCertificate(), at: time ?? now)
    }

    @Test(.shows("MDC-006"))
    func `a certificate is good or revoked by a complete revocation list of its issuer`() throws {
        #expect(try answer(template()) == .good)
        #expect(try answer(template(revoking: [[2], [3, 4]])) == .good)
        #expect(try answer(template(revoking: [[2], [1]])) == .revoked)
        var open = template()
        open.nextUpdate = nil
        #expect(try answer(open, at: CertificateSamples.after(days: 400)) == .good)
    }

    @Test func `a revocation list whose issuer's name has another string type is one of its authority`() throws {
        var other = template(revoking: [[1]])
        other.issuer = [
            .country("NL", isPrintable: false), .stateOrProvince("Utrecht"), .commonName("Root", isPrintable: true),
        ]
        #expect(try answer(other) == .revoked)
    }

    @Test func `a revocation list of another issuer, key, kind or time decides nothing`() throws {
        func isUnknown(_ answer: RevocationList.CertificateStatus) -> Bool {
            if case .unknown = answer { true } else { false }
        }
        var other = template()
        other.issuer = [.commonName("Other")]
        #expect(isUnknown(try answer(other)))
        #expect(isUnknown(try answer(template(revoking: [[1]]), by: samples.otherKey)))
        var changes = template()
        // A list of changes alone (delta CRL) has a critical extension.
        changes.extensions = [.init(ASN1Identifier(2, 5, 29, 27), isCritical: true, value: [2, 1, 1])]
        #expect(isUnknown(try answer(changes)))
        changes.extensions = [.init(ASN1Identifier(2, 5, 29, 20), isCritical: false, value: [2, 1, 1])]
        #expect(try answer(changes) == .good)
        let end = CertificateSamples.after(days: 11).millisecondsSinceEpoch
        #expect(try answer(template(), at: WallTime(millisecondsSinceEpoch: end + 60_000)) == .good)
        #expect(isUnknown(try answer(template(), at: WallTime(millisecondsSinceEpoch: end + 60_001))))
        #expect(isUnknown(try answer(template(), at: CertificateSamples.after(days: 8))))
        // Revoked stays revoked.
        #expect(try answer(template(revoking: [[1]]), at: CertificateSamples.after(days: 100)) == .revoked)
        var root = samples.root
        root.replace(.keyUsage(.keyCertSign))
        let list = try RevocationList(der: try template().sign(by: samples.rootKey))
        let authority = try Certificate(der: try root.sign(by: samples.rootKey))
        #expect(isUnknown(list.answer(for: try samples.signerCertificate(), issuedBy: authority, at: now)))
    }

    @Test func `a revocation list that is cut short, extended or changed is refused or unsigned`() throws {
        let der = try template(revoking: [[1]]).sign(by: samples.rootKey)
        for count in der.indices {
            #expect(throws: CryptoError(.malformedCertificate, "")) { try RevocationList(der: Array(der[..<count])) }
        }
        #expect(throws: CryptoError(.malformedCertificate, "")) { try RevocationList(der: der + [0]) }
        let (signer, root) = (try samples.signerCertificate(), try samples.rootCertificate())
        for index in der.indices {
            var changed = der
            changed[index] ^= 1
            let answer = (try? RevocationList(der: changed))?.answer(for: signer, issuedBy: root, at: now)
            #expect(answer != .good, "byte \(index)")
            #expect(answer != .revoked, "byte \(index)")
        }
        let large = [UInt8](repeating: 0, count: RevocationList.maximumCount + 1)
        #expect(throws: CryptoError(.certificateTooLarge, "")) { try RevocationList(der: large) }
    }
}
