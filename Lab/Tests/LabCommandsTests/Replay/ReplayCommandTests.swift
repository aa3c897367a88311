import ByteCoding
import CommandTestSupport
import CryptoSuite
import Foundation
import TestSupport
import Testing

@Suite struct ReplayCommandTests {
    private static let iOS = "tuvali-ios-0.5.0/single-chunk.jsonl"
    private static let android = "tuvali-android-0.5.2/single-chunk.jsonl"

    private func path(_ name: String) -> String { SampleRecordings.folder.appending(path: name).path() }

    private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    @Test(arguments: [iOS, android])
    func `a foreign wallet's recording is decoded, reported and accepted`(name: String) async {
        let run = await CommandRun.lab("tuvali", "replay", path(name))
        #expect(run.status == 0)
        #expect(run.talk.isEmpty)
        let payload = String(repeating: #"{"k":"v1"}"#, count: 3)
        let digest = Hex.encode(SHA256.hash(Array(payload.utf8)))
        #expect(
            run.output == """
                {"answer":"reportResponse","value":"010000"}
                {"answer":"verificationStatus","value":"00"}
                {"result":"delivered","sha256":"\(digest)","payload":"{\\"k\\":\\"v1\\"}{\\"k\\":\\"v1\\"}{\\"k\\":\\"v1\\"}",\
                "payloadBytes":30,"code":null,"wireCode":null}

                """)
    }

    @Test func `every session recording in the repository replays to its expected result`() async throws {
        for recording in try RecordingFactory.all() {
            let run = await CommandRun.lab("tuvali", "replay", path("symbolon/\(recording.name).jsonl"))
            #expect(run.status == 0, "\(recording.name): \(run.talk) \(run.output)")
            let isDelivered = !recording.text.contains("failed") && recording.name != "verifier-size-zero"
            let last = try #require(run.lines.last)
            #expect(last.hasPrefix(#"{"result":"\#(isDelivered ? "delivered" : "failed")""#), "\(recording.name)")
            if isDelivered {
                #expect(last.contains(Hex.encode(SHA256.hash(RecordingFactory.payload))), "\(recording.name)")
            }
        }
    }

    @Test func `our wallet replays the recorded bytes wherever the protocol leaves no choice`() async throws {
        let run = await CommandRun.lab("tuvali", "replay", path("symbolon/wallet-all-chunks.jsonl"))
        #expect(
            run.lines.first
                == #"{"answer":"identify","value":"000102030405060708090a0bde9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"}"#
        )
        let names = run.lines.dropLast().map { $0.prefix(30) }
        #expect(names.filter { $0.contains("submitResponse") }.count >= 4)
        #expect(names.last?.contains("reportRequest") == true)
    }

    @Test func `our verifier opens the payload that our replayed wallet sent`() async throws {
        let wallet = await CommandRun.lab("tuvali", "replay", path("symbolon/wallet-all-chunks.jsonl"))
        var lines = [try text("symbolon/verifier-all-chunks.jsonl").split(separator: "\n").first.map(String.init) ?? ""]
        lines += wallet.lines.dropLast().map { $0.replacingOccurrences(of: #"{"answer""#, with: #"{"write""#) }
        let run = await CommandRun.lab("tuvali", "replay", "-", input: lines.joined(separator: "\n"))
        #expect(run.status == 0)
        #expect(run.lines.last?.contains(Hex.encode(SHA256.hash(RecordingFactory.payload))) == true)
    }

    @Test func `an answer with another value fails a replay's expectation`() async throws {
        let text = try text(Self.iOS).replacingOccurrences(of: #""value":"010000""#, with: #""value":"000001""#)
        let run = await CommandRun.lab("tuvali", "replay", "-", input: text)
        #expect(run.status == 10)
        #expect(run.lines.last?.hasPrefix(#"{"result":"failed""#) == true)
        #expect(run.lines.last?.contains(#""code":"replay.expectation-failed""#) == true)
        #expect(run.talk.contains("cause: Line 6: reportResponse is 010000, not 000001."))
    }

    @Test func `a missing answer fails a replay's expectation`() async throws {
        let text = try text(Self.iOS).replacingOccurrences(
            of: #"{"write":"reportRequest","value":"01"}"#, with: #"{"write":"reportRequest","value":"02"}"#)
        let run = await CommandRun.lab("tuvali", "replay", "-", input: text)
        #expect(run.status == 10)
        #expect(run.talk.contains("cause: Line 6: no answer on reportResponse came."))
    }

    @Test func `a replay expects answers in order, and may leave out those of other characteristics`() async throws {
        let text = try text(Self.iOS)
        let without = text.replacingOccurrences(of: "{\"expect\":\"reportResponse\",\"value\":\"010000\"}\n", with: "")
        #expect(await CommandRun.lab("tuvali", "replay", "-", input: without).status == 0)
        let lines = text.split(separator: "\n")
        let swapped = (lines.dropLast(2) + lines.suffix(2).reversed()).joined(separator: "\n")
        #expect(await CommandRun.lab("tuvali", "replay", "-", input: swapped).status == 10)
    }

    @Test func `a replay that fails unexpectedly exits with the status of its error code`() async throws {
        let cut = try text("symbolon/verifier-too-many-lost.jsonl").split(separator: "\n").dropLast(2)
        let run = await CommandRun.lab("tuvali", "replay", "-", input: cut.joined(separator: "\n"))
        #expect(run.status == 8)
        #expect(run.lines.last?.contains(#""wireCode":"TVV_TRA_002""#) == true)
        #expect(run.talk.contains("code:  tuvali.verifier.too-many-missing-chunks (TVV_TRA_002)"))
    }

    @Test func `a result other than the expected one fails a replay`() async throws {
        let text = try text(Self.iOS) + #"{"expect":"result","value":"failed"}"#
        let run = await CommandRun.lab("tuvali", "replay", "-", input: text)
        #expect(run.status == 10)
        #expect(run.talk.contains("the session delivered."))
        let delivered = try self.text(Self.iOS) + #"{"expect":"result","value":"delivered"}"#
        #expect(await CommandRun.lab("tuvali", "replay", "-", input: delivered).status == 0)
    }

    @Test func `replay can store the decoded payload in a file that only its owner may read`() async throws {
        let folder = try TemporaryFolder()
        let file = "\(folder.path)/payload"
        let run = await CommandRun.lab("tuvali", "replay", path(Self.android), "--payload-out", file)
        #expect(run.status == 0)
        #expect(try folder.read("payload") == Array(String(repeating: #"{"k":"v1"}"#, count: 3).utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try folder.names() == ["payload"])
    }

    @Test func `a recorded wallet's payload may be in a file beside the recording`() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("id.json", RecordingFactory.payload)
        let recording = try text("symbolon/wallet-all-chunks.jsonl")
            .replacingOccurrences(of: Hex.encode(RecordingFactory.payload), with: "id.json")
        let run = await CommandRun.lab("tuvali", "replay", try folder.write("r.jsonl", recording))
        #expect(run.status == 0)
        #expect(run.lines.last?.contains(Hex.encode(SHA256.hash(RecordingFactory.payload))) == true)
    }

    @Test func `replay of a missing recording fails as not found`() async {
        let run = await CommandRun.lab("tuvali", "replay", "/nowhere/r.jsonl")
        #expect(run.status == 3)
        #expect(run.output.isEmpty)
    }
}
