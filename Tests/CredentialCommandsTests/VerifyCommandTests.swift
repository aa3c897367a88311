import ByteCoding
import CommandTestSupport
import CryptoSuite
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct VerifyCommandTests {
    /// A folder with a credential of a did:key, a changed one and a trust file.
    private final class Files {
        let folder: URL

        init() throws {
            folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let token = try Self.token()
            try write(token, "good.jwt")
            try write(token.dropLast(4) + "AAAA", "forged.jwt")
            try write("method did:key\n", "trust.txt")
            try write("method did:key\nmethod did:key\n", "doubled.txt")
            try write("hello", "text.txt")
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        private func write(_ text: some StringProtocol, _ name: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }

        func path(_ name: String) -> String { folder.appending(path: name).path() }

        private static func token() throws -> String {
            let seed = Secret(copying: 0..<32)
            let did = "did:key:" + Multibase.encode([0xED, 0x01] + (try Ed25519.publicKey(for: seed)))
            let header: JSONObject = [
                "alg": "EdDSA", "typ": "vc+jwt", "kid": .string(did + "#" + did.dropFirst(8)),
            ]
            let payload: JSONObject = [
                "@context": .strings(["https://www.w3.org/ns/credentials/v2"]),
                "type": .strings(["VerifiableCredential", "Example"]), "issuer": .string(did),
                "validFrom": "2025-01-01T00:00:00Z", "validUntil": "2035-01-01T00:00:00Z",
                "credentialSubject": .object(["name": "Ada"]),
            ]
            let input = Base64URL.encode(header.encoded) + "." + Base64URL.encode(payload.encoded)
            return input + "." + Base64URL.encode(try Ed25519.sign(Array(input.utf8), seed: seed))
        }
    }

    private let time = ["--at", "2026-01-01T00:00:00Z"]

    @Test func `verify of a genuine credential exits with 0 and says so`() async throws {
        let files = try Files()
        let run = await CommandRun.run(
            ["verify", files.path("good.jwt"), "--trust", files.path("trust.txt")] + time)
        #expect(run.status == 0)
        #expect(run.lines.count == 4)
        #expect(run.lines[0] == "\(files.path("good.jwt")): genuine")
        #expect(run.lines[1].hasPrefix("  issued by: genuine, did:key:z6Mk"))
        #expect(run.lines[2...] == ["  holder: not shown", "  now: valid, as of 2026-01-01T00:00:00Z"])
    }

    @Test func `the example credential is genuine under the trust file beside it, and not without it`() async throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/credentials").standardizedFileURL
        let example = folder.appending(path: "national-id.json").path()
        let trust = folder.appending(path: "trust.txt").path()
        #expect(await CommandRun.run(["verify", example, "--trust", trust] + time).status == 0)
        #expect(await CommandRun.run(["verify", example] + time).status == 13)
    }

    @Test func `verify does not trust another did:key under the example's trust file`() async throws {
        let files = try Files()
        let trust = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/credentials/trust.txt").standardizedFileURL.path()
        let run = await CommandRun.run(["verify", files.path("good.jwt"), "--trust", trust] + time)
        #expect(run.status == 13)
        #expect(run.output.contains("credential.trust-issuer"))
    }

    @Test func `verify has an exit status for refused and one for not checked, and the worst file decides`()
        async throws
    {
        let files = try Files()
        let trust = ["--trust", files.path("trust.txt")]
        let refused = await CommandRun.run(["verify", files.path("forged.jwt")] + trust + time)
        #expect(refused.status == 12)
        #expect(refused.code == "verify.refused")
        #expect(refused.output.contains("refused: credential."))
        let unknown = await CommandRun.run(["verify", files.path("good.jwt")] + time)
        #expect(unknown.status == 13)
        #expect(unknown.code == "verify.not-checked")
        #expect(unknown.output.contains("not-checked: credential.trust-issuer"))
        #expect(unknown.words.contains("symbolon trust add did:key:z6Mk"))
        let names = ["text.txt", "forged.jwt", "good.jwt"].map(files.path)
        let all = await CommandRun.run(["verify"] + names + trust + time)
        #expect(all.status == 12)
        #expect(all.lines.count { !$0.hasPrefix("  ") } == 3)
    }

    @Test func `verify reports text with dots, or JSON that is no credential, as not checked`() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
        for name in ["README.md", "Sources/Runtime/CAssets/Files/desk.en.json"] {
            let run = await CommandRun.run(["verify", root.appending(path: name).path()] + time)
            #expect(run.status == 13, "\(name)")
            #expect(run.output.contains("not-checked: credential.format-unknown"), "\(run.output)")
        }
    }

    @Test func `a next step of verify quotes the issuer as one word for the shell`() async throws {
        let files = try Files()
        let payload: JSONObject = ["iss": "https://a.example/'\u{301}; touch x; '", "vct": "T"]
        let header = Base64URL.encode(Array(#"{"alg":"EdDSA","typ":"dc+sd-jwt"}"#.utf8))
        let token = header + "." + Base64URL.encode(payload.encoded) + "." + Base64URL.encode([1]) + "~"
        let path = files.folder.appending(path: "odd.sd-jwt")
        try Data(token.utf8).write(to: path)
        let run = await CommandRun.run(["verify", path.path()] + time)
        #expect(run.status == 13)
        let plain = String(decoding: run.words.utf8.filter { $0 < 0x80 }, as: UTF8.self)
        #expect(plain.contains(#"--issuer 'https://a.example/'\''; touch x; '\''' --type T"#))
    }

    @Test func `verify --at refuses a credential before and after its validity`() async throws {
        let files = try Files()
        for (time, code) in [
            ("2024-01-01T00:00:00Z", "credential.time-future"), ("2036-01-01T00:00:00Z", "credential.time-expired"),
        ] {
            let run = await CommandRun.run(
                "verify", files.path("good.jwt"), "--trust", files.path("trust.txt"), "--at", time)
            #expect(run.status == 12)
            #expect(run.output.contains(code))
        }
        let run = await CommandRun.run("verify", files.path("good.jwt"), "--at", "today")
        #expect(run.status == 2)
    }

    @Test func `verify --json prints one line with the checks of each file, and nothing else`() async throws {
        let files = try Files()
        let names = [files.path("good.jwt"), files.path("forged.jwt")]
        let run = await CommandRun.run(["verify", "--json", "--trust", files.path("trust.txt")] + names + time)
        #expect(run.lines.count == 2)
        let values = try run.lines.map { try JSONValue(parsing: $0) }
        #expect(values.map { $0["file"]?.string } == names)
        #expect(values.map { $0["result"]?.string } == ["genuine", "refused"])
        #expect(values.map { $0["issued"]?.string } == ["genuine", "refused"])
        #expect(values.map { $0["holder"]?.string } == ["not-shown", "not-shown"])
        #expect(values.map { $0["now"]?.string } == ["valid", "not-known"])
        let checks = try #require(values[0]["checks"]?.array)
        #expect(checks.first?["check"]?.string == "parse")
        #expect(checks.first?["outcome"]?.string == "passed")
        #expect(values[1]["checks"]?.array?.contains { $0["outcome"]?.string == "failed" } == true)
    }

    @Test func `verify warns once of a trust file that trusts a DID method, and in each line of JSON`()
        async throws
    {
        let files = try Files()
        let arguments = ["verify", files.path("good.jwt"), "--trust", files.path("trust.txt")] + time
        let run = await CommandRun.run(arguments)
        let warnings = run.talk.split(separator: "\n").filter { $0.contains("warning:") }
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("trust.txt line 1: method did:key trusts everyone") == true)
        #expect(warnings.first?.contains("issuer did:key:…, and below it types TYPE") == true)
        let json = try JSONValue(parsing: await CommandRun.run(arguments + ["--json"]).lines[0])
        #expect(json["warnings"]?.array?.count == 1)
        #expect(await CommandRun.run(arguments + ["--quiet"]).talk == "")
        let plain = await CommandRun.run(["verify", files.path("good.jwt"), "--json"] + time)
        #expect(!plain.output.contains("warnings"))
        #expect(!plain.talk.contains("warning:"))
    }

    @Test func `verify --explain shows every check and the key of each signature`() async throws {
        let files = try Files()
        let run = await CommandRun.run(
            ["verify", "--explain", files.path("good.jwt"), "--trust", files.path("trust.txt")] + time)
        #expect(run.output.contains("signed by did:key:z6Mk"))
        #expect(run.output.contains("signature: passed"))
        #expect(run.output.contains("status: not-done"))
    }

    @Test func `verify --type and --holder require a type and the holder's proof`() async throws {
        let files = try Files()
        let start = ["verify", files.path("good.jwt"), "--trust", files.path("trust.txt")] + time
        #expect(await CommandRun.run(start + ["--type", "Example"]).status == 0)
        #expect(await CommandRun.run(start + ["--type", "Other"]).status == 12)
        let run = await CommandRun.run(start + ["--holder"])
        #expect(run.status == 12)
        #expect(run.output.contains("credential.kb-missing"))
        for option in ["--nonce", "--audience"] {
            let stripped = await CommandRun.run(start + [option, "x"])
            #expect(stripped.status == 12 && stripped.output.contains("credential.kb-missing"))
        }
    }

    @Test func `verify checks the device MAC of a published mdoc with transcript and reader key`()
        async throws
    {
        guard OutsideVectors.arePresent else { return }
        let vectors = OutsideVectors.folder.appending(path: "mdoc/annex-d")
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let keys = try JSONValue(parsing: OutsideVectors.contents(of: "mdoc/annex-d/keys.json"))
        let scalar = try #require(keys["ephemeral_reader_key_d"]?.string.flatMap { Hex.decode($0) })
        let key: JSONObject = ["kty": "EC", "crv": "P-256", "d": .string(Base64URL.encode(scalar))]
        try Data(key.encoded).write(to: folder.appending(path: "reader.jwk"))
        try FileManager.default.copyItem(
            at: vectors.appending(path: "ds-certificate.der"), to: folder.appending(path: "ds.der"))
        try Data("root ds.der\n  for mdoc\n".utf8).write(to: folder.appending(path: "trust.txt"))
        let start = [
            "verify", vectors.appending(path: "device-response.cbor").path(), "--trust",
            folder.appending(path: "trust.txt").path(), "--at", "2020-10-02T00:00:00Z", "--holder",
        ]
        let transcript = ["--transcript", vectors.appending(path: "session-transcript-bytes.cbor").path()]
        let reader = ["--reader-key", folder.appending(path: "reader.jwk").path()]
        let proved = await CommandRun.run(start + transcript + reader)
        #expect(proved.status == 0 && proved.output.contains("holder: proved now"))
        #expect(await CommandRun.run(start + transcript).status == 13)
        let bare = await CommandRun.run(start)
        #expect(bare.status == 13 && bare.output.contains("credential.kb-unchecked"))
        #expect(await CommandRun.run(start + reader).status == 2)
        #expect(await CommandRun.run(start + ["--transcript", folder.appending(path: "ds.der").path()]).status == 2)
    }

    @Test func `a mistake in the trust file ends verify before any credential is read`() async throws {
        let files = try Files()
        let run = await CommandRun.run("verify", files.path("good.jwt"), "--trust", files.path("doubled.txt"))
        #expect(run.status == 10)
        #expect(run.code == "trust.doubled")
        #expect(run.output == "")
        let missing = await CommandRun.run("verify", files.path("nowhere.jwt"))
        #expect(missing.status == 3)
    }
}
