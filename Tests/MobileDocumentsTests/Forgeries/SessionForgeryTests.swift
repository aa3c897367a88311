import COSE
import CryptoSuite
import MobileSession
import TestSupport
import Testing

@Suite struct SessionForgeryTests {
    @Test func `an answer is genuine and a question from a known reader, by signature and by MAC, unless forged`()
        throws
    {
        for isMAC in [false, true] {
            var reading = try ForgedReading()
            reading.isMAC = isMAC
            #expect(try reading.play() == .accepted)
        }
        #expect(try ForgedQuestion().play() == .accepted)
        #expect(try ForgedQuestion.play { try $0.ident() } == .accepted)
    }

    @Test(.shows("MDR-108"))
    func `a document is genuine that was signed on any of the curves of signers`() throws {
        var keys: [CertificateTemplate.SigningKey] = try [
            ECDSA.Curve.p256, .p384, .p521, .brainpoolP256r1, .brainpoolP320r1, .brainpoolP384r1, .brainpoolP512r1,
        ].map { .ecdsa(try ForgedIssuer.key(8, $0)) }
        keys += [
            .ed25519(Secret(copying: [UInt8](repeating: 8, count: 32))),
            .ed448(Secret(copying: [UInt8](repeating: 8, count: 57))),
        ]
        for key in keys {
            var reading = try ForgedReading()
            reading.issuer = try ForgedIssuer(signing: key)
            #expect(try reading.play() == .accepted, "\(key)")
        }
    }

    @Test(
        .shows(
            "MDR-028", "MDR-036", "MDR-059", "MDR-069", "MDR-084", "MDR-109", "MDR-118", "MDR-120", "MDR-125",
            "MDR-128", "MDR-129", "MDC-001", "MDC-002", "MDC-003", "MDC-004", "MDC-005", "MDC-006", "MDC-007",
            "MDC-008", "MDC-009", "MDC-010", "MDC-011", "MDC-012", "MDC-013", "MDC-014", "MDC-015", "MDC-018", "MS1",
            "MS2", "MS5", "MS6", "MS7"), arguments: SessionForgery.all)
    func `a forgery in a session is refused by its check`(_ forgery: SessionForgery) throws {
        let outcome = try forgery.play()
        #expect(outcome == .refused(forgery.code), "\(outcome)")
    }

    @Test func `there are at least sixty forgeries of sessions, each with a name of its own`() {
        let names = SessionForgery.all.map(\.name)
        #expect(names.count >= 60)
        #expect(Set(names).count == names.count)
    }
}
