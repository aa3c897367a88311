import Aries
import DIDComm
import Determinism
import TestSupport
import Testing

@testable import AriesConnections

@Suite struct OutboxTests {
    private let id = "connection"

    private func connection() async throws -> Connection {
        let (inviter, _, id, _) = try await connectedParties(MemoryNet(), HandClock())
        return try #require(try await inviter.agent.summary(of: id)?.connection)
    }

    private func item(_ name: String, _ connection: Connection) throws -> Outbox.MessageToSend {
        .mediator(try connection.outgoing(BasicMessage(name, sent: nil).message(id: name)))
    }

    private func record(_ name: String, on connection: String = "connection") -> OutboxRecord {
        OutboxRecord(connection: connection, message: BasicMessage(name, sent: nil).message(id: name))
    }

    /// The identifiers of what is sent, in their order.
    private func sent(_ outputs: [Outbox.Output]) -> [String] {
        outputs.compactMap { if case .send(let item, _) = $0 { item.messageID } else { nil } }
    }

    private func gaveUp(_ outputs: [Outbox.Output]) -> [String] {
        outputs.compactMap { if case .gaveUp(let record) = $0 { record.message.id } else { nil } }
    }

    private func makeOutbox(_ waits: [Duration] = [.seconds(1), .seconds(5)], maximum: Int = 16) -> Outbox {
        Outbox(maximumSending: maximum, waits: waits)
    }

    @Test func `removing a queued message from the outbox leaves the messages before and after it`() async throws {
        let connection = try await connection()
        var outbox = makeOutbox()
        for name in ["first", "asked", "last"] {
            _ = outbox.handle(.append(try item(name, connection), to: id), at: .zero)
        }
        for (name, queue) in [("asked", id), ("unknown", id), ("first", "another")] {
            _ = outbox.handle(.withdraw(name, from: queue), at: .zero)
        }
        #expect(sent(outbox.handle(.dispatch, at: .zero)) == ["first"])
        #expect(sent(outbox.handle(.dispatch, at: .zero)).isEmpty)
        _ = outbox.handle(.finished(on: id), at: .zero)
        #expect(sent(outbox.handle(.dispatch, at: .zero)) == ["last"])
        #expect(outbox.isInUse(id))
        _ = outbox.handle(.finished(on: id), at: .zero)
        #expect(!outbox.isInUse(id) && sent(outbox.handle(.dispatch, at: .zero)).isEmpty)
    }

    @Test func `the outbox sends protocol messages of a connection before texts, and queues each of them once`()
        async throws
    {
        let connection = try await connection()
        var outbox = makeOutbox()
        _ = outbox.handle(.append(.outbox(record("text")), to: id), at: .zero)
        for name in ["one", "two", "one"] {
            _ = outbox.handle(.append(try item(name, connection), to: id), at: .zero)
        }
        var order: [String] = []
        while outbox.isInUse(id) {
            order += sent(outbox.handle(.dispatch, at: .zero))
            _ = outbox.handle(.finished(on: id), at: .zero)
        }
        #expect(order == ["two", "one", "text"])
    }

    @Test func `a message that fails is sent again after each retry interval, and is then held for the other side`() {
        var outbox = makeOutbox()
        let (message, start) = (record("text"), MonotonicInstant.zero)
        _ = outbox.handle(.append(.outbox(message), to: id), at: start)
        #expect(sent(outbox.handle(.dispatch, at: start)) == ["text"])
        #expect(gaveUp(outbox.handle(.failed(message, .mayPass), at: start)).isEmpty)
        #expect(outbox.nextDeadline == start + .seconds(1))
        #expect(sent(outbox.handle(.dispatch, at: start + .milliseconds(999))).isEmpty)
        #expect(sent(outbox.handle(.dispatch, at: start + .seconds(1))) == ["text"])
        #expect(gaveUp(outbox.handle(.failed(message, .mayPass), at: start + .seconds(1))).isEmpty)
        #expect(outbox.nextDeadline == start + .seconds(6))
        #expect(sent(outbox.handle(.dispatch, at: start + .seconds(6))) == ["text"])
        #expect(gaveUp(outbox.handle(.failed(message, .mayPass), at: start + .seconds(6))) == ["text"])
        #expect(outbox.nextDeadline == nil)
        #expect(sent(outbox.handle(.dispatch, at: start + .seconds(9999))).isEmpty)
        _ = outbox.handle(.otherSideAppeared(id), at: start + .seconds(9999))
        #expect(sent(outbox.handle(.dispatch, at: start + .seconds(9999))) == ["text"])
    }

    @Test func `a message that waits for the other side to ask is held, and is not reported as undelivered`() {
        var outbox = makeOutbox()
        let message = record("text")
        _ = outbox.handle(.append(.outbox(message), to: id), at: .zero)
        _ = outbox.handle(.dispatch, at: .zero)
        #expect(gaveUp(outbox.handle(.failed(message, .isAwaited), at: .zero)).isEmpty)
        #expect(outbox.nextDeadline == nil && sent(outbox.handle(.dispatch, at: .zero)).isEmpty)
    }

    @Test func `a message whose address our own rules refuse is dropped without a retry`() {
        var outbox = makeOutbox()
        let message = record("text")
        _ = outbox.handle(.append(.outbox(message), to: id), at: .zero)
        _ = outbox.handle(.dispatch, at: .zero)
        #expect(gaveUp(outbox.handle(.failed(message, .isPermanent), at: .zero)) == ["text"])
    }

    @Test func `the outbox sends on the allowed number of connections at a time, and on no more`() {
        var outbox = makeOutbox(maximum: 2)
        for name in ["c", "a", "b"] {
            _ = outbox.handle(.append(.outbox(record(name, on: name)), to: name), at: .zero)
        }
        #expect(sent(outbox.handle(.dispatch, at: .zero)) == ["a", "b"])
        #expect(sent(outbox.handle(.dispatch, at: .zero)).isEmpty && outbox.sendingCount == 2)
        _ = outbox.handle(.finished(on: "b"), at: .zero)
        #expect(sent(outbox.handle(.dispatch, at: .zero)) == ["c"])
    }

    @Test func `removing a connection cancels its messages that are being sent`() {
        var outbox = makeOutbox()
        for name in ["one", "two"] { _ = outbox.handle(.append(.outbox(record(name)), to: id), at: .zero) }
        _ = outbox.handle(.dispatch, at: .zero)
        let outputs = outbox.handle(.removed(id), at: .zero)
        #expect(outputs.contains { if case .cancel("connection") = $0 { true } else { false } })
        #expect(!outbox.isInUse(id) && outbox.handle(.removed(id), at: .zero).isEmpty)
    }

    @Test func `an answer to a DID rotation is sent before texts, also while they wait for an acknowledgement`() {
        var outbox = makeOutbox()
        for name in ["first", "second"] { _ = outbox.handle(.append(.outbox(record(name)), to: id), at: .zero) }
        #expect(sent(outbox.handle(.dispatch, at: .zero)) == ["first"])
        _ = outbox.handle(.failed(record("first"), .postponed(.seconds(1))), at: .zero)
        #expect(sent(outbox.handle(.dispatch, at: .zero)).isEmpty && outbox.nextDeadline == .zero + .seconds(1))
        let ack = Message(MessageType(.didRotate10, "ack"), id: "ack", thread: MessageThread(id: "rotation"))
        _ = outbox.handle(.append(.outbox(OutboxRecord(connection: id, message: ack)), to: id), at: .zero)
        #expect(sent(outbox.handle(.dispatch, at: .zero)) == ["ack"])
        _ = outbox.handle(.finished(on: id), at: .zero)
        #expect(sent(outbox.handle(.dispatch, at: .zero)) == ["first"])
        _ = outbox.handle(.append(.outbox(OutboxRecord(connection: id, message: ack)), to: id), at: .zero)
        _ = outbox.handle(.failed(record("first"), .postponed(.seconds(1))), at: .zero)
        #expect(sent(outbox.handle(.dispatch, at: .zero + .seconds(1))) == ["ack"], "a text that waits stays behind it")
        _ = outbox.handle(.finished(on: id), at: .zero)
        #expect(sent(outbox.handle(.dispatch, at: .zero + .seconds(1))) == ["first"])
        #expect(gaveUp(outbox.handle(.failed(record("first"), .mayPass), at: .zero)).isEmpty, "waiting is no failure")
    }
}
