import ByteCoding
import CryptoSuite
import JSON
import TestSupport
import Testing

@testable import Credentials

@Suite struct CertificateKeyResolverTests {
    typealias Entry = Forgery<SDSample>

    private static func put(
        _ change: @escaping @Sendable (inout CertificateSample) -> Void
    ) -> @Sendable (inout SDSample) -> Void {
        { sample in
            var certificates = CertificateSample()
            change(&certificates)
            certificates.put(into: &sample)
        }
    }

    static let forgeries: [Entry] = [
        Entry(55, "iss of another", .issMismatch, nil, put { $0.host = "other.example" }),
        Entry(56, "leaf signed by its own key", .x5SelfSigned, nil, put { $0.isSelfSigned = true }),
        Entry(57, "root not pinned", .x5Anchor) { sample in
            CertificateSample().put(into: &sample)
            sample.request.trust.roots = []
        },
        Entry(57, "root of the same name with another key", .x5Sig) { sample in
            var other = CertificateSample()
            CertificateSample().put(into: &sample)
            other.rootKey = .k1
            guard let root = try? other.rootCertificate() else { return }
            sample.request.trust.roots = [TrustedRoot(certificate: root, purpose: .tokens(issuers: [], types: []))]
        },
        Entry(57, "root for mobile documents alone", .x5Anchor) { sample in
            let certificates = CertificateSample()
            certificates.put(into: &sample)
            guard let root = try? certificates.rootCertificate() else { return }
            sample.request.trust.roots = [
                TrustedRoot(certificate: root, purpose: .mobileDocuments(types: [], country: nil))
            ]
        },
        Entry(58, "leaf expired", .x5Expired, nil, put { $0.notAfter = 1_735_689_000 }),
        Entry(59, "order reversed", .x5Chain) { sample in
            let certificates = CertificateSample()
            certificates.put(into: &sample)
            guard let root = try? certificates.rootCertificate(), let chain = try? certificates.chain() else { return }
            sample.header["x5c"] = .strings(([root] + chain).map { Base64.encode($0) })
        },
        Entry(60, "signed by another key than the leaf's", .sigInvalid) { sample in
            CertificateSample().put(into: &sample)
            sample.signer = .stranger
        },
        Entry(61, "without padding", .parseBase64) { sample in
            CertificateSample().put(into: &sample)
            sample.header["x5c"] = .strings(["MAA"])
        },
        Entry(62, "digest of another certificate", .jwtX5t) { sample in
            CertificateSample().put(into: &sample)
            sample.header["x5t#S256"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))
        },
        Entry(58, "leaf on a revocation list", .x5Revoked) { sample in
            var certificates = CertificateSample()
            certificates.authorityUsage = [.keyCertSign, .crlSign]
            certificates.put(into: &sample)
            guard let list = try? certificates.revocationList(of: [[1]]) else { return }
            sample.request.trust.revocationLists = [list]
        },
        Entry(58, "root that limits names", .x5Critical, nil, put { $0.limitsNames = true }),
        Entry(101, "key for another use", .x5Ku, nil, put { $0.usage = [.keyCertSign] }),
        Entry(102, "nine certificates", .limitCertificates) { sample in
            CertificateSample().put(into: &sample)
            let one = sample.header["x5c"]?[0] ?? .null
            sample.header["x5c"] = .array([JSONValue](repeating: one, count: 9))
        },
        Entry(103, "no array of certificates", .x5Chain) { sample in
            CertificateSample().put(into: &sample)
            sample.header["x5c"] = "x"
        },
    ]

    /// Chains that the kit holds as they are alone, and in no printed code.
    static let curves: [Entry] = [
        Entry(104, "key on a curve that JOSE has no algorithm for", .algMismatch) { sample in
            var certificates = CertificateSample()
            certificates.leafKey = .brainpool
            certificates.put(into: &sample)
            sample.signer = .brainpool
        }
    ]

    @Test(arguments: forgeries + curves)
    func `an SD-JWT with a forged certificate chain is refused with the code of the change`(
        _ forgery: Entry
    ) {
        var sample = SDSample()
        forgery.change(&sample)
        let report = sample.report
        #expect(report.result == forgery.result, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(forgery.code), "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test func `an SD-JWT with a certificate chain to a pinned root, whose leaf names the issuer, is genuine`() throws {
        var sample = SDSample()
        CertificateSample().put(into: &sample)
        #expect(sample.report.result == .genuine, "\(sample.report.checks.filter { $0.outcome != .passed })")
        // The root may come with the chain, and counts for nothing there.
        let root = try CertificateSample().rootCertificate()
        sample.header["x5c"] = .array((sample.header["x5c"]?.array ?? []) + [.string(Base64.encode(root))])
        #expect(sample.report.result == .genuine)
        sample.request.trust.roots = []
        #expect(sample.report.result == .notChecked)
        #expect(sample.report.carries(.x5Anchor))
    }

    @Test func `under a root pinned for issuers, a leaf certificate with another name signs for none of them`() throws {
        var sample = SDSample()
        var certificates = CertificateSample()
        certificates.host = "other.example"
        certificates.put(into: &sample)
        sample.request.trust.roots = [
            TrustedRoot(certificate: try certificates.rootCertificate(), purpose: .tokens(issuers: [SDSample.issuer]))
        ]
        #expect(sample.report.result == .refused && sample.report.carries(.issMismatch))
    }

    @Test func `under a root pinned for issuers, an SD-JWT without an issuer is not trusted`() throws {
        var sample = SDSample()
        let certificates = CertificateSample()
        certificates.put(into: &sample)
        sample.payload["iss"] = nil
        sample.request.trust.roots = [
            TrustedRoot(certificate: try certificates.rootCertificate(), purpose: .tokens(issuers: [SDSample.issuer]))
        ]
        #expect(sample.report.result == .notChecked && sample.report.carries(.x5Anchor))
    }

    @Test func `types in the trust store restrict a root certificate, and an issuer's entry beside it`() throws {
        var sample = SDSample()
        let certificates = CertificateSample()
        certificates.put(into: &sample)
        let root = try certificates.rootCertificate()
        let type = try #require(sample.payload["vct"]?.string)
        for (types, result) in [([type], CredentialReport.CredentialVerdict.genuine), (["other"], .notChecked)] {
            sample.request.trust.roots = [
                TrustedRoot(certificate: root, purpose: .tokens(issuers: [SDSample.issuer], types: types))
            ]
            #expect(sample.report.result == result)
        }
        sample.request.trust.roots = [TrustedRoot(certificate: root, purpose: .tokens(issuers: [SDSample.issuer]))]
        sample.request.trust.issuers = [TrustedIssuer(SDSample.issuer)]
        #expect(sample.report.result == .genuine)
        sample.request.trust.issuers[0].types = ["other"]
        #expect(sample.report.result == .notChecked && sample.report.carries(.trustIssuer))
    }

    @Test func `under a root pinned for the issuer, a leaf certificate without a name is accepted`() throws {
        var sample = SDSample()
        var certificates = CertificateSample()
        certificates.host = nil
        certificates.put(into: &sample)
        let root = try certificates.rootCertificate()
        sample.request.trust.roots = [
            TrustedRoot(certificate: root, purpose: .tokens(issuers: [SDSample.issuer], types: []))
        ]
        #expect(sample.report.result == .genuine)
        sample.request.trust.roots = [
            TrustedRoot(certificate: root, purpose: .tokens(issuers: ["https://a.example"], types: []))
        ]
        #expect(sample.report.carries(.x5Anchor))
    }

    @Test func `an SD-JWT without iss has the certificate's subject as its issuer`() {
        var sample = SDSample()
        CertificateSample().put(into: &sample)
        sample.payload["iss"] = nil
        #expect(sample.report.result == .genuine, "\(sample.report.checks.filter { $0.outcome != .passed })")
    }

    // The SD-JWTs that a deployed wallet's tests hold.

    private func inji(_ name: String, at seconds: Double = 1_758_607_640, trusting: Bool = true) throws
        -> CredentialReport
    {
        let bytes = try OutsideVectors.contents(of: "credentials/inji/sd-jwt_vc/\(name).txt")
        var trust = TrustStore()
        if trusting {
            let whole = try OutsideVectors.contents(of: "credentials/inji/sd-jwt_vc/sdJwtWithKbJwtES256.txt")
            let token = try SDJWTParts(parsing: CredentialFormatDetection.trimmed(whole), limits: VerificationLimits())
                .tokens[0]
            let root = try #require(Base64.decode(token.header["x5c"]?[1]?.string ?? ""))
            trust.roots = [TrustedRoot(certificate: root, purpose: .tokens(issuers: [], types: []))]
        }
        var request = VerificationRequest.sample(at: seconds, trust)
        request.policy.nonce = "WUNMRj0l7ehFu1u7SBjAbw=="
        request.policy.audience = "did:web:mosip.github.io:inji-mock-services:openid4vp-service:docs"
        return CredentialVerifier(request).verify(bytes)
    }

    @Test(.enabled(if: Samples.arePresent))
    func `a deployed SD-JWT with its holder's proof is genuine at its time and refused later`() throws {
        let report = try inji("sdJwtWithKbJwtES256")
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.checks.contains { $0.kind == .holder && $0.outcome == .passed })
        let late = try inji("sdJwtWithKbJwtES256", at: 1_780_000_000)
        #expect(late.result == .refused)
        #expect(late.carries(.x5Expired) && late.carries(.kbIat))
        #expect(try inji("sdJwtWithKbJwtES256", trusting: false).carries(.x5Anchor))
    }

    @Test(.enabled(if: Samples.arePresent)) func `deployed SD-JWTs that break the format are refused for it`() throws {
        let foreign = try inji("sdJwt")
        #expect(foreign.result == .refused)
        #expect(foreign.carries(.sdTyp) && foreign.carries(.sdDisclosureUnreferenced))
        #expect(try inji("invalidSdJwt").carries(.parseBase64))
        #expect(try inji("invalidSdJwt").result == .refused)
    }
}
