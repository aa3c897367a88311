import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing
import Vault

@testable import AriesConnections

/// The WebSocket with a mediator, and the end of fetching.
@Suite struct MediatorSocketTests {
    @Test func `a WebSocket to the mediator that ends is opened again, and no message is lost`() async throws {
        let story = try Mediated(.pickup2, isLive: true)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        for round in 1...3 {
            #expect(try await settled([story.us]) { story.mediator.hasSocket })
            story.mediator.cut()
            try await story.send((round * 2 - 1)...(round * 2), on: theirs)
            #expect(try await story.hears(round * 2))
        }
        #expect(story.received(story.us).sorted() == (1...6).map(String.init))
    }

    @Test(arguments: [(TransportEndReason.replaced, "agent.mediator.replaced"), (.closed, "agent.mediator.closed")])
    func `a WebSocket that another program replaced, or whose account is closed, is not opened again`(
        _ end: TransportEndReason, _ code: String
    ) async throws {
        let story = try Mediated(.pickup2, isLive: true)
        try await story.begin()
        #expect(try await settled([story.us]) { story.mediator.hasSocket })
        let events = await story.us.agent.events()
        let told = Task { () -> String? in
            for await case .mediator(.problem(let code, _, nil)) in events { return code }
            return nil
        }
        story.mediator.cut(end)
        #expect(try await !settled([story.us], within: .seconds(3600)) { story.mediator.hasSocket })
        #expect(story.us.transport.socketEnds.withLock { $0.count } == 1)
        #expect(await told.value == code)
    }

    @Test(arguments: [SimulatedMediator.Service.pickup1, .implicit])
    func `with a pickup protocol chosen by the user, messages come by that protocol and no WebSocket is opened`(
        _ service: SimulatedMediator.Service
    ) async throws {
        let chosen: PickupClient.PickupProtocol = service == .implicit ? .implicit : .pickup1
        let story = try Mediated(service, isLive: true) { $0.mediator.pickup = chosen }
        try await story.begin()
        let (_, theirs) = try await story.connect()
        try await story.send(1...3, on: theirs)
        #expect(try await story.hears(3))
        #expect(story.us.transport.socketEnds.withLock { $0.isEmpty })
        #expect(!story.mediator.heard.contains("delivery-request"))
        #expect(try await story.us.agent.mediator()?.flavour == .pickup2, "the next run chooses anew")
    }

    @Test(arguments: [true, false])
    func `a mediator that denied service is not asked again`(isLive: Bool) async throws {
        var habits = SimulatedMediator.Habits()
        habits.denies = true
        let story = try Mediated(.pickup2, isLive: isLive, habits: habits)
        try await story.us.agent.start()
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.stage == .denied })
        story.mediator.change { $0.heard = [] }
        let sockets = story.us.transport.socketEnds.withLock { $0.count }
        #expect(try await !settled([story.us], within: .seconds(600)) { story.mediator.heard.count > 1 })
        #expect(story.us.transport.socketEnds.withLock { $0.count } <= max(sockets, 1) && !story.mediator.hasSocket)
    }

    @Test func `a WebSocket that breaks while the agent ends is not opened again`() async throws {
        let story = try Mediated(.pickup1, isLive: true)
        try await story.begin()
        story.mediator.change { $0.habits.holdsPickup = true }
        let count = story.mediator.heard.count
        #expect(try await settled([story.us]) { story.mediator.heard.count > count })
        // Something on its way keeps the agent from ending at once.
        await story.us.agent.arriving.begin()
        async let end = story.us.agent.finish(within: .seconds(3600))
        #expect(try await settled([story.them], within: .seconds(1)) { await story.us.agent.isFinishing })
        story.mediator.cut()
        #expect(try await !settled([story.them], within: .seconds(600)) { story.mediator.hasSocket })
        #expect(story.us.transport.socketEnds.withLock { $0.count } == 1)
        await story.us.agent.arriving.end()
        await story.us.agent.activityChanged()
        _ = try await settled([story.us]) { await !story.us.agent.isRunning }
        #expect(await end)
    }

    @Test func `a late event of an old WebSocket does not end the one to the next mediator`() async throws {
        let story = try Mediated(.pickup2, isLive: true)
        try await story.begin()
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.isLive == true })
        #expect(try await story.us.agent.leaveMediator(isForced: true))
        _ = try await story.us.agent.useMediator(story.mediator.invitation)
        #expect(try await story.isReady())
        #expect(try await settled([story.us]) { try await story.us.agent.mediator()?.isLive == true })
        let ends = story.us.transport.socketEnds.withLock { $0 }
        #expect(ends.count == 2)
        let events = await story.us.agent.events()
        ends.first?()
        #expect(
            try await settled([story.us], within: .seconds(30)) { try await story.us.agent.mediator()?.isLive == true })
        try await Task.sleep(for: .milliseconds(20))
        await story.us.agent.stop()
        for await case .mediator(.socket(let isOpen)) in events { #expect(isOpen) }
    }

    @Test func `the agent fetches messages that the mediator queued although the WebSocket was open`() async throws {
        var habits = SimulatedMediator.Habits()
        habits.missesLineEvery = 3
        let story = try Mediated(.implicit, isLive: true, habits: habits)
        try await story.begin()
        let (_, theirs) = try await story.connect()
        try await story.send(1...9, on: theirs)
        #expect(try await story.hears(9))
        #expect(Set(story.received(story.us)) == Set((1...9).map(String.init)))
    }
}
