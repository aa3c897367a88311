import BlueZRadio
import CommandTestSupport
import Determinism
import TestSupport
import Testing
import VirtualRadio

@testable import CommandProgram
@testable import Commands

/// Machines to look at.
enum Machine {
    static let usual = BluetoothFacts(
        hasBus: true, daemonRuns: true, daemonVersion: "5.66",
        adapters: [.init(name: "hci0", address: "00:AA:01:00:00:00", isPowered: true)], program: "/usr/bin/symbolon")

    static let equipped: BluetoothFacts = {
        var facts = usual
        facts.mayAdminister = true
        facts.maySendRaw = true
        facts.settings = ["ExchangeMTU": "513", "Channels": "1", "ReverseServiceDiscovery": "false"]
        return facts
    }()
}

@Suite struct DoctorTests {
    @Test func `doctor reports what works, what does not, and the remedy`() async {
        let run = await CommandRun.run(["doctor"], CommandRun.Setup(bluetooth: Machine.usual))
        #expect(run.status == 0)
        #expect(run.output.contains("fine     bluetoothd runs, version 5.66."))
        #expect(run.output.contains("fix:  sudo setcap cap_net_admin,cap_net_raw+p /usr/bin/symbolon"))
        #expect(run.output.hasSuffix("wallet: can hand over to every verifier\nverifier: not possible\n"))
    }

    @Test func `doctor reports no problem on a machine that has everything`() async {
        let run = await CommandRun.run(["doctor", "--fix"], CommandRun.Setup(bluetooth: Machine.equipped))
        #expect(run.output.isEmpty)
        #expect(run.talk.contains("nothing to fix"))
        let all = await CommandRun.run(["doctor"], CommandRun.Setup(bluetooth: Machine.equipped))
        #expect(all.output.hasSuffix("verifier: serves every wallet\n"))
    }

    @Test func `doctor exits with 15 when neither a wallet nor a verifier is possible`() async {
        let run = await CommandRun.run(["doctor"], CommandRun.Setup(bluetooth: BluetoothFacts()))
        #expect(run.status == 15 && run.code == "doctor.unusable")
        #expect(await CommandRun.run(["doctor", "--fix"], CommandRun.Setup(bluetooth: BluetoothFacts())).status == 0)
    }

    @Test func `doctor prints each remedy once`() async {
        let run = await CommandRun.run(["doctor", "--fix"], CommandRun.Setup(bluetooth: Machine.usual))
        #expect(run.output.split(separator: "\n").count { $0.hasPrefix("sudo setcap") } == 1)
    }

    @Test func `doctor prints one JSON line for each finding`() async {
        let run = await CommandRun.run(["--json", "doctor"], CommandRun.Setup(bluetooth: BluetoothFacts()))
        #expect(run.output.contains("\"event\":\"diagnosis\""))
        #expect(run.output.contains("\"name\":\"bus\",\"gravity\":\"missing\""))
    }
}

@Suite struct RadioLoopbackTestTests {
    private static let pair: BluetoothFacts = {
        var facts = Machine.equipped
        facts.adapters.append(.init(name: "hci1", address: "00:AA:01:00:00:01", isPowered: true))
        return facts
    }()

    @Test func `doctor --loop-back lets two powered adapters exchange data`() async {
        let air = VirtualAir.private(seed: 1)
        let lines = await CommandRun.run(
            ["doctor", "--loop-back"], CommandRun.Setup(bluetooth: Self.pair, adapters: air)
        ).lines
        #expect(lines.contains("fine     hci1 and hci0 found each other, connected, wrote and answered."))
        await air.close()
    }

    @Test func `doctor --loop-back with one adapter tries nothing and says so`() async {
        let lines = await CommandRun.run(["doctor", "--loop-back"], CommandRun.Setup(bluetooth: Machine.equipped)).lines
        #expect(lines.contains { $0.hasPrefix("note") && $0.contains("no two adapters") })
    }

    @Test func `doctor --loop-back reports an adapter that cannot be opened`() async {
        let lines = await CommandRun.run(["doctor", "--loop-back"], CommandRun.Setup(bluetooth: Self.pair)).lines
        #expect(lines.contains("missing  hci1 and hci0 could not be used: The adapter is gone."))
    }

    @Test func `a loop-back test with a closed radio reports the step that failed`() async throws {
        let air = VirtualAir.private(seed: 1)
        let advertiser = try await air.makeRadio()
        let seeker = try await air.makeRadio()
        await seeker.close()
        let loop = RadioLoopbackTest(advertiser: advertiser, seeker: seeker, nonce: [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(await loop.run(SystemMonotonicClock())?.step == .hear)
        await air.close()
    }

    @Test func `a loop-back test reports an adapter that is not heard in time`() async throws {
        let air = VirtualAir.private(seed: 1)
        let elsewhere = VirtualAir.private(seed: 2)
        let loop = RadioLoopbackTest(
            advertiser: try await air.makeRadio(), seeker: try await elsewhere.makeRadio(),
            nonce: [1, 2, 3, 4, 5, 6, 7, 8])
        let clock = HandClock()
        let conversation = Task { await loop.run(clock) }
        while loop.reached != .hear || clock.sleeperCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
        clock.advance(by: RadioLoopbackTest.patience)
        let failure = await conversation.value
        #expect(failure?.step == .hear)
        #expect(failure?.reason.contains("longer than") == true)
        await air.close()
        await elsewhere.close()
    }
}

@Suite struct RadioChoiceTests {
    private func outcome(
        _ choice: RadioChoice, _ role: RadioChoice.RadioTask, _ facts: BluetoothFacts, isAirNamed: Bool = false
    ) async -> RadioChoice.ChosenRadio {
        await choice.outcome(role, isAirNamed: isAirNamed) { BluetoothDiagnosis(facts) }
    }

    @Test func `--radio auto selects a real adapter that the role can work with`() async {
        #expect(await outcome(.auto, .wallet, Machine.usual) == .real(adapter: nil, warning: nil))
        #expect(await outcome(.auto, .verifier, Machine.equipped) == .real(adapter: nil, warning: nil))
        // A sensor needs no scan response, and so no right.
        #expect(await outcome(.auto, .sensor, Machine.usual) == .real(adapter: nil, warning: nil))
        #expect(await outcome(.auto, .listener, Machine.usual) == .real(adapter: nil, warning: nil))
    }

    @Test func `a sensor uses an adapter that cannot advertise, with a warning that it writes instead`() async {
        var facts = Machine.usual
        for index in facts.adapters.indices { facts.adapters[index].isPeripheral = false }
        for (choice, adapter) in [(RadioChoice.auto, nil), (.bluez(adapter: "hci1"), "hci1")]
            as [(RadioChoice, String?)]
        {
            guard case .real(adapter, let warning?) = await outcome(choice, .sensor, facts) else {
                return #expect(Bool(false), "a sensor that cannot advertise writes")
            }
            #expect(warning.contains("writes its payload"))
        }
        #expect(await outcome(.auto, .listener, facts) == .real(adapter: nil, warning: nil))
    }

    @Test func `--radio auto reports why it selected the virtual air`() async throws {
        guard case .virtual(let cause?) = await outcome(.auto, .verifier, Machine.usual) else {
            return #expect(Bool(false), "a verifier that cannot advertise takes the virtual air")
        }
        #expect(cause.contains("CAP_NET_ADMIN"))
        guard case .virtual(let other?) = await outcome(.auto, .wallet, BluetoothFacts()) else {
            return #expect(Bool(false), "without a bus there is the virtual air")
        }
        #expect(other.contains("message bus"))
    }

    @Test func `with an option about the virtual air, --radio auto selects it`() async {
        #expect(await outcome(.auto, .wallet, Machine.usual, isAirNamed: true) == .virtual(because: nil))
        #expect(await outcome(.virtual, .wallet, Machine.usual) == .virtual(because: nil))
    }

    @Test func `a verifier without the right to send raw packets is reported with the wallets that still work`() async {
        var facts = Machine.equipped
        facts.maySendRaw = false
        guard case .real("hci1", let warning?) = await outcome(.bluez(adapter: "hci1"), .verifier, facts) else {
            return #expect(Bool(false), "the adapter is taken, with a warning")
        }
        #expect(warning.contains("stock Android"))
    }

    @Test(arguments: ["", "hci0", "bluez:", "bluez:hci", "bluez:hci01", "bluez:hci70000", "bluez:usb0", "real"])
    func `an unknown value of --radio is refused`(word: String) async {
        let run = await CommandRun.run("receive", "--out", "x", "--radio", word)
        #expect(run.status == 2)
    }

    @Test func `without a usable adapter a script must name the simulated radio`() async throws {
        let folder = try TemporaryFolder()
        let run = await CommandRun.run("receive", "--out", folder.path, "--accept", "always", "--timeout", "100ms")
        #expect(run.code == "radio.unavailable")
        #expect(run.words.contains("There is no system message bus."))
        #expect(run.words.contains("--radio virtual"))
        #expect(!run.output.contains("OPENID4VP"))
    }

    @Test(arguments: [("y", true), ("", false), ("n", false)])
    func `without a usable adapter a person is asked whether the simulated radio will do`(
        answer: String, isTaken: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        var setup = CommandRun.Setup()
        setup.isTerminal = true
        setup.answers = [answer]
        setup.variables["NO_COLOR"] = "1"
        let run = await CommandRun.run(["receive", "--out", folder.path, "--timeout", "100ms"], setup)
        #expect(run.words.contains("Use the simulated radio, which reaches no phone?"))
        // Tests have no air without a name, so that the run ends either way.
        #expect(run.code == "radio.unavailable")
        #expect(run.talk.contains("Radio: virtual, not Bluetooth.") == isTaken)
        #expect(run.words.contains("add --radio virtual") == !isTaken)
    }

    @Test func `an adapter that was requested and is missing ends the run`() async throws {
        let folder = try TemporaryFolder()
        let run = await CommandRun.run("receive", "--out", folder.path, "--accept", "always", "--radio", "bluez:hci0")
        #expect(run.talk.contains("radio.unavailable"))
        #expect(run.talk.contains("symbolon doctor"))
        #expect(!run.talk.contains("--air"))
    }

    @Test func `a virtual air that cannot be used fails with advice about --air and not about doctor`() async throws {
        let folder = try TemporaryFolder()
        let run = await CommandRun.run(
            "receive", "--out", folder.path, "--accept", "always", "--radio", "virtual", "--timeout", "1s")
        #expect(run.talk.contains("radio.unavailable"))
        #expect(run.talk.contains("--air"))
        #expect(!run.talk.contains("symbolon doctor"))
    }
}
