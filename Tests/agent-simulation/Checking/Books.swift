import Aries
import Determinism
import JSON

/// Records answers to senders, received messages and removed ones, and compares them with the
/// guarantees.
final class Books: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.

    /// The answer that the sender of a posted message received.
    enum Fate {
        case accepted, refused, unknown
    }

    private struct Message {
        let recipient: String
        let posted: MonotonicInstant
        /// The offset of the calendar clock when the message was posted, or when it was answered if that was less.
        var wallOffset: Int64
        var fate = Fate.unknown
        var received: MonotonicInstant?
        var dropped: MonotonicInstant?
        /// True for a message that may be gone, because the store was replaced by an earlier state.
        var isOfLostHistory = false
    }

    private let world: World
    private let age: Duration
    private var messages: [String: Message] = [:]
    private var order: [String] = []
    private var texts: [String: String] = [:]
    private var removed: Set<String> = []
    /// The position of the last message that each recipient received; `numbers` has each sender's last number.
    private var places: [String: Int] = [:]
    private var numbers: [String: Int] = [:]
    /// The messages that each recipient lost under at-most-once delivery.
    private var losses: [String: Set<String>] = [:]
    private(set) var violations: [String] = []
    /// The messages that had been accepted when the store was copied; `keptRemoved` has those that had been removed.
    private var kept: Set<String> = []
    private var keptRemoved: Set<String> = []
    /// True once the store was replaced by an earlier state: messages and positions may then repeat.
    private var hasGoneBack = false

    /// Makes empty records.
    ///
    /// - Parameter age: at which messages may be dropped.
    init(_ world: World, age: Duration) {
        self.world = world
        self.age = age
    }

    /// Returns the text in an envelope of a simulation.
    static func text(of envelope: [UInt8]) -> String? { (try? JSONValue(parsing: envelope))?["text"]?.string }

    private func violate(_ sentence: String) {
        violations.append(sentence)
        world.note("violation", sentence)
    }

    // Events of the run.

    /// Records that a message came twice on one WebSocket although its acknowledgement had not failed.
    func cameTwice(_ id: String, on recipient: String) {
        if !hasGoneBack { violate("\(id) came twice on one line of \(recipient)") }
    }

    /// Records that an instance continues with a former primary.
    func splits() { hasGoneBack = true }

    /// Records that a former primary accepted a message, which is gone when the instance leaves it.
    func takenByFormer(_ text: String) {
        world.note("lost-with-former", text, visit: true)
        messages[text]?.isOfLostHistory = true
    }

    /// Records that the store is copied, with the messages accepted and removed so far.
    func keep() { (kept, keptRemoved) = (Set(order.filter { messages[$0]?.fate == .accepted }), removed) }

    /// Records that the copy replaces the store: messages accepted since may be gone.
    func wentBack() {
        hasGoneBack = true
        for text in order where messages[text]?.received == nil && !kept.contains(text) {
            world.note("lost-with-history", text, visit: true)
            messages[text]?.isOfLostHistory = true
        }
        removed = keptRemoved
    }

    func posted(_ text: String, to recipient: String) {
        messages[text] = Message(recipient: recipient, posted: world.now, wallOffset: world.wallOffset)
        order.append(text)
    }

    func answered(_ text: String, _ fate: Fate) {
        messages[text]?.fate = fate
        if let offset = messages[text]?.wallOffset { messages[text]?.wallOffset = min(offset, world.wallOffset) }
        world.note("answered", "\(text): \(fate)")
    }

    /// Records that a recipient's application stored a message; false when it had it before.
    @discardableResult
    func received(_ text: String, by recipient: String, id: String?) -> Bool {
        guard let message = messages[text] else {
            violate("\(recipient) received \"\(text)\", which nobody sent")
            return false
        }
        if message.recipient != recipient {
            violate("\(recipient) received \"\(text)\", which is \(message.recipient)'s")
        }
        if message.fate == .refused { violate("\(recipient) received \"\(text)\", which was refused") }
        guard message.received == nil else {
            world.note("again", "\(recipient) \(text)", visit: true)
            return false
        }
        world.note("received", "\(recipient) \(text)")
        messages[text]?.received = world.now
        if let id, let place = id.split(separator: "-").first.flatMap({ Int($0) }) {
            if !hasGoneBack, place <= places[recipient, default: 0] {
                violate("\(recipient) received \"\(text)\" out of its order")
            }
            places[recipient] = place
        }
        if message.fate == .accepted { judgeNumber(text, recipient) }
        return true
    }

    /// Checks that a sender's messages arrive in order: each is sent when the last was answered.
    private func judgeNumber(_ text: String, _ recipient: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let number = Int(parts[1]) else { return }
        let name = "\(recipient) \(parts[0])"
        if !hasGoneBack, number <= numbers[name, default: -1] {
            violate("\(recipient) received \"\(text)\" after a later one")
        }
        numbers[name] = number
    }

    /// Records messages of at-most-once delivery that were lost with their connection.
    func lost(_ texts: [String], of recipient: String) {
        world.note("lost-with-line", "\(recipient) \(texts)", visit: true)
        losses[recipient, default: []].formUnion(texts)
    }

    // Records of the store.

    func learn(_ message: QueuedMessage, of account: Int64) {
        texts["\(account) \(message.id)"] = Self.text(of: message.envelope) ?? "?"
    }

    func removing(_ ids: [String], of account: Int64) {
        for id in ids { if let text = texts["\(account) \(id)"] { removed.insert(text) } }
    }

    /// The accepted messages that must still be in the store.
    var waiting: [String] {
        order.filter { text in
            guard let message = messages[text], message.fate == .accepted, message.dropped == nil else { return false }
            return !removed.contains(text) && !message.isOfLostHistory && !(hasGoneBack && message.received != nil)
        }
    }

    /// Records that an instance dropped old messages, and checks that each was old enough.
    ///
    /// `leastOffset` is the least offset of the calendar clock since the instance was started. So a clock that is set
    /// forward while it runs makes nothing old; one that was set before it was started does.
    func pruned(_ candidates: [String], leaving left: Set<String>, at now: MonotonicInstant, leastOffset: Int64) {
        for text in candidates where !left.contains(text) && !removed.contains(text) {
            guard let message = messages[text] else { continue }
            messages[text]?.dropped = now
            world.note("expired", text, visit: true)
            let isStartedLate = leastOffset > message.wallOffset
            let waited = now - message.posted + .milliseconds(isStartedLate ? leastOffset - message.wallOffset : 0)
            if isStartedLate, waited >= age { world.note("expired-by-clock", text) }
            if waited < age {
                violate("\"\(text)\" was dropped after \((now - message.posted).components.seconds) seconds")
            }
        }
    }

    // Judgement.

    /// Returns the accepted messages that must still arrive.
    func missing(forgetful: Set<String>) -> [String] {
        order.filter { text in
            guard let message = messages[text], message.fate == .accepted, message.received == nil,
                message.dropped == nil, !message.isOfLostHistory
            else { return false }
            return !(forgetful.contains(message.recipient) && removed.contains(text))
        }
    }

    /// Compares all records with the guarantees, at the end of a run.
    ///
    /// - Parameters:
    ///   - forgetful: The recipients that fetch in a way that has no acknowledgement.
    ///   - left: The messages that still wait.
    func judge(forgetful: Set<String>, left: Set<String>) {
        for text in missing(forgetful: forgetful) {
            violate("\"\(text)\" was accepted and never came" + (left.contains(text) ? ", and waits" : ""))
        }
        for text in order {
            guard let message = messages[text], forgetful.contains(message.recipient), message.fate == .accepted,
                message.received == nil, message.dropped == nil, !message.isOfLostHistory, removed.contains(text),
                losses[message.recipient]?.contains(text) != true
            else { continue }
            violate("\"\(text)\" was handed out and never came, and no line broke")
        }
    }

    /// The numbers of messages that were accepted, received and dropped.
    var summary: (accepted: Int, received: Int, expired: Int) {
        let all = messages.values
        return (
            all.count { $0.fate == .accepted }, all.count { $0.received != nil }, all.count { $0.dropped != nil }
        )
    }
}
