import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

/// Messages by and to the keys of before a change of DID.
@Suite struct FormerKeysTests {
    /// The invitee's inbox, and the other side's keys as they change.
    private struct Box {
        var sides: TwoSides
        var inbox: ConnectionMessageHandler
        var random = SeededRandom(seed: 5)
        /// The time at which the next message arrives.
        var now = Samples.now

        init() throws {
            sides = try TwoSides(.didExchange11)
            inbox = ConnectionMessageHandler(try sides.connect().invitee)
        }

        mutating func take(
            _ message: Message, from sender: Verkey? = nil, to recipient: Verkey? = nil
        ) -> [ConnectionMessageHandler.Output] {
            let received = ReceivedMessage(
                message, sender: .authenticated(sender ?? sides.inviterKey.verkey, isExclusive: true),
                recipient: recipient ?? sides.inviteeKey.verkey, arrival: now)
            return inbox.handle(received, random: &random)
        }

        /// The text of a number, as it is reported; nil when it is ignored.
        mutating func hears(_ text: String, from sender: Verkey? = nil, to recipient: Verkey? = nil) -> Bool {
            let message = BasicMessage(text, sent: nil).message(id: "text-\(random.nextWord())")
            return take(message, from: sender, to: recipient).contains(.event(.text(BasicMessage(text, sent: nil))))
        }

        mutating func newDID(_ key: AgentKey) throws -> Message {
            let address = try TwoSides.address(key, "https://moved.example/in")
            return DIDRotate.rotation(to: try address.peer4(), id: "rotate-\(random.nextWord())")
        }

        /// Begins a change of our own DID.
        mutating func rotate() throws -> (key: Verkey, thread: String) {
            let key = AgentKey.make(from: &random)
            let address = try TwoSides.address(key, "https://invitee.example/new")
            let id = "own-\(random.nextWord())"
            _ = try inbox.rotate(to: address, form: .peer4, id: id, at: now)
            return (key.verkey, id)
        }

        mutating func pass(_ duration: Duration) {
            now = WallTime(millisecondsSinceEpoch: now.millisecondsSinceEpoch + Int64(duration / .milliseconds(1)))
        }
    }

    private func ignored(_ outputs: [ConnectionMessageHandler.Output]) -> AriesError.Code? {
        outputs.lazy.compactMap { if case .ignored(let error) = $0 { error.code } else { nil } }.first
    }

    private func sent(_ outputs: [ConnectionMessageHandler.Output]) -> [OutgoingMessage] {
        outputs.compactMap { if case .send(let outgoing) = $0 { outgoing } else { nil } }
    }

    private func ack(_ thread: String) -> Message {
        Message(MessageType(.didRotate10, "ack"), id: "ack of \(thread)", thread: MessageThread(id: thread))
    }

    @Test(.shows("CHK-026"))
    func `a former key of the other side is accepted until its new key is used, and one week longer`() throws {
        var box = try Box()
        let (old, new) = (box.sides.inviterKey.verkey, box.sides.stranger)
        _ = box.take(try box.newDID(new))
        box.pass(.seconds(400 * 86_400))
        #expect(box.hears("away for long", from: old) == true, "no limit as long as the new key is not used")
        #expect(box.hears("new", from: new.verkey) == true)
        box.pass(FormerKeys.keptFor)
        #expect(box.hears("under way", from: old) == true)
        box.pass(.milliseconds(1))
        #expect(ignored(box.take(TrustPing.ping(id: "late"), from: old)) == .wrongSender)
        #expect(box.hears("new", from: new.verkey) == true)
    }

    @Test(.shows("CHK-027")) func `our former key is accepted one week after the acknowledgement`() throws {
        var box = try Box()
        let old = box.sides.inviteeKey.verkey
        let (new, thread) = try box.rotate()
        _ = box.take(ack(thread), to: new)
        box.pass(FormerKeys.keptFor)
        #expect(box.hears("under way", to: old) == true)
        #expect(box.hears("new", to: new) == true)
        box.pass(.milliseconds(1))
        #expect(ignored(box.take(TrustPing.ping(id: "late"), to: old)) == .wrongRecipient)
    }

    @Test func `former connection keys outlast a restart, at most eight of each side`() throws {
        var box = try Box()
        var keys = [box.sides.inviterKey.verkey]
        for _ in 0..<9 {
            let key = AgentKey.make(from: &box.random)
            _ = box.take(try box.newDID(key), from: keys.last)
            keys.append(key.verkey)
            box.inbox = try ConnectionMessageHandler(stored: JSONValueReader(object: box.inbox.state))
        }
        var heard: [Bool] = []
        for key in keys { heard.append(box.hears("x", from: key)) }
        #expect(heard == [false] + Array(repeating: true, count: 9))
        let connection = try Connection(stored: JSONValueReader(object: box.inbox.connection.json))
        #expect(connection == box.inbox.connection)
    }

    @Test
    func `a former key announces no DID once a newer key was used, and repeats the last announcement at any time`()
        throws
    {
        var box = try Box()
        let (old, new) = (box.sides.inviterKey.verkey, box.sides.stranger)
        let other = AgentKey.make(from: &box.random)
        let announced = try box.newDID(new)
        _ = box.take(announced)
        let again = box.take(announced)
        #expect(again.first == .persist && sent(again).map(\.message.type.name) == ["ack"], "the first may be lost")
        #expect(sent(again).first?.message.threadID == announced.id)
        _ = box.take(try box.newDID(other), from: old)
        #expect(box.inbox.connection.theirs.owns(other.verkey), "a change that was given up is followed by another")
        #expect(box.hears("new", from: other.verkey) == true)
        #expect(ignored(box.take(try box.newDID(new), from: old)) == .wrongSender)
        #expect(box.inbox.connection.theirs.owns(other.verkey))
        let replayed = box.take(announced, from: old)
        #expect(sent(replayed).isEmpty && box.inbox.connection.theirs.owns(other.verkey))
    }

    @Test(.shows("CHK-027"), arguments: [false, true])
    func `an acknowledgement by a former key completes our change, also when both sides change at once`(
        answersFirst: Bool
    ) throws {
        var box = try Box()
        let (own, thread) = try box.rotate()
        let theirs = AgentKey.make(from: &box.random)
        let announcement = try box.newDID(theirs)
        // Each side answers by its old key, because it does not know yet that its own change is acknowledged.
        if answersFirst { _ = box.take(ack(thread), to: own) }
        let outputs = box.take(announcement, to: box.sides.inviteeKey.verkey)
        let answer = try #require(sent(outputs).first)
        #expect(answer.service.recipientKeys == [box.sides.inviterKey.verkey], "the answer goes to the DID of before")
        #expect(answer.sender == (answersFirst ? own : box.sides.inviteeKey.verkey))
        if !answersFirst { _ = box.take(ack(thread), to: own) }
        #expect(box.inbox.rotation == nil && box.inbox.connection.ours.key == own)
        #expect(box.inbox.connection.theirs.owns(theirs.verkey))
        #expect(box.hears("all is well", from: theirs.verkey, to: own) == true)
    }

    @Test func `a connection of an older program takes the keys of its handshake as former ones`() throws {
        var box = try Box()
        let original = box.inbox.connection
        _ = box.take(try box.newDID(box.sides.stranger))
        var state = box.inbox.connection.json
        state["former"] = nil
        let older = try Connection(stored: JSONValueReader(object: state))
        #expect(older.former.isEmpty)
        let read = older.knowingKeys(of: original)
        #expect(!read.former.isEmpty)
        #expect(read.knowingKeys(of: original) == read && original.knowingKeys(of: original) == original)
        var inboxState = box.inbox.state
        inboxState["connection"] = .object(state)
        box.inbox = try ConnectionMessageHandler(stored: JSONValueReader(object: inboxState))
        box.inbox.takeKeys(of: read)
        #expect(box.hears("by the key of before") == true)
    }

    @Test func `an answer to our change by an unknown key marks the connection as broken until a message is accepted`()
        throws
    {
        var box = try Box()
        let (_, thread) = try box.rotate()
        let stranger = AgentKey.make(from: &box.random).verkey
        #expect(ignored(box.take(TrustPing.ping(id: "anything"), from: stranger)) == .wrongSender)
        #expect(!box.inbox.isBroken, "anyone may write to the key")
        #expect(ignored(box.take(ack(thread), from: stranger)) == .wrongSender)
        #expect(box.inbox.isBroken && box.inbox.rotation != nil, "the thread is known to the other side alone")
        box.inbox = try ConnectionMessageHandler(stored: JSONValueReader(object: box.inbox.state))
        #expect(box.inbox.isBroken)
        #expect(box.hears("here I am") == true)
        #expect(!box.inbox.isBroken)
    }

    @Test func `an announcement is posted again a minute after a post of unknown result, or when asked for later`()
        throws
    {
        var box = try Box()
        _ = try box.rotate()
        func rotation() throws -> PendingDIDRotation { try #require(box.inbox.rotation) }
        #expect(try rotation().waitBeforePost(at: box.now) == nil && rotation().waitBeforeMessages(at: box.now) == nil)
        box.inbox.notePost(at: box.now)
        box.inbox = try ConnectionMessageHandler(stored: JSONValueReader(object: box.inbox.state))
        #expect(try rotation().begun == box.now && rotation().posted == box.now)
        box.pass(.seconds(4))
        #expect(try rotation().waitBeforePost(at: box.now) == .seconds(56))
        #expect(try rotation().waitBeforeMessages(at: box.now) == .seconds(6))
        box.pass(.seconds(6))
        #expect(try rotation().waitBeforeMessages(at: box.now) == nil)
        box.pass(.seconds(50))
        #expect(try rotation().waitBeforePost(at: box.now) == nil && !rotation().isRepeatedOnRequest(at: box.now))
        box.pass(.seconds(540))
        #expect(try rotation().isRepeatedOnRequest(at: box.now))
        box.inbox.notePost(at: box.now)
        box.pass(.seconds(-1))
        #expect(try rotation().waitBeforePost(at: box.now) == nil, "a clock that was set back makes nothing wait")
        box.inbox.notePostFailed()
        #expect(try rotation().posted == nil)
    }
}
