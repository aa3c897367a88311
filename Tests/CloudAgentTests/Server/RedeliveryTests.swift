import Aries
import DIDComm
import FaultLayer
import TestSupport
import Testing
import WebTransport

@testable import CloudAgent

/// Tests of the number of redeliveries while the store can remove no message.
@Suite struct RedeliveryTests {
    @Test(.shows("A8")) func `a client whose acknowledgements fail gets messages again once for each failure at most`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let layer = FaultyLayer()
            let store = try await DatabaseStore.sqlite(fileLayer: layer.name, name: "/agent.sqlite")
            let agent = try await RunningAgent(in: folder, store: store)
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            let (routing, key) = (try await client.mediate(), freshKey())
            _ = try await client.change(key)
            let poster = Poster(service: service, port: agent.address.port)
            #expect(try await poster.forward("a", to: key, through: routing) == 202)
            layer.arm(.failsLasting, at: 1)
            var (failures, deliveries) = (0, 0)
            for _ in 0..<100 {
                let mail = try await client.deliver()
                guard !mail.isEmpty else { continue }
                deliveries += 1
                #expect(try await client.acknowledge(mail.map(\.id)) == nil)
                failures += 1
            }
            #expect(deliveries < 10, "handed out \(deliveries) times within moments")
            #expect(agent.server.counts.handedOut <= failures + 1)
            layer.arm(nil, at: 0)
            var waiting: Int?
            let hasArrived = try await eventually {
                let mail = try await client.deliver()
                guard !mail.isEmpty else { return false }
                waiting = try await client.acknowledge(mail.map(\.id))
                return true
            }
            #expect(hasArrived && waiting == 0)
            await service.stop()
            await agent.stop()
        }
    }
}
