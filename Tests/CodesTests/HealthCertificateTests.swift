import ByteCoding
import CBOR
import Codes
import Credentials
import Determinism
import TestSupport
import Testing

@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct HealthCertificateTests {
    @Test func `each health certificate of 16 countries has its maker's verdict under its signer at its clock`() throws
    {
        let rows = try CodeVector.healthCertificates()
        #expect(rows.count == 361)
        for (row, _) in rows {
            let report = CodeVerifier(row.request).verify(Array(row.text.utf8)).credential
            let decisive = report.decisiveCheck(under: row.request.policy)
            // 72 rows were signed on purpose by a certificate for another kind.
            if row.name.hasSuffix("wrong_key.json") {
                #expect(decisive?.code == .keyPurpose, "\(row.name)")
            } else {
                #expect(report.result == .genuine, "\(row.name): \(decisive.map { "\($0)" } ?? "")")
            }
            #expect(report.holder == .notShown)
        }
    }

    @Test func `a health certificate with a changed byte is never genuine`() throws {
        var random = SeededRandom(seed: 47)
        var accepted = 0
        for (row, _) in try CodeVector.healthCertificates() {
            let bytes = try CodeVector.unpacked(row.text)
            for _ in 0..<8 {
                var changed = bytes
                let place = random.within(0...(bytes.count - 1))
                changed[place] ^= UInt8(random.within(1...255))
                let report = CodeVerifier(row.request).verify(try CodeVector.packed(changed)).credential
                // The unprotected parts of the form, such as the width of a head, are not signed.
                guard report.result == .genuine else { continue }
                accepted += 1
                Issue.record("\(row.name): byte \(place) of \(bytes.count)")
            }
        }
        #expect(accepted == 0)
    }

    @Test func `a health certificate is not checked without its signer, and under another one`() throws {
        let rows = try CodeVector.healthCertificates()
        var request = rows[0].vector.request
        request.trust = TrustStore()
        let text = Array(rows[0].vector.text.utf8)
        let none = CodeVerifier(request).verify(text).credential
        #expect(none.result == .notChecked)
        #expect(none.decisiveCheck(under: request.policy)?.code == .keyUnresolved)
        request.trust.signerLists = [
            PinnedSigners(path: "other", purposes: [.healthCertificates], certificates: [rows[360].certificate])
        ]
        #expect(CodeVerifier(request).verify(text).credential.result == .notChecked)
        request.trust.signerLists = [
            PinnedSigners(path: "own", purposes: [.aadhaar], certificates: [rows[0].certificate])
        ]
        #expect(CodeVerifier(request).verify(text).credential.result == .notChecked)
    }

    @Test func `of many signers that of the identifier is chosen`() throws {
        let rows = try CodeVector.healthCertificates()
        var (request, text) = (rows[200].vector.request, Array(rows[200].vector.text.utf8))
        request.trust.signerLists = [
            PinnedSigners(path: "all", purposes: [.healthCertificates], certificates: rows.map(\.certificate))
        ]
        let report = CodeVerifier(request).verify(text).credential
        #expect(report.result == .genuine)
        #expect(report.content.signatures.first?.key == rows[200].certificate.subject.description)
        text.append(0x0A)
        #expect(CodeVerifier(request).verify(text).credential.result == .genuine)
    }

    @Test func `a health certificate shows name, birth date and entry by readable names`() throws {
        let rows = try CodeVector.healthCertificates()
        let row = try #require(rows.first { $0.vector.name == "AE/2DCode/raw/vaccine.json" }).vector
        let content = CodeVerifier(row.request).verify(Array(row.text.utf8)).credential.content
        #expect(content.claims?["dateOfBirth"]?.string != nil)
        #expect(content.claims?["vaccination"]?["vaccine"]?.string != nil)
        #expect(content.claims?["familyName"]?.string != nil)
    }
}
