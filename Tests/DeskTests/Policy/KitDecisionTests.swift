import Credentials
import Determinism
import Foundation
import JSON
import TestSupport
import Testing

@testable import Desk

/// The decisions that the kit of forgeries names for policies of a desk.
@Suite struct KitDecisionTests {
    private static func contents(of path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: OutsideVectors.packageRoot.appending(path: "Vectors/credentials/" + path)))
    }

    private static func text(_ value: JSONValue, _ name: String) -> String { value[name]?.string ?? "" }

    private static func report(of value: JSONValue) throws -> CredentialReport {
        let file = try TrustFile(parsing: contents(of: text(value, "trust")))
        var files: [String: [UInt8]] = [:]
        for path in file.paths { files[path] = try contents(of: "trust/" + path) }
        let time = try Date.ISO8601FormatStyle().parse(text(value, "time")).timeIntervalSince1970
        var request = VerificationRequest(
            trust: try file.store(files: files), at: WallTime(millisecondsSinceEpoch: Int64(time * 1000)))
        request.policy.nonce = value["nonce"]?.string
        request.policy.audience = value["audience"]?.string
        return CredentialVerifier(request).verify(try contents(of: text(value, "file")))
    }

    @Test func `the decision policies of the forgery kit decide as its manifest says`() throws {
        let manifest = try JSONValue(
            parsing: Self.contents(of: "manifest.json"), limits: JSONLimits(maximumBytes: 4 << 20))
        let cases = (manifest["cases"]?.array ?? []).filter { $0["decision"] != nil }
        #expect(cases.count >= 30)
        for value in cases {
            let policy = try? DecisionPolicy(parsing: value["policy"]?.encoded ?? [])
            let decision = try policy?.outcome(of: [Self.report(of: value)]).rawValue
            #expect(decision ?? "malformed" == value["decision"]?.string, "\(Self.text(value, "why"))")
        }
    }
}
