import ByteCoding
import CryptoSuite
import Determinism
import JSON
import TestSupport
import Testing

@testable import Credentials

@Suite struct TrustFileTests {
    private let document = Array("{\"id\":\"did:web:issuer.example\"}".utf8)
    private let context = Array("{ \"@context\": {\"b\":1, \"a\":2} }".utf8)

    private var documentDigest: String { Hex.encode(SHA256.hash(document)) }
    private var contextDigest: String { Hex.encode(SHA256.hash(Array("{\"@context\":{\"a\":2,\"b\":1}}".utf8))) }

    private var files: [String: [UInt8]] {
        [
            "keys/a b.json": document, "ctx.json": context, "list.jwt": [1, 2, 3], "root.der": [0x30, 1, 2],
            "root.pem": Array(
                "-----BEGIN CERTIFICATE-----\n\(Base64.encode([0x30, 9, 9]))\n-----END CERTIFICATE-----\n".utf8),
        ]
    }

    private var text: String {
        """
        # Who may issue.
        issuer did:web:issuer.example   # with a comment
          document "keys/a b.json" sha256 \(documentDigest) taken 2025-01-02
          relationships controller-listed
          types FarmerCredential SchoolCredential
          status own did:web:status.example
        key https://issuer.example/key#1
          file "keys/a b.json" sha256 \(documentDigest)
          for https://issuer.example/controller

        method did:key
        root root.pem
          for mdoc doctype org.iso.18013.5.1.mDL country US
        root root.der
          for tokens issuer https://a.example issuer https://b.example
        context https://example.org/c
          file ctx.json
          jcs-sha256 \(contextDigest)
          labels accept
        context inline
          jcs-sha256 \(contextDigest)
        status-list https://issuer.example/list
          file list.jwt
          fetched 2025-01-01T00:00:00Z
          max-age 2h
        policy
          tolerance 5m
          require status
          want trust
          report labels
          fresh-status require
        """
    }

    private func store(_ text: String) throws(TrustFileError) -> TrustStore {
        try TrustFile(parsing: Array(text.utf8)).store(files: files)
    }

    private func error(_ text: String) -> (code: TrustFileError.Code, line: Int)? {
        do throws(TrustFileError) {
            let file = try TrustFile(parsing: Array(text.utf8))
            _ = try file.store(files: files)
            var policy = VerificationPolicy()
            try file.apply(to: &policy)
            return nil
        } catch { return (error.code, error.line) }
    }

    @Test func `a trust file is read into a trust store with all its entries`() throws {
        let store = try store(text)
        let issuer = try #require(store.issuer("did:web:issuer.example"))
        #expect(issuer.document?["id"]?.string == "did:web:issuer.example")
        #expect(issuer.relationships == .controllerListed)
        #expect(issuer.types == ["FarmerCredential", "SchoolCredential"])
        #expect(issuer.statusIssuers == ["did:web:status.example"])
        #expect(store.keys.map(\.address) == ["https://issuer.example/key#1"])
        #expect(store.keys[0].issuers == ["https://issuer.example/controller"])
        #expect(store.methods == ["did:key"])
        #expect(store.roots.map(\.certificate) == [[0x30, 9, 9], [0x30, 1, 2]])
        #expect(
            store.roots.map(\.purpose) == [
                .mobileDocuments(types: ["org.iso.18013.5.1.mDL"], country: "US"),
                .tokens(issuers: ["https://a.example", "https://b.example"], types: []),
            ])
        #expect(store.contexts.map(\.address) == ["https://example.org/c", nil])
        #expect(store.contexts.map(\.acceptsLabels) == [true, false])
        #expect(store.statusList("https://issuer.example/list")?.maximumAgeSeconds == 7200)
        #expect(store.statusLists[0].fetchedAt.millisecondsSinceEpoch == 1_735_689_600_000)
    }

    @Test func `the policy of a trust file changes only the settings that it names`() throws {
        var policy = VerificationPolicy()
        try TrustFile(parsing: Array(text.utf8)).apply(to: &policy)
        #expect(policy.toleranceSeconds == 300)
        #expect(policy.demand(on: .status) == .required)
        #expect(policy.demand(on: .trust) == .wanted)
        #expect(policy.demand(on: .labels) == .reported)
        #expect(policy.demand(on: .signature) == .required)
        #expect(policy.requiresFreshStatus)
    }

    @Test func `the list of a trust file's referenced files has each path once`() throws {
        let paths = try TrustFile(parsing: Array(text.utf8)).paths
        #expect(paths == ["keys/a b.json", "root.pem", "root.der", "ctx.json", "list.jwt"])
    }

    @Test func `a mistake in a trust file refuses the whole file and names its line`() {
        let digest = String(repeating: "0", count: 64)
        let cases: [(String, TrustFileError.Code, Int)] = [
            ("isuer did:web:a", .unknownWord, 1), ("  document x", .syntax, 1), ("issuer", .syntax, 1),
            ("issuer a\n  colour red", .unknownWord, 2), ("issuer a\nissuer a", .doubled, 2),
            ("issuer a\n  types x\n  types y", .doubled, 3), ("issuer \"a", .syntax, 1), ("issuer \"a\"b", .syntax, 1),
            ("issuer a\"b\"", .syntax, 1), ("key https://a", .missingSetting, 1),
            ("key https://a\n  for https://b", .missingSetting, 1), ("key did:key:z6Mk", .missingSetting, 1),
            ("issuer a\n  document list.jwt sha256 \(digest)", .digestMismatch, 2),
            ("issuer a\n  document nowhere sha256 \(digest)", .fileMissing, 2),
            ("issuer a\n  document list.jwt md5 \(digest)", .syntax, 2),
            ("issuer a\n  document list.jwt sha256 00", .syntax, 2),
            ("issuer a\n  document list.jwt sha256 \(Hex.encode(SHA256.hash([1, 2, 3])))", .fileMalformed, 2),
            ("issuer a\n  relationships any", .unknownWord, 2), ("method key", .syntax, 1),
            ("method did:web:a", .syntax, 1), ("root list.jwt\n  for tokens", .fileMalformed, 1),
            ("root root.der\n  for everything", .unknownWord, 2), ("root root.der", .missingSetting, 1),
            ("root root.der\n  for tokens country US", .unknownWord, 2),
            ("context https://a\n  jcs-sha256 \(digest)", .missingSetting, 1),
            ("context https://a\n  file ctx.json\n  jcs-sha256 \(digest)", .digestMismatch, 2),
            ("context inline\n  jcs-sha256 \(digest)\n  labels maybe", .unknownWord, 3),
            ("status-list https://a\n  file list.jwt\n  fetched now", .syntax, 1),
            ("status-list https://a\n  file list.jwt\n  fetched 2025-01-01\n  max-age 3w", .syntax, 4),
            ("policy\n  require luck", .unknownWord, 2), ("policy\n  tolerance 1", .syntax, 2),
            ("policy\n  fresh-status maybe", .unknownWord, 2),
        ]
        for (text, code, line) in cases {
            let found = error(text)
            #expect(found?.code == code, "\(text)")
            #expect(found?.line == line, "\(text)")
        }
    }

    /// The public key of RFC 8410, section 10.1, in PEM.
    private static let pem = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=
        -----END PUBLIC KEY-----

        """

    private func store(_ text: String, adding more: [String: String]) throws(TrustFileError) -> TrustStore {
        let files = files.merging(more.mapValues { Array($0.utf8) }) { one, _ in one }
        return try TrustFile(parsing: Array(text.utf8)).store(files: files)
    }

    @Test func `a trust file's names, lenient profile, token types and status signer are read`() throws {
        let store = try store(
            """
            issuer https://registry.example
              name "Civil Registry of Norvenia"
            root root.der
              name "Ministry of Norvenia"
              sha256 \(Hex.encode(SHA256.hash([0x30, 1, 2])))
              profile lenient
              status https://status.example
              for mdoc doctype org.iso.18013.5.1.mDL
              for tokens issuer https://a.example type urn:a type urn:b
            root root.pem
              profile strict
              for tokens
            """)
        #expect(store.issuers[0].name == "Civil Registry of Norvenia")
        #expect(store.roots.map(\.path) == ["root.der", "root.der", "root.pem"])
        #expect(store.roots.map(\.name) == ["Ministry of Norvenia", "Ministry of Norvenia", nil])
        #expect(store.roots.map(\.isLenient) == [true, true, false])
        #expect(store.roots.map(\.statusIssuers) == [["https://status.example"], ["https://status.example"], []])
        #expect(
            store.roots.map(\.purpose) == [
                .mobileDocuments(types: ["org.iso.18013.5.1.mDL"], country: nil),
                .tokens(issuers: ["https://a.example"], types: ["urn:a", "urn:b"]), .tokens(issuers: [], types: []),
            ])
    }

    @Test func `a trust file's issuer key is read from a PEM file, with or without its digest`() throws {
        let digest = Hex.encode(SHA256.hash(Array(Self.pem.utf8)))
        for line in ["pem issuer.pub", "pem issuer.pub sha256 \(digest)"] {
            let store = try store("issuer https://a.example\n  \(line)", adding: ["issuer.pub": Self.pem])
            #expect(
                store.issuers[0].pemKey
                    == .ed25519(
                        try #require(
                            Hex.decode("19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1"))))
        }
        let paths = try TrustFile(parsing: Array("issuer a\n  pem issuer.pub".utf8)).paths
        #expect(paths == ["issuer.pub"])
    }

    @Test func `a trust file's PEM key that is private, no PEM, or changed is refused`() throws {
        let zeros = String(repeating: "0", count: 64)
        let cases: [(String, String, TrustFileError.Code)] = [
            ("pem k", Self.pem.replacing("PUBLIC", with: "PRIVATE"), .fileMalformed),
            ("pem k", "hello", .fileMalformed),
            ("pem k", Self.pem + Self.pem, .fileMalformed), ("pem k sha256 \(zeros)", Self.pem, .digestMismatch),
            ("pem k md5 \(zeros)", Self.pem, .syntax), ("pem k sha256", Self.pem, .syntax),
            ("pem nowhere", Self.pem, .fileMissing),
        ]
        for (line, content, code) in cases {
            #expect(throws: TrustFileError(code, line: 2, "")) {
                try store("issuer a\n  \(line)", adding: ["k": content])
            }
        }
    }

    @Test func `a root certificate may be listed twice with different purposes, and not with the same`() throws {
        let twice = try store("root root.der\n  for mdoc\nroot root.der\n  for tokens")
        #expect(twice.roots.map(\.certificate) == [[0x30, 1, 2], [0x30, 1, 2]])
        #expect(try store("root root.der\n  for mdoc country US\n  for mdoc country DE").roots.count == 2)
        #expect(error("root root.der\n  for mdoc\nroot root.der\n  for mdoc")?.line == 3)
        #expect(error("root root.der\n  for mdoc\n  for mdoc")?.line == 3)
        #expect(error("root root.der\n  for mdoc\nroot root.der\n  for tokens\n  for mdoc")?.code == .doubled)
    }

    @Test func `the newer settings of a trust file refuse unknown or malformed values`() {
        let cases: [(String, TrustFileError.Code, Int)] = [
            ("issuer a\n  name", .syntax, 2), ("issuer a\n  name Civil Registry", .syntax, 2),
            ("issuer a\n  name \"\"", .syntax, 2), ("issuer a\n  name \"a\u{202E}b\"", .syntax, 2),
            ("issuer a\n  name \"\(String(repeating: "a", count: 101))\"", .syntax, 2),
            ("root root.der\n  for tokens\n  profile soft", .unknownWord, 3),
            ("root root.der\n  for tokens\n  profile lenient\n  profile strict", .doubled, 4),
            ("root root.der\n  for mdoc type a", .unknownWord, 2),
            ("root root.der\n  for tokens type", .unknownWord, 2),
            ("root root.der\n  for tokens\n  sha256 \(String(repeating: "0", count: 64))", .digestMismatch, 3),
            ("policy\n  status perhaps", .unknownWord, 2),
            ("policy\n  status optional\n  status required", .doubled, 3),
            ("policy\n  status optional\n  require status", .doubled, 3),
            ("policy\n  want status\n  status optional", .doubled, 3),
        ]
        for (text, code, line) in cases {
            let found = error(text)
            #expect(found?.code == code, "\(text)")
            #expect(found?.line == line, "\(text)")
        }
        let name = String(repeating: "é", count: 100)
        #expect((try? store("issuer a\n  name \"\(name)\""))?.issuers[0].name == name)
    }

    @Test func `the trust file's policy makes an unknown status optional or required`() throws {
        var policy = VerificationPolicy()
        try TrustFile(parsing: Array("policy\n  status optional".utf8)).apply(to: &policy)
        #expect(policy.isStatusOptional)
        try TrustFile(parsing: Array("policy\n  status required".utf8)).apply(to: &policy)
        #expect(!policy.isStatusOptional)
    }

    @Test func `a file that differs from its digest in the trust file is reported with both digests`() {
        do throws(TrustFileError) {
            let zeros = String(repeating: "0", count: 64)
            _ = try store("issuer a\n  document \"keys/a b.json\" sha256 \(zeros)")
            Issue.record("taken")
        } catch {
            #expect(error.reason.contains("is \(documentDigest), and the trust file has 0000"))
        }
    }

    @Test func `a trust file that is too long, or not UTF-8, is refused`() {
        #expect(throws: TrustFileError(.syntax, line: 0, "")) { try TrustFile(parsing: [0xFF]) }
        let long = [UInt8](repeating: 0x20, count: TrustFile.maximumBytes)
        #expect((try? TrustFile(parsing: long)) != nil)
        #expect(throws: TrustFileError(.tooLarge, line: 0, "")) { try TrustFile(parsing: long + [0x20]) }
        let lines = [UInt8](repeating: 0x0A, count: TrustFile.maximumLines)
        #expect(throws: TrustFileError(.tooLarge, line: 0, "")) { try TrustFile(parsing: lines) }
    }

    @Test func `a trust file cut off anywhere never traps`() {
        let bytes = Array(text.utf8)
        for length in 0..<bytes.count { _ = try? TrustFile(parsing: Array(bytes[..<length])).store(files: files) }
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { try TrustFile(parsing: $0) }.contains(0xFF) == false)
    }
}
