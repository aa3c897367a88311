import CommandTestSupport
import Testing

@Suite struct FileInspectionTests {
    private func inspect(_ text: String) async -> CommandRun { await CommandRun.run("inspect", "-", input: text) }

    @Test func `a credential is named with what it says of itself, and as not verified`() async {
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
        #expect(run.output.contains("  verified      no; what stands above is what it says of itself\n"))
    }

    @Test(arguments: [
        ("symbolon-key-1 AAAA\n", "the secret key of a vault"), ("symbolon-export\n\u{1}", "an exported vault"),
        ("{\"schema\":\"symbolon.events\",\"version\":1}\n{}\n", "events of a symbolon command"),
        ("{\"schema\":\"symbolon.prox.log\",\"version\":1}\n", "the head of a proximity run's log"),
        ("# agent\nlisten = 127.0.0.1:8040\n", "a file of settings"),
        ("root roots.pem\n  for https://issuer.example\n", "a trust file"),
        ("<svg></svg>", "a picture"),
    ])
    func `a file that the program writes or reads is named`(text: String, name: String) async {
        let run = await inspect(text)
        #expect(run.status == 0)
        #expect(run.output.contains(name), "\(run.output)\(run.talk)")
    }

    @Test func `a vault's folder is named, and another folder is refused`() async throws {
        let folder = try TemporaryFolder()
        #expect(await CommandRun.run("inspect", folder.path).code == "input.not-readable")
        _ = try folder.write("vault.sqlite", "x")
        #expect(await CommandRun.run("inspect", folder.path).output.contains("This is a vault"))
    }

    @Test func `text without a known form is refused`() async {
        #expect(await inspect("Nothing of ours.").code == "input.not-recognised")
        #expect(await inspect("{\"x\": 1}").status != 0)
    }
}
