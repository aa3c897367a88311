import CommandTestSupport
import Foundation
import Testing
import WebTransport

@testable import LabCommands

@Suite struct CloudAgentBenchTests {
    @Test func `an HTTP answer in the benchmark is read once it is whole, however it is cut`() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nCONNECTION: Close\r\n\r\nhello"
        let bytes = Array(text.utf8)
        for cut in 1..<bytes.count {
            var reader = HTTPAnswerReader()
            #expect(try reader.take(bytes[..<cut]) == nil)
            #expect(try reader.take(bytes[cut...]) == .init(status: 200, closes: true))
        }
        var reader = HTTPAnswerReader()
        let none = Array("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n".utf8)
        #expect(try reader.take(none[...]) == .init(status: 202, closes: false))
        #expect(try reader.take(none[...]) == .init(status: 202, closes: false), "it is ready for the next")
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n",
        "x\r\n\r\n",
    ])
    func `a malformed HTTP answer in the benchmark is an error and no measurement`(_ text: String) {
        var reader = HTTPAnswerReader()
        let bytes = Array(text.utf8)
        #expect(throws: WebError.self) { try reader.take(bytes[...]) }
    }

    @Test func `a cloud agent benchmark message contains its number and has the requested length`() {
        for number in [0, 7, 123_456] {
            let message = BenchAccounts.message(number)
            #expect(message.count == CloudAgentBench.messageBytes)
            #expect(BenchAccounts.number(in: message) == number)
        }
        #expect(BenchAccounts.number(in: []) == nil)
    }

    @Test func `cloud agent benchmark times are reported at their quantiles`() {
        var result = ForwardLoadGenerator.Result()
        #expect(result.quantile(0.99) == 0)
        result.seconds = (1...100).map(Double.init)
        #expect(result.quantile(0.5) == 51 && result.quantile(0.99) == 100 && result.quantile(1) == 100)
    }

    @Test(.enabled(if: BuiltProgram.url != nil, "skipped: the program was not built beside the tests"))
    func `bench agent prints the lines of each part with all fields of the manual`() async throws {
        let program = try #require(BuiltProgram.url).path()
        let folder = try TemporaryFolder()
        let run = await CommandRun.lab([
            "bench", "agent", "--json", "--program", program, "--folder", folder.path, "--seconds", "1", "--sockets",
            "20", "--live", "10,20", "--returning", "10", "--queued", "2000",
        ])
        #expect(run.status == 0, "\(run.talk)")
        let lines = try run.lines.map { line in
            try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(
            lines.compactMap { $0["operation"] as? String } == Array(repeating: "forward.ladder", count: 5) + [
                "forward.accept", "deliver.live", "idle.socket", "idle.live", "idle.live", "client.return",
                "queue.cost",
                "queue.cost",
            ])
        for line in lines {
            #expect(
                Set(line.keys) == [
                    "schema", "version", "bench", "operation", "store", "connections", "perSecond", "offeredPerSecond",
                    "p50Milliseconds", "p95Milliseconds", "p99Milliseconds", "acapyPerSecond", "sockets", "isTLS",
                    "residentBytes", "bytesEach", "queued", "longestSeconds", "lost", "processorMicroseconds", "ratio",
                    "client",
                ])
            #expect(line["store"] as? String == "sqlite")
        }
        #expect(lines.prefix(6).allSatisfy { ($0["perSecond"] as? Double).map { $0 > 0 } == true })
        #expect(lines[8...9].compactMap { $0["sockets"] as? Int } == [10, 20])
        #expect(lines[10]["sockets"] as? Int == 10 && (lines[10]["longestSeconds"] as? Double).map { $0 > 0 } == true)
        #expect(lines.suffix(2).compactMap { $0["queued"] as? Int } == [1000, 2000])
    }
}
