import ByteCoding
import Codes
import Credentials
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

/// The codes that other libraries made: claim 169, encrypted and not, and PixelPass.
@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct PublishedCodeTests {
    private static func rows() throws -> [JSONValue] {
        let value = try JSONValue(
            parsing: OutsideVectors.contents(of: "codes/claim169/codes.json"), limits: VerificationLimits().json)
        return value.array ?? value["codes"]?.array ?? []
    }

    /// The trust in the issuer of a row, by its key in PEM, and in its key for decryption where `decrypts`.
    private static func request(_ row: JSONValue, decrypts: Bool) throws -> VerificationRequest {
        var text = ""
        var files: [String: [UInt8]] = [:]
        if let key = row["key"]?.string {
            text += "issuer https://id.example\n  pem \(key)\n"
            files[key] = try OutsideVectors.contents(of: "codes/claim169/\(key)")
        }
        if decrypts, let key = row["decrypt"]?.string {
            text += "aes-key \(key)\n"
            files[key] = try OutsideVectors.contents(of: "codes/claim169/\(key)")
        }
        let store = try TrustFile(parsing: Array(text.utf8)).store(files: files)
        let seconds = try CredentialTime.seconds(dateTime: row["at"]?.string ?? "2025-06-01T00:00:00Z", "The time")
        return VerificationRequest(trust: store, at: WallTime(millisecondsSinceEpoch: Int64(seconds * 1000)))
    }

    private static func code(_ report: CredentialReport, _ request: VerificationRequest) -> String? {
        report.decisiveCheck(under: request.policy)?.code?.rawValue
    }

    @Test func `each code of claim 169 has the verdict of its row`() throws {
        var count = 0
        for row in try Self.rows() where row["source"] == nil && row["name"]?.string?.hasPrefix("plain") != true {
            let (name, text) = (row["name"]?.string ?? "", Array((row["text"]?.string ?? "").utf8))
            guard name.hasPrefix("claim169") else { continue }
            count += 1
            let request = try Self.request(row, decrypts: true)
            let report = CodeVerifier(request).verify(text).credential
            let code = Self.code(report, request)
            switch row["expect"]?.string ?? "" {
            case "genuine", "genuine with the decryption key, not checked without":
                #expect(report.result == .genuine, "\(name): \(code ?? "")")
            case "refused": #expect(report.result == .refused, "\(name): \(code ?? "")")
            case "refused: expired": #expect(code == "credential.time-expired", "\(name)")
            case "refused: not yet valid": #expect(code == "credential.time-future", "\(name)")
            case "not read: a clear error": #expect(code == "code.base45", "\(name)")
            case "not read: limit": #expect(code == "code.limit-text" || code == "code.limit-size", "\(name)")
            default: #expect(report.result != .genuine, "\(name)")
            }
            guard row["decrypt"] != nil else { continue }
            let without = try Self.request(row, decrypts: false)
            let closed = CodeVerifier(without).verify(text).credential
            #expect(closed.result == .notChecked)
            #expect(Self.code(closed, without) == "code.encrypted")
        }
        #expect(count == 21)
    }

    @Test(.enabled(if: OutsideVectors.haveCredentials, "\(OutsideVectors.skipped)"))
    func `a code of PixelPass has the verdict of the file in it`() throws {
        var count = 0
        for row in try Self.rows() {
            guard let source = row["source"]?.string?.split(separator: "/").last else { continue }
            count += 1
            let file = try OutsideVectors.contents(of: "../credentials/\(source)")
            let request = try Self.request(row, decrypts: false)
            let (code, own) = (
                CodeVerifier(request).verify(Array((row["text"]?.string ?? "").utf8)),
                CredentialVerifier(request).verify(file)
            )
            #expect(code.credential.format == own.format, "\(row["name"]?.string ?? "")")
            #expect(code.credential.result == own.result, "\(row["name"]?.string ?? "")")
            #expect(code.credential.checks.map(\.outcome) == own.checks.map(\.outcome), "\(row["name"]?.string ?? "")")
        }
        #expect(count == 8)
    }

    @Test func `the attributes of claim 169 stand under their names`() throws {
        let row = try #require(try Self.rows().first { $0["name"]?.string == "claim169-ed25519-1" })
        let request = try Self.request(row, decrypts: false)
        let report = CodeVerifier(request).verify(Array((row["text"]?.string ?? "").utf8)).credential
        #expect(report.content.claims?["fullName"] == "José Ñandú")
        #expect(report.content.claims?["dateOfBirth"] == "1967-09-01")
        #expect(report.content.claims?["nationality"] == "PH")
        #expect(report.content.issuer == "https://id.example")
    }
}
