import ByteCoding
import Compression
import Determinism
import JSON
import TestSupport
import Testing

@testable import Credentials

/// Credentials of public projects, each with the trust file that an operator could write and a second opinion.
@Suite(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)")) struct RealCredentialTests {
    private struct Document {
        let name: String
        let bytes: [UInt8]
        let request: VerificationRequest
        let expectation: String

        var report: CredentialReport { CredentialVerifier(request).verify(bytes) }
    }

    private static func lines(_ path: String) throws -> [JSONValue] {
        let text = String(decoding: try OutsideVectors.contents(of: path), as: UTF8.self)
        return try text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8] { value?.string.flatMap { Base64.decode($0) } ?? [] }

    private static func request(_ trust: String, _ files: [String: [UInt8]], at time: String) throws
        -> VerificationRequest
    {
        let file = try TrustFile(parsing: Array(trust.utf8))
        let seconds = try CredentialTime.seconds(dateTime: time, "The time \(time)")
        var request = VerificationRequest(
            trust: try file.store(files: files), at: WallTime(millisecondsSinceEpoch: Int64(seconds * 1000)))
        try file.apply(to: &request.policy)
        return request
    }

    /// The bytes of a text in Base45 (RFC 9285); nil for another text.
    private static func base45(_ text: some Collection<UInt8>) -> [UInt8]? {
        let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:".utf8)
        let digits = text.compactMap(alphabet.firstIndex(of:))
        guard digits.count == text.count, digits.count % 3 != 1 else { return nil }
        return stride(from: 0, to: digits.count, by: 3).flatMap { start -> [UInt8] in
            let group = digits[start..<min(start + 3, digits.count)]
            let value = group.reversed().reduce(0) { $0 * 45 + $1 }
            return group.count == 3 ? [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] : [UInt8(value & 0xFF)]
        }
    }

    /// The time of a test with its zone in the form of RFC 3339; the makers leave the zone or its colon out.
    private static func withZone(_ text: String) -> String {
        let digits = text.utf8.suffix(5)
        if text.hasSuffix("Z") || text.utf8.suffix(6).first == UInt8(ascii: "+") { return text }
        return digits.first == UInt8(ascii: "+") ? text.dropLast(2) + ":" + text.suffix(2) : text + "Z"
    }

    /// The documents of a file; a trust text that lacks a word for its certificates gets it.
    private static func documents(_ format: String) throws -> [Document] {
        var files: [String: [UInt8]] = [:]
        for line in try lines("real/files.jsonl") { files[line["name"]?.string ?? ""] = bytes(line["base64"]) }
        return try lines("real/\(format).jsonl").map { line in
            var trust = line["trust"]?.string ?? ""
            let needs = line["needs"]?.string ?? ""
            if needs.contains("profile") {
                trust = trust.split(separator: "\n").map { line in
                    line.hasPrefix("  for mdoc") || line.hasPrefix("  for tokens")
                        ? "\(line)\n  profile lenient" : String(line)
                }.joined(separator: "\n")
            }
            return Document(
                name: line["name"]?.string ?? "",
                bytes: line["text"]?.string.map { Array($0.utf8) } ?? bytes(line["base64"]),
                request: try request(trust, files, at: line["at"]?.string ?? ""),
                expectation: line["expect"]?.string ?? "")
        }
    }

    @Test(arguments: ["jwt", "sd-jwt", "mdoc"])
    func `a real credential is genuine with the trust text of its operator, and a changed one never`(format: String)
        throws
    {
        for document in try Self.documents(format) {
            let report = document.report
            let found = (report.checks + report.inner.flatMap(\.checks)).filter { $0.outcome != .passed }
                .map { "\($0.code?.rawValue ?? "-") \($0.reason)" }
            switch document.expectation {
            case "genuine": #expect(report.result == .genuine, "\(document.name) \(found)")
            case "refused": #expect(report.result != .genuine, "\(document.name)")
            default: break
            }
        }
    }

    @Test func `each EU health certificate is genuine with its signer's certificate as the issuer's key`() throws {
        var count = 0
        for line in try Self.lines("codes/hcert.jsonl") {
            let text = line["text"]?.string ?? ""
            let token = try Zlib.decompress(
                try #require(Self.base45(text.utf8.dropFirst(4))),
                limits: Gzip.Limits(maximumBytes: 1 << 20, maximumRatio: 100))
            let clock = Self.withZone(line["clock"]?.string ?? "")
            let bare = try Self.request("", [:], at: clock)
            let content = CredentialVerifier(bare).verify(token).content
            let issuer = try #require(content.issuer)
            let pem = "-----BEGIN CERTIFICATE-----\n\(line["certificate"]?.string ?? "")\n-----END CERTIFICATE-----\n"
            var request = try Self.request(
                "issuer \"\(issuer)\"\n  pem signer.pem\n", ["signer.pem": Array(pem.utf8)],
                at: clock)
            // One of them is judged by its makers a week before it says it was issued.
            let issued = Int64(content.validity?.from?.int ?? 0) * 1000
            request.time = max(request.time, WallTime(millisecondsSinceEpoch: issued))
            let report = CredentialVerifier(request).verify(token)
            let found = report.checks.filter { $0.outcome != .passed }.map {
                "\($0.code?.rawValue ?? "-") \($0.reason)"
            }
            #expect(report.result == .genuine, "\(line["file"]?.string ?? "") \(issuer) \(found)")
            if report.result == .genuine { count += 1 }
        }
        #expect(count == 361)
    }
}
