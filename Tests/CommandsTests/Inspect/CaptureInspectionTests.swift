import Bluetooth
import ByteCoding
import CommandTestSupport
import Terminal
import Testing

@Suite struct CaptureInspectionTests {
    @Test func `inspect lists a capture with the names of Tuvali's characteristics`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("c.btsnoop", SampleCapture.bytes())
        let run = await CommandRun.run("inspect", file)
        #expect(run.status == 0)
        #expect(run.lines.count == 8)
        #expect(run.lines[1].contains("tuvali-0.5 verifier OVPMOSIP"))
        #expect(run.lines[2].contains("as central, interval 15.00 ms"))
        #expect(run.lines[5].contains("identify: Write Request 0x0003 3 bytes 010203"))
        #expect(run.lines[6].contains("reportResponse: Handle Value Notification 0x0005 3 bytes 010000"))
        #expect(run.lines[7].contains("disconnected, reason 0x13"))
        #expect(run.talk == "btsnoop capture: 7 records, 7 events\n")
    }

    @Test func `inspect lists the record types of a capture without Bluetooth events`() async {
        let event = BTSnoopRecord(
            microsecondsSinceEpoch: 0, isReceived: true, isControl: true, packet: [4, 0x3E, 2, 0x0B, 0])
        let run = await CommandRun.run(
            ["inspect", "-"], .init(input: BTSnoopWriter.header + event.bytes + event.bytes))
        #expect(run.talk == "btsnoop capture: 2 records, 0 events\nNot shown: 2 × LE event 0x0B\n")
        let json = await CommandRun.run(
            ["inspect", "-", "--json"], .init(input: BTSnoopWriter.header + event.bytes))
        #expect(json.output.contains(#""notShown":["1 × LE event 0x0B"]"#))
    }

    @Test(arguments: [
        ("0303f6fc", "Herald, libraries from 2.1"), ("03036ffd", "Exposure Notification"),
        ("1107f918c24c09fef0806a4f9515fcb32ab8", "OpenTrace"), ("05ffff030102", "OpenTrace, Android"),
    ])
    func `inspect names Exposure Notification, OpenTrace and Herald in captures and in digits`(
        digits: String, name: String
    ) async {
        let report = ExtendedAdvertisingReport(
            address: DeviceAddress(staticRandom: 1), kind: .broadcast, setID: 3, rssi: -70,
            data: Hex.decode(digits) ?? [])
        let record = BTSnoopRecord(
            microsecondsSinceEpoch: 0, isReceived: true, isControl: true,
            packet: HCIPacket.extendedAdvertisingReports([report]).bytes(isReceived: true))
        let run = await CommandRun.run(["inspect", "-"], .init(input: BTSnoopWriter.header + record.bytes))
        #expect(
            run.lines.last?.hasSuffix(
                "extended advertisement of C0:00:00:00:00:01 -70 dBm, set 3, \(report.data.count) bytes, \(name)")
                == true)
        #expect(await CommandRun.run("inspect", digits).output.contains(name))
    }

    @Test func `no line of a listed capture is wider than the terminal`() async {
        var setup = CommandRun.Setup(input: SampleCapture.bytes())
        setup.isTerminal = true
        setup.variables["NO_COLOR"] = "1"
        setup.window = WindowSize(columns: 60, rows: 50)
        for line in await CommandRun.run(["inspect", "-"], setup).lines { #expect(TerminalText.width(of: line) <= 60) }
    }

    @Test func `inspect lists a capture longer than the limit up to it, with a note`() async {
        let run = await CommandRun.run(["inspect", "-", "--limit", "2"], .init(input: SampleCapture.bytes()))
        #expect(run.lines.count == 3)
        #expect(run.talk.contains("the first 2 are shown, --limit N shows more"))
    }

    @Test func `inspect lists a truncated capture up to the cut`() async {
        let run = await CommandRun.run(["inspect", "-"], .init(input: SampleCapture.bytes().dropLast(3)))
        #expect(run.status == 10)
        #expect(run.lines.count == 7)
        #expect(run.code == "inspect.capture-malformed")
    }

    @Test(arguments: [[], ["--json"]])
    func `inspect lists a capture even if its time stamps are too far apart to subtract`(options: [String]) async {
        let writer = BTSnoopWriter()
        let bytes =
            BTSnoopWriter.header + writer.disconnected(64, reason: 0x13, at: .max - 0x00DC_DDB3_0F2F_8000)
            + writer.disconnected(64, reason: 0x13, at: .min) + writer.disconnected(64, reason: 0x13, at: 0)
        let run = await CommandRun.run(["inspect", "-"] + options, .init(input: bytes))
        #expect(run.status == 0)
        #expect(run.lines.count == (options.isEmpty ? 4 : 5))
    }

    @Test func `inspect refuses a file that only begins like a capture`() async {
        let run = await CommandRun.run(["inspect", "-"], .init(input: Array("btsnoop\0".utf8) + [0, 0, 0, 9]))
        #expect(run.status == 10)
        #expect(run.code == "bluetooth.capture.not-a-capture")
    }

    @Test func `inspect stops writing when the reader of its output is gone`() async {
        var setup = CommandRun.Setup(input: SampleCapture.bytes())
        setup.output = MemorySink(capacity: 100)
        let run = await CommandRun.run(["inspect", "-"], setup)
        #expect(run.status == 0)
        #expect(run.output.utf8.count == 100)
        #expect(run.talk.isEmpty)
    }
}
