import ByteCoding
import Determinism
import Testing
import Tuvali

@testable import CommandProgram
@testable import LabCommands

@Suite struct RecordingTests {
    private static let header =
        #"{"role":"verifier","privateKey":"77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"}"#

    private func reason(_ lines: String...) -> String? {
        do {
            _ = try Recording(parsing: Array(lines.joined(separator: "\n").utf8))
            return nil
        } catch {
            #expect(error.code == .recordingMalformed)
            return error.reason
        }
    }

    @Test func `profile and MTU have defaults and empty lines count but say nothing`() throws {
        let recording = try Recording(
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
        (#"{"write":"identify","value":"00"} x"#, "character 35: expected the end of the line."),
        (#"["write"]"#, "character 1: expected “{”."),
        (#"{"write":"identify","write":"identify"}"#, "expected a name that was not there yet"),
    ])
    func `a line that is not as it should be is named by its number`(line: String, sentence: String) throws {
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
            "“uri” is no Tuvali URI"
        ),
        (
            #"{"role":"wallet","privateKey":"KEY","nonce":"\#(RecordingFactory.nonce)","uri":"\#(RecordingFactory.uri)","payload":""}"#,
            "“payload” is empty."
        ),
    ])
    func `a header that is not as it should be is refused`(line: String, sentence: String) throws {
        // The key is filled in here, so that no log of the tests names it.
        let whole = line.split(separator: "KEY", omittingEmptySubsequences: false).joined(
            separator: RecordingFactory.walletKey)
        #expect(try #require(reason(whole)).contains(sentence))
    }

    @Test func `MTUs at both ends of the range are taken`() throws {
        for mtu in [23, 517] {
            let header = Self.header.dropLast() + #","attMTU":\#(mtu)}"#
            #expect(try Recording(parsing: Array(header.utf8)).attMTU == mtu)
        }
    }

    @Test func `nothing may follow the expected result, and an empty file is no recording`() {
        let result = #"{"expect":"result","value":"failed"}"#
        #expect(reason(Self.header, result, result)?.contains("Nothing may follow") == true)
        #expect(reason("", "  ") == "The recording is empty.")
    }

    @Test func `no bytes at all make the reader crash`() {
        var random = SeededRandom(seed: 7)
        let sample = Array((Self.header + "\n" + #"{"write":"identify","value":"\u00e9\ud83d\ude00"}"#).utf8)
        for _ in 0..<3000 {
            var bytes = sample
            for _ in 0..<random.within(1...4) { bytes[random.within(0...bytes.count - 1)] = random.bytes(count: 1)[0] }
            _ = try? Recording(parsing: Array(bytes.prefix(random.within(0...bytes.count))))
        }
    }
}

@Suite struct FlatJSONTests {
    private func members(_ text: String) -> [(name: String, value: FlatJSON.Value)]? {
        try? FlatJSON.members(of: Array(text.utf8))
    }

    @Test func `plain values of every kind are read`() throws {
        let found = try #require(
            members(#" { "a" : "x\n\u00e9\ud83d\ude00\"" , "b":-12,"c":true,"d":false,"e":null,"f":0 } "#))
        #expect(found.map(\.name) == ["a", "b", "c", "d", "e", "f"])
        #expect(
            found.map(\.value) == [.string("x\né😀\""), .integer(-12), .bool(true), .bool(false), .null, .integer(0)])
        #expect(members("{}")?.isEmpty == true)
    }

    @Test(arguments: [
        "", "{", "{}}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":01}", "{\"a\":1.5}", "{\"a\":1e3}", "{\"a\":-}",
        "{\"a\":[]}", "{\"a\":{}}", "{\"a\":tru}", "{\"a\":\"\\x\"}", "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\\udc00\"}", "{\"a\":\"\\u00g0\"}", "{\"a\":\"\\u00\"}", "{\"a\":\"", "{\"a\":\"\u{1}\"}", "{'a':1}",
        "{\"a\":99999999999999999999}", "{\"a\":1 \"b\":2}", "{\"a\":-0}",
    ])
    func `anything else is refused`(text: String) {
        #expect(members(text) == nil)
    }

    @Test func `64 members are taken and 65 refused`() {
        func object(_ count: Int) -> String { "{" + (0..<count).map { "\"n\($0)\":0" }.joined(separator: ",") + "}" }
        #expect(members(object(64))?.count == 64)
        #expect(members(object(65)) == nil)
    }

    @Test func `bytes that are no UTF-8 are no text`() {
        #expect((try? FlatJSON.members(of: Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8))) == nil)
    }
}
