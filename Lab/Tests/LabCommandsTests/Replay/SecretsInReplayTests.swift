import ByteCoding
import CommandTestSupport
import TestSupport
import Testing

@Suite struct SecretsInReplayTests {
    @Test(.shows("T11")) func `replaying a recording prints no private key`() async throws {
        let folder = try TemporaryFolder()
        for recording in try RecordingFactory.all() {
            let run = await CommandRun.lab("tuvali", "replay", try folder.write("r.jsonl", recording.text))
            for key in [RecordingFactory.verifierKey, RecordingFactory.walletKey] {
                let bytes = try #require(Hex.decode(key))
                #expect(SecretSearch.leaks(of: bytes, in: run.output + run.talk) == [], "\(recording.name)")
            }
        }
    }
}
