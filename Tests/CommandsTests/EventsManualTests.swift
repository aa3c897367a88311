import Aries
import AriesConnections
import Bluetooth
import CloudAgent
import CommandTestSupport
import CryptoSuite
import Determinism
import Foundation
import MobileSession
import Radio
import Terminal
import TestSupport
import Testing
import Tuvali
import VirtualRadio

@testable import CommandProgram
@testable import ConnectionCommands
@testable import ProximityCommands

@Suite struct EventsManualTests {
    @Test func `the manual describes every event, and no event that does not exist`() throws {
        #expect(try EventsManual().events.keys.sorted() == JSONEventName.allCases.map(\.rawValue).sorted())
        #expect(try EventsManual().common.map(\.name) == ["schema", "version", "event", "elapsed", "at"])
    }

    @Test func `a JSON event line that differs from the manual is detected`() throws {
        let manual = try EventsManual()
        let good =
            #"{"schema":"symbolon.events","version":1,"event":"finished","elapsed":0.1,"at":"2026-01-31T09:30:00.250Z","result":"done","exit":0,"code":null}"#
        #expect(manual.complaints(about: good).isEmpty)
        for bad in [
            good.replacing(#""exit":0,"#, with: ""), good.replacing(#""exit":0"#, with: #""exit":"0""#),
            good.replacing("finished", with: "unheard-of"),
            good.replacing(#""code":null"#, with: #""code":null,"more":1"#),
            good.replacing("symbolon.events", with: "other"),
            good.replacing(#""result":"done""#, with: #""result":null"#),
        ] {
            #expect(!manual.complaints(about: bad).isEmpty, "\(bad)")
        }
    }

    @Test func `every JSON event line of every command is as the manual says, and every event occurs`() async throws {
        let manual = try EventsManual()
        var seen: Set<String> = []
        for output in try await everything() {
            let lines = output.split(separator: "\n").map(String.init)
            for line in lines {
                #expect(manual.complaints(about: line) == [])
                seen.insert(
                    line.split(separator: "\"event\":\"").last?.split(separator: "\"").first.map(String.init) ?? "")
            }
            #expect(lines.filter { $0.contains("\"event\":\"finished\"") }.count == 1)
            #expect(lines.last?.contains("\"event\":\"finished\"") == true)
        }
        #expect(Set(JSONEventName.allCases.map(\.rawValue)).subtracting(seen) == [])
    }

    /// The output of runs that between them say everything.
    private func everything() async throws -> [String] {
        let handOver = try HandOver()
        let file = try handOver.file(bytes: 60_000)
        var outputs: [String] = []
        for arguments in [
            ["demo", "--payload", file.path, "--link-loss", "20%"], ["demo", "--ask", "age-over-18"],
            ["demo", "--phone"],
            ["inspect", SampleInvitation.uri], ["doctor"],
            [
                "inspect",
                String(decoding: MobileSampleParts.code("mdoc://", try MobileSampleParts.engagement()), as: UTF8.self),
            ],
            ["connect", "demo"],
            ["inspect", SampleInvitation.advertisement], ["inspect", "0303"], ["inspect", "nothing"], ["nonsense"],
            ["--version"],
            ["invite", "inspect", SampleConnectionInvitation.invitation()],
            ["invite", "inspect", "https://example.org/s/1"],
            ["invite", "inspect", SampleConnectionInvitation.request],
        ] {
            outputs.append(await CommandRun.run(arguments + ["--json"]).output)
        }
        let both = Array("\(SampleInvitation.advertisement)\n\(SampleInvitation.scanResponse)".utf8)
        outputs.append(await CommandRun.run(["inspect", "-", "--json"], .init(input: both)).output)
        let session = SampleMobileCapture.session(
            .centralClient, request: try MobileSampleParts.establishment(), answer: [0], status: nil, hasState: false)
        for capture in [SampleCapture.bytes(), session.bytes] {
            outputs.append(await CommandRun.run(["inspect", "-", "--json"], .init(input: capture)).output)
        }
        let trust = Array("root roots.pem\n  for https://issuer.example\n".utf8)
        outputs.append(await CommandRun.run(["inspect", "-", "--json"], .init(input: trust)).output)
        outputs += try await trustFiles(in: handOver.folder)
        let (vault, key) = ("\(handOver.folder.path)/vault", "\(handOver.folder.path)/key")
        try await SampleVault.makeDamaged(vault, key)
        outputs.append(await CommandRun.run(["vault", "check", vault, "--key-file", key, "--json"]).output)
        outputs += await connections(in: handOver.folder.path)
        let sensor = [
            "prox", "run", "--for", "1ms", "--radio", "virtual", "--air", "\(handOver.folder.path)/prox.sock",
        ]
        outputs.append(await CommandRun.run(sensor + ["--json"]).output)
        outputs += try await checkedHandOver(handOver, file.path)
        outputs.append(try await desk(in: handOver.folder.path))
        return outputs + (try await handOverWithIntruder(handOver, file.path))
    }

    /// The output of commands on a trust file with a method.
    private func trustFiles(in folder: TemporaryFolder) async throws -> [String] {
        let trust = try folder.write("trust.txt", "method did:key\n")
        var outputs = [await CommandRun.run("inspect", #"{"dcql_query":{}}"#, "--trust", trust, "--json").output]
        for arguments in [["list"], ["check"], ["add", "did:key:z6Mk", "--yes"], ["remove", "did:key", "--yes"]] {
            outputs.append(await CommandRun.run(["trust"] + arguments + ["--trust", trust, "--json"]).output)
        }
        return outputs
    }

    /// The output of a verifier desk that is ended when its code is shown.
    private func desk(in folder: String) async throws -> String {
        let setup = CommandRun.Setup()
        let run = Task {
            await CommandRun.run(["desk", "--port", "0", "--air", "\(folder)/desk.sock", "--json"], setup)
        }
        _ = try await setup.output.text(containing: "\"what\":\"waiting\"")
        run.cancel()
        return await run.value.output
    }

    /// The output of commands on connections, and of what they tell seldom.
    private func connections(in folder: String) async -> [String] {
        let vault = "\(folder)/connections"
        let key = ["--key-file", "\(folder)/connections.key"]
        _ = await CommandRun.run(["vault", "create", vault, "--new-key-file", key[1]])
        let id = (try? await SampleVault.makeConnection(in: vault, keyFile: key[1])) ?? ""
        var outputs: [String] = []
        for command in [["show", vault, id], ["delete", vault, id, "--yes", "--silent"]] {
            outputs.append(await CommandRun.run(["connections"] + command + key + ["--json"]).output)
        }
        for arguments in [
            ["invite", "create", vault, "--endpoint", "http://127.0.0.1:9"], ["invite", "list", vault],
        ] {
            outputs.append(await CommandRun.run(arguments + key + ["--json"]).output)
        }
        for arguments in [
            ["invite", "accept", vault, SampleConnectionInvitation.request], ["requests", "list", vault],
        ] {
            outputs.append(await CommandRun.run(arguments + key + ["--json"]).output)
        }
        _ = await CommandRun.run("mdoc", "make", "--out", "\(folder)/made")
        for command in [["add", vault, "\(folder)/made/licence.mdoc"], ["list", vault]] {
            outputs.append(await CommandRun.run(["mdoc"] + command + key + ["--json"]).output)
        }
        _ = try? await SampleVault.makeConnection(in: vault, keyFile: key[1], isMediator: true)
        for command in ["show", "leave"] {
            outputs.append(await CommandRun.run(["mediator", command, vault] + key + ["--json"]).output)
        }
        let listened = ["listen", vault, "--for", "1ms", "--json"] + key
        outputs.append(await CommandRun.run(listened).output)
        let served = ["agent", "run", "--listen", "127.0.0.1:0", "--data", "\(folder)/agent", "--for", "1ms", "--json"]
        outputs.append(await CommandRun.run(served).output)
        outputs += await cloudAgent(in: "\(folder)/agent")
        return outputs + [seldom()]
    }

    /// The output of commands on the store of a cloud agent.
    private func cloudAgent(in data: String) async -> [String] {
        var outputs: [String] = []
        if let store = try? await DatabaseStore.sqlite(at: "\(data)/agent.sqlite") {
            _ = try? await store.write(adding: 1) {
                try $0.accounts.open([1], keys: [], at: WallTime(millisecondsSinceEpoch: 0))
            }
            await store.close()
        }
        for command in [["status"], ["accounts"], ["verify"], ["prune"], ["config", "show"]] {
            outputs.append(await CommandRun.run(["agent"] + command + ["--data", data, "--json"]).output)
        }
        return outputs
    }

    /// Events whose commands need another side, which their own tests have; here with their fields alone.
    private static let seldom: [JSONEventName: [JSONText.Member]] = [
        .ping: [.init("connection", .string("1")), .init("seconds", .number(0.1))],
        .features: [.init("connection", .string("1")), .init("protocols", .array([]))],
        .rotated: [
            .init("party", .null), .init("connection", .string("1")), .init("isOurs", .bool(true)),
            .init("did", .string("did:x:y")), .init("isAcknowledged", .bool(true)),
        ],
        .connectionsArchive: [
            .init("action", .string("export")), .init("connections", .integer(1)), .init("records", .integer(3)),
        ],
        .requestAnswered: [.init("id", .string("r")), .init("isTold", .bool(true))],
        .requestDeclined: [.init("id", .string("r")), .init("isTold", .bool(true))],
        .cloudAgentStore: [
            .init("isFailing", .bool(true)), .init("code", .string("cloud.store.full")), .init("reason", .string("R.")),
            .init("seconds", .null), .init("failures", .null), .init("deferred", .null),
        ],
        .cloudAgentStoreWentBack: [
            .init("steps", .integer(191)), .init("age", .number(3.1, places: 3)), .init("timelineBefore", .integer(1)),
            .init("timelineAfter", .null),
        ],
        .cloudAgentCounts: MediatorMetric.all.map { .init($0.name, .integer(1)) },
    ]

    private static let mediatorNews: [MediationClientEvent] = [
        .stage(connection: "1", .granted), .left, .problem(code: "a.b", reason: "C.", retryIn: .seconds(1)),
        .problem(code: "a.b", reason: "C.", retryIn: nil), .socket(isOpen: true), .caughtUp(remaining: 2),
        .quarantined(code: "a.b", reason: "C."),
    ]

    private func seldom() -> String {
        let sink = MemorySink()
        let surroundings = Console.Environment(
            output: sink, talk: MemorySink(), outputIsTerminal: false, talkIsTerminal: false, answers: nil,
            window: { nil }, variables: [:])
        let reporter = EventReporter(
            console: Console(surroundings), isJSON: true, clock: SystemMonotonicClock())
        let connectionReporter = ConnectionReporter(reporter: reporter)
        connectionReporter.report(.passedOver(connection: nil, code: "a.b", reason: "C."))
        connectionReporter.report(.received(connection: "1", .hungUp))
        let proximity = ProximityReporter(reporter: reporter)
        let records = SampleHeraldEvents.events.flatMap {
            ProximityRecord.records(of: $0, at: 1500, device: "1", milliseconds: { _ in 0 }, name: { "t\($0)" })
        }
        for record in records { proximity.report(record, identity: "AQID") }
        proximity.report(
            ProximityRecord(SampleHeraldEvents.estimate, of: "t4", at: 1500, device: "1"), identity: "AQID")
        for news in Self.mediatorNews { connectionReporter.report(.mediator(news)) }
        connectionReporter.report(.received(connection: "1", .question(Question("A?", answers: ["B"], id: "q"))))
        connectionReporter.report(.received(connection: "1", .answer("B", threadID: "q")))
        connectionReporter.report(.reused(connection: "1", invitationID: "i"))
        for name in [
            JSONEventName.ping, .features, .rotated, .connectionsArchive, .requestAnswered, .requestDeclined,
            .cloudAgentStore, .cloudAgentStoreWentBack, .cloudAgentCounts,
        ] {
            reporter.event(name, Self.seldom[name] ?? [])
        }
        MediatorWakeCommand.report(nil, by: reporter)
        reporter.event(
            .cloudAgentInvitation,
            [
                .init("name", .string("a")), .init("link", .string("l")), .init("olderLink", .string("o")),
                .init("shortLink", .string("s")),
                .init("isForMany", .bool(false)),
            ])
        reporter.event(
            .finished, [.init("result", .string("done")), .init("exit", .integer(0)), .init("code", .null)])
        return sink.text
    }

    /// A hand-over of a file that is not genuine to a verifier that checks.
    private func checkedHandOver(_ handOver: HandOver, _ path: String) async throws -> [String] {
        let (uri, receiving) = try await receive(handOver, ["--check"])
        let sent = await handOver.send(path, to: uri, ["--json"])
        return [await receiving.value.output, sent.output]
    }

    private func receive(
        _ handOver: HandOver, _ arguments: [String] = []
    ) async throws -> (uri: String, run: Task<CommandRun, Never>) {
        let setup = CommandRun.Setup()
        let line = ["receive", "--out", "\(handOver.folder.path)/inbox", "--air", handOver.airPath, "--json"]
        let receiving = Task { await CommandRun.run(line + arguments, setup) }
        let invitation = try await setup.output.line(
            beginningWith: #"{"schema":"symbolon.events","version":1,"event":"invitation""#)
        let uri = try #require(
            invitation.split(separator: "\"uri\":\"").last?.split(separator: "\"").first.map(String.init))
        return (uri, receiving)
    }

    /// A hand-over before which another device writes an invalid message to the verifier.
    private func handOverWithIntruder(_ handOver: HandOver, _ path: String) async throws -> [String] {
        let (uri, receiving) = try await receive(handOver)
        try await intrude(handOver.airPath)
        let sent = await handOver.send(path, to: uri, ["--json"])
        return [await receiving.value.output, sent.output]
    }

    private func intrude(_ airPath: String) async throws {
        let profile = WireProfile.tuvali05
        let air = try await VirtualAir.shared(path: airPath)
        let radio = try await air.makeRadio()
        for try await report in try await radio.scan(services: [profile.service]) {
            let link = try await radio.connect(to: report.address, timeout: .seconds(10))
            let service = try #require(try await link.discoverServices(profile.service).first)
            let characteristics = try await link.discoverCharacteristics(of: service)
            let identify = try #require(characteristics.first { $0.uuid == profile.uuid(of: .identify) })
            try await link.write([1, 2, 3], to: identify)
            await link.disconnect()
            break
        }
        await air.close()
    }
}
