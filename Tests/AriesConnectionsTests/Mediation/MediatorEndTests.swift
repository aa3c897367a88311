import Aries
import Determinism
import JSON
import TestSupport
import Testing

@testable import AriesConnections

/// Tests of messages that are on the way from a mediator while the agent shuts down.
@Suite struct MediatorEndTests {
    /// An agent that has asked for a batch of three messages, which the mediator has forgotten and which is on its way.
    private func batchUnderWay() async throws -> Mediated {
        let story = try Mediated(.pickup1, isLive: true)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        let before = story.mediator.forwarded
        story.mediator.change { $0.habits.holdsPickup = true }
        try await story.send(1...3, on: theirs)
        let isUnderWay = try await settled([story.us, story.them]) {
            story.mediator.forwarded == before + 3 && story.mediator.queued == 0
        }
        #expect(isUnderWay && story.received(story.us).isEmpty)
        return story
    }

    /// Waits until the agent begins to shut down, while the clock stands still.
    private func begins(toEnd story: Mediated) async throws {
        while await !story.us.agent.isFinishing { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Returns true when the agent still runs after that much more time.
    private func runs(_ story: Mediated, after duration: Duration) async throws -> Bool {
        story.clock.advance(by: duration)
        for _ in 0..<20 {
            guard await story.us.agent.isRunning else { return false }
            try await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    /// Returns true when the agent ends while the clock stands still.
    private func ends(_ story: Mediated) async throws -> Bool {
        for _ in 0..<120_000 {
            guard await story.us.agent.isRunning else { return true }
            try await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    /// Hands over what is under way, which is taken while the clock stands, and then lets time pass until the end.
    private func release(_ story: Mediated) async throws {
        story.mediator.release()
        for _ in 0..<120_000 where story.received(story.us).count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(story.received(story.us) == ["1", "2", "3"])
        for _ in 0..<800 {
            guard await story.us.agent.isRunning else { return }
            story.clock.advance(by: .milliseconds(10))
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func `before it stops, an agent processes the batch that the mediator no longer keeps`() async throws {
        let story = try await batchUnderWay()
        async let end = story.us.agent.finish(within: .seconds(10))
        try await begins(toEnd: story)
        try await release(story)
        #expect(await end)
    }

    @Test func `an agent whose stopping is cancelled still processes the batch that is under way`() async throws {
        let story = try await batchUnderWay()
        let end = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await story.us.agent.finish(within: .seconds(10))
        }
        try await begins(toEnd: story)
        #expect(try await runs(story, after: .seconds(1)))
        try await release(story)
        #expect(await end.value)
    }

    @Test func `an agent that stops waits longer for a batch that the mediator no longer keeps`() async throws {
        let story = try await batchUnderWay()
        async let end = story.us.agent.finish(within: .seconds(2))
        try await begins(toEnd: story)
        #expect(try await runs(story, after: .seconds(10)))
        try await release(story)
        #expect(await end)
    }

    @Test func `an agent that stops waits for messages that have arrived for half a minute and no longer`() async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        await story.us.agent.arriving.begin()
        async let end = story.us.agent.finish(within: .seconds(2))
        try await begins(toEnd: story)
        #expect(try await runs(story, after: .seconds(2)))
        #expect(try await runs(story, after: Agent.onceWait - .seconds(2) - .milliseconds(1)))
        story.clock.advance(by: .milliseconds(1))
        #expect(try await ends(story))
        #expect(await !end)
    }

    @Test func `an agent that stops does not wait beyond its limit for messages that the mediator still keeps`()
        async throws
    {
        let story = try Mediated(.pickup2, isLive: false)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        story.mediator.change { $0.habits.holdsDeliveries = true }
        try await story.send(1...3, on: theirs)
        #expect(try await settled([story.us, story.them]) { story.mediator.heard.last == "delivery-request" })
        async let end = story.us.agent.finish(within: .seconds(2))
        try await begins(toEnd: story)
        #expect(try await runs(story, after: .milliseconds(1999)))
        story.clock.advance(by: .milliseconds(1))
        #expect(try await ends(story))
        #expect(await !end)
    }
}
