import CommandTestSupport
import Foundation
import Testing

@Suite struct RecordingFactoryTests {
    @Test func `the session recordings in the repository are those that the generator makes`() throws {
        let folder = SampleRecordings.folder.appending(path: "symbolon")
        let made = try RecordingFactory.all()
        if ProcessInfo.processInfo.environment["SYMBOLON_REGENERATE"] != nil {
            for recording in made {
                try Data(recording.text.utf8).write(to: folder.appending(path: "\(recording.name).jsonl"))
            }
        }
        for recording in made {
            let stored = try Data(contentsOf: folder.appending(path: "\(recording.name).jsonl"))
            #expect(String(decoding: stored, as: UTF8.self) == recording.text, "\(recording.name)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
        #expect(names == made.map { "\($0.name).jsonl" }.sorted())
    }
}
