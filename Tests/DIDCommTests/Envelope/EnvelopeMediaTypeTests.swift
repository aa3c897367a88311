import Testing

@testable import DIDComm

@Suite struct EnvelopeMediaTypeTests {
    @Test func `both media types of envelopes are recognised`() {
        #expect(EnvelopeMediaType(contentType: "application/didcomm-envelope-enc") == .envelope)
        #expect(EnvelopeMediaType(contentType: "application/ssi-agent-wire") == .wire)
        #expect(EnvelopeMediaType(contentType: " Application/SSI-Agent-Wire ; charset=utf-8") == .wire)
        #expect(EnvelopeMediaType.envelope.rawValue == "application/didcomm-envelope-enc")
    }

    @Test(arguments: ["", ";", "application/json", "text/html", "application/ssi-agent-wire x", "ssi-agent-wire"])
    func `other content types are not taken for envelopes`(text: String) {
        #expect(EnvelopeMediaType(contentType: text) == nil)
    }
}
