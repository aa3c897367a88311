import AriesConnections
import DIDComm
import Determinism
import Testing

@testable import CloudAgent

@Suite struct OutboundDeliveryTests {
    /// Carries nothing before `close`.
    private actor SlowTransport: MessageTransport {
        private(set) var count = 0
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func carry(
            _ envelope: [UInt8], to endpoint: ServiceEndpoint, answers: @escaping @Sendable ([UInt8]) -> Void
        ) async throws {
            count += 1
            await withCheckedContinuation { waiting.append($0) }
        }

        func close() async {
            for one in waiting { one.resume() }
            waiting = []
        }
    }

    @Test(arguments: [(2, 1000, [10, 10], 1), (10, 100, [60, 40], 1), (10, 100, [60], 41)])
    func `the outbound answers being sent are limited in number and in bytes`(
        count: Int, bytes: Int, fitting: [Int], more: Int
    ) async throws {
        let transport = SlowTransport()
        let outbound = OutboundDelivery(
            transport, waits: [], limits: .init(count: count, bytes: bytes), clock: SystemMonotonicClock())
        let endpoint = try ServiceEndpoint(parsing: "https://a.example")
        let carried = fitting.map { size in
            Task { await outbound.send([UInt8](repeating: 1, count: size), to: endpoint) }
        }
        #expect(try await eventually { await transport.count == fitting.count })
        #expect(await outbound.send([UInt8](repeating: 1, count: more), to: endpoint) == false)
        await outbound.close()
        for one in carried { #expect(await one.value) }
        // There is room again.
        let last = Task { await outbound.send([UInt8](repeating: 1, count: more), to: endpoint) }
        #expect(try await eventually { await transport.count == fitting.count + 1 })
        await outbound.close()
        #expect(await last.value)
    }

    @Test func `HTTP status 4xx except 408, 425 and 429 is a refusal of the message, and no other status is`() {
        for status in [400, 401, 404, 413, 415, 422, 499] { #expect(OutboundDelivery.isRefusal(status)) }
        for status in [300, 399, 408, 425, 429, 500, 503] { #expect(!OutboundDelivery.isRefusal(status)) }
    }
}
