import CommandTestSupport
import Commands
import Determinism
import Herald
import HeraldProximity
import Radio
import Terminal
import Testing

@testable import CommandProgram
@testable import ProximityCommands

@Suite struct SensorEventHandlerTests {
    private static func context() throws -> CommandContext {
        let environment = CommandRun.environment(["prox", "run"])
        guard case .run(let arguments) = try ArgumentParser(Program.symbolon.root).parse(environment.arguments) else {
            throw CommandError(.inputEmpty, "No command was read.")
        }
        let reporter = EventReporter(
            console: Console(environment.surroundings), isJSON: false, clock: environment.clock)
        return CommandContext(
            arguments: arguments, environment: environment, reporter: reporter, program: Program.symbolon.root)
    }

    @Test func `a log record that arrives late is written with the time of the latest one`() async throws {
        let folder = try TemporaryFolder()
        let context = try Self.context()
        let place = folder.path + "/log"
        let log = try ProximityLogWriter(
            folder: place,
            run: ProximityRun(
                scenario: "run", start: WallTime(millisecondsSinceEpoch: 1_767_225_600_000), durationMilliseconds: nil,
                seed: nil, isSimulated: false, devices: [.init(id: SensorEventHandler.ownName)]))
        let watch = SensorEventHandler(context, log: log)
        for at in [5000, 3000, 6000] {
            await watch.take(ProximityRecord(at: at, device: SensorEventHandler.ownName, kind: .detect, peer: "d1"))
        }
        try await watch.finish()
        var moments: [Int] = []
        try ProximityLogReader(folder: place).eachRecord { moments.append($0.at) }
        #expect(moments == [5000, 5000, 6000])
    }

    @Test func `a radio unavailable from the start ends the run, and one that fails later does not`() async throws {
        let trouble = HeraldEvent.trouble(HeraldError(.radioUnavailable, "Another program has it."), nil)
        let cases: [([HeraldEvent], Bool)] = [
            ([.state(.on), trouble], true), ([.state(.on), .state(.unavailable), .state(.on), trouble], false),
            ([.state(.on), .trouble(HeraldError(.advertisingUnsupported, "It only listens."), nil)], false),
        ]
        for (events, isOver) in cases {
            let context = try Self.context()
            let watch = SensorEventHandler(context)
            for event in events {
                await watch.take(
                    SensorEvent(
                        at: context.environment.clock.now(), time: WallTime(millisecondsSinceEpoch: 0),
                        event: event))
            }
            #expect(await watch.absence == (isOver ? RadioError(.unavailable, "Another program has it.") : nil))
            #expect(await watch.absence?.reason == (isOver ? "Another program has it." : nil))
        }
    }
}
