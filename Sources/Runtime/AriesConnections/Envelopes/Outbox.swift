import Aries
import DIDComm
import Determinism

/// The messages to send: one queue for each connection, of which a limited number send at a time.
///
/// It decides what is sent next and when a failed message is retried. One message of a connection is under way at
/// a time. Protocol messages of a connection go before those of people and applications.
struct Outbox: StateMachine, Sendable {
    /// One message to send.
    enum MessageToSend: Sendable {
        /// A message of a handshake, whose state machine decides about retries.
        case handshake(OutgoingMessage)
        /// A question whether a connection is reused.
        case reuse(OutgoingMessage, id: String)
        /// A message that is sent once, because the other side asks again when it is lost.
        case once(OutgoingMessage)
        /// A message that is sent once and whose result is reported, with its sender key if that is stored nowhere
        /// else.
        case single(OutgoingMessage, key: AgentKey?)
        /// A message to the mediator, whose state machine decides about retries.
        case mediator(OutgoingMessage)
        /// A message from the stored outbox, which is retried until it is delivered.
        case outbox(OutboxRecord)

        var isOfOutbox: Bool {
            if case .outbox = self { true } else { false }
        }

        /// True for a message of the outbox that changes a DID or answers one that does, which waits for no other.
        var isOfRotation: Bool {
            if case .outbox(let record) = self { DIDRotate.isExchange(record.message) } else { false }
        }

        var messageID: String {
            switch self {
            case .handshake(let outgoing), .reuse(let outgoing, _), .once(let outgoing), .single(let outgoing, _),
                .mediator(let outgoing):
                outgoing.message.id
            case .outbox(let record): record.message.id
            }
        }
    }

    /// The reason why a message was not handed over.
    enum HandOffError: Sendable {
        /// The other side has no address and is not connected: the message waits for it.
        case isAwaited
        /// Our own rules refuse the address.
        case isPermanent
        /// A retry may succeed.
        case mayPass
        /// The message was not given to the transport, and is to be looked at again after this time.
        case postponed(Duration)
    }

    /// An input of the outbox: a fact, a command of the caller, or the passing of time.
    enum Input: Sendable {
        /// Queue this for a connection.
        case append(MessageToSend, to: String)
        /// Remove the message with this `@id` from the queue, unless it is under way or of the store's outbox.
        case withdraw(String, from: String)
        /// Send the messages that are due.
        case dispatch
        /// The message was handed over, or failed and is not retried.
        case finished(on: String)
        /// A message of the store's outbox could not be handed over.
        case failed(OutboxRecord, HandOffError)
        /// The other side has sent a message, so waiting messages may reach it.
        case otherSideAppeared(String)
        /// The connection is deleted with its queue.
        case removed(String)
    }

    /// An output of the outbox: an action or an event.
    ///
    /// The caller handles outputs in their order.
    enum Output: Sendable {
        /// Send this; say `finished` or `failed` afterwards.
        case send(MessageToSend, on: String)
        /// The message failed and has no retry left; it waits until the other side connects or the next start.
        case gaveUp(OutboxRecord)
        /// Cancel the attempt to send on this connection.
        case cancel(String)
    }

    private struct ConnectionSendQueue {
        var items: [MessageToSend] = []
        var failures = 0
        var blockedUntil: MonotonicInstant?
        /// True while the queue waits until the other side connects.
        var isHeld = false
        /// True while a message of the queue is being sent.
        var isSending = false

        /// The index behind the messages that may not wait for messages of applications.
        var indexOfMessages: Int { items.firstIndex { $0.isOfOutbox && !$0.isOfRotation } ?? items.endIndex }

        func mayGo(at now: MonotonicInstant) -> Bool {
            !isSending && !items.isEmpty && !isHeld && blockedUntil ?? now <= now
        }
    }

    private let maximumSending: Int
    private let waits: [Duration]
    private var queues: [String: ConnectionSendQueue] = [:]

    /// Makes an outbox without messages.
    ///
    /// - Parameters:
    ///   - maximumSending: the most connections on which messages are under way at a time.
    ///   - waits: the wait before each retry of a message of the store's outbox.
    init(maximumSending: Int, waits: [Duration]) { (self.maximumSending, self.waits) = (maximumSending, waits) }

    /// The time of the next retry, at which the caller gives `dispatch`.
    var nextDeadline: MonotonicInstant? { queues.values.compactMap(\.blockedUntil).min() }

    /// The number of connections on which a message is under way.
    var sendingCount: Int { queues.values.count(where: \.isSending) }

    /// Returns true when a message for the connection waits or is under way.
    func isInUse(_ connection: String) -> Bool { queues[connection] != nil }

    /// Handles one event and appends the actions for the driver.
    mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .append(let item, let connection): append(item, to: connection)
        case .withdraw(let id, let connection):
            queues[connection]?.items.removeAll { !$0.isOfOutbox && $0.messageID == id }
        case .dispatch: dispatch(at: now, into: &outputs)
        case .finished(let connection):
            queues[connection]?.isSending = false
            queues[connection]?.failures = 0
            if queues[connection]?.items.isEmpty == true { queues[connection] = nil }
        case .failed(let record, let failure): failed(record, failure, at: now, into: &outputs)
        case .otherSideAppeared(let connection):
            queues[connection]?.blockedUntil = nil
            queues[connection]?.isHeld = false
        case .removed(let connection):
            if queues.removeValue(forKey: connection)?.isSending == true { outputs.append(.cancel(connection)) }
        }
    }

    private mutating func append(_ item: MessageToSend, to connection: String) {
        var queue = queues[connection] ?? ConnectionSendQueue()
        if item.isOfRotation {
            queue.items.insert(item, at: queue.indexOfMessages)
            queue.isHeld = false
            queue.blockedUntil = nil
        } else if item.isOfOutbox {
            queue.items.append(item)
        } else {
            // A protocol message does not wait behind messages that wait for it, and is not queued twice.
            queue.items.removeAll { !$0.isOfOutbox && $0.messageID == item.messageID }
            queue.items.insert(item, at: queue.items.firstIndex(where: \.isOfOutbox) ?? queue.items.endIndex)
            queue.isHeld = false
            queue.blockedUntil = nil
        }
        queues[connection] = queue
    }

    /// Sends the first message of each queue that is due, in the order of the connections' names.
    private mutating func dispatch(at now: MonotonicInstant, into outputs: inout [Output]) {
        var room = maximumSending - sendingCount
        guard room > 0 else { return }
        for connection in queues.filter({ $0.value.mayGo(at: now) }).keys.sorted() {
            guard room > 0, var queue = queues[connection] else { return }
            let item = queue.items.removeFirst()
            queue.blockedUntil = nil
            queue.isSending = true
            queues[connection] = queue
            outputs.append(.send(item, on: connection))
            room -= 1
        }
    }

    /// Puts a message back at the head of its queue, to wait for a retry.
    private mutating func failed(
        _ record: OutboxRecord, _ failure: HandOffError, at now: MonotonicInstant, into outputs: inout [Output]
    ) {
        var queue = queues[record.connection] ?? ConnectionSendQueue()
        queue.isSending = false
        let item = MessageToSend.outbox(record)
        queue.items.insert(item, at: item.isOfRotation ? 0 : queue.indexOfMessages)
        defer { queues[record.connection] = queue }
        switch failure {
        case .mayPass where queue.failures < waits.count:
            queue.blockedUntil = now + waits[queue.failures]
            queue.failures += 1
        case .mayPass, .isPermanent:
            queue.failures = 0
            queue.isHeld = true
            outputs.append(.gaveUp(record))
        case .isAwaited: (queue.failures, queue.isHeld) = (0, true)
        case .postponed(let wait): queue.blockedUntil = now + wait
        }
    }
}
