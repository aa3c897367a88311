import TestSupport
import Testing

@testable import LabCommands

@Suite struct DecoderTests {
    @Test func `a session recording cut short is read only where a line ends`() throws {
        let all = try RecordingFactory.all().map { Array($0.text.utf8) }
        let recording = try #require(all.min { $0.count < $1.count })
        let read = { (bytes: [UInt8]) in try SessionRecording(parsing: bytes) }
        let accepted = DecoderVerifier.acceptedTruncations(of: recording, by: read)
        #expect(!accepted.isEmpty)
        for length in accepted {
            let isEnd = recording[length - 1] == UInt8(ascii: "}") || recording[length - 1] == 10
            #expect(isEnd, "\(length)")
        }
        #expect(DecoderVerifier.acceptedExtensions(of: recording, by: read) == [])
    }
}
