import Bluetooth
import CommandTestSupport
import Commands
import Foundation
import Herald
import Terminal
import Testing

@testable import CommandProgram
@testable import ProximityCommands

@Suite struct ProximityRunTests {
    private let folder: TemporaryFolder
    private let radio: [String]

    init() throws {
        folder = try TemporaryFolder()
        radio = ["--radio", "virtual", "--air", "\(folder.path)/air.sock"]
    }

    @Test func `options change the service, the model, the OpenTrace characteristic and the contact tail`() throws {
        func configuration(_ words: [String]) throws -> HeraldConfiguration {
            var configuration = HeraldConfiguration()
            guard case .run(let arguments) = try ArgumentParser(Program.symbolon.root).parse(["prox", "run"] + words)
            else { return configuration }
            ProximityProfile.apply(arguments, to: &configuration)
            return configuration
        }
        #expect(try configuration([]) == HeraldConfiguration())
        let own = try configuration([
            "--service", "abcd", "--read-model", "--opentrace", "0a0b", "--contact-tail", "10s",
        ])
        #expect(own.advertisement.services == [BluetoothUUID(0xABCD as UInt16)] && own.readsModel)
        #expect(own.detection.services == [BluetoothUUID(0xABCD as UInt16)])
        #expect(!own.detection.findsCurrent && !own.detection.findsDocumented)
        #expect(own.legacy == .openTrace(payload: [10, 11]) && own.tail == .fixed(.seconds(10)))
        #expect(try configuration(["--contact-tail", "none"]).tail == .none)
        #expect(try configuration(["--contact-tail", "mean"]).tail == .meanInterval)
        for words in [["--service", "x"], ["--opentrace", ""], ["--contact-tail", "31s"]] {
            #expect(throws: (any Error).self) { try configuration(words) }
        }
    }

    /// Starts a run that goes on until it is cancelled, and waits until it listens.
    private func start(_ payload: String, _ more: [String] = []) async throws -> (
        setup: CommandRun.Setup, run: Task<CommandRun, Never>
    ) {
        let setup = CommandRun.Setup()
        let arguments = ["prox", "run", "--payload", payload, "--json"] + radio + more
        let run = Task { await CommandRun.run(arguments, setup) }
        _ = try await setup.output.line(
            beginningWith: #"{"schema":"symbolon.events","version":1,"event":"sensing""#)
        return (setup, run)
    }

    private func wait(for text: String, in sink: MemorySink) async throws {
        for _ in 0..<6000 {
            if sink.text.contains(text) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("“\(text)” did not come")
    }

    @Test func `two prox runs detect each other, one receives a message, and both end cleanly when interrupted`()
        async throws
    {
        let one = try await start("fixed:000000010203", ["--log", "\(folder.path)/log", "--csv", "\(folder.path)/csv"])
        let two = try await start("fixed:000000040506")
        try await wait(
            for: #""kind":"read","peer":"d1","identity":"BAUG","payload":"000000040506""#, in: one.setup.output)
        try await wait(
            for: #""kind":"read","peer":"d1","identity":"AQID","payload":"000000010203""#, in: two.setup.output)
        try await wait(for: #""event":"reading""#, in: one.setup.output)
        let sent = await CommandRun.run(["prox", "send", "AQID", "--text", "hello"] + radio)
        #expect(sent.status == 0)
        #expect(sent.talk.contains("Delivered to AQID"))
        try await wait(for: #""event":"proximity-message""#, in: one.setup.output)
        #expect(!two.setup.output.text.contains(#""event":"proximity-message""#))
        one.run.cancel()
        two.run.cancel()
        for run in [await one.run.value, await two.run.value] {
            #expect(run.status == 0)
            #expect(run.lines.count { $0.contains(#""event":"finished""#) } == 1)
            #expect(run.lines.last?.contains(#""result":"done""#) == true)
            #expect(run.output.contains(#""stage":"ended""#))
        }
        let reader = try ProximityLogReader(folder: "\(folder.path)/log")
        #expect(reader.run.durationMilliseconds ?? 0 > 0)
        var kinds: Set<ProximityRecord.Kind> = []
        try reader.eachRecord { kinds.insert($0.kind) }
        #expect(kinds.isSuperset(of: [.state, .own, .detect, .recognise, .read, .measure, .begin, .end, .receive]))
        #expect(try folder.names(in: "csv") == ["contacts.csv", "detection.csv", "own-payloads.csv", "statistics.csv"])
    }

    @Test func `a message to all reaches every device in range, and fails with none in range`() async throws {
        let nobody = await CommandRun.run(["prox", "send", "--all", "--text", "x", "--timeout", "100ms"] + radio)
        #expect(nobody.status == 3)
        #expect(nobody.code == "herald.send.unknown-target")
        let one = try await start("fixed:000000010203")
        let two = try await start("fixed:000000040506")
        // Each device that is heard in the time gets the message; that takes more than one try where one is not heard,
        // or not reached.
        var (told, status): (String, Int32) = ("", 1)
        for _ in 0..<12
        where status != 0 || ["Delivered to AQID", "Delivered to BAUG"].contains(where: { !told.contains($0) }) {
            let sent = await CommandRun.run(["prox", "send", "--all", "--text", "to all", "--timeout", "6s"] + radio)
            (told, status) = (told + sent.talk, sent.status)
        }
        #expect(status == 0)
        #expect(told.contains("Delivered to AQID"))
        #expect(told.contains("Delivered to BAUG"))
        for run in [one, two] {
            try await wait(for: #""payload":"746f20616c6c""#, in: run.setup.output)
            run.run.cancel()
            _ = await run.run.value
        }
    }

    @Test func `a prox run without advertising writes its payload to those that advertise`() async throws {
        let one = try await start("fixed:000000010203")
        let two = try await start("fixed:000000040506", ["--no-advertising"])
        try await wait(
            for: #""kind":"read","peer":"d1","identity":"BAUG","payload":"000000040506","via":"written""#,
            in: one.setup.output)
        try await wait(for: #""event":"reading","#, in: two.setup.output)
        for run in [one, two] {
            run.run.cancel()
            _ = await run.run.value
        }
    }

    @Test func `prox send serves and writes nothing but its message`() async throws {
        let one = try await start("fixed:000000010203")
        let sent = await CommandRun.run(["prox", "send", "AQID", "--text", "hello"] + radio)
        #expect(sent.status == 0)
        try await wait(for: #""event":"proximity-message""#, in: one.setup.output)
        one.run.cancel()
        let run = await one.run.value
        #expect(run.lines.count { $0.contains(#""kind":"read""#) } == 0)
        #expect(await CommandRun.run(["prox", "send", "A", "--text", "x", "--payload", "fixed:00"]).status == 2)
    }

    @Test func `prox send fails as not found when the device does not come within the time-out`() async {
        let run = await CommandRun.run(["prox", "send", "ffff", "--text", "x", "--timeout", "100ms"] + radio)
        #expect(run.status == 3)
        #expect(run.code == "herald.send.unknown-target")
    }

    @Test func `prox run ends after the time of --for and prints a table`() async {
        let run = await CommandRun.run(["prox", "run", "--for", "1ms"] + radio)
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("identity"))
    }

    @Test func `a prox run that cannot start states the reason, and prints no table`() async throws {
        let file = try folder.write("file", "x")
        let csv = await CommandRun.run(["prox", "run", "--for", "1ms", "--csv", file] + radio)
        #expect(csv.code == "output.not-writable")
        #expect(csv.talk.split { $0.isWhitespace }.joined(separator: " ").contains("is not a folder"))
        let other = await CommandRun.run(["prox", "run", "--for", "1ms", "--radio", "bluez:hci99"])
        #expect(other.status != 0)
        #expect(other.output.isEmpty)
    }

    @Test func `prox send takes one message of 1 to 509 bytes, for one device or all`() async throws {
        for (arguments, code) in [
            (["AQID"], "usage.conflict"), (["--text", "x"], "usage.conflict"),
            (["AQID", "--all", "--text", "x"], "usage.conflict"),
            (["AQID", "--text", "x", "--file", "-"], "usage.conflict"),
            (["AQID", "--text", String(repeating: "x", count: 510)], "herald.send.too-large"),
        ] {
            #expect(await CommandRun.run(["prox", "send"] + arguments + radio).code == code)
        }
        let longest = String(repeating: "x", count: 509)
        let run = await CommandRun.run(["prox", "send", "AQID", "--text", longest, "--timeout", "100ms"] + radio)
        #expect(run.code == "herald.send.unknown-target")
        let empty = try folder.write("empty", "")
        #expect(await CommandRun.run(["prox", "send", "A", "--file", empty] + radio).code == "input.empty")
    }

    @Test func `prox send finds a device by its identity, or by at least the first two bytes of its payload`() {
        let payload: [UInt8] = [0xAB, 0xCD, 0xEF, 1, 2, 3]
        for name in ["AQID", "abcd", "ABCDEF010203"] { #expect(ProximitySendCommand.isMeant(name, by: payload)) }
        for name in ["ab", "abc", "AQI", "abce", "abcdef01020304", ""] {
            #expect(!ProximitySendCommand.isMeant(name, by: payload))
        }
        #expect(ProximitySendCommand.isMeant("07", by: [7]))
    }

    @Test func `prox run --payload is read in each of its formats`() async throws {
        let kind = ProximityPayload.option
        func read(_ text: String) throws -> ProximityPayload? {
            switch try ArgumentParser(Program.symbolon.root).parse(["prox", "run", "--payload", text]) {
            case .run(let arguments): arguments[kind]
            default: nil
            }
        }
        #expect(try read("simple") == .simple(country: 0, state: 0))
        #expect(try read("simple:826/4") == .simple(country: 826, state: 4))
        #expect(try read("fixed:00ff") == .fixed([0, 255]))
        #expect(try read("fixed:" + String(repeating: "00", count: 510)) == .fixed([UInt8](repeating: 0, count: 510)))
        #expect(try read("file:a:b") == .file("a:b"))
        let tooLong = "fixed:" + String(repeating: "00", count: 511)
        for text in ["fixed:", "fixed:0", tooLong, "simple:1", "simple:1/65536", "file:", "other"] {
            #expect(throws: UsageError.self) { _ = try read(text) }
        }
    }

    @Test func `prox run --keys stores the keys for the next run, and keeps a file with other contents`() async throws {
        let keys = "\(folder.path)/keys"
        let arguments = ["prox", "run", "--for", "1ms", "--keys", keys] + radio
        #expect(await CommandRun.run(arguments).status == 0)
        let kept = try folder.read("keys")
        #expect(await CommandRun.run(arguments).status == 0)
        #expect(try folder.read("keys") == kept)
        let other = try folder.write("thesis", "of years")
        let run = await CommandRun.run(["prox", "run", "--for", "1ms", "--keys", other] + radio)
        #expect(run.code == "prox.keys-malformed")
        #expect(try folder.read("thesis") == Array("of years".utf8))
        let file = await CommandRun.run(["prox", "run", "--for", "1ms", "--payload", "file:\(folder.path)/no"] + radio)
        #expect(file.code == "input.not-found")
    }

    @Test func `on a terminal prox run redraws a table of the devices in range`() async throws {
        let one = try await start("fixed:000000010203")
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        let shown = setup
        let arguments = ["prox", "run", "--payload", "fixed:09"] + radio
        let run = Task { await CommandRun.run(arguments, shown) }
        try await wait(for: "1 near", in: shown.talk)
        try await wait(for: "\u{1B}[1A\u{1B}[2K", in: shown.talk)
        run.cancel()
        one.run.cancel()
        #expect(await run.value.output.contains("AQID"))
        _ = await one.run.value
    }
}
