public import DIDComm
public import Determinism
public import JSON

/// Handles messages on a complete connection.
///
/// Each message is checked to belong to the connection, deduplicated, answered where its protocol asks for that, and
/// raised as an event. An unknown type is raised too, and not answered. Handshake messages, reuse and mediation have
/// cores of their own and are not given to this one.
public struct ConnectionMessageHandler: Sendable {
    /// An event that a message on the connection causes.
    public enum Event: Hashable, Sendable {
        /// A trust ping arrived; it was answered if it requests a response.
        case pinged
        /// The other side answered our ping of this thread.
        case pingAnswered(threadID: String)
        /// A basic message arrived.
        case text(BasicMessage)
        /// The other side asks the user a question.
        case question(Question)
        /// The other side answered our question of this thread, in untrusted text.
        case answer(String, threadID: String)
        /// The other side sent the list of its features.
        case features(FeatureList)
        /// The other side acknowledged the thread with this status.
        case acknowledged(threadID: String, status: String)
        /// A problem report; `isWarning` tells whether its thread has ended.
        case problem(ProblemReport)
        /// The other side changed its DID, and with it the connection.
        case rotated(Connection)
        /// The other side acknowledged our new DID, and the connection has changed.
        case ownRotated(Connection)
        /// The other side has ended the connection.
        case hungUp
        /// A message of an unknown type, to store and to show; `refusal` of `AttachedRequest` declines it.
        case other(Message)
    }

    /// An output of the connection inbox: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Store the message and `state` durably before carrying out the outputs that follow.
        case persist
        /// Send this message to the other side.
        case send(OutgoingMessage)
        /// Report this event to the application.
        case event(Event)
        /// A message was ignored, for this reason.
        case ignored(AriesError)
    }

    /// The number of message identifiers that are kept to detect repeated messages.
    public static let rememberedIDs = 256

    /// The connection, with the newest document of the other side.
    public private(set) var connection: Connection

    /// The features that this agent discloses.
    public let features: FeatureList

    /// The unacknowledged change of this agent's DID; nil without one.
    public private(set) var rotation: PendingDIDRotation?

    /// True when neither side accepts the other's messages, after a change of our DID.
    ///
    /// The other side answered the change by a key that is unknown here. The next message that is accepted ends this.
    public private(set) var isBroken = false

    private var seen: [String]

    /// Makes the inbox of a new connection.
    public init(_ connection: Connection, features: FeatureList = .usual) {
        self.connection = connection
        self.features = features
        seen = []
    }

    /// The state of the inbox as JSON for a store.
    public var state: JSONObject {
        JSONObject(present: [
            "version": .int(StoredStateReader.version), "kind": "inbox", "connection": .object(connection.json),
            "seen": .strings(seen), "rotation": rotation.map { .object($0.json) }, "isBroken": isBroken ? true : nil,
        ])
    }

    /// Reads a stored inbox that `state` wrote.
    ///
    /// Throws `aries.state.malformed`.
    public init(stored reader: JSONValueReader, features: FeatureList = .usual) throws(AriesError) {
        let (connection, seen, rotation, isBroken) = try StoredStateReader.reading {
            try StoredStateReader.check(reader, kind: "inbox")
            return (
                try Connection(stored: reader.member("connection")), try reader.strings("seen"),
                try reader.optional("rotation").map { try PendingDIDRotation(stored: $0) },
                try reader.optionalBool("isBroken") ?? false
            )
        }
        self.init(connection, features: features)
        self.seen = seen.suffix(Self.rememberedIDs)
        self.rotation = rotation
        self.isBroken = isBroken
    }

    /// Adopts the former keys of a stored connection, if an older program wrote the inbox without any.
    ///
    /// `stored` is the same connection as a store keeps it beside the inbox.
    public mutating func takeKeys(of stored: Connection) {
        guard connection.former.isEmpty, connection != stored else { return }
        connection = connection.withFormerKeys(of: stored)
    }

    /// Begins to change this agent's DID to one of `address`; the state is stored before the message is sent.
    ///
    /// - Parameters:
    ///   - form: `peer2`, or another for did:peer:4, which the other side can read without any help.
    ///   - now: the time at which the change begins.
    /// - Returns: the message that tells the other side.
    ///
    /// Throws `aries.message.unexpected` while an earlier change is not acknowledged, and `aries.state.malformed` when
    /// the address does not fit into a DID.
    public mutating func rotate(
        to address: AgentAddress, form: DIDForm, id: String, at now: WallTime
    ) throws(AriesError) -> Message {
        guard rotation == nil else {
            throw AriesError(.unexpected, "The other side has not acknowledged the last change of our DID yet.")
        }
        let did = try (form == .peer2 ? DIDForm.peer2 : .peer4).did(of: address)
        rotation = PendingDIDRotation(did: did, address: address, threadID: id, begun: now)
        return DIDRotate.rotation(to: did, id: id)
    }

    /// Records that the announcement of the DID change is about to be posted; the state is stored first.
    public mutating func notePost(at now: WallTime) { rotation?.notePost(at: now) }

    /// Records that the last post of the announcement certainly did not arrive.
    public mutating func notePostFailed() { rotation?.notePostFailed() }

    /// Records a message to our new key outside this inbox, which completes the change of our DID.
    ///
    /// - Returns: true when the connection has changed, and the state is to be stored.
    public mutating func noteNewKey(of received: ReceivedMessage) -> Bool {
        guard let rotation, received.recipient == rotation.address.key,
            (try? connection.check(received, alsoTo: rotation.address.key)) != nil
        else { return false }
        var outputs: [Output] = []
        finishRotation(by: received, into: &outputs)
        return true
    }

    /// Handles one message and appends the outputs that it causes.
    public mutating func handle(
        _ received: ReceivedMessage, random: inout some RandomSource, into outputs: inout [Output]
    ) {
        do throws(AriesError) {
            try checkSender(of: received)
            let id = Message.makeID(from: &random)
            guard !seen.contains(received.message.id) else {
                if let ack = repeatedAck(for: received.message, id: id) {
                    outputs += [.persist, .send(ack)]
                    return
                }
                throw AriesError(.replayed, "A message of \(received.message.type) came before.")
            }
            remember(received.message.id)
            connection.note(received)
            let first = outputs.count
            outputs.append(.persist)
            finishRotation(by: received, into: &outputs)
            try take(received, answerID: id, into: &outputs)
            acknowledge(received.message, since: first, random: &random, into: &outputs)
        } catch {
            outputs.append(.ignored(error))
        }
    }

    private mutating func checkSender(of received: ReceivedMessage) throws(AriesError) {
        do throws(AriesError) {
            try connection.check(received, alsoTo: rotation?.address.key)
        } catch {
            // The thread is known to the other side alone, and so its key is one that was never announced here.
            let isAnswer =
                UnderstoodMessage(received.message.type) == .rotateAck || received.message.type.isProblemReport
            if error.code == .wrongSender, isAnswer, received.message.answeredThreadID == rotation?.threadID {
                isBroken = true
            }
            throw error
        }
        isBroken = false
    }

    /// Returns a repeated acknowledgement for an announcement that came before; nil for any other message.
    ///
    /// The first acknowledgement may be lost.
    private func repeatedAck(for message: Message, id: String) -> OutgoingMessage? {
        guard DIDRotate.isRotation(message), case .known(let ack) = DIDRotate.follow(message, on: connection, id: id)
        else { return nil }
        return try? connection.outgoing(ack)
    }

    /// Handles one message as `handle(_:random:into:)` does, and returns the outputs in an array.
    public mutating func handle(_ received: ReceivedMessage, random: inout some RandomSource) -> [Output] {
        var outputs: [Output] = []
        handle(received, random: &random, into: &outputs)
        return outputs
    }

    /// Ends a change of our DID when the other side acknowledges it, uses the new key, or reports a failure.
    private mutating func finishRotation(by received: ReceivedMessage, into outputs: inout [Output]) {
        guard let rotation else { return }
        let message = received.message
        let isOfThread = message.answeredThreadID == rotation.threadID
        if received.recipient == rotation.address.key || isOfThread && UnderstoodMessage(message.type) == .rotateAck {
            connection = connection.rotated(by: rotation, at: received.arrival)
            self.rotation = nil
            outputs.append(.event(.ownRotated(connection)))
        } else if isOfThread, message.type.isProblemReport {
            self.rotation = nil
        }
    }

    private mutating func remember(_ id: String) {
        seen.append(id)
        if seen.count > Self.rememberedIDs { seen.removeFirst(seen.count - Self.rememberedIDs) }
    }

    private mutating func take(
        _ received: ReceivedMessage, answerID: String, into outputs: inout [Output]
    ) throws(AriesError) {
        let message = received.message
        if let report = ProblemReport(message) { return outputs.append(.event(.problem(report))) }
        let known = UnderstoodMessage(message.type)
        switch known {
        case .ping:
            if TrustPing.wantsAnswer(message) { try send(TrustPing.answer(to: message, id: answerID), &outputs) }
            outputs.append(.event(.pinged))
        case .pingResponse: outputs.append(.event(.pingAnswered(threadID: message.threadID)))
        case .text: outputs.append(.event(.text(try BasicMessage(message))))
        case .question: outputs.append(.event(.question(try Question(message))))
        case .answer: outputs.append(.event(try Self.answer(message)))
        case .ack, .rotateAck:
            let status = message.object["status"]?.string ?? "OK"
            outputs.append(.event(.acknowledged(threadID: message.threadID, status: status)))
        case .query, .queries:
            if let answer = features.answer(to: message, id: answerID) { try send(answer, &outputs) }
        case .disclose, .disclosures:
            if let list = FeatureList(message) { outputs.append(.event(.features(list))) }
        case .rotate: try rotate(received, answerID, &outputs)
        case .hangup: outputs.append(.event(.hungUp))
        case nil: try takeUnknown(message, answerID, &outputs)
        }
    }

    private static func answer(_ message: Message) throws(AriesError) -> Event {
        let text = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.string("response")
        }
        return .answer(text, threadID: message.threadID)
    }

    /// Answers an unsupported version of a known protocol with a report; keeps a message of an unknown protocol.
    private func takeUnknown(_ message: Message, _ answerID: String, _ outputs: inout [Output]) throws(AriesError) {
        guard UnderstoodMessage.hasOtherVersion(of: message.type) else {
            return outputs.append(.event(.other(message)))
        }
        let error = AriesError(.versionUnsupported, "A message of \(message.type) is of a version unknown here.")
        let report = ProblemReport(
            code: "message-parse-failure", explanation: error.reason, threadID: message.threadID)
        try send(report.message(MessageType(.notification10, "problem-report"), id: answerID), &outputs)
        outputs.append(.ignored(error))
    }

    /// Handles a change of the other side's DID.
    ///
    /// Once the other side has used its newest document, an older key changes nothing any more.
    private mutating func rotate(
        _ received: ReceivedMessage, _ id: String, _ outputs: inout [Output]
    ) throws(AriesError) {
        let outcome = DIDRotate.follow(received.message, on: connection, id: id)
        if case .known(let ack) = outcome { return try send(ack, &outputs) }
        let isNewest = connection.theirs.owns(try received.exclusiveSender())
        guard isNewest || connection.former.awaitsTheirNewKey else {
            throw .wrongSender(received.message)
        }
        switch outcome {
        case .known: break
        case .refused(let report, let error):
            try send(report, &outputs)
            outputs.append(.ignored(error))
        case .rotated(let rotated, let ack):
            // The acknowledgement goes to the DID of before, RFC 0794.
            try send(ack, &outputs)
            connection = rotated
            outputs.append(.persist)
            outputs.append(.event(.rotated(rotated)))
        }
    }

    private func send(_ message: Message, _ outputs: inout [Output]) throws(AriesError) {
        outputs.append(.send(try connection.outgoing(message)))
    }

    /// Acknowledges a message that asks for it and has no other answer.
    ///
    /// Acknowledgements and reports are never acknowledged.
    private func acknowledge(
        _ message: Message, since first: Int, random: inout some RandomSource, into outputs: inout [Output]
    ) {
        let isAnswered = outputs[first...].contains { if case .send = $0 { true } else { false } }
        let known = UnderstoodMessage(message.type)
        guard message.asksForAck, !isAnswered, !message.type.isProblemReport, known != .ack, known != .rotateAck,
            known != .hangup
        else { return }
        let ack = Message(
            MessageType(.notification10, "ack"), id: Message.makeID(from: &random),
            thread: MessageThread(id: message.threadID), body: ["status": "OK"])
        if let outgoing = try? connection.outgoing(ack) { outputs.append(.send(outgoing)) }
    }
}

extension ConnectionMessageHandler {
    /// The message types that the inbox understands.
    enum UnderstoodMessage: CaseIterable {
        case ping, pingResponse, text, question, answer, ack, query, disclose, queries, disclosures
        case rotate, rotateAck, hangup

        var type: MessageType {
            switch self {
            case .ping: MessageType(.trustPing10, "ping")
            case .pingResponse: MessageType(.trustPing10, "ping_response")
            case .text: MessageType(.basicMessage10, "message")
            case .question: MessageType(.questionAnswer10, "question")
            case .answer: MessageType(.questionAnswer10, "answer")
            case .ack: MessageType(.notification10, "ack")
            case .query: MessageType(.discoverFeatures10, "query")
            case .disclose: MessageType(.discoverFeatures10, "disclose")
            case .queries: MessageType(.discoverFeatures20, "queries")
            case .disclosures: MessageType(.discoverFeatures20, "disclosures")
            case .rotate: MessageType(.didRotate10, "rotate")
            case .rotateAck: MessageType(.didRotate10, "ack")
            case .hangup: MessageType(.didRotate10, "hangup")
            }
        }

        init?(_ type: MessageType) {
            guard let found = Self.allCases.first(where: { $0.type.isSame(as: type) }) else { return nil }
            self = found
        }

        /// Returns true when a message type belongs to a known protocol in an unsupported major version.
        static func hasOtherVersion(of type: MessageType) -> Bool {
            guard type.protocol.namespace == .community else { return false }
            let majors = allCases.map(\.type.protocol).filter { $0.family == type.protocol.family }.map(\.major)
            return !majors.isEmpty && !majors.contains(type.protocol.major)
        }
    }
}
