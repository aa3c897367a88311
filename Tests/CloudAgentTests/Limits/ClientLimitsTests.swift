import Aries
import AriesConnections
import CloudAgent
import CryptoSuite
import DIDComm
import Determinism
import Foundation
import Testing
import WebTransport

/// Tests of what a client may use of a cloud agent, at the limit and one past it.
@Suite struct ClientLimitsTests {
    @Test func `eight accounts may use one connection, and messages of a ninth are ignored on it`() async throws {
        try await Bench.with { bench in
            var clients: [RawClient] = []
            for _ in 0..<9 { clients.append(try await bench.client()) }
            let socket = try await clients[0].socket()
            var messages = socket.messages.makeAsyncIterator()
            for (number, client) in clients.enumerated() {
                let ask = try client.packed("messagepickup/2.0/status-request")
                try await socket.send(.text(ask))
                guard number < 8 else { continue }
                let answer = try #require(try await messages.next()?.text)
                #expect(try client.opened(Array(answer.utf8)).type.name == "status")
            }
            // The ninth was not answered, or this would not be what comes next; elsewhere it is.
            let again = try clients[0].packed("messagepickup/2.0/status-request", id: "again")
            try await socket.send(.text(again))
            let answer = try #require(try await messages.next()?.text)
            #expect(try clients[0].opened(Array(answer.utf8)).threadID == "again")
            #expect(try await clients[8].ask("messagepickup/2.0/status-request")?.type.name == "status")
        }
    }

    @Test func `an account that is never confirmed is removed after its time, and not before`() async throws {
        try await TemporaryFolder.with { folder in
            let service = WebService()
            func server(forgettingAfter wait: Duration) async throws -> (server: CloudAgentServer, port: UInt16) {
                var configuration = CloudAgentConfiguration()
                configuration.server.port = 0
                configuration.maintenanceInterval = .milliseconds(20)
                configuration.confirmationWait = wait
                let server = CloudAgentServer(
                    configuration, store: try await DatabaseStore.sqlite(at: "\(folder)/agent.sqlite"),
                    secret: try RunningAgent.secret(), transport: WebMessageTransport(service)
                ) { WallTime(millisecondsSinceEpoch: Int64(Date().timeIntervalSince1970 * 1000)) }
                return (server, try await server.start().port)
            }
            let (patient, port) = try await server(forgettingAfter: .seconds(3600))
            let invitation = try #require(patient.invitation)
            let poster = Poster(service: service, port: port)
            #expect(try await poster.post(try RawClient.request(for: invitation)).status == 200)
            let confirmed = try await RawClient.connect(invitation, at: port, service: service)
            _ = try await confirmed.ask("messagepickup/2.0/status-request")
            // Several times of looking.
            try await Task.sleep(for: .milliseconds(200))
            #expect(try await patient.totals().accounts == 2)
            await patient.stop(within: .milliseconds(200))
            let (hasty, newPort) = try await server(forgettingAfter: .milliseconds(1))
            #expect(try await eventually { try await hasty.totals().accounts == 1 })
            let moved = confirmed.moved(to: newPort)
            #expect(try await moved.ask("messagepickup/2.0/status-request") != nil, "the other one stays")
            await hasty.stop(within: .milliseconds(200))
            await service.stop()
        }
    }
}

extension WebSocketMessage {
    /// The text; nil of a message of bytes.
    fileprivate var text: String? {
        if case .text(let bytes) = self { return String(decoding: bytes, as: UTF8.self) }
        return nil
    }
}
