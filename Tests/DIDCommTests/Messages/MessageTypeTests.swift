import DIDComm
import TestSupport
import Testing

@Suite struct MessageTypeTests {
    private static let sov = "did:sov:BzCbsNYhMrjHiqZDTUASHg;spec"

    @Test(.shows("ARI-012"), arguments: ["https://didcomm.org", "http://didcomm.org", sov])
    func `every prefix of the DIDComm community gives the same message type`(prefix: String) throws {
        let type = try MessageType(parsing: "\(prefix)/connections/1.0/invitation")
        #expect(type == MessageType(MessageProtocol("connections", 1, 0), "invitation"))
        #expect(type.description == "https://didcomm.org/connections/1.0/invitation")
        let version = try MessageProtocol(parsing: "\(prefix)/didexchange/1.1")
        #expect(version == MessageProtocol("didexchange", 1, 1))
        #expect(try MessageProtocol(parsing: "\(prefix)/didexchange/1.1/") == version)
    }

    @Test func `message families under foreign prefixes stay apart`() throws {
        let type = try MessageType(parsing: "https://example.com/protocols/connections/1.0/request")
        #expect(type.protocol.namespace == .other("https://example.com/protocols"))
        #expect(type.description == "https://example.com/protocols/connections/1.0/request")
        #expect(!type.isSame(as: MessageType(MessageProtocol("connections", 1, 0), "request")))
    }

    @Test(.shows("ARI-013")) func `other minor versions of a message type are understood and other major ones are not`()
        throws
    {
        let request = MessageType(MessageProtocol("connections", 1, 0), "request")
        #expect(try MessageType(parsing: "https://didcomm.org/connections/1.9/request").isSame(as: request))
        #expect(try !MessageType(parsing: "https://didcomm.org/connections/2.0/request").isSame(as: request))
        #expect(try !MessageType(parsing: "https://didcomm.org/connection/1.0/request").isSame(as: request))
        #expect(try !MessageType(parsing: "https://didcomm.org/connections/1.0/response").isSame(as: request))
    }

    @Test(arguments: [
        "", "/", "//", "///", "connections/1.0/request", "/connections/1.0/request",
        "https://didcomm.org/connections/1.0/",
        "https://didcomm.org/connections/1/request", "https://didcomm.org/connections/1.0.0/request",
        "https://didcomm.org/connections/one.0/request", "https://didcomm.org/connections/1.0000/request",
        "https://didcomm.org/connections/-1.0/request", "https://didcomm.org//1.0/request",
        "https://didcomm.org/connections/1./request", "https://didcomm.org/connections/1.0/re quest",
        "https://didcomm.org/connections/1.0/r\u{E9}quest", "https://didcomm.org/connections/١.0/request",
    ])
    func `text that has not the form of a message type is refused`(text: String) {
        #expect(throws: DIDCommError(.typeMalformed, "")) { try MessageType(parsing: text) }
    }

    @Test func `a message type has at most 256 bytes`() {
        let start = "https://didcomm.org/connections/1.0/"
        let name = String(repeating: "a", count: 256 - start.utf8.count)
        #expect(throws: Never.self) { try MessageType(parsing: start + name) }
        #expect(throws: DIDCommError(.typeMalformed, "")) { try MessageType(parsing: start + name + "a") }
    }

    @Test func `a problem report is recognised in either spelling of its type`() throws {
        for name in ["problem-report", "problem_report"] {
            #expect(try MessageType(parsing: "https://didcomm.org/x/1.0/\(name)").isProblemReport)
        }
        #expect(try !MessageType(parsing: "https://didcomm.org/x/1.0/report").isProblemReport)
    }

    @Test func `a message type cut short is refused up to its last part`() {
        let type = Array("https://didcomm.org/connections/1.0/r".utf8)
        let decode = { (bytes: [UInt8]) in try MessageType(parsing: String(decoding: bytes, as: UTF8.self)) }
        #expect(DecoderVerifier.acceptedTruncations(of: type, by: decode) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: type, by: decode) == [])
        let version = Array("https://didcomm.org/connections/1.0".utf8)
        let decodeVersion = { (bytes: [UInt8]) in try MessageProtocol(parsing: String(decoding: bytes, as: UTF8.self)) }
        #expect(DecoderVerifier.acceptedTruncations(of: version, by: decodeVersion) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: version, by: decodeVersion) == [])
    }
}
