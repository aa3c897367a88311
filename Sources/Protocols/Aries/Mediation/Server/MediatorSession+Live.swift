import DIDComm
import JSON

/// What goes out by itself: live mode, and envelopes that ride back.
extension MediatorSession {
    mutating func changeLive(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        let isWanted = try AriesError.reading(.messageMalformed) { () throws(JSONError) in
            try message.reader.bool("live_delivery")
        }
        guard isWanted else {
            setLive(nil, into: &outputs)
            return ask(.status(nil), .status(nil), into: &outputs)
        }
        guard channel == .persistent else {
            return refuse(
                "e.m.live-mode-not-supported", "Live delivery needs a line that stays open.", into: &outputs)
        }
        // Answered by a status, which is another one each time.
        guard let request else { return }
        ask(.once(.delivery, by: request), .delivering(.acknowledged), into: &outputs)
    }

    /// Live mode begins behind what was handed out, or behind everything if the client has asked for nothing yet.
    mutating func beginLive(_ status: QueueStatus, into outputs: inout [Output]) {
        let start = known
        if live == nil { setLive(.acknowledged, into: &outputs) }
        tell(status, of: nil, into: &outputs)
        known = start ?? status.newestPosition
        hasMail = true
    }

    mutating func setLive(_ new: Live?, into outputs: inout [Output]) {
        guard new != live else { return }
        if (new == nil) != (live == nil) { outputs.append(.watch(new != nil)) }
        live = new
        (outstanding, outstandingBytes) = ([:], 0)
        if new == nil { lookAt = nil }
    }

    /// Whether live messages can be fetched: there may be some, and the window is open.
    var canPush: Bool {
        guard let live, hasMail else { return false }
        switch live {
        case .acknowledged: return outstanding.count < limits.windowCount && outstandingBytes < limits.windowBytes
        // One at a time, until the line has taken it.
        case .implicit: return unconfirmed.isEmpty
        }
    }

    mutating func push(into outputs: inout [Output]) {
        hasMail = false
        let room = live == .implicit ? 1 : min(limits.deliveryCount, limits.windowCount - outstanding.count)
        fetch(.after(known ?? 0, recipient: nil), max(1, room), .push, into: &outputs)
    }

    /// Sends what was fetched for a live client.
    mutating func pushed(_ messages: [QueuedMessage], into outputs: inout [Output]) {
        guard let live, let last = messages.last else { return }
        // There may be more behind these.
        hasMail = true
        known = last.position
        if live == .implicit {
            for message in messages { handOver(message, into: &outputs) }
            return
        }
        for message in messages where outstanding.updateValue(message.envelope.count, forKey: message.id) == nil {
            outstandingBytes += message.envelope.count
        }
        let delivery = Message(
            MessageType(.pickup20, "delivery"), id: Message.makeID(from: &random),
            body: ["~attach": Self.attachments(messages)])
        do throws(AriesError) {
            outputs.append(.send(try connection.outgoing(delivery), .back))
        } catch {
            outputs.append(.ignored(error))
        }
    }

    mutating func acknowledged(_ ids: [String]) {
        for id in ids { if let bytes = outstanding.removeValue(forKey: id) { outstandingBytes -= bytes } }
    }

    /// Mail may go out on this channel.
    mutating func deliver(_ mode: Live, into outputs: inout [Output]) {
        switch mode {
        case .acknowledged: ask(.status(nil), .live, into: &outputs)
        case .implicit:
            setLive(.implicit, into: &outputs)
            (known, hasMail) = (0, true)
        }
    }

    // Implicit pickup.

    /// A message that is no request of a mediator: answered by the inbox; without an answer, it carries envelopes back.
    mutating func takeOther(_ received: ReceivedMessage, into outputs: inout [Output]) {
        repeatAnswers()
        guard var identifiers = answerIDs else { return }
        var answers: [OutgoingMessage] = []
        var rotated: Connection?
        var hasHungUp = false
        // Without a memory: what must not be done twice is asked of the store, which knows of all channels.
        var inbox = ConnectionInbox(connection, features: features)
        for output in inbox.handle(received, random: &identifiers) {
            switch output {
            case .send(let outgoing): answers.append(outgoing)
            case .event(.rotated(let connection)): rotated = connection
            case .event(.hungUp): hasHungUp = true
            case .ignored(let error): outputs.append(.ignored(error))
            case .persist, .event: break
            }
        }
        answerIDs = identifiers
        if hasHungUp { return ask(.end, .ending, into: &outputs) }
        if let rotated { return askOnce(.document(rotated), .keeping(answers, rotated), into: &outputs) }
        for answer in answers { send(answer, into: &outputs) }
        if answers.isEmpty { carryBack(received.message, into: &outputs) }
    }

    private mutating func carryBack(_ message: Message, into outputs: inout [Output]) {
        guard message.returnRoute == "all", !hasAskedForPickup, !message.type.isProblemReport else { return }
        switch channel {
        case .single:
            guard !hasAnswered else { return }
            fetch(.after(0, recipient: nil), 1, .carrier, claim: request, into: &outputs)
        case .persistent:
            guard live == nil, let request else { return }
            ask(.once(.delivery, by: request), .delivering(.implicit), into: &outputs)
        }
    }

    /// Hands one envelope over as it is; it is forgotten when the channel took it.
    mutating func handOver(_ message: QueuedMessage, into outputs: inout [Output]) {
        hasAnswered = true
        unconfirmed[message.id] = [message.id]
        outputs.append(.handOver(message))
    }
}
