import CommandTestSupport
import Foundation
import TestSupport
import Testing

@Suite struct InviteInspectTests {
    private func object(_ run: CommandRun, _ event: String) throws -> [String: Any] {
        let objects = try run.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        return try #require(objects.first { $0["event"] as? String == event })
    }

    @Test func `invite inspect shows the keys, the address and the effect of accepting`() async throws {
        let run = await CommandRun.run(["invite", "inspect", SampleConnectionInvitation.invitation(), "--json"])
        #expect(run.status == 0)
        let event = try object(run, "connection-invitation")
        #expect(event["kind"] as? String == "connections")
        #expect(event["label"] as? String == "Desk")
        #expect(event["recipientKeys"] as? [String] == [SampleConnectionInvitation.key])
        #expect(event["endpoints"] as? [String] == ["https://example.org/agent"])
        #expect(event["outcome"] as? String == "connects")
        #expect(event["uses"] as? String == "https://didcomm.org/connections/1.0")
        #expect(event["risks"] as? [String] == [])
    }

    private static func outOfBand(_ more: String) -> String {
        #"{"@type":"https://didcomm.org/out-of-band/1.1/invitation","@id":"i-1","label":"Desk","#
            + #""handshake_protocols":["https://didcomm.org/didexchange/1.1"],\#(more)}"#
    }

    private static func service(_ more: String, key: String = SampleConnectionInvitation.key) -> String {
        #""services":[{"id":"inline","type":"did-communication","recipientKeys":["\#(key)"],"#
            + #""serviceEndpoint":"https://example.org"\#(more)}]"#
    }

    @Test(arguments: [
        (#""services":["did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH"]"#, "didcomm.service.none"),
        (service(#","routingKeys":["x"]"#), "didcomm.key.malformed"),
        (service("", key: "11111111111111111111111111111111"), "didcomm.key.unsafe"),
    ])
    func `an invitation that cannot be accepted is refused with its reason before anything is sent`(
        members: String, code: String
    ) async throws {
        let run = await CommandRun.run(["invite", "inspect", Self.outOfBand(members), "--json"])
        #expect(run.status != 0 && run.code == code, "\(run.output)")
        let event = try object(run, "connection-invitation")
        #expect(event["outcome"] as? String == "refused" && event["uses"] as? String == code)
    }

    @Test func `an inviter whose DID document must be resolved elsewhere is reported as not connectable`()
        async throws
    {
        let place =
            #""services":[{"id":"inline","type":"did-communication","recipientKeys":["\#(SampleConnectionInvitation.key)"],"#
            + #""serviceEndpoint":"did:sov:WgWxqztrNooG92RXvxSTWv"}]"#
        let run = await CommandRun.run(["invite", "inspect", Self.outOfBand(place), "--json"])
        let event = try object(run, "connection-invitation")
        #expect(run.code == "didcomm.did.unresolved" && event["outcome"] as? String == "refused")
        #expect(event["risks"] as? [String] == ["needs-resolver"])
    }

    @Test(arguments: ["a\u{E0041}", "\u{3164}", "a\u{AD}b"])
    func `invisible characters in an invitation are reported`(label: String) async throws {
        let text = SampleConnectionInvitation.invitation().replacingOccurrences(of: "Desk", with: label)
        let run = await CommandRun.run(["invite", "inspect", text, "--json"])
        #expect(try object(run, "connection-invitation")["risks"] as? [String] == ["text-steers-display"])
    }

    @Test(arguments: ["\u{34F}", "\u{200D}", "\u{3164}"])
    func `characters without a glyph are shown by their code point`(character: String) async throws {
        let text = SampleConnectionInvitation.invitation().replacingOccurrences(of: "Desk", with: "De\(character)sk")
        let shown = await CommandRun.run(["invite", "inspect", text]).output
        let number = String(try #require(character.unicodeScalars.first).value, radix: 16, uppercase: true)
        #expect(!shown.contains(character) && shown.contains("De\\u{\(number)}sk"))
        #expect(shown.contains("shown here as \\u{…}"))
    }

    @Test func `a label of 20,000 characters is cut in the output for people`() async throws {
        for letter in ["A", "e\u{301}", "字"] {
            let label = String(repeating: letter, count: 20_000)
            let text = SampleConnectionInvitation.invitation().replacingOccurrences(of: "Desk", with: label)
            let shown = await CommandRun.run(["invite", "inspect", text])
            #expect(shown.lines.allSatisfy { $0.count <= 220 } && shown.output.contains("…"), "\(letter)")
        }
    }

    @Test func `a label of few characters with many combining marks is reported as long`() async throws {
        for (marks, risks) in [(60, []), (61, ["label-is-long"])] {
            let label = "Desk" + String(repeating: "\u{301}", count: marks)
            let text = SampleConnectionInvitation.invitation().replacingOccurrences(of: "Desk", with: label)
            let run = await CommandRun.run(["invite", "inspect", text, "--json"])
            #expect(try object(run, "connection-invitation")["risks"] as? [String] == risks)
        }
    }

    @Test func `an invitation whose expiry is no time is refused`() async {
        let run = await CommandRun.run([
            "invite", "inspect", SampleConnectionInvitation.invitation(#","~timing":{"expires_time":5}"#),
        ])
        #expect(run.code == "aries.invitation.malformed")
    }

    @Test(.shows("ARI-034")) func `text in an invitation cannot steer the terminal`() async {
        let hostile = SampleConnectionInvitation.invitation(#","goal":"\u001b[2Jx\u202ey""#)
        let run = await CommandRun.run(["invite", "inspect", hostile])
        #expect(run.status == 0)
        #expect(!run.output.contains("\u{1b}"))
        #expect(!run.output.contains("\u{202e}"))
        #expect(run.output.contains("steer a display"))
    }

    @Test func `invite inspect shows a request without an invitation with its type`() async throws {
        let run = await CommandRun.run(["invite", "inspect", SampleConnectionInvitation.request, "--json"])
        #expect(try object(run, "attached-request")["id"] as? String == "r-1")
    }

    @Test(arguments: ["https://example.org/s/x1", "https://vty.im/cnf4m"])
    func `invite inspect names a short link, as the one that seed 002 prints, and does not fetch it`(link: String)
        async throws
    {
        let run = await CommandRun.run(["invite", "inspect", link, "--json"])
        #expect(run.status == 0)
        #expect(try object(run, "short-link")["address"] as? String == link)
    }

    @Test(arguments: [
        ("hello", "aries.invitation.not-recognised"), (#"{"@type":"#, "aries.invitation.malformed"),
        ("https://example.org/?c_i=%%%", "aries.invitation.malformed"),
        (#"{"@type":"https://didcomm.org/out-of-band/1.1/invitation","@id":"x","services":[]}"#, ""),
    ]) func `text that is no invitation fails with its cause`(text: String, code: String) async {
        let run = await CommandRun.run(["invite", "inspect", text])
        #expect(run.status != 0)
        #expect(run.code?.hasPrefix(code.isEmpty ? "aries.invitation." : code) == true, "\(run.code ?? "none")")
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
    func `each published invitation link is understood, unpadded ones and those with a DID as service too`()
        async throws
    {
        let bytes = try OutsideVectors.contents(of: "aries-vectors.json")
        let vectors = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let links = try #require(vectors["invitation_urls"])
        let urls = Self.strings(in: links).filter { $0.contains("c_i=") || $0.contains("oob=") }
        #expect(urls.count >= 4)
        for url in urls {
            let run = await CommandRun.run(["invite", "inspect", url, "--json"])
            #expect(try object(run, "connection-invitation")["label"] != nil, "\(url)")
        }
    }

    /// The two examples of seed 002 that are printed as JSON.
    private static let examples = [
        (
            "connections",
            #"""
            {"@type":"did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/connections/1.0/invitation",
            "@id":"467f6449-7d1f-4a9f-ada7-09d6444af083","label":"Acme",
            "profileUrl":"https://s3.us-east-2.amazonaws.com/public-demo-artifacts/demo-icons/cbACME.png",
            "serviceEndpoint":"http://vas.evernym.com:80/agency/msg",
            "recipientKeys":["9NR9NYh5z5HHu6nLHnQWXczUqRwrdoL4KBUWvo2fE6vj"],
            "routingKeys":["9NR9NYh5z5HHu6nLHnQWXczUqRwrdoL4KBUWvo2fE6vj",
            "3mo3P6XzDzBvuktCgDQarACzzeV7zxrSExnicpuH7t83"]}
            """#, "connections/1.0"
        ),
        (
            "out-of-band",
            #"""
            {"@type":"https://didcomm.org/out-of-band/1.0/invitation",
            "@id":"9NR9NYh5z5HHu6nLHnQWXczUqRwrdoL4KBUWvo2fE6vj","label":"Faber College","goal_code":"issue-vc",
            "goal":"To issue a Faber College Graduate credential",
            "handshake_protocols":["https://didcomm.org/didexchange/1.0","https://didcomm.org/connections/1.0"],
            "request~attach":[{"@id":"request-0","mime-type":"application/json",
            "data":{"json":"<json of protocol message>"}}],
            "service":[{"id":"inline","type":"did-communication",
            "serviceEndpoint":"http://vas.evernym.com:80/agency/msg",
            "recipientKeys":["9NR9NYh5z5HHu6nLHnQWXczUqRwrdoL4KBUWvo2fE6vj"],
            "routingKeys":["9NR9NYh5z5HHu6nLHnQWXczUqRwrdoL4KBUWvo2fE6vj",
            "3mo3P6XzDzBvuktCgDQarACzzeV7zxrSExnicpuH7t83"]}]}
            """#, "didexchange/1.0"
        ),
    ]

    @Test(arguments: examples)
    func `each invitation example of the documentation is understood`(kind: String, text: String, handshake: String)
        async throws
    {
        let run = await CommandRun.run(["invite", "inspect", text, "--json"])
        #expect(run.status == 0)
        let event = try object(run, "connection-invitation")
        #expect(event["kind"] as? String == kind)
        #expect(event["recipientKeys"] as? [String] == ["9NR9NYh5z5HHu6nLHnQWXczUqRwrdoL4KBUWvo2fE6vj"])
        #expect((event["uses"] as? String)?.hasSuffix(handshake) == true)
        #expect((event["risks"] as? [String])?.contains("address-without-tls") == true)
    }

    private static func strings(in value: Any) -> [String] {
        switch value {
        case let text as String: [text]
        case let list as [Any]: list.flatMap(strings)
        case let object as [String: Any]: object.values.flatMap(strings)
        default: []
        }
    }
}
