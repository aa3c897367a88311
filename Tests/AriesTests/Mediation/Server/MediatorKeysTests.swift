import Aries
import DIDComm
import Determinism
import JSON
import Testing

@Suite struct MediatorKeysTests {
    private static func updates(_ entries: [(String, String)]) -> JSONObject {
        ["updates": .array(entries.map { ["recipient_key": .string($0.0), "action": .string($0.1)] })]
    }

    @Test
    func `a handshake-reuse for the mediator's own invitation is answered, and for another invitation is not`() throws {
        var harness = try SessionHarness()
        func question(_ invitation: String) throws -> Message {
            Message(
                try MessageType(parsing: "https://didcomm.org/out-of-band/1.1/handshake-reuse"),
                id: "reuse-" + invitation,
                thread: MessageThread(id: "reuse-" + invitation, parentID: invitation))
        }
        let outputs = harness.take(try question("invitation-1"))
        guard case .send(let answer, _)? = outputs.first else {
            Issue.record("nothing was sent: \(outputs)")
            return
        }
        #expect(answer.message.type.name == "handshake-reuse-accepted")
        #expect(answer.message.thread == MessageThread(id: "reuse-invitation-1", parentID: "invitation-1"))
        #expect(harness.take(try question("another")) == [.ignored(AriesError(.invitationUnknown, ""))])
    }

    @Test func `a mediation request is granted in its thread and on its channel`() throws {
        var harness = try SessionHarness(.single, isGranted: false)
        #expect(try harness.hear("coordinate-mediation/1.0/mediate-request", id: "q").changes == [.grant(for: nil)])
        let outputs = harness.answer(.granted(SessionHarness.grant))
        let grant = try #require(outputs.messages.first)
        #expect(grant.type.description == "https://didcomm.org/coordinate-mediation/1.0/mediate-grant")
        #expect(grant.threadID == "q" && outputs.ways == [.back])
        #expect(grant.object["endpoint"] == "https://m.example/in")
        #expect(grant.object["routing_keys"] == [.string(SessionHarness.key(9).didKey)])
        #expect(grant.object["recipient_key"] == nil)
    }

    @Test func `our own mediation client understands the grant and the answers about its keys`() throws {
        var harness = try SessionHarness(isGranted: false)
        var client = MediationClient(harness.client, random: harness.sides.random)
        func asked(_ outputs: [MediationClient.Output]) throws -> Message {
            try #require(outputs.lazy.compactMap { if case .send(let out) = $0 { out.message } else { nil } }.first)
        }
        func told(_ message: Message) -> [MediationClient.Output] {
            client.handle(
                .received(
                    harness.sides.received(
                        message, from: harness.sides.inviterKey.verkey, to: harness.sides.inviteeKey.verkey)),
                at: .zero)
        }
        _ = harness.take(try asked(client.handle(.start, at: .zero)))
        let grant = try #require(harness.answer(.granted(SessionHarness.grant)).messages.first)
        #expect(told(grant).contains(.granted(SessionHarness.grant)))
        _ = harness.take(try asked(client.handle(.add(SessionHarness.key(1)), at: .zero)))
        let update = try #require(harness.answer(.changed([.success])).messages.first)
        #expect(told(update).contains(.added(SessionHarness.key(1))))
    }

    @Test func `a mediation request for one key gets a grant for that key, without the shared address`() throws {
        var harness = try SessionHarness(isGranted: false)
        let key = SessionHarness.key(1)
        let asked = try harness.hear(
            "coordinate-mediation/1.0/mediate-request", ["recipient_key": .string(key.didKey)])
        #expect(asked.changes == [.grant(for: key)])
        let grant = try #require(harness.answer(.granted(SessionHarness.grant)).messages.first)
        #expect(grant.object["recipient_key"] == .string(key.didKey))
        #expect(try harness.hear("coordinate-mediation/1.0/keylist-query").names == ["problem-report"])
    }

    @Test func `a client without mediation is denied key updates and told to request mediation first`() throws {
        var harness = try SessionHarness(isGranted: false)
        _ = try harness.hear("coordinate-mediation/1.0/mediate-request")
        #expect(harness.answer(.denied).names == ["mediate-deny"])
        for name in ["keylist-update", "keylist-query"] {
            let outputs = try harness.hear("coordinate-mediation/1.0/\(name)", Self.updates([]))
            #expect(outputs.commands.isEmpty && outputs.names == ["problem-report"])
            #expect(outputs.messages.first?.object["description"]?["code"] == "not_granted")
        }
    }

    @Test func `the answer to a key update lists each change in order and with the client's spelling of the key`()
        throws
    {
        var harness = try SessionHarness()
        let (raw, did) = (SessionHarness.key(1).base58, SessionHarness.key(2).didKey)
        let outputs = try harness.hear(
            "coordinate-mediation/1.0/keylist-update",
            Self.updates([(raw, "add"), ("nonsense", "add"), (did, "remove"), (did, "burn")]))
        #expect(
            outputs.changes == [
                .keys([
                    KeylistUpdate(SessionHarness.key(1), isAddition: true),
                    KeylistUpdate(SessionHarness.key(2), isAddition: false),
                ])
            ])
        let answer = try #require(harness.answer(.changed([.success, .noChange])).messages.first)
        #expect(answer.type.name == "keylist-update-response")
        let updated = answer.object["updated"]?.array ?? []
        #expect(updated.map { $0["recipient_key"]?.string } == [raw, "nonsense", did, did])
        #expect(updated.map { $0["result"]?.string } == ["success", "client_error", "no_change", "client_error"])
    }

    @Test func `a key update with an invalid Ed25519 point is answered with client_error`() throws {
        var harness = try SessionHarness()
        let zero = try #require(Verkey([UInt8](repeating: 0, count: 32)))
        let outputs = try harness.hear(
            "coordinate-mediation/1.0/keylist-update", Self.updates([(zero.didKey, "add")]))
        #expect(outputs.changes == [.keys([])])
        let answer = harness.answer(.changed([])).messages.first
        #expect(answer?.object["updated"]?[0]?["result"] == "client_error")
    }

    @Test func `a key update during a store failure is answered with server_error`() throws {
        var harness = try SessionHarness()
        _ = try harness.hear(
            "coordinate-mediation/1.0/keylist-update", Self.updates([(SessionHarness.key(1).didKey, "add")]))
        let answer = harness.answer(.failed).messages.first
        #expect(answer?.object["updated"]?[0]?["result"] == "server_error")
    }

    @Test(arguments: [KeylistUpdate.maximumCount, KeylistUpdate.maximumCount + 1])
    func `one keylist update may change a hundred keys, and one more is refused`(count: Int) throws {
        var harness = try SessionHarness()
        let entries = Array(repeating: (SessionHarness.key(1).didKey, "add"), count: count)
        let outputs = try harness.hear("coordinate-mediation/1.0/keylist-update", Self.updates(entries))
        #expect(outputs.commands.count == (count > KeylistUpdate.maximumCount ? 0 : 1))
        #expect(outputs.names == (count > KeylistUpdate.maximumCount ? ["problem-report"] : []))
    }

    @Test func `the list of mediated keys is paged, and says how many keys are left`() throws {
        var harness = try SessionHarness()
        let asked = try harness.hear(
            "coordinate-mediation/1.0/keylist-query", ["paginate": ["limit": 2, "offset": 3]])
        #expect(asked.commands == [.list(offset: 3, limit: 2)])
        let page = KeylistPage(keys: [SessionHarness.key(1), SessionHarness.key(2)], total: 7)
        let answer = try #require(harness.answer(.keys(page)).messages.first)
        #expect(
            answer.object["keys"] == [
                ["recipient_key": .string(SessionHarness.key(1).didKey)],
                ["recipient_key": .string(SessionHarness.key(2).didKey)],
            ])
        #expect(answer.object["pagination"] == ["count": 2, "offset": 3, "remaining": 2])
    }

    @Test(
        arguments: [
            (["paginate": ["limit": -5, "offset": -1]], 0, 1), ([:], 0, 100),
            (["paginate": ["limit": 9_000_000, "offset": 9_000_000]], 9_000_000, 100),
        ] as [(JSONObject, Int, Int)])
    func `offset and limit of a keylist query are clamped to their range`(body: JSONObject, offset: Int, limit: Int)
        throws
    {
        var harness = try SessionHarness()
        let outputs = try harness.hear("coordinate-mediation/1.0/keylist-query", body)
        #expect(outputs.commands == [.list(offset: offset, limit: limit)])
        let answer = try #require(harness.answer(.keys(KeylistPage(keys: [], total: 3))).messages.first)
        #expect(answer.object["pagination"]?["remaining"]?.int == max(0, 3 - offset))
    }

    @Test(
        arguments: [
            ["updates": 5], ["updates": [5]], ["paginate": "x"], ["recipient_key": 5], ["recipient_key": "did:key:z"],
            [:],
        ] as [JSONObject])
    func `malformed mediation requests change nothing`(body: JSONObject) throws {
        for name in ["mediate-request", "keylist-update", "keylist-query", "mediate-grant"] {
            var harness = try SessionHarness()
            let outputs = try harness.hear("coordinate-mediation/1.0/\(name)", body)
            for command in outputs.commands {
                switch command {
                case .once(.grant(for: nil), _), .once(.keys([]), _), .list: break
                default: Issue.record("\(name) with \(body) leads to \(command)")
                }
            }
        }
    }
}
