import CommandTestSupport
import Determinism
import Foundation
import Terminal
import TestSupport
import Testing

@testable import CommandProgram

/// Runs that are interrupted while their command stands in a call that does not return.
@Suite struct ForcedExitTests {
    /// A program of one command, which blocks its thread until it is released.
    private func program(_ release: DispatchSemaphore, _ began: DispatchSemaphore) -> Program {
        Program(
            "blocked", "Blocks.", examples: [], groups: [:], ownForms: [],
            commands: [
                .init("wait", CommandDeclaration("wait", "Waits.", examples: [.init("blocked wait", "Waits.")])) { _ in
                    began.signal()
                    await withCheckedContinuation { continuation in
                        Thread.detachNewThread {
                            release.wait()
                            continuation.resume()
                        }
                    }
                }
            ])
    }

    @Test(.timeLimit(.minutes(1)))
    func `an interrupted run that does not stop is ended by force, after one last event`()
        async throws
    {
        let (release, began) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        let setup = CommandRun.Setup()
        var environment = CommandRun.environment(["wait", "--json"], setup)
        environment.forcedEnd = ForcedExit(after: .milliseconds(250)) { end.yield($0) }
        let run = Task { [environment] in await program(release, began).run(environment) }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                began.wait()
                continuation.resume()
            }
        }
        run.cancel()
        var statuses = ends.makeAsyncIterator()
        #expect(await statuses.next() == 130)
        #expect(setup.output.text.split(separator: "\n").filter { $0.contains(#""event":"finished""#) }.count == 1)
        #expect(setup.output.text.contains(#""result":"interrupted","exit":130"#))
        release.signal()
        #expect(await run.value == 130)
        #expect(setup.output.text.split(separator: "\n").filter { $0.contains(#""event":"finished""#) }.count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `an interrupted run that stops in time is not ended by force, also with a longer limit`()
        async throws
    {
        let calls = Lock<[String]>([])
        let ending = ForcedExit(after: .milliseconds(200)) { _ in calls.withLock { $0.append("end") } }
        ending.begin(unless: { true }, report: { calls.withLock { $0.append("report") } })
        let extended = ForcedExit(after: .milliseconds(200)) { _ in calls.withLock { $0.append("extended") } }
        extended.extend(to: .seconds(3600))
        extended.begin(unless: { false }, report: { calls.withLock { $0.append("extended") } })
        let (marks, mark) = AsyncStream.makeStream(of: Int32.self)
        let last = ForcedExit(after: .milliseconds(400)) { mark.yield($0) }
        last.begin(unless: { false }, report: {})
        var iterator = marks.makeAsyncIterator()
        _ = await iterator.next()
        #expect(calls.withLock { $0 } == [])
    }
}
