import CommandTestSupport
import Testing

@Suite struct FileInspectionTests {
    private func inspect(_ text: String) async -> CommandRun { await CommandRun.run("inspect", "-", input: text) }

    @Test func `inspect shows what a credential claims, marked as not verified`() async {
        let run = await inspect(
            """
            {"@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential", "LibraryCard"],
             "issuer": "did:example:library", "validFrom": "2026-01-01T00:00:00Z",
             "credentialSubject": {"name": "Ada Sample"}}
            """)
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("This is a credential (json-ld).\n"))
        #expect(run.output.contains("  type          LibraryCard\n"))
        #expect(run.output.contains("  name          Ada Sample\n"))
        #expect(run.output.contains("  valid         from 2026-01-01, without end\n"))
        #expect(run.output.contains("  verified      no; the lines above are its own claims\n"))
    }

    @Test(arguments: [
        ("symbolon-key-1 AAAA\n", "the secret key of a vault"), ("symbolon-export\n\u{1}", "an exported vault"),
        ("{\"schema\":\"symbolon.events\",\"version\":1}\n{}\n", "events of a symbolon command"),
        ("{\"schema\":\"symbolon.prox.log\",\"version\":1}\n", "the head of a proximity run's log"),
        ("# agent\nlisten = 127.0.0.1:8040\n", "a file of settings"),
        ("vault = ~/vault\nkey-file = ~/vault.key\n", "settings of a user"),
        ("root roots.pem\n  for https://issuer.example\n", "a trust file"),
        ("time,sensor,id,detect,read,measure,share,visit,data\n", "the log of a phone with Herald"),
    ])
    func `inspect names each kind of file that the program writes or reads`(text: String, name: String) async {
        let run = await inspect(text)
        #expect(run.status == 0)
        #expect(run.output.contains(name), "\(run.output)\(run.talk)")
    }

    @Test func `inspect lists a trust file's issuers and purposes, and entries that trust too much`() async {
        let text = """
            issuer https://registry.example
              name "Civil Registry"
              types ResidencePermit BirthCertificate
            issuer did:key:z6MkiDB4XjkJ24Z4U4ojLRRgX4xAPZhfXq3ezgtEAyXTEWGV
            method did:key
            root iaca.pem
              for mdoc doctype org.iso.18013.5.1.mDL country US
              for tokens issuer https://a.example type urn:a
            context https://example.org/c
              file c.json
              jcs-sha256 \(String(repeating: "0", count: 64))
            status-list https://a.example/1
              file 1.jwt
              fetched 2026-11-20T10:00:00Z
            policy
              status optional
            """
        let run = await inspect(text)
        for line in [
            "issuer        https://registry.example (Civil Registry): ResidencePermit, BirthCertificate",
            "issuer        did:key:z6MkiDB4XjkJ24Z4U4ojLRRgX4xAPZhfXq3ezgtEAyXTEWGV: every type",
            "method        did:key: anyone, every type",
            "root          iaca.pem: mobile documents, org.iso.18013.5.1.mDL, from US; tokens of https://a.example, urn:a",
            "context       https://example.org/c",
            "status-list   https://a.example/1: fetched 2026-11-20T10:00:00Z, fresh for 24h",
            "policy        status optional",
            "WARNING       line 5: method did:key trusts everyone: anyone can make a did:key and issue any type.",
            "wide open     line 4: did:key:z6MkiDB4XjkJ24Z4U4ojLRRgX4xAPZhfXq3ezgtEAyXTEWGV may issue every type.",
        ] {
            #expect(run.lines.contains("  " + line), "\(line)\n\(run.output)")
        }
        #expect(!run.output.contains("line 1:"))
        let json = await CommandRun.run(["inspect", "-", "--json"], .init(input: Array(text.utf8)))
        #expect(json.output.contains(#""WARNING: line 5: method did:key trusts everyone"#))
    }

    @Test func `inspect names a vault's folder, and refuses another folder`() async throws {
        let folder = try TemporaryFolder()
        #expect(await CommandRun.run("inspect", folder.path).code == "input.not-readable")
        _ = try folder.write("vault.sqlite", "x")
        #expect(await CommandRun.run("inspect", folder.path).output.contains("This is a vault"))
    }

    @Test func `inspect refuses text of an unknown format`() async {
        #expect(await inspect("Nothing of ours.").code == "input.not-recognised")
        #expect(await inspect("{\"x\": 1}").status != 0)
    }
}
