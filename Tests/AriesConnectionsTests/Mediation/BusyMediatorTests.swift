import Aries
import Determinism
import TestSupport
import Testing

@testable import AriesConnections

/// A mediator that answers requests for messages with a report that asks to try later.
@Suite struct BusyMediatorTests {
    private func becomeBusy(_ count: Int, _ story: Mediated) {
        story.mediator.change { state in
            state.habits.busyPickups = count
            state.heard = []
        }
    }

    /// A log of the mediator events that an agent reports.
    private struct Told: Sendable {
        let events = Lock<[MediationClientEvent]>([])

        init(by agent: Agent) async {
            let stream = await agent.events()
            Task { [events] in
                for await case .mediator(let event) in stream { events.withLock { $0.append(event) } }
            }
        }

        /// The waits in the problem reports so far; each report has to name the mediator's code.
        var waits: [Duration?] {
            events.withLock { $0 }.compactMap { event in
                guard case .problem(let code, let reason, let wait) = event else { return nil }
                #expect(code == "aries.connection.rejected" && reason.contains("e.p.later"))
                return wait
            }
        }

        var hasCaughtUp: Bool { events.withLock { $0.last == .caughtUp(remaining: 0) } }
    }

    /// Lets time pass until all requests that follow from what happened are answered.
    private func rest(_ story: Mediated) async throws {
        #expect(try await !settled([story.us, story.them], within: .seconds(40)) { false })
    }

    @Test(arguments: [false, true])
    func `a busy mediator is asked again with the same protocol, and its problem report is passed on`(isLive: Bool)
        async throws
    {
        let story = try Mediated(.pickup2, isLive: isLive)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        try await rest(story)
        let told = await Told(by: story.us.agent)
        becomeBusy(3, story)
        #expect(try await settled([story.us, story.them]) { told.waits.count >= 3 && told.hasCaughtUp })
        try await rest(story)
        #expect(told.waits == [.seconds(1), .seconds(5), .seconds(30)])
        becomeBusy(1, story)
        #expect(try await settled([story.us, story.them]) { told.waits.count >= 4 && told.hasCaughtUp })
        #expect(told.waits.last == .seconds(1), "an answer sets the wait back")
        try await story.send(1...2, on: theirs)
        #expect(try await story.hears(2))
        #expect(!story.mediator.heard.contains("batch-pickup"))
        #expect(try await story.us.agent.mediator()?.flavour == .pickup2)
        if isLive { #expect(story.us.transport.socketEnds.withLock { $0.count } == 1, "the WebSocket stays open") }
    }

    @Test(arguments: [false, true])
    func `a mediator that stays busy is asked at growing intervals`(isLive: Bool) async throws {
        let story = try Mediated(.pickup2, isLive: isLive)
        try await story.begin()
        try await rest(story)
        becomeBusy(.max, story)
        story.mediator.change { $0.heard = [] }
        // Five waits come to 13 minutes; then it is asked once in 10 minutes, and a WebSocket that is open is tried no
        // more often.
        #expect(try await !settled([story.us], within: .seconds(3600), step: .seconds(30)) { false })
        #expect((5...20).contains(story.mediator.heard.count), "\(story.mediator.heard.count)")
    }
}
