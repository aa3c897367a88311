import TestSupport
import Testing

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// Credentials of one issuer, made by another program, that are all genuine.
@Suite struct SharedSampleTests {
    static let names = [
        "degree.jwt", "national-id.sd-jwt", "degree.json", "national-id.json", "national-id-small.json",
        "national-id-large.json",
    ]

    private func verify(_ name: String, trusting methods: [String] = ["did:key"]) throws -> CredentialReport {
        var trust = TrustStore()
        trust.methods = methods
        let request = VerificationRequest.sample(at: 1_780_000_000, trust)
        let bytes = [UInt8](try Data(contentsOf: OutsideVectors.credentials.appending(path: name)))
        return CredentialVerifier(request).verify(bytes)
    }

    @Test(.enabled(if: OutsideVectors.haveCredentials, "\(OutsideVectors.skipped)"), arguments: SharedSampleTests.names)
    func `a credential of a trusted issuer is genuine`(_ name: String) throws {
        let report = try verify(name)
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.content.claims != nil)
    }

    @Test(.enabled(if: OutsideVectors.haveCredentials, "\(OutsideVectors.skipped)"))
    func `a JWT credential of an issuer without trust is not checked`() throws {
        let report = try verify("degree.jwt", trusting: [])
        #expect(report.result == .notChecked)
        #expect(report.carries(.trustIssuer))
    }
}
