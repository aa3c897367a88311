import Aries
import ByteCoding
import DIDComm
import JSON
import TestSupport
import Testing

@Suite struct InvitationTextTests {
    private func invitation(_ text: String) throws -> Invitation? {
        if case .invitation(let invitation) = try InvitationText(parsing: text) { invitation } else { nil }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "skipped: outside vectors not present"))
    func `the links of the specifications and of seed 002 are read`() throws {
        let file = try JSONDocument(
            parsing: OutsideVectors.contents(of: "aries-vectors.json"), limits: JSONLimits(maximumBytes: 1 << 22))
        let links = try file.reader.elements("invitation_urls")
        #expect(links.count == 4)
        for link in links {
            let found = try invitation(link.string("url"))
            #expect(try found?.object == link.object("decoded"))
        }
    }

    @Test(.shows("ARI-040", "ARI-041", "ARI-046", "ARI-047"))
    func `an invitation is found in every form of text that may carry one`() throws {
        let bytes = Samples.outOfBand(["goal": "ü?>"]).encoded
        let safe = Base64URL.encode(bytes)
        let standard = Base64.encode(bytes)
        let escaped = standard.flatMap { "+/=".contains($0) ? "%" + Hex.encode([$0.asciiValue ?? 0]) : String($0) }
        let blanks = String(standard.map { $0 == "+" ? " " : $0 })
        for text in [
            String(decoding: bytes, as: UTF8.self), "  " + String(decoding: bytes, as: UTF8.self) + "\n", safe,
            standard,
            "https://a.example/x?oob=\(safe)", "https://a.example/x?oob=\(standard)",
            "https://a.example?oob=\(String(escaped))",
            "https://a.example/?oob=\(blanks)", "http://a.example?a=b&oob=\(safe)&c=d#e",
            "https://a.example/x?d_m=\(safe)",
            "https://a.example/x?m=\(safe)", "https://a.example/x?c_i=\(safe)", "didcomm://invite?oob=\(safe)",
            "https://a.example/x#?oob=\(safe)", "didcomm:?oob=\(safe)", "?oob=\(safe)",
            "\u{FEFF}https://a.example?oob=\(safe)",
        ] { #expect(try invitation(text)?.id == "inv-1", "\(text.prefix(40))") }
    }

    @Test func `an invitation is read that was encoded twice, padded too much, or handed out by an agent's interface`()
        throws
    {
        let bytes = Samples.outOfBand(["goal": "ü?>"]).encoded
        let text = String(decoding: bytes, as: UTF8.self)
        let (safe, standard) = (Base64URL.encode(bytes), Base64.encode(bytes))
        let escaped = standard.flatMap { "+/=".contains($0) ? "%" + Hex.encode([$0.asciiValue ?? 0]) : String($0) }
        let twice = String(escaped).replacing("%", with: "%25")
        let quoted = String(decoding: JSONObject(present: ["x": .string(text)]).encoded, as: UTF8.self)
            .dropFirst(5).dropLast()
        let link = "https://a.example?oob=\(safe)"
        for text in [
            "https://a.example?oob=\(twice)", "https://a.example?oob=\(safe)==", "\(safe)===", "\(link)%3D%3D",
            String(quoted), #"{"invi_msg_id":"1","invitation":\#(text),"invitation_url":"\#(link)","state":"initial"}"#,
            #"{"invitation_url":"\#(link)"}"#, "\"\(link)\"",
        ] { #expect(try invitation(text)?.id == "inv-1", "\(text.prefix(60))") }
        let deep = #""\"\\\"a\\\"\"""#
        #expect(throws: AriesError(.invitationUnrecognised, "")) { try InvitationText(parsing: deep) }
        #expect(throws: AriesError(.invitationUnrecognised, "")) { try InvitationText(parsing: #"{"invitation":1}"#) }
    }

    @Test func `an invitation link is found although it is folded, in brackets, or has words around it`() throws {
        let invitation = try Invitation(Samples.outOfBand())
        let link = invitation.link(base: "https://example.com/ssi")
        let raw = String(link.split(separator: "=")[1])
        let folded = stride(from: 0, to: link.utf8.count, by: 76).map { String(link.dropFirst($0).prefix(76)) }
        for text in [
            folded.joined(separator: "\r\n"), folded.joined(separator: "\n  "), "<\(link)>",
            "<\(folded.joined(separator: "\n"))>", "Join us: \(link)", "Join us: \(link) today or tomorrow",
            "Join us (\(link)).", "\(folded.joined(separator: "\n"))\nSee you", "https://example.com/ssi?OOB=\(raw)",
        ] { #expect(try InvitationText(parsing: text) == .invitation(invitation), "\(text)") }
        let lines = stride(from: 0, to: raw.utf8.count, by: 64).map { String(raw.dropFirst($0).prefix(64)) }
        #expect(try InvitationText(parsing: lines.joined(separator: "\n")) == .invitation(invitation))
        #expect(try InvitationText(parsing: "See https://example.com/s/1.") == .shortLink("https://example.com/s/1"))
    }

    @Test func `an invitation of DIDComm version 2 is refused as unsupported`() throws {
        let object: JSONObject = [
            "type": "https://didcomm.org/out-of-band/2.0/invitation", "id": "1", "from": "did:x:y",
        ]
        let link = "https://example.com?_oob=" + Base64URL.encode(object.encoded)
        for text in [object.text, link] {
            #expect(throws: AriesError(.invitationUnsupported, "")) { try InvitationText(parsing: text) }
        }
    }

    @Test(.shows("ARI-043")) func `a link without an invitation in it is a short link to be fetched`() throws {
        for text in ["https://vty.im/cnf4m", "http://a.example:8080/x?y=z", "https://a.example/?boob=1"] {
            #expect(try InvitationText(parsing: text) == .shortLink(text))
        }
    }

    @Test func `a request with a ~service decorator is recognised as a request and not an invitation`() throws {
        let request = #"{"@type":"https://didcomm.org/present-proof/1.0/request-presentation","@id":"r","~service":{}}"#
        guard case .request(let message) = try InvitationText(parsing: request) else {
            Issue.record("no request")
            return
        }
        #expect(message.id == "r")
        let link = "https://a.example?d_m=" + Base64URL.encode(Array(request.utf8))
        #expect(try InvitationText(parsing: link) == .request(message))
    }

    @Test(
        .shows("ARI-014"),
        arguments: [
            "", " ", "hello", "ftp://a.example/x", "a.example/x", "1", "eyJ", "https://", "mailto:a@b.example",
        ])
    func `text without an invitation in it is refused`(text: String) {
        #expect(throws: AriesError(.invitationUnrecognised, "")) { try InvitationText(parsing: text) }
    }

    @Test func `a damaged invitation link is refused`() {
        #expect(throws: AriesError(.invitationMalformed, "")) { try InvitationText(parsing: "https://a.example?oob=a") }
        #expect(throws: AriesError(.invitationMalformed, "")) {
            try InvitationText(parsing: "https://a.example?oob=aGk")
        }
        #expect(throws: AriesError(.invitationMalformed, "")) { try InvitationText(parsing: "{") }
        #expect(throws: AriesError(.invitationUnrecognised, "")) { try InvitationText(parsing: "{}") }
    }

    @Test(.shows("CHK-086")) func `invitation text of the allowed length is read and a longer one is refused`() {
        let most = "https://a.example/" + String(repeating: "a", count: 100_000 - 18)
        #expect(throws: AriesError(.invitationUnrecognised, "")) { try InvitationText(parsing: most) }
        #expect(throws: AriesError(.invitationTooLarge, "")) { try InvitationText(parsing: most + "a") }
    }

    @Test(.shows("ARI-043", "ARI-045"))
    func `the answer of a short link is read from its body or from the last address`() throws {
        let bytes = Samples.connections().encoded
        let link = "https://a.example/?c_i=" + Base64URL.encode(bytes)
        for found in [
            try InvitationText(body: bytes, at: "https://s.example/1"),
            try InvitationText(body: Array(link.utf8), at: "https://s.example/1"),
            try InvitationText(body: Array("<html>".utf8), at: link),
        ] { #expect(found == .invitation(try Invitation(Samples.connections()))) }
    }

    @Test func `the answer of a short link that is no invitation is refused with a code for what it is`() throws {
        func code(_ body: [UInt8]) -> AriesError.Code? {
            do throws(AriesError) {
                _ = try InvitationText(body: body, at: "https://s.example/1")
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(Array("\n <!DOCTYPE html><p>Hello".utf8)) == .invitationIsPage)
        for body in [[], [0x20, 0x0A], [0xFF, 0xFE], Array("hello".utf8)] as [[UInt8]] {
            #expect(code(body) == .invitationUnrecognised)
        }
        #expect(code(Array(#"{"@type":"#.utf8)) == .invitationMalformed)
        #expect(InvitationText.holdsInvitation("https://a.example/?x=1&oob=e30"))
        #expect(!InvitationText.holdsInvitation("https://a.example/?x=1"))
    }
}
