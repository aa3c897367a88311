import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct MessageTests {
    private let ping = MessageType(MessageProtocol("trust_ping", 1, 0), "ping")

    private func message(_ text: String) throws -> Message { try Message(parsing: Array(text.utf8)) }

    @Test func `a message's type, identifier, thread and members are read`() throws {
        let text =
            #"{"@type":"did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/trust_ping/1.0/ping","@id":"m1","comment":"hi","#
            + #""~thread":{"thid":"t","pthid":"p","sender_order":3}}"#
        let found = try message(text)
        #expect(found.type == ping && found.id == "m1" && found.threadID == "t")
        #expect(found.thread == MessageThread(id: "t", parentID: "p"))
        #expect(try found.reader.string("comment") == "hi")
        #expect(found.encoded == Array(text.utf8))
    }

    @Test(.shows("ARI-097")) func `a message without a thread begins its own`() throws {
        for thread in [
            "", #","~thread":null"#, #","~thread":{}"#, #","~thread":{"thid":""}"#, #","~thread":{"thid":null}"#,
        ] {
            let found = try message(#"{"@type":"https://didcomm.org/a/1.0/b","@id":"m1"\#(thread)}"#)
            #expect(found.threadID == "m1" && found.thread == MessageThread())
        }
    }

    @Test func `a message that is written is read back unchanged`() throws {
        let written = Message(
            ping, id: "m1", thread: MessageThread(id: "t"), body: ["response_requested": false])
        #expect(
            written.object.text == #"{"@type":"https://didcomm.org/trust_ping/1.0/ping","@id":"m1","#
                + #""response_requested":false,"~thread":{"thid":"t"}}"#)
        #expect(try Message(parsing: written.encoded) == written)
        #expect(try Message(written.object) == written)
    }

    @Test(arguments: [
        "", "[]", "null", "{", #"{"@type":"https://didcomm.org/a/1.0/b"}"#, #"{"@id":"m"}"#,
        #"{"@type":"https://didcomm.org/a/1.0/b","@id":1}"#, #"{"@type":"https://didcomm.org/a/1.0/b","@id":""}"#,
        #"{"@type":"https://didcomm.org/a/1.0/b","@id":"m","@id":"m"}"#,
        #"{"@type":"https://didcomm.org/a/1.0/b","@id":"m","~thread":[]}"#,
        #"{"@type":"https://didcomm.org/a/1.0/b","@id":"m","~thread":{"thid":7}}"#,
    ])
    func `JSON that is no message is refused`(text: String) {
        #expect(throws: DIDCommError(.messageMalformed, "")) { try message(text) }
    }

    @Test(arguments: ["1", "null", "\"b\"", "{}"]) func `a message with an invalid type is refused with its own code`(
        type: String
    ) {
        #expect(throws: DIDCommError(.typeMalformed, "")) { try message(#"{"@type":\#(type),"@id":"m"}"#) }
    }

    @Test func `a message identifier of the allowed length is read and a longer one refused`() throws {
        let most = String(repeating: "a", count: 256)
        func text(_ id: String, _ thread: String = "t", _ parent: String = "p") -> String {
            #"{"@type":"https://didcomm.org/a/1.0/b","@id":"\#(id)","~thread":{"thid":"\#(thread)","pthid":"\#(parent)"}}"#
        }
        #expect(try message(text(most, most)).id == most)
        #expect(throws: DIDCommError(.messageMalformed, "")) { try message(text(most + "a")) }
        #expect(throws: DIDCommError(.messageMalformed, "")) { try message(text("m", most + "a")) }
        let parent = String(repeating: "p", count: MessageThread.maximumParentBytes)
        #expect(try message(text("m", "t", parent)).thread.parentID == parent)
        #expect(throws: DIDCommError(.messageMalformed, "")) { try message(text("m", "t", parent + "p")) }
    }

    @Test func `a message cut short or followed by more is refused`() {
        let bytes = Message(ping, id: "m1", thread: MessageThread(id: "t"), body: ["a": [1]]).encoded
        #expect(DecoderVerifier.acceptedTruncations(of: bytes) { try Message(parsing: $0) } == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes) { try Message(parsing: $0) } == [])
    }

    @Test(.shows("ARI-086")) func `a message requests an acknowledgement with its ~please_ack decorator`() {
        let plain = Message(ping, id: "m1")
        #expect(!plain.asksForAck)
        #expect(plain.decorated("~please_ack", ["on": ["RECEIPT"]]).asksForAck)
        #expect(plain.decorated("~please_ack", [:]).asksForAck)
        #expect(plain.decorated("~please_ack", true).asksForAck)
        #expect(!plain.decorated("~please_ack", false).asksForAck)
        #expect(!plain.decorated("~please_ack", .null).asksForAck)
        #expect(!plain.decorated("~please_ack", [:]).decorated("~please_ack", nil).asksForAck)
    }

    @Test func `a message asks for answers on the same connection with its ~transport decorator`() {
        let plain = Message(ping, id: "m1")
        #expect(plain.returnRoute == nil)
        #expect(plain.askingForReturnRoute.returnRoute == "all")
    }

    @Test func `a fresh identifier is a random UUID of version 4`() throws {
        var random = SeededRandom(seed: 7)
        let id = Message.makeID(from: &random)
        #expect(id != Message.makeID(from: &random))
        #expect(id.utf8.count == 36 && id == id.lowercased())
        let groups = id.split(separator: "-")
        #expect(groups.map(\.count) == [8, 4, 4, 4, 12])
        #expect(groups[2].first == "4")
        #expect(groups[3].first.map { "89ab".contains($0) } == true)
    }
}
