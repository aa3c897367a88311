import ByteCoding
import Determinism
import JSON
import TestSupport
import Testing

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// JSON-LD documents of other projects' test suites, with the trust file and the time that each one needs.
@Suite(.enabled(if: RealLinkedData.arePresent, "\(OutsideVectors.skipped)")) struct RealLinkedDataTests {
    @Test func `a good JSON-LD credential of another project is genuine, or lacks only its issuer's key`() throws {
        let samples = try RealLinkedData.all().filter { $0.expect == "genuine" }
        #expect(samples.count >= 25)
        for sample in samples {
            let report = try sample.report()
            let failed = report.checks.filter { $0.outcome != .passed && $0.code != nil }
            let areValid = report.content.signatures.allSatisfy(\.isValid)
            #expect(areValid, "\(sample.name): \(failed)")
            // The trust file cannot say yet that an issuer with an address has a did:key.
            let isMismatch = sample.needs != nil && failed.map(\.code) == [.issMismatch]
            #expect(report.result == .genuine || isMismatch, "\(sample.name): \(failed)")
        }
    }

    @Test func `the published selective-disclosure proofs of issuer and holder are valid`() throws {
        let names = ["addSignedSDBase", "derivedRevealDocument"]
        let samples = try RealLinkedData.all().filter { sample in names.contains { sample.name.hasSuffix($0) } }
        #expect(samples.count >= 4)
        for sample in samples {
            let report = try sample.report()
            #expect(report.content.signatures.map(\.isValid) == [true], "\(sample.name)")
            let failed = report.checks.filter { $0.outcome != .passed && $0.code != nil }
            #expect(failed.allSatisfy { $0.code == .issMismatch }, "\(sample.name): \(failed)")
        }
    }

    @Test func `a forged JSON-LD credential of another project is never genuine`() throws {
        let samples = try RealLinkedData.all().filter { $0.expect == "refused" }
        #expect(samples.count >= 56)
        for sample in samples { #expect(try sample.report().result != .genuine, "\(sample.name)") }
    }
}

/// The samples of `real/json-ld.jsonl` below the outside vectors.
enum RealLinkedData {
    /// One document of the samples, with the expected result.
    struct Sample {
        let name: String
        let expect: String
        let needs: String?
        private let value: JSONValue
        private let files: [String: [UInt8]]

        init(_ value: JSONValue, files: [String: [UInt8]]) {
            name = value["name"]?.string ?? ""
            expect = value["expect"]?.string ?? ""
            needs = value["needs"]?.string
            self.value = value
            self.files = files
        }

        func report() throws -> CredentialReport {
            let trust = try TrustFile(parsing: Array((value["trust"]?.string ?? "").utf8)).store(files: files)
            let seconds = try CredentialTime.seconds(dateTime: value["at"]?.string ?? "", "The time")
            return CredentialVerifier(.sample(at: seconds, trust)).verify(Array((value["text"]?.string ?? "").utf8))
        }
    }

    static var arePresent: Bool {
        FileManager.default.fileExists(atPath: OutsideVectors.folder.appending(path: "real/json-ld.jsonl").path())
    }

    static func all() throws -> [Sample] {
        var files: [String: [UInt8]] = [:]
        for file in try lines(of: "real/files.jsonl") {
            files[file["name"]?.string ?? ""] = Base64.decode(file["base64"]?.string ?? "")
        }
        return try lines(of: "real/json-ld.jsonl").map { Sample($0, files: files) }
    }

    private static func lines(of name: String) throws -> [JSONValue] {
        let limits = JSONLimits(maximumBytes: 16 << 20, maximumMembers: 100_000, maximumElements: 100_000)
        return try OutsideVectors.contents(of: name).split(separator: UInt8(ascii: "\n")).map {
            try JSONValue(parsing: Array($0), limits: limits)
        }
    }
}
