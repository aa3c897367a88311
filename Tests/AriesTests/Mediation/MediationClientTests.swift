import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism
import JSON
import TestSupport
import Testing

@Suite struct MediationClientTests {
    /// A client and the hand of its mediator.
    private struct Harness {
        var sides: TwoSides
        var client: MediationClient

        init() throws {
            sides = try TwoSides(.didExchange11)
            client = MediationClient(try sides.connect().invitee, random: SeededRandom(seed: 5))
        }

        mutating func answer(_ name: String, _ body: JSONObject, thread: String) -> [MediationClient.Output] {
            let type = MessageType(.mediation10, name)
            return take(Message(type, id: "a", thread: MessageThread(id: thread), body: body))
        }

        mutating func take(_ message: Message) -> [MediationClient.Output] {
            let received = sides.received(message, from: sides.inviterKey.verkey, to: sides.inviteeKey.verkey)
            return client.handle(.received(received), at: .zero)
        }

        mutating func grant() throws {
            let request = try #require(sent(client.handle(.start, at: .zero)).first)
            _ = answer("mediate-grant", MediationClientTests.grant, thread: request.id)
        }

        func sent(_ outputs: [MediationClient.Output]) -> [Message] {
            outputs.compactMap { if case .send(let outgoing) = $0 { outgoing.message } else { nil } }
        }

        func ignored(_ outputs: [MediationClient.Output]) -> AriesError.Code? {
            outputs.lazy.compactMap { if case .ignored(let error) = $0 { error.code } else { nil } }.first
        }

        func results(_ message: Message, _ result: String = "success", raw: Bool = false) -> JSONObject {
            let updated = (message.object["updates"]?.array ?? []).map { entry -> JSONValue in
                let key = entry["recipient_key"]?.string ?? ""
                let text = raw ? (try? Verkey(parsing: key).base58) ?? "" : key
                return ["recipient_key": .string(text), "action": entry["action"] ?? nil, "result": .string(result)]
            }
            return ["updated": .array(updated)]
        }
    }

    private static let grant: JSONObject = [
        "endpoint": "https://mediator.example/in", "routing_keys": [.string(Samples.didKey)],
    ]

    private func keys(_ count: Int) -> [Verkey] {
        var random = SeededRandom(seed: 77)
        return (0..<count).map { _ in AgentKey.make(from: &random).verkey }
    }

    @Test func `mediation is requested and granted, and a key is published only once the mediator knows it`() throws {
        var harness = try Harness()
        let key = keys(1)[0]
        let request = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        #expect(request.type.description == "https://didcomm.org/coordinate-mediation/1.0/mediate-request")
        #expect(request.returnRoute == "all" && harness.client.address(of: key) == nil)
        #expect(harness.client.handle(.add(key), at: .zero) == [.persist])
        let granted = harness.answer("mediate-grant", Self.grant, thread: request.id)
        let update = try #require(harness.sent(granted).first)
        #expect(update.object["updates"] == [["recipient_key": .string(key.didKey), "action": "add"]])
        #expect(harness.client.address(of: key) == nil)
        let done = harness.answer("keylist-update-response", harness.results(update), thread: update.id)
        #expect(done == [.persist, .added(key)])
        let address = try #require(harness.client.address(of: key))
        #expect(address.endpoint.text == "https://mediator.example/in")
        #expect(try address.routingKeys == [Samples.key()])
        #expect(harness.client.nextDeadline == nil)
    }

    @Test func `a mediator may deny mediation`() throws {
        var harness = try Harness()
        let request = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        #expect(harness.answer("mediate-deny", [:], thread: request.id) == [.denied])
        #expect(harness.client.grant == nil)
    }

    @Test(
        .shows("CHK-116", "CHK-117"),
        arguments: [
            [:], ["endpoint": "https://m.example"], ["endpoint": "https://m.example", "routing_keys": []],
            ["endpoint": "ftp://m.example", "routing_keys": [.string(Samples.didKey)]],
            ["endpoint": "https://m.example", "routing_keys": ["?"]],
            [
                "endpoint": "https://m.example",
                // A point of small order.
                "routing_keys": [.string(Base58.encode([1] + [UInt8](repeating: 0, count: 31)))],
            ],
            [
                "endpoint": "https://m.example",
                "routing_keys": .array(Array(repeating: .string(Samples.didKey), count: 9)),
            ],
        ] as [JSONObject])
    func `a mediation grant that cannot be used is ignored`(body: JSONObject) throws {
        var harness = try Harness()
        let request = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        #expect(harness.ignored(harness.answer("mediate-grant", body, thread: request.id)) == .messageMalformed)
        #expect(harness.client.grant == nil)
    }

    @Test(.shows("CHK-112", "CHK-113"))
    func `a mediation grant counts only from the mediator, in our thread, and after our request`() throws {
        var harness = try Harness()
        let early = harness.answer("mediate-grant", Self.grant, thread: "x")
        #expect(harness.ignored(early) == .unexpected)
        let request = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        #expect(harness.ignored(harness.answer("mediate-grant", Self.grant, thread: "other")) == .wrongThread)
        let message = Message(
            MessageType(.mediation10, "mediate-grant"), id: "a", thread: MessageThread(id: request.id), body: Self.grant
        )
        let forged = harness.sides.received(
            message, from: harness.sides.stranger.verkey, to: harness.sides.inviteeKey.verkey)
        #expect(harness.ignored(harness.client.handle(.received(forged), at: .zero)) == .wrongSender)
        #expect(harness.client.grant == nil)
        #expect(harness.ignored(harness.answer("keylist-update-response", [:], thread: request.id)) == .unexpected)
    }

    @Test func `a mediator's answer without a thread counts as the answer to the pending request`() throws {
        var harness = try Harness()
        let key = keys(1)[0]
        _ = harness.client.handle(.start, at: .zero)
        _ = harness.client.handle(.add(key), at: .zero)
        let granted = harness.take(
            Message(MessageType(.mediation10, "mediate-grant"), id: "a", body: Self.grant))
        let update = try #require(harness.sent(granted).first)
        let results = Message(
            MessageType(.mediation10, "keylist-update-response"), id: "b", body: harness.results(update))
        #expect(harness.take(results) == [.persist, .added(key)])
        let late = harness.take(Message(MessageType(.mediation10, "mediate-grant"), id: "c", body: Self.grant))
        #expect(harness.ignored(late) == .unexpected, "it was granted before")
    }

    @Test func `a mediation grant that waited at the mediator over a restart is accepted`() throws {
        var harness = try Harness()
        let request = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        harness.client = try MediationClient(
            stored: JSONValueReader(.object(harness.client.state)), random: SeededRandom(seed: 6))
        let again = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        #expect(again.id == request.id, "it is the same request")
        let report = ProblemReport(code: "c", explanation: nil, threadID: request.id).message(
            MessageType(MessageProtocol("notification", 1, 0), "problem-report"), id: "r")
        #expect(harness.take(report) == [.failed(AriesError(.rejected, ""))])
        let granted = harness.answer("mediate-grant", Self.grant, thread: request.id)
        #expect(granted.first == .persist && harness.client.grant != nil)
    }

    @Test func `a mediator's list of keys is read in pages, and a list without pages is complete`() throws {
        var harness = try Harness()
        try harness.grant()
        let keys = keys(3)
        let query = try #require(harness.sent(harness.client.handle(.query, at: .zero)).first)
        #expect(query.object["paginate"] == ["limit": .int(MediationClient.listPage), "offset": 0])
        func part(_ keys: ArraySlice<Verkey>, remaining: Int?) -> JSONObject {
            JSONObject(present: [
                "keys": .array(keys.map { ["recipient_key": .string($0.didKey)] }),
                "pagination": remaining.map { ["remaining": .int($0)] },
            ])
        }
        let first = harness.answer("keylist", part(keys[..<2], remaining: 1), thread: query.id)
        let next = try #require(harness.sent(first).first)
        #expect(next.object["paginate"]?["offset"] == 2)
        let last = harness.answer("keylist", part(keys[2...], remaining: 0), thread: next.id)
        #expect(last == [.listed(keys)] && harness.client.isIdle)
        let whole = try #require(harness.sent(harness.client.handle(.query, at: .zero)).first)
        #expect(harness.answer("keylist", part(keys[..<1], remaining: nil), thread: whole.id) == [.listed([keys[0]])])
        let empty = try #require(harness.sent(harness.client.handle(.query, at: .zero)).first)
        let endless = harness.answer("keylist", part([], remaining: 5), thread: empty.id)
        #expect(endless == [.listed([])], "a list that says that more remains and brings nothing has ended")
    }

    @Test
    func `a keylist query waits for pending key updates, and a key update that was answered is not asked for again`()
        throws
    {
        var harness = try Harness()
        try harness.grant()
        let key = keys(1)[0]
        let update = try #require(harness.sent(harness.client.handle(.add(key), at: .zero)).last)
        #expect(harness.client.isWaiting(for: key))
        #expect(harness.sent(harness.client.handle(.query, at: .zero)).isEmpty)
        let done = harness.answer("keylist-update-response", harness.results(update), thread: update.id)
        #expect(harness.sent(done).map(\.type.name) == ["keylist-query"])
        #expect(harness.client.address(of: key) != nil && !harness.client.isWaiting(for: key))
        #expect(harness.client.handle(.taken(key), at: .zero) == [.persist])
        #expect(harness.client.address(of: key) == nil && harness.client.keys.isEmpty)
    }

    @Test func `key updates go out in groups, and later ones wait for the answer to the first`() throws {
        var harness = try Harness()
        try harness.grant()
        let all = keys(34)
        let first = try #require(harness.sent(harness.client.handle(.add(all[0]), at: .zero)).first)
        for key in all.dropFirst() { #expect(harness.client.handle(.add(key), at: .zero) == [.persist]) }
        let next = harness.answer("keylist-update-response", harness.results(first, raw: true), thread: first.id)
        let second = try #require(harness.sent(next).first)
        #expect(second.object["updates"]?.array?.count == 32)
        let last = harness.answer("keylist-update-response", harness.results(second, "no_change"), thread: second.id)
        #expect(harness.sent(last).first?.object["updates"]?.array?.count == 1)
        #expect(harness.client.keys.count == 33)
    }

    @Test(.shows("CHK-114"))
    func `a key removed at the mediator has no address, and of several changes of a key the last counts`()
        throws
    {
        var harness = try Harness()
        try harness.grant()
        let key = keys(1)[0]
        let add = try #require(harness.sent(harness.client.handle(.add(key), at: .zero)).first)
        _ = harness.answer("keylist-update-response", harness.results(add), thread: add.id)
        let remove = try #require(harness.sent(harness.client.handle(.remove(key), at: .zero)).first)
        #expect(remove.object["updates"] == [["recipient_key": .string(key.didKey), "action": "remove"]])
        let done = harness.answer("keylist-update-response", harness.results(remove), thread: remove.id)
        #expect(done == [.persist, .removed(key)] && harness.client.address(of: key) == nil)
    }

    @Test(.shows("CHK-114", "CHK-115"), arguments: ["client_error", "server_error", "maybe"])
    func `a key that the mediator refuses, or leaves out of its answer, is never published`(result: String) throws {
        var harness = try Harness()
        try harness.grant()
        let key = keys(1)[0]
        for body in [harness.results(Message(MessageType(.mediation10, "x"), id: "x")), nil] {
            let update = try #require(harness.sent(harness.client.handle(.add(key), at: .zero)).first)
            let outputs = harness.answer(
                "keylist-update-response", body ?? harness.results(update, result), thread: update.id)
            #expect(outputs == [.persist, .refused(key, AriesError(.mediationRefused, ""))])
            #expect(harness.client.address(of: key) == nil)
        }
    }

    @Test func `an answer to the removal of a key does not register it`() throws {
        var harness = try Harness()
        try harness.grant()
        let key = keys(1)[0]
        let update = try #require(harness.sent(harness.client.handle(.add(key), at: .zero)).first)
        let entry: JSONValue = ["recipient_key": .string(key.didKey), "action": "remove", "result": "success"]
        let outputs = harness.answer("keylist-update-response", ["updated": [entry]], thread: update.id)
        #expect(outputs == [.persist, .refused(key, AriesError(.mediationRefused, ""))])
    }

    @Test(.shows("CHK-128")) func `a mediator that does not answer is asked again and then given up`() throws {
        var harness = try Harness()
        let request = harness.client.handle(.start, at: .zero)
        #expect(harness.client.handle(.timeReached, at: .zero + .seconds(20) + .nanoseconds(-1)) == [])
        #expect(harness.sent(harness.client.handle(.timeReached, at: .zero + .seconds(20))) == harness.sent(request))
        #expect(harness.client.handle(.timeReached, at: .zero + .seconds(300)) == [.failed(AriesError(.timeout, ""))])
        #expect(harness.client.nextDeadline == nil)
        #expect(harness.sent(harness.client.handle(.start, at: .zero)).count == 1)
    }

    @Test func `a mediation request that cannot be delivered is tried again soon`() throws {
        var harness = try Harness()
        let request = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        #expect(harness.client.handle(.sendFailed(id: request.id), at: .zero) == [])
        #expect(harness.client.nextDeadline == .zero + .seconds(5))
    }

    @Test func `a problem report ends the mediation request that it is about`() throws {
        var harness = try Harness()
        try harness.grant()
        let update = try #require(harness.sent(harness.client.handle(.add(keys(1)[0]), at: .zero)).first)
        let report = ProblemReport(code: "c", explanation: nil, threadID: update.id).message(
            MessageType(.notification10, "problem-report"), id: "p")
        #expect(harness.take(report) == [.failed(AriesError(.rejected, ""))])
        #expect(harness.client.handle(.start, at: .zero) == [])
    }

    @Test func `a restarted mediation client sends its pending key updates again`() throws {
        var harness = try Harness()
        try harness.grant()
        let two = keys(2)
        let update = try #require(harness.sent(harness.client.handle(.add(two[0]), at: .zero)).first)
        _ = harness.answer("keylist-update-response", harness.results(update), thread: update.id)
        _ = harness.client.handle(.add(two[1]), at: .zero)
        let text = harness.client.state.text
        harness.client = try MediationClient(
            stored: JSONValueReader(JSONValue(parsing: text)), random: SeededRandom(seed: 8))
        #expect(harness.client.state.text == text && harness.client.address(of: two[0]) != nil)
        let resumed = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        #expect(resumed.object["updates"] == [["recipient_key": .string(two[1].didKey), "action": "add"]])
    }

    @Test func `the allowed number of key updates may wait and no more`() throws {
        var harness = try Harness()
        let all = keys(1025)
        for key in all.dropLast() { #expect(harness.client.handle(.add(key), at: .zero) == [.persist]) }
        #expect(
            harness.client.handle(.add(all[1024]), at: .zero)
                == [.refused(all[1024], AriesError(.mediationRefused, ""))])
        #expect(harness.client.handle(.remove(all[0]), at: .zero) == [.persist])
    }

    private static func grant(_ key: Verkey, _ number: Int) -> JSONObject {
        [
            "endpoint": .string("https://mediator.example/in/\(number)"), "recipient_key": .string(key.didKey),
            "routing_keys": [.string(key.didKey)],
        ]
    }

    @Test func `where the mediator offers grants per key, each key gets its own address`() throws {
        var harness = try Harness()
        let keys = keys(2)
        let request = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        for key in keys { _ = harness.client.handle(.add(key), at: .zero) }
        var grant = Self.grant
        grant["recipient_key_grants"] = true
        var next = harness.sent(harness.answer("mediate-grant", grant, thread: request.id))
        for (number, key) in keys.enumerated() {
            let request = try #require(next.first)
            #expect(request.type.name == "mediate-request" && request.object["recipient_key"]?.string == key.didKey)
            let other = harness.answer("mediate-grant", Self.grant(try Samples.key(), number), thread: request.id)
            #expect(harness.ignored(other) == .messageMalformed, "a grant for another key is none for this one")
            let outputs = harness.answer("mediate-grant", Self.grant(key, number), thread: request.id)
            #expect(outputs.contains(.added(key)))
            next = harness.sent(outputs)
        }
        #expect(next.isEmpty)
        for (number, key) in keys.enumerated() {
            let address = try #require(harness.client.address(of: key))
            #expect(address.endpoint.text == "https://mediator.example/in/\(number)" && address.routingKeys == [key])
        }
        let stored = try JSONValue(parsing: harness.client.state.encoded)
        let again = try MediationClient(stored: JSONValueReader(stored), random: SeededRandom(seed: 6))
        #expect(
            again.address(of: keys[1]) == harness.client.address(of: keys[1]) && again.grant?.offersKeyGrants == true)
        _ = harness.client.handle(.taken(keys[0]), at: .zero)
        #expect(harness.client.address(of: keys[0]) == nil)
    }

    @Test func `a denied grant for one key refuses that key, and removals are sent as before`() throws {
        var harness = try Harness()
        let keys = keys(2)
        let request = try #require(harness.sent(harness.client.handle(.start, at: .zero)).first)
        var grant = Self.grant
        grant["recipient_key_grants"] = true
        _ = harness.answer("mediate-grant", grant, thread: request.id)
        let addition = try #require(harness.sent(harness.client.handle(.add(keys[0]), at: .zero)).first)
        _ = harness.client.handle(.remove(keys[1]), at: .zero)
        let denied = harness.answer("mediate-deny", [:], thread: addition.id)
        let isRefused = denied.contains { if case .refused(keys[0], _) = $0 { true } else { false } }
        #expect(isRefused && harness.client.address(of: keys[0]) == nil)
        let update = try #require(harness.sent(denied).first)
        #expect(update.object["updates"] == [["recipient_key": .string(keys[1].didKey), "action": "remove"]])
    }

    @Test func `key updates made together go out in one message, and of several changes of a key the last counts`()
        throws
    {
        var harness = try Harness()
        try harness.grant()
        let all = keys(3)
        let changes = [
            KeylistUpdate(all[0], isAddition: true), KeylistUpdate(all[1], isAddition: true),
            KeylistUpdate(all[0], isAddition: false), KeylistUpdate(all[2], isAddition: true),
        ]
        let outputs = harness.client.handle(.change(changes), at: .zero)
        let updates = try #require(harness.sent(outputs).first?.object["updates"]?.array)
        #expect(outputs.count == 2 && outputs.first == .persist && harness.client.waitingCount == 3)
        #expect(updates.map { $0["recipient_key"]?.string } == [all[1], all[0], all[2]].map(\.didKey))
        #expect(updates.map { $0["action"]?.string } == ["add", "remove", "add"])
        #expect(harness.client.handle(.change([]), at: .zero) == [])
    }

    @Test func `a list of the allowed number of keys is read, unreadable ones counted, and a longer one is refused`()
        throws
    {
        for (count, isTaken) in [(MediationClient.maximumListed, true), (MediationClient.maximumListed + 1, false)] {
            var harness = try Harness()
            try harness.grant()
            var query = try #require(harness.sent(harness.client.handle(.query, at: .zero)).first)
            let entries = [JSONValue](repeating: ["recipient_key": "?"], count: count / 2)
            let more: JSONObject = ["keys": .array(entries), "pagination": ["remaining": 1]]
            query = try #require(harness.sent(harness.answer("keylist", more, thread: query.id)).first)
            let rest = JSONValue.array([JSONValue](repeating: ["recipient_key": "?"], count: count - count / 2))
            let last = harness.answer("keylist", ["keys": rest], thread: query.id)
            #expect(last == (isTaken ? [.listed([])] : [.failed(AriesError(.messageMalformed, ""))]))
            #expect(harness.client.isIdle)
        }
    }

    @Test func `a mediator's list of keys may have the allowed number of pages and not one more`() throws {
        var harness = try Harness()
        try harness.grant()
        var query = try #require(harness.sent(harness.client.handle(.query, at: .zero)).first)
        let part: JSONObject = ["keys": [["recipient_key": "?"]], "pagination": ["remaining": 1]]
        for _ in 1..<(MediationClient.maximumParts + 1) {
            query = try #require(harness.sent(harness.answer("keylist", part, thread: query.id)).first)
        }
        let end = harness.answer("keylist", part, thread: query.id)
        #expect(end == [.failed(AriesError(.messageMalformed, ""))] && harness.client.isIdle)
        let again = try #require(harness.sent(harness.client.handle(.query, at: .zero)).first)
        #expect(
            !harness.sent(harness.answer("keylist", part, thread: again.id)).isEmpty, "the next question begins anew")
    }
}

extension MediationClient.Input {
    static func add(_ key: Verkey) -> Self { .change([KeylistUpdate(key, isAddition: true)]) }
    static func remove(_ key: Verkey) -> Self { .change([KeylistUpdate(key, isAddition: false)]) }
}
