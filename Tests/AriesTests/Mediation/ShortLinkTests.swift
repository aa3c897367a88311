import Aries
import ByteCoding
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

/// Short links that a mediator serves for its client: the messages, and the mediator's session.
@Suite struct ShortLinkTests {
    private static let request = "shorten-url/1.0/request-shortened-url"
    private static let removal = "shorten-url/1.0/invalidate-shortened-url"

    private static func link(_ object: JSONObject) -> String {
        "https://m.example/in?oob=" + Base64URL.encode(object.encoded)
    }

    private static func body(_ changes: KeyValuePairs<String, JSONValue?> = [:]) throws -> JSONObject {
        var body = ShortLinkRequest(link(try Invitation(Samples.outOfBand()).object)).message(id: "x").object
        for name in ["@type", "@id"] { body[name] = nil }
        for (name, value) in changes { body[name] = value }
        return body
    }

    private static func report(in outputs: [MediatorSession.Output]) -> String? {
        outputs.messages.first.flatMap { ProblemReport($0) }?.code
    }

    @Test func `a short link request has link, lifetime and goal code, within the limits`() throws {
        let message = ShortLinkRequest("https://a.example?oob=e30").message(id: "1")
        #expect(message.type.description == "https://didcomm.org/shorten-url/1.0/request-shortened-url")
        #expect(message.object["url"]?.string == "https://a.example?oob=e30")
        #expect(message.object["requested_validity_seconds"]?.int == 604_800)
        #expect(message.object["goal_code"]?.string == "shorten.oobv1")
        #expect(
            [0, 1, 2_592_000, 2_592_001].map { ShortLinkRequest("", seconds: $0).seconds } == [
                1, 1, 2_592_000, 2_592_000,
            ])
    }

    @Test(.shows("ARI-048"))
    func `a mediator serves a granted client's invitation until its expiry, and answers with the short link`()
        throws
    {
        var harness = try SessionHarness()
        let asked = try harness.hear(Self.request, Self.body(["requested_validity_seconds": 60]), id: "ask")
        let end = WallTime(millisecondsSinceEpoch: Samples.now.millisecondsSinceEpoch + 60_000)
        #expect(
            asked == [.command(.shorten(try Invitation(Samples.outOfBand()).object.encoded, until: end, for: "ask"))])
        let answered = harness.answer(.shortLink(ShortLink("https://m.example/i/abc", expires: end)))
        let answer = try #require(answered.messages.first)
        #expect(answer.type.name == "shortened-url" && answer.threadID == "ask")
        #expect(ShortLink(answer) == ShortLink("https://m.example/i/abc", expires: end))
        let usual = try harness.hear(Self.request, Self.body(["requested_validity_seconds": nil]), id: "usual")
        let week = WallTime(millisecondsSinceEpoch: Samples.now.millisecondsSinceEpoch + 604_800_000)
        #expect(
            usual == [.command(.shorten(try Invitation(Samples.outOfBand()).object.encoded, until: week, for: "usual"))]
        )
        #expect(Self.report(in: harness.answer(.failed)) == "e.p.later")
    }

    @Test(.shows("ARI-048")) func `a client withdraws a short link, and learns from the answer if it existed`() throws {
        var harness = try SessionHarness()
        for (answer, name) in [(MediatorStoreAnswer.done, "ack"), (.denied, "problem-report")] {
            let asked = try harness.hear(Self.removal, ["shortened_url": "https://m.example/i/abc"])
            #expect(asked == [.command(.removeShortLink("https://m.example/i/abc"))])
            #expect(harness.answer(answer).names == [name])
        }
        let longest = String(repeating: "a", count: ShortLink.maximumBytes)
        #expect(
            try harness.hear(Self.removal, ["shortened_url": .string(longest)]) == [.command(.removeShortLink(longest))]
        )
        #expect(Self.report(in: harness.answer(.denied)) == "short_url_invalid")
        for body: JSONObject in [[:], ["shortened_url": 1], ["shortened_url": .string(longest + "a")]] {
            #expect(Self.report(in: try harness.hear(Self.removal, body)) == "short_url_invalid")
        }
    }

    @Test(.shows("A11"))
    func `a short link request past the limits or of another kind is refused with the code of the specification`()
        throws
    {
        var harness = try SessionHarness()
        let cases: [(KeyValuePairs<String, JSONValue?>, String)] = [
            (["goal_code": "shorten"], "invalid_goal_code"), (["goal_code": nil], "invalid_goal_code"),
            (["requested_validity_seconds": 0], "validity_too_long"),
            (["requested_validity_seconds": 2_592_001], "validity_too_long"),
            (["requested_validity_seconds": -1], "validity_too_long"),
            (["requested_validity_seconds": "60"], "validity_too_long"),
            (["url": nil], "invalid_url"), (["url": "https://m.example/"], "invalid_url"),
            (["url": "https://m.example/?oob=e30"], "invalid_url"),
            (["url": .string(Self.link(Samples.connections()))], "invalid_url"),
        ]
        for (changes, code) in cases {
            #expect(Self.report(in: try harness.hear(Self.request, Self.body(changes))) == code, "\(changes)")
        }
        let last = try harness.hear(Self.request, Self.body(["requested_validity_seconds": 2_592_000]))
        #expect(last.messages.isEmpty)
    }

    @Test func `a short link serves an invitation of 8,192 bytes, and one of 8,193 bytes is not`() throws {
        let empty = try Invitation(Samples.outOfBand(["goal": ""])).object.encoded.count
        for (bytes, isServed) in [(8192, true), (8193, false)] {
            var harness = try SessionHarness()
            let object = Samples.outOfBand(["goal": .string(String(repeating: "g", count: bytes - empty))])
            let outputs = try harness.hear(Self.request, Self.body(["url": .string(Self.link(object))]))
            #expect(outputs.messages.isEmpty == isServed, "\(outputs)")
        }
    }

    @Test(.shows("A11"))
    func `a client without a grant gets no short link, and another message of the protocol is ignored`() throws {
        var stranger = try SessionHarness(isGranted: false)
        #expect(Self.report(in: try stranger.hear(Self.request, Self.body())) == "not_granted")
        #expect(
            Self.report(in: try stranger.hear(Self.removal, ["shortened_url": "https://m.example/i/a"]))
                == "not_granted")
        var harness = try SessionHarness()
        let other = try harness.hear("shorten-url/1.0/shortened-url", ["shortened_url": "https://m.example/i/a"])
        #expect(other.messages.isEmpty && other.count == 1)
    }

    @Test func `an answer of a mediator is a short link only with a usable address of http`() throws {
        let type = try MessageType(parsing: "https://didcomm.org/shorten-url/1.0/shortened-url")
        func read(_ body: JSONObject) -> ShortLink? { ShortLink(Message(type, id: "1", body: body)) }
        let address = "https://m.example/i/abc"
        #expect(read(["shortened_url": .string(address)]) == ShortLink(address, expires: nil))
        let timed = read(["shortened_url": .string(address), "expires_time": "2026-01-31T09:30:00.5Z"])
        #expect(timed?.expires == WallTime(message: "2026-01-31T09:30:00.5Z"))
        for other: JSONValue in ["wss://m.example/i", "didcomm:transport/queue", "abc", 1, .null] {
            #expect(read(["shortened_url": other]) == nil)
        }
        let base = "https://m.example/"
        let filling = String(repeating: "a", count: ShortLink.maximumBytes - base.utf8.count)
        #expect(read(["shortened_url": .string(base + filling)]) != nil)
        #expect(read(["shortened_url": .string(base + filling + "a")]) == nil)
        #expect(
            ShortLink(
                Message(MessageType(.basicMessage10, "message"), id: "1", body: ["shortened_url": .string(address)]))
                == nil)
    }
}
