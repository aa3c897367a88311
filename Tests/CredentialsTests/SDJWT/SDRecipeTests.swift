import JSON
import Testing

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// Tokens that another program makes of the specification's recipes: `Tests/Interop/credentials/make-sd-jwt-cases.py`.
@Suite struct SDRecipeTests {
    private static var path: String? { ProcessInfo.processInfo.environment["SYMBOLON_SD_JWT_CASES"] }

    static var isGiven: Bool { path != nil }

    private static func cases() throws -> [JSONValue] {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path ?? "")))
        return try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 4 << 20)).array ?? []
    }

    @Test(.enabled(if: SDRecipeTests.isGiven))
    func `every SD-JWT recipe of the specification gives the claims that another program reads`()
        throws
    {
        let cases = try Self.cases()
        #expect(cases.count == 32)
        for item in cases {
            let name = item["name"]?.string ?? ""
            // Its header has a number for the name of the key.
            if name.contains("header_mod") { continue }
            var trust = TrustStore()
            var issuer = TrustedIssuer(item["issuer"]?.string ?? "")
            issuer.document = .object(["keys": item["keys"] ?? .null])
            trust.issuers = [issuer]
            var request = VerificationRequest.sample(at: 1_700_000_000, trust)
            request.policy.nonce = item["nonce"]?.string
            request.policy.audience = item["audience"]?.string
            let report = CredentialVerifier(request).verify(Array((item["token"]?.string ?? "").utf8))
            let comment = Comment(rawValue: "\(name): \(report.checks.filter { $0.outcome != .passed })")
            for kind in [CredentialCheck.Kind.parse, .algorithm, .key, .issuer, .trust, .signature, .digests, .time] {
                let checks = report.checks.filter { $0.kind == kind }
                #expect(!checks.isEmpty && checks.allSatisfy { $0.outcome == .passed }, comment)
            }
            #expect(report.content.claims == item["verified"], comment)
            // The recipes are no credentials by their type, and the holder's tokens are of the day they were made.
            #expect(report.carries(.sdTyp) && report.carries(.vcMissingMember), comment)
            guard item["bound"]?.bool == true else { continue }
            // That program's JSON form is a draft's: its holder does not hash the compact form of RFC 9901.
            let allowed: Set<CredentialError.Code> =
                name.contains("json") && !name.contains("jsonld") ? [.kbIat, .kbHash] : [.kbIat]
            let codes = report.checks.filter { $0.kind == .holder && $0.outcome == .failed }.compactMap(\.code)
            #expect(Set(codes).isSubset(of: allowed), comment)
            #expect(report.checks.contains { $0.kind == .holder && $0.outcome == .passed }, comment)
        }
    }
}
