import JSON
import Testing

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// SD-JWTs of random claims that another program made and read: `Tests/Interop/credentials/make-sd-jwt-documents.py`.
@Suite struct SDSecondOpinionTests {
    private static var path: String? { ProcessInfo.processInfo.environment["SYMBOLON_SD_JWT_DOCUMENTS"] }

    static var isGiven: Bool { path != nil }

    @Test(.enabled(if: SDSecondOpinionTests.isGiven, "skipped: no documents of another program"))
    func `each random SD-JWT is genuine and gives the claims that another program reads`() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: Self.path ?? "")))
        let limits = JSONLimits(maximumBytes: 64 << 20, maximumMembers: 1_000_000, maximumElements: 1_000_000)
        let whole = try JSONValue(parsing: bytes, limits: limits)
        let documents = whole["documents"]?.array ?? []
        #expect(documents.count == 1000)
        var trust = TrustStore()
        var issuer = TrustedIssuer("https://issuer.example")
        issuer.document = .object(["keys": .array([whole["key"] ?? .null])])
        trust.issuers = [issuer]
        let verifier = CredentialVerifier(.sample(at: 1_780_000_000, trust))
        for (index, item) in documents.enumerated() {
            let report = verifier.verify(Array((item["token"]?.string ?? "").utf8))
            let comment = Comment(rawValue: "\(index): \(report.checks.filter { $0.outcome == .failed })")
            #expect(report.result == .genuine, comment)
            #expect(report.content.claims == item["verified"], comment)
        }
    }
}
