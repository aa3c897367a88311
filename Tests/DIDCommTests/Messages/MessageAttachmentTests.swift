import ByteCoding
import DIDComm
import JSON
import TestSupport
import Testing

@Suite struct MessageAttachmentTests {
    private func attachment(_ value: JSONValue) throws -> MessageAttachment {
        try MessageAttachment(JSONValueReader(value))
    }

    @Test(.shows("ARI-042"), arguments: ["aGk_Pz4-", "aGk/Pz4+", "aGk_Pz4-AA", "aGk/Pz4+AA=="])
    func `an attachment's base 64 is read in every spelling`(text: String) throws {
        let bytes = try attachment(["data": ["base64": .string(text)]]).payload()
        #expect(bytes.starts(with: Array("hi??>>".utf8)))
    }

    @Test func `an attachment is written as it is read`() throws {
        let values: [JSONValue] = [
            ["@id": "a", "mime-type": "application/json", "data": ["base64": "e30", "jws": ["signature": "x"]]],
            ["data": ["json": ["a": [1]]]],
            ["filename": "f", "description": "d", "data": ["links": ["u"], "sha256": "h"]],
        ]
        for value in values { #expect(try attachment(value).value == value) }
        #expect(try attachment(["data": ["links": "u"]]).content == .links(["u"], sha256: nil))
        #expect(MessageAttachment(id: "a", bytes: [0xFF]).content == .base64("_w"))
    }

    @Test(.shows("ARI-097")) func `an attachment's JSON is read as an object, as text and in base 64`() throws {
        let wanted: JSONValue = ["a": 1]
        let text = #"{"a":1}"#
        let carriers: [JSONValue] = [
            ["json": wanted], ["json": .string(text)], ["base64": .string(Base64.encode(Array(text.utf8)))],
        ]
        for data in carriers { #expect(try attachment(["data": data]).json() == wanted) }
        #expect(try attachment(["data": ["json": wanted]]).payload() == Array(text.utf8))
    }

    @Test(
        arguments: [
            [:], ["data": nil], ["data": [:]], ["data": []], ["data": ["base64": 1]], ["data": ["links": [1]]],
            ["@id": 1, "data": ["json": 1]], [], "x",
        ] as [JSONValue])
    func `an attachment without content is refused when it is read`(value: JSONValue) {
        #expect(throws: DIDCommError(.attachmentMalformed, "")) { try attachment(value) }
    }

    @Test func `attachment content that cannot be decoded is refused`() throws {
        #expect(throws: DIDCommError(.attachmentMalformed, "")) { try attachment(["data": ["base64": "a"]]).payload() }
        #expect(throws: DIDCommError(.attachmentMalformed, "")) { try attachment(["data": ["links": []]]).payload() }
        #expect(throws: DIDCommError(.attachmentMalformed, "")) { try attachment(["data": ["base64": "aGk"]]).json() }
        #expect(throws: DIDCommError(.attachmentMalformed, "")) { try attachment(["data": ["json": "{"]]).json() }
    }

    @Test(.shows("CHK-090")) func `attachment content of the allowed length is read and a longer one refused`() throws {
        let most = MessageAttachment(bytes: [UInt8](repeating: 0, count: MessageAttachment.maximumBytes))
        #expect(try most.payload().count == MessageAttachment.maximumBytes)
        let more = MessageAttachment(bytes: [UInt8](repeating: 0, count: MessageAttachment.maximumBytes + 6))
        #expect(throws: DIDCommError(.attachmentTooLarge, "")) { try more.payload() }
    }

    @Test(.shows("ARI-028", "CHK-089"))
    func `attachments are read under the first of their member names, alone or in a list`() throws {
        let type = MessageType(MessageProtocol("a", 1, 0), "b")
        let one: JSONValue = ["data": ["json": 1]]
        func count(_ body: JSONObject) throws -> Int {
            try Message(type, id: "m", body: body).attachments("requests~attach", "request~attach").count
        }
        #expect(try count([:]) == 0)
        #expect(try count(["request~attach": .null]) == 0)
        #expect(try count(["request~attach": [one, one]]) == 2)
        #expect(try count(["requests~attach": [one], "request~attach": [one, one]]) == 1)
        #expect(try count(["request~attach": one]) == 1)
        #expect(try count(["request~attach": .array(Array(repeating: one, count: 16))]) == 16)
        #expect(throws: DIDCommError(.attachmentTooMany, "")) {
            try count(["request~attach": .array(Array(repeating: one, count: 17))])
        }
        #expect(throws: DIDCommError(.attachmentMalformed, "")) { try count(["request~attach": 1]) }
    }
}
