import Bluetooth
import ByteCoding
import CommandTestSupport
import CryptoSuite
import Terminal
import Testing
import Tuvali

@testable import CommandProgram
@testable import HandoverCommands

@Suite struct HandoverDemoCommandTests {
    @Test func `demo ends with a receipt on standard output`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file(bytes: 5000)
        let run = await CommandRun.run("demo", "--payload", file.path, "--seed", "7")
        #expect(run.status == 0)
        let digest = Hex.encode(SHA256.hash(file.content))
        #expect(
            run.lines.prefix(6) == [
                "Receipt", "  decision    accepted",
                "  credential  \(TerminalText.sanitised(file.path, limit: 50)), 5.01 kB",
                "  sent        \(digest)", "  received    \(digest)", "  SHA-256     equal on both sides",
            ])
        #expect(run.lines.contains { $0.hasPrefix("  bottleneck  ") })
        #expect(run.talk.contains("█"))
        #expect(run.talk.contains("OPENID4VP://connect?name=DEMO&key="))
    }

    @Test(arguments: LinkParameters.named.map(\.name), WireProfile.allCases)
    func `demo transfers its file over every named link and profile, with packet loss`(
        link: String, profile: WireProfile
    ) async throws {
        let handOver = try HandOver()
        let file = try handOver.file(bytes: 4000)
        let run = await CommandRun.run(
            "demo", "--payload", file.path, "--link", link, "--profile", profile.rawValue, "--link-loss", "0.05", "-q")
        #expect(run.status == 0, "\(run.talk)")
        #expect(run.talk.isEmpty)
        #expect(run.output.contains("equal on both sides"))
        #expect(run.output.contains("Link  \(link), simulated"))
    }

    @Test func `demo fails when the received copy differs`() {
        #expect(throws: CommandError(.copyDiffers, "")) { try HandoverDemoCommand.check(isEqual: false) }
        #expect(throws: Never.self) { try HandoverDemoCommand.check(isEqual: true) }
    }

    @Test func `demo without a file sends a sample credential of about 60 kB`() {
        #expect((58_000...62_000).contains(SampleCredential.bytes.count))
        #expect(ReceivedPayloadKind(of: SampleCredential.bytes) == .json)
    }

    @Test func `demo --capture writes the ATT writes of the transfer`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        let capture = "\(handOver.folder.path)/demo.btsnoop"
        #expect(await CommandRun.run("demo", "--payload", file.path, "--capture", capture).status == 0)
        let run = await CommandRun.run("inspect", capture)
        #expect(run.status == 0)
        for name in [
            "identify: Write", "responseSize: Write", "submitResponse: Write Command", "reportRequest: Write",
            "reportResponse: Handle Value", "verificationStatus: Handle Value", "tuvali-0.5 verifier DEMO",
        ] {
            #expect(run.output.contains(name), "\(name)")
        }
    }

    @Test func `demo in a window too small for the QR code prints a sentence instead`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file()
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.window = WindowSize(columns: 80, rows: 15)
        let run = await CommandRun.run(["demo", "--payload", file.path], setup)
        #expect(run.status == 0)
        #expect(run.talk.contains("this window has 80 by 15. A larger window shows it."))
    }

    @Test func `no line of demo is wider than 80 columns`() async throws {
        let handOver = try HandOver()
        let file = try handOver.file("a", bytes: 50_000)
        let run = await CommandRun.run("demo", "--payload", file.path, "--link", "ideal-2m", "--link-loss", "10%")
        for line in run.lines { #expect(TerminalText.width(of: line) < 80, "\(line)") }
        for line in run.talk.split(separator: "\n") where !line.hasPrefix("OPENID4VP") {
            #expect(TerminalText.width(of: String(line)) < 80, "\(line)")
        }
    }
}
