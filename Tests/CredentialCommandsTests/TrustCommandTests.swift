import ByteCoding
import CommandTestSupport
import CryptoSuite
import Foundation
import JSON
import TestSupport
import Testing

@Suite struct TrustCommandTests {
    private static let pem =
        "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n"
    private static let did = "did:key:z6MkiDB4XjkJ24Z4U4ojLRRgX4xAPZhfXq3ezgtEAyXTEWGV"
    private static let context = #"{"@context":{"a":"https://a.example/a"}}"#

    /// A home folder with a key, a context and a folder for the trust file that is not there yet.
    private struct Home {
        let folder: TemporaryFolder
        let key: String

        init() throws {
            folder = try TemporaryFolder()
            key = try folder.write("issuer.pub", TrustCommandTests.pem)
        }

        var trustFolder: String { folder.path + "/.config/symbolon/trust" }
        var trust: String {
            get throws { String(decoding: try folder.read(".config/symbolon/trust/trust.txt"), as: UTF8.self) }
        }

        /// Runs a command in this home; with `answers` on a terminal.
        func run(_ arguments: [String], answers: [String]? = nil) async -> CommandRun {
            var setup = CommandRun.Setup(variables: ["HOME": folder.path, "TERM": "dumb"])
            setup.isTerminal = answers != nil
            setup.answers = answers ?? []
            return await CommandRun.run(arguments, setup)
        }

        /// Adds the key for one type, without a question.
        func addKey() async -> CommandRun {
            await run(
                ["trust", "add", key, "--issuer", "https://registry.example", "--type", "ResidencePermit"]
                    + ["--name", "Civil Registry", "--yes"])
        }
    }

    @Test(.shows("TF1", "MDR-128"))
    func `trust add shows a key, asks, copies the file, and writes its digest`() async throws {
        let home = try Home()
        let arguments = [
            "trust", "add", home.key, "--issuer", "https://registry.example", "--type", "ResidencePermit", "--type",
            "Birth Certificate", "--name", "Civil Registry",
        ]
        let run = await home.run(arguments, answers: ["y"])
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.words.contains("issuer.pub is a public key (Ed25519). SHA-256"))
        let der = try #require(Base64.decode(Self.pem.split(separator: "\n")[1]))
        #expect(run.talk.contains(Hex.encode(SHA256.hash(der))))
        #expect(
            run.words.contains(
                "trusts issuer https://registry.example (Civil Registry): ResidencePermit, Birth Certificate"))
        #expect(run.talk.contains("Trust this? [y/N]"))
        let digest = Hex.encode(SHA256.hash(Array(Self.pem.utf8)))
        #expect(
            try home.trust.hasSuffix(
                """
                issuer https://registry.example
                  name "Civil Registry"
                  types ResidencePermit "Birth Certificate"
                  pem issuer.pub sha256 \(digest)

                """))
        #expect(try home.folder.names(in: ".config/symbolon/trust") == ["issuer.pub", "trust.txt"])
        #expect(await home.run(["trust", "check"]).status == 0)
    }

    @Test(.shows("TF1")) func `trust add changes nothing after a no, an empty answer, or without a terminal`()
        async throws
    {
        let home = try Home()
        let arguments = ["trust", "add", home.key, "--issuer", "https://registry.example"]
        for answers in [["n"], [""], []] {
            let run = await home.run(arguments, answers: answers)
            #expect(run.status == 0)
            #expect(run.talk.contains("Nothing was changed."))
        }
        let run = await home.run(arguments)
        #expect(run.code == "usage.missing-option")
        #expect(run.words.contains("next: Compare the SHA-256 above with what the issuer publishes, and add --yes."))
        #expect(!FileManager.default.fileExists(atPath: home.trustFolder))
    }

    @Test func `trust add refuses a trust file with a mistake, and leaves it unchanged`() async throws {
        let home = try Home()
        for (text, code) in [
            ("isuer a\n", "trust.unknown-word"), ("issuer https://registry.example\n", "trust.doubled"),
            ("root gone.pem\n  for mdoc\n", "trust.file-missing"),
        ] {
            let trust = try home.folder.write("own.txt", text)
            let run = await home.run(
                ["trust", "add", home.key, "--issuer", "https://registry.example", "--yes", "--trust", trust])
            #expect(run.code == code)
            #expect(try home.folder.read("own.txt") == Array(text.utf8))
        }
        #expect(try home.folder.names() == ["issuer.pub", "own.txt"])
    }

    @Test func `trust add refuses private keys, unknown files and missing options with a next step`() async throws {
        let home = try Home()
        let secret = try home.folder.write("secret.pem", Self.pem.replacing("PUBLIC", with: "PRIVATE"))
        let text = try home.folder.write("text.txt", "hello")
        let context = try home.folder.write("c.json", Self.context)
        for (arguments, code, next) in [
            ([secret], "trust.private-key", "openssl pkey -in FILE -pubout"), ([text], "trust.not-recognised", "VICAL"),
            ([home.key], "usage.missing-option", "Add --issuer ID"),
            ([context], "usage.missing-option", "Add --address URL"),
            ([home.key, "--issuer", "did:web:a\"b"], "usage.bad-value", "Leave it out"),
            ([home.key, "--issuer", "Uni (https://uni.example)"], "usage.bad-value", "DID or address"),
            ([home.key, "--issuer", "https://uni.example/\u{430}"], "usage.bad-value", "DID or address"),
            ([home.folder.path + "/none"], "input.not-found", "Check the path"),
            (["https://none.example", "--type", "A"], "trust.no-such-entry", "as --issuer"),
            (["did:web:none.example"], "trust.no-such-entry", "as --issuer"),
            (["did:key:zQQQ"], "trust.not-recognised", "Give a public key"),
            (["did:jwk:e30", "--issuer", "https://a.example"], "trust.not-recognised", "Give a public key"),
        ] {
            let run = await home.run(["trust", "add"] + arguments + ["--yes"])
            #expect(run.code == code)
            #expect(run.words.contains(next), "\(run.talk)")
        }
        #expect(!FileManager.default.fileExists(atPath: home.trustFolder))
    }

    @Test func `trust add pins a JSON-LD context by its canonical digest, and a did:key without a file`() async throws {
        let home = try Home()
        let context = try home.folder.write("c.json", "{ \"@context\": {\"a\": \"https://a.example/a\"} }\n")
        let run = await home.run(["trust", "add", context, "--address", "https://a.example/c", Self.did, "--yes"])
        #expect(run.status == 0, "\(run.talk)")
        #expect(try home.trust.contains("  jcs-sha256 \(Hex.encode(SHA256.hash(Array(Self.context.utf8))))\n"))
        #expect(try home.trust.contains("issuer \(Self.did)\n"))
        #expect(run.words.contains("may issue every type"))
    }

    @Test func `trust add adds a did:key as the key of another issuer, with the allowed types`() async throws {
        let home = try Home()
        let run = await home.run(
            ["trust", "add", Self.did, "--issuer", "https://a.example/me", "--type", "Permit", "--yes"])
        #expect(run.status == 0, "\(run.talk)")
        let method = "\(Self.did)#\(Self.did.dropFirst("did:key:".count))"
        #expect(try home.trust.contains("key \(method)\n  for https://a.example/me\n"))
        #expect(try home.trust.contains("issuer https://a.example/me\n  types Permit\n"))
        let second = await home.run(["trust", "add", Self.did, "--issuer", "https://b.example", "--yes"])
        #expect(second.code == "trust.doubled", "\(second.talk)")
    }

    @Test func `trust add gives a listed issuer one more type, and keeps the rest of its line`() async throws {
        let home = try Home()
        let path = try home.folder.write(
            "own.txt",
            "issuer https://a.example\n  types Permit \"a b\"  # both\nissuer \(Self.did)\n  types A\nissuer b\n")
        for (issuer, type) in [("https://a.example", "Visa"), (Self.did, "B c"), (Self.did, "A")] {
            let run = await home.run(["trust", "add", issuer, "--type", type, "--trust", path, "--yes"])
            #expect(run.status == 0, "\(run.talk)")
        }
        #expect(
            String(decoding: try home.folder.read("own.txt"), as: UTF8.self)
                == "issuer https://a.example\n  types Permit \"a b\" Visa  # both\nissuer \(Self.did)\n  types A \"B c\"\nissuer b\n"
        )
        // An issuer that may issue every type has no line to extend.
        #expect(
            await home.run(["trust", "add", "b", "--type", "A", "--trust", path, "--yes"]).code == "input.not-found")
        let key = await home.run(
            ["trust", "add", home.key, "--issuer", "https://a.example", "--type", "Visa", "--trust", path, "--yes"])
        #expect(key.code == "trust.doubled")
        #expect(key.words.contains("symbolon trust add https://a.example --type TYPE"), "\(key.talk)")
    }

    @Test func `trust add refuses an option that does not apply to the added item`() async throws {
        let home = try Home()
        let context = try home.folder.write("c.json", Self.context)
        let address = ["--address", "https://a.example/c"]
        for (arguments, option) in [
            ([Self.did, "--country", "NO"], "country"),
            ([home.key, "--issuer", "https://a.example"] + address, "address"),
            ([context, "--name", "A"] + address, "name"), ([Self.did, "--lenient"], "lenient"),
            ([Self.did, "--for", "mdoc"], "for"), ([Self.did, "--root", "r.pem"], "root"),
            ([home.key, "--issuer", "https://a.example", "--accept-labels"], "accept-labels"),
        ] {
            let run = await home.run(["trust", "add"] + arguments + ["--yes"])
            #expect(run.code == "usage.conflict", "\(run.talk)")
            #expect(run.words.contains("--\(option) says nothing"), "\(run.talk)")
        }
        #expect(!FileManager.default.fileExists(atPath: home.trustFolder))
    }

    @Test func `trust add adds a root certificate for its purpose, with its digest`() async throws {
        let home = try Home()
        let vectors = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Vectors/credentials/trust").standardizedFileURL
        // Some of them are revocation lists.
        let names = try FileManager.default.contentsOfDirectory(atPath: vectors.path()).sorted()
        let der = try #require(
            names.first { name in
                let bytes = (try? Data(contentsOf: vectors.appending(path: name))) ?? Data()
                return name.hasSuffix(".der") && (try? Certificate(der: [UInt8](bytes)))?.subject.commonName == "Root"
            })
        let root = vectors.appending(path: der).path()
        let arguments = ["trust", "add", root, "--for", "tokens", "--issuer", "https://a.example", "--type", "urn:a"]
        let run = await home.run(arguments + ["--lenient", "--yes"])
        #expect(run.status == 0, "\(run.talk)")
        let digest = Hex.encode(SHA256.hash([UInt8](try Data(contentsOf: URL(filePath: root)))))
        #expect(
            try home.trust.hasSuffix(
                """
                root \(der)
                  sha256 \(digest)
                  for tokens issuer https://a.example type urn:a
                  profile lenient

                """))
        #expect(run.talk.contains("SHA-256  \(digest) (certificate)"))
    }

    @Test func `trust add replaces an earlier status list with a newer one`() async throws {
        let home = try Home()
        let list = #"{"id":"https://a.example/1","type":["VerifiableCredential","BitstringStatusListCredential"],"n":"#
        for number in 1...2 {
            let file = try home.folder.write("list.json", list + "\(number)}")
            #expect(await home.run(["trust", "add", file, "--yes"]).status == 0)
        }
        #expect(try home.trust.split(separator: "\n").count { $0.hasPrefix("status-list ") } == 1)
        #expect(try home.trust.contains("  file list-2.json\n"))
    }

    @Test func `trust list and trust remove name entries by their subject`() async throws {
        let home = try Home()
        #expect(await home.run(["trust", "list"]).words.contains("Nothing is trusted. symbolon trust add FILE"))
        #expect(await home.addKey().status == 0)
        let list = await home.run(["trust", "list"])
        #expect(list.lines == ["issuer https://registry.example (Civil Registry): ResidencePermit"])
        #expect(list.words.contains("The trust file is \(home.trustFolder)/trust.txt."))
        #expect(await home.run(["trust", "remove", "https://other.example", "--yes"]).code == "trust.no-such-entry")
        #expect(await home.run(["trust", "remove", "https://registry.example"], answers: ["n"]).status == 0)
        #expect(await home.run(["trust", "list"]).lines.count == 1)
        let removed = await home.run(["trust", "remove", "https://registry.example", "--yes"])
        #expect(removed.lines == ["removed  issuer https://registry.example (Civil Registry): ResidencePermit"])
        #expect(try home.trust == "")
        #expect(await home.run(["trust", "list"]).lines == [])
    }

    @Test(.shows("TF2", "TF4"))
    func `trust check names changed files, stale status lists, and lines that trust everyone`()
        async throws
    {
        let home = try Home()
        _ = await home.addKey()
        #expect(await home.run(["trust", "check"]).status == 0)
        try Data("changed".utf8).write(to: URL(filePath: home.trustFolder + "/issuer.pub"))
        #expect(await home.run(["trust", "check"]).code == "trust.digest-mismatch")
        _ = try home.folder.write(
            "l.json",
            #"{"id":"https://a.example/1","type":["BitstringStatusListCredential"],"credentialSubject":{"ttl":1000}}"#)
        let trust = try home.folder.write(
            "t.txt", "method did:key\nstatus-list https://a.example/1\n  file l.json\n  fetched 2020-01-01\n")
        let run = await home.run(["trust", "check", "--trust", trust])
        #expect(run.code == "trust.unsound")
        #expect(run.status == 10)
        #expect(run.output.contains("WARNING  line 1: method did:key trusts everyone"))
        #expect(run.output.contains("WARNING  line 2: The status-list https://a.example/1 has not been fresh since"))
        #expect(run.words.contains("status-list https://a.example/1: fresh until 2020-01-01T00:00:01Z"))
    }

    @Test func `verify reads the default trust file when none is named, and says which`() async throws {
        let home = try Home()
        let example = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Examples/credentials/national-id.json").standardizedFileURL.path()
        let time = ["--at", "2026-01-01T00:00:00Z"]
        #expect(await home.run(["verify", example] + time).status == 13)
        let issuer = "did:key:z6MkuUGcxwHHY7muyP3Rgh7ESqMFwZQGp7qzFPpVDAFoAHxz"
        _ = await home.run(["trust", "add", issuer, "--type", "NationalIdentityCredential", "--yes"])
        let run = await home.run(["verify", example] + time)
        #expect(run.status == 0)
        #expect(run.words.contains("The trust file is \(home.trustFolder)/trust.txt."))
        let empty = try home.folder.write("empty.txt", "")
        #expect(await home.run(["verify", example, "--trust", empty] + time).status == 13)
        var setup = CommandRun.Setup(variables: ["HOME": home.folder.path, "SYMBOLON_TRUST": empty])
        #expect(await CommandRun.run(["verify", example] + time, setup).status == 13)
        setup = CommandRun.Setup(variables: ["HOME": home.folder.path, "SYMBOLON_TRUST": empty + "-gone"])
        #expect(await CommandRun.run(["verify", example] + time, setup).code == "input.not-found")
    }
}
