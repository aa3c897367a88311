import ByteCoding
import Determinism
import Testing
import Tuvali

@testable import CommandProgram
@testable import LabCommands

@Suite struct SessionRecordingTests {
    private static let header =
        #"{"role":"verifier","privateKey":"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"}"#

    private func reason(_ lines: String...) -> String? {
        do {
            _ = try SessionRecording(parsing: Array(lines.joined(separator: "\n").utf8))
            return nil
        } catch {
            #expect(error.code == .recordingMalformed)
            return error.reason
        }
    }

    @Test func `a recording has a default profile and MTU, and its empty lines are skipped`() throws {
        let recording = try SessionRecording(
            parsing: Array("\n\(Self.header)\r\n\n  \n{\"write\":\"reportRequest\",\"value\":\"01\"}\n".utf8))
        #expect(recording.profile == .tuvali05)
        #expect(recording.attMTU == 512)
        #expect(recording.lines == [.init(number: 5, step: .peer(.reportRequest, [1]))])
    }

    @Test(arguments: [
        (#"{"write":"identify","value":"0"}"#, "“value” must be hexadecimal digits, two a byte."),
        (#"{"write":"identify"}"#, "“value” is missing."),
        (
            #"{"write":"nothing","value":""}"#,
            "“nothing” is not one of identify, responseSize, submitResponse, reportRequest."
        ),
        (
            #"{"write":"disconnect","value":""}"#,
            "“disconnect” is not one of identify, responseSize, submitResponse, reportRequest."
        ),
        (
            #"{"expect":"identify","value":""}"#,
            "“identify” is not one of reportResponse, verificationStatus, disconnect."
        ),
        (#"{"notify":"disconnect","value":""}"#, "A line of a verifier says “write” or “expect”."),
        (#"{"write":"identify","value":"","more":1}"#, "“more” is not known here."),
        (#"{"write":1,"value":""}"#, "“write” must be a text."),
        (#"{"expect":"result","value":"maybe"}"#, "An expected result is delivered or failed."),
        (#"{"write":"identify","value":"00"} x"#, "something follows the value at character 35."),
        (#"["write"]"#, "no object is at character 1."),
        (#"{"write":"identify","write":"identify"}"#, "a name that was there before is at character 21."),
    ])
    func `a malformed line of a session recording is reported with its number`(line: String, sentence: String) throws {
        let reason = try #require(self.reason(Self.header, line))
        #expect(reason.hasPrefix("Line 2"))
        #expect(reason.contains(sentence), "\(reason)")
    }

    @Test(arguments: [
        (#"{"role":"both","privateKey":"KEY"}"#, "“role” must be verifier or wallet."),
        (#"{"role":"verifier","privateKey":"00"}"#, "“privateKey” must have 32 bytes, not 1."),
        (#"{"role":"verifier"}"#, "“privateKey” is missing."),
        (
            #"{"role":"verifier","privateKey":"KEY","attMTU":22}"#,
            "“attMTU” must be a whole number from 23 to 517."
        ),
        (
            #"{"role":"verifier","privateKey":"KEY","attMTU":518}"#,
            "“attMTU” must be a whole number from 23 to 517."
        ),
        (
            #"{"role":"verifier","privateKey":"KEY","profile":"x"}"#,
            "“profile” must be one of tuvali-0.5, tuvali-0.4."
        ),
        (
            #"{"role":"verifier","privateKey":"KEY","nonce":"00"}"#,
            "“nonce” is not known here."
        ),
        (
            #"{"role":"wallet","privateKey":"KEY","nonce":"00"}"#,
            "“nonce” must have 12 bytes, not 1."
        ),
        (
            #"{"role":"wallet","privateKey":"KEY","nonce":"\#(RecordingFactory.nonce)","uri":"x"}"#,
            "“uri” is not a Tuvali URI"
        ),
        (
            #"{"role":"wallet","privateKey":"KEY","nonce":"\#(RecordingFactory.nonce)","uri":"\#(RecordingFactory.uri)","payload":""}"#,
            "“payload” is empty."
        ),
    ])
    func `a malformed header of a session recording is refused`(line: String, sentence: String) throws {
        // The key is filled in here, so that no log of the tests names it.
        let whole = line.split(separator: "KEY", omittingEmptySubsequences: false).joined(
            separator: RecordingFactory.walletKey)
        #expect(try #require(reason(whole)).contains(sentence))
    }

    @Test func `a recording may have an MTU at both ends of the range`() throws {
        for mtu in [23, 517] {
            let header = Self.header.dropLast() + #","attMTU":\#(mtu)}"#
            #expect(try SessionRecording(parsing: Array(header.utf8)).attMTU == mtu)
        }
    }

    @Test func `lines after the expected result, and an empty file, are refused as a recording`() {
        let result = #"{"expect":"result","value":"failed"}"#
        #expect(reason(Self.header, result, result)?.contains("Nothing may follow") == true)
        #expect(reason("", "  ") == "The recording is empty.")
    }

    @Test func `the reader of session recordings does not crash on any bytes`() {
        var random = SeededRandom(seed: 7)
        let sample = Array((Self.header + "\n" + #"{"write":"identify","value":"\u00e9\ud83d\ude00"}"#).utf8)
        for _ in 0..<3000 {
            var bytes = sample
            for _ in 0..<random.within(1...4) { bytes[random.within(0...bytes.count - 1)] = random.bytes(count: 1)[0] }
            _ = try? SessionRecording(parsing: Array(bytes.prefix(random.within(0...bytes.count))))
        }
    }
}

@Suite struct RecordedLineTests {
    private static let key = String(repeating: "0a", count: 32)

    private func recording(_ lines: String...) -> SessionRecording? {
        try? SessionRecording(parsing: Array(lines.joined(separator: "\n").utf8))
    }

    private func header(_ more: String = "") -> String { #"{"role":"verifier","privateKey":"\#(Self.key)"\#(more)}"# }

    @Test func `values of every JSON type but containers are read from a recording, and escaped texts`() throws {
        let read = try #require(
            recording(
                header(#", "name" : "x\u00e9\ud83d\ude00\"" , "attMTU":512,"profile":null"#),
                #" { "write" : "report\u0052equest" , "value":"01" } "#))
        #expect(read.role == .verifier(privateKey: Hex.decode(Self.key) ?? [], name: "xé😀\"", accepts: true))
        #expect(read.attMTU == 512)
        #expect(read.lines.map(\.step) == [.peer(.reportRequest, [1])])
    }

    @Test(arguments: [
        "{", "{}}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":01}", "{\"a\":-}", "{\"a\":tru}", "{\"a\":\"\\x\"}",
        "{\"a\":\"\\ud800\"}", "{\"a\":\"\\ud800\\u0041\"}", "{\"a\":\"\\udc00\"}", "{\"a\":\"\\u00g0\"}",
        "{\"a\":\"\\u00\"}", "{\"a\":\"", "{\"a\":\"\u{1}\"}", "{'a':1}", "{\"a\":1 \"b\":2}", "[]", "1", "null",
        "{\"a\":[]}", "{\"a\":{}}", "{\"write\":[],\"value\":\"\"}", "{\"write\":{},\"value\":\"\"}",
    ])
    func `a recording's line that is no object of plain values is refused`(text: String) {
        #expect(recording(header(), text) == nil)
    }

    @Test(arguments: ["23.5", "1e2", "0100", "-0", "99999999999999999999", "\"100\"", "true", "[100]"])
    func `a number in a recording that is no integer, or in another spelling, is refused`(text: String) {
        #expect(recording(header(#","attMTU":100"#)) != nil)
        #expect(recording(header(#","attMTU":\#(text)"#)) == nil)
    }

    @Test func `a session recording's line has at most 64 JSON members`() throws {
        func reason(_ count: Int) -> String? {
            let members = (0..<count).map { "\"n\($0)\":0" }.joined(separator: ",")
            do {
                _ = try SessionRecording(parsing: Array((header() + "\n{" + members + "}").utf8))
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(reason(64)?.contains("says “write” or “expect”") == true)
        #expect(reason(65)?.contains("a member too many is") == true)
    }

    @Test func `a session recording that is not UTF-8 is refused`() {
        let name = header(#","name":"N""#)
        #expect(recording(name) != nil)
        var bytes = Array(name.utf8)
        bytes[bytes.count - 3] = 0xFF
        #expect((try? SessionRecording(parsing: bytes)) == nil)
    }
}
