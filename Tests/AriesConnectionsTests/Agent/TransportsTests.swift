import Aries
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@testable import AriesConnections

/// The choice of transports by which a wallet sends.
@Suite struct TransportsTests {
    private static let http = ServiceEndpoint.Transport.ofHTTP
    private static let socket = ServiceEndpoint.Transport.ofWebSocket

    private let net = MemoryNet()
    private let clock = HandClock()

    private func parties(_ transports: Set<ServiceEndpoint.Transport>) async throws -> (us: Party, them: Party) {
        let us = try Party("us", net: net, clock: clock, hasAddress: false) { $0.outboundTransports = transports }
        let them = try Party("them", net: net, clock: clock, seed: 2)
        try await us.agent.start()
        try await them.agent.start()
        return (us, them)
    }

    /// An invitation of a party that names it at several addresses.
    private func invitation(of party: Party, at endpoints: [String]) async throws -> Invitation {
        let made = try await party.agent.invite(InvitationDraft(.outOfBand, label: "Them"))
        var object = made.object
        let service = try #require(object["services"]?.array?.first?.object)
        let services = endpoints.map { endpoint -> JSONValue in
            var other = service
            other["serviceEndpoint"] = .string(endpoint)
            return .object(other)
        }
        object["services"] = .array(services)
        return try Invitation(object)
    }

    @Test(.shows("ARI-049")) func `of several service addresses the first that a chosen transport reaches is used`()
        async throws
    {
        let (us, them) = try await parties(Self.http)
        let invitation = try await invitation(of: them, at: ["ws://them.example", "http://them.example"])
        let id = try await us.agent.accept(invitation).id
        let isComplete = try await settled([us, them]) {
            try await us.agent.summary(of: id)?.stage == .completed
        }
        #expect(isComplete)
    }

    @Test(.shows("ARI-049"))
    func `a connection request that no chosen transport can carry is refused at once, and nothing is sent`()
        async throws
    {
        let (us, them) = try await parties(Self.socket)
        let invitation = try await them.agent.invite(InvitationDraft(.outOfBand, label: "Them"))
        let connection = try await us.agent.accept(invitation)
        let failure = Lock<AgentError?>(nil)
        let waiting = Task {
            do { _ = try await connection.completed() } catch { failure.withLock { $0 = error as? AgentError } }
        }
        let isRefused = try await settled([us, them], within: .seconds(5), step: .seconds(1)) {
            failure.withLock { $0?.code } == .deliveryTransport
        }
        #expect(isRefused)
        #expect(
            failure.withLock { $0?.reason }?.contains("reached by http, and this wallet sends only by ws, wss") == true)
        await waiting.value
        #expect(net.carried.isEmpty)
    }

    @Test(.shows("ARI-049"))
    func `a text that no chosen transport can carry stays queued, and is sent once one is chosen`()
        async throws
    {
        let (us, them) = try await parties(Self.http)
        let id = try await us.agent.accept(them.agent.invite(InvitationDraft(.outOfBand, label: "Them"))).id
        let isComplete = try await settled([us, them]) { try await us.agent.summary(of: id)?.stage == .completed }
        #expect(isComplete)
        await us.agent.stop()
        let count = net.carried.count
        func agent(_ transports: Set<ServiceEndpoint.Transport>) -> Agent {
            var configuration = AgentConfiguration(label: "us")
            configuration.outboundTransports = transports
            return Agent(
                store: us.store, transport: MemoryTransport(net), configuration: configuration, clock: clock,
                random: SeededRandom(seed: 9), wallTime: { WallTime(millisecondsSinceEpoch: 1_760_000_000_000) })
        }
        let refused = agent(Self.socket)
        try await refused.start()
        let events = await refused.events()
        try await refused.send(BasicMessage("1", sent: nil).message(id: "m1"), on: id)
        for await case .undelivered(_, "m1") in events { break }
        #expect((await refused.undelivered(on: id) as? AgentError)?.code == .deliveryTransport)
        #expect(net.carried.count == count)
        await refused.stop()
        let allowed = agent(Self.http)
        try await allowed.start()
        let isThere = try await settled([them]) {
            them.store.records(of: "aries.message").compactMap { try? ConnectionMessage($0) }.map(\.message.id) == [
                "m1"
            ]
        }
        #expect(isThere)
        await allowed.stop()
    }

    @Test(arguments: [SimulatedMediator.Service.pickup2, .implicit])
    func `no WebSocket to a mediator is opened when WebSockets are not among the transports`(
        service: SimulatedMediator.Service
    ) async throws {
        let story = try Mediated(service, isLive: true) { $0.outboundTransports = Self.http }
        try await story.us.agent.start()
        let connection = try await story.us.agent.useMediator(story.mediator.invitation)
        let isRefused = try await settled([story.us], within: .seconds(20), step: .seconds(1)) {
            let failure = await story.us.agent.deliveryFailure(on: connection.id)
            return (failure as? AgentError)?.code == .deliveryTransport
        }
        #expect(isRefused && !story.mediator.hasSocket)
    }
}
