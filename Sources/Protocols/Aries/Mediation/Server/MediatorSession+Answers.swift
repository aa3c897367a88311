import DIDComm
import JSON

/// What the store says.
extension MediatorSession {
    mutating func answered(_ answer: MediatorAnswer, into outputs: inout [Output]) {
        guard let pending else { return }
        self.pending = nil
        switch answer {
        case .replayed: return replayed(pending, into: &outputs)
        case .outdated:
            return refuse(
                "message-outdated", "The message was sent before others that are forgotten here; send a new one.",
                into: &outputs)
        case .failed: return failed(pending, into: &outputs)
        case .granted, .denied, .changed, .keys, .status, .messages, .waking, .done: break
        }
        switch (pending, answer) {
        case (.grant(let key), .granted(let grant)): granted(grant, for: key, into: &outputs)
        case (.grant, _): reply(MessageType(.mediation10, "mediate-deny"), [:], into: &outputs)
        case (.update(let requested), .changed(let results)): changed(requested, results, into: &outputs)
        case (.list(let offset), .keys(let page)): listed(page, offset: offset, into: &outputs)
        case (.status(let key), .status(let status)): tell(status, of: key, into: &outputs)
        case (.live, .status(let status)): beginLive(status, into: &outputs)
        case (.acknowledgement(let ids), .status(let status)):
            acknowledged(ids)
            tell(status, of: nil, into: &outputs)
        case (.oldStatus, .status(let status)): tellOld(status, into: &outputs)
        case (.keeping(let answers, let connection), .done):
            self.connection = connection
            for answer in answers { send(answer, into: &outputs) }
        case (.delivering(let mode), .done): deliver(mode, into: &outputs)
        case (.wake, .waking(let state)): waking(state, into: &outputs)
        case (.wake, .denied):
            refuse("webhook-not-allowed", "Nothing is posted to this address from here.", into: &outputs)
        case (.ending, .done):
            setLive(nil, into: &outputs)
            outputs.append(.ended)
        case (.forgetting, _): break
        case (_, .messages(let messages)): fetched(messages, pending, into: &outputs)
        default: failed(pending, into: &outputs)
        }
    }

    /// The same message came before: nothing was done, and what can be answered again is.
    private mutating func replayed(_ pending: Pending, into outputs: inout [Output]) {
        switch pending {
        case .keeping(let answers, _): for answer in answers { send(answer, into: &outputs) }
        case .delivering(.acknowledged): ask(.status(nil), .status(nil), into: &outputs)
        default:
            outputs.append(.ignored(AriesError(.replayed, "The same request for messages came before.")))
        }
    }

    private mutating func fetched(_ messages: [QueuedMessage], _ pending: Pending, into outputs: inout [Output]) {
        switch pending {
        case .delivery(let key): deliver(messages, key: key, into: &outputs)
        case .batch: handOut(messages, as: "batch", into: &outputs)
        case .chosen: handOut(messages, as: "list-response", into: &outputs)
        case .carrier: if let message = messages.first { handOver(message, into: &outputs) }
        case .push: pushed(messages, into: &outputs)
        default: failed(pending, into: &outputs)
        }
    }

    /// The store could not do it: the client is told to ask again, where it waits for an answer.
    private mutating func failed(_ pending: Pending, into outputs: inout [Output]) {
        // The next time the answer may be another one.
        answerIDs = nil
        switch pending {
        case .update(let requested): changed(requested, nil, into: &outputs)
        // What was fetched for nobody in particular is looked for again at the next deadline.
        case .push, .forgetting, .carrier: break
        case .grant, .list, .status, .live, .delivery, .acknowledgement, .oldStatus, .batch, .chosen, .delivering,
            .keeping, .wake, .ending:
            refuse("e.p.later", "The mediator cannot do this now; ask again.", into: &outputs)
        }
    }
}
