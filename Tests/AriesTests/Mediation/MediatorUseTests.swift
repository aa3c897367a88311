import ByteCoding
import DIDComm
import Determinism
import JSON
import Testing

@testable import Aries

@Suite struct MediatorUseTests {
    private typealias Script = MediatorScript

    private func events(_ outputs: [MediatorUse.Output]) -> [MediationClientEvent] { outputs.events }

    private func waits(_ outputs: [MediatorUse.Output]) -> [Duration?] { outputs.waits }

    private func opens(_ outputs: [MediatorUse.Output]) -> Bool { outputs.opensSocket }

    // The service.

    @Test func `when mediation is granted the grant is stored, and spare keys are made and registered`() throws {
        var script = try Script()
        let asked = script.begin()
        #expect(names(asked) == ["mediate-request", "status-request"] && script.use.stage == .asking)
        let granted = try script.grant(asked)
        #expect(granted.first == .persist && script.use.stage == .granted)
        #expect(events(granted) == [.stage(connection: script.connection.id, .granted)])
        #expect(granted.contains(.makeKeys(count: 4)) && names(granted) == ["keylist-update"])
        #expect(script.use.freeKey == .none && script.use.readySpareCount == 0)
        _ = try script.answer(try #require(messages(granted).last))
        #expect(script.use.readySpareCount == 4 && script.use.isIdle)
        guard case .key(let key, let address) = script.use.freeKey else { return #expect(Bool(false)) }
        #expect(key == script.stored[0] && address.endpoint.text == "https://mediator.example/in")
    }

    @Test func `a mediator without an answer is asked again at growing intervals, and the last interval repeats`()
        throws
    {
        var script = try Script { $0.retryAfter = [.seconds(1), .seconds(5)] }
        _ = script.begin()
        var found: [Duration?] = []
        for _ in 0..<200 where found.count < 3 {
            let outputs = script.elapse()
            for case .event(.problem(_, _, let wait)) in outputs where script.use.isIdle { found.append(wait) }
        }
        #expect(found.prefix(3) == [.seconds(1), .seconds(5), .seconds(5)])
    }

    @Test func `a mediator that denied mediation is asked nothing more`() throws {
        var script = try Script()
        let request = try #require(messages(script.begin()).first)
        let denied = try script.take("coordinate-mediation/1.0/mediate-deny", [:], thread: request.id)
        #expect(script.use.stage == .denied && denied.contains(.persist) && denied.contains(.dropSocket))
        #expect(script.use.nextDeadline == nil && !script.use.isFetching && script.use.freeKey == .notMediated)
    }

    @Test(arguments: [
        (MediatorUse.Mode.full, true, true), (.fetchOnly, true, false), (.offline, false, true), (.none, false, false),
    ])
    func `the mode decides whether a mediator is asked, and whether new connections get its address`(
        mode: MediatorUse.Mode, isAsked: Bool, givesKeys: Bool
    ) throws {
        var served = try Script()
        try served.serve()
        let client = try #require(served.use.client)
        var configuration = MediatorUse.Configuration()
        configuration.mode = mode
        var use = MediatorUse(
            connectionID: "c", stage: .granted, configuration: configuration, random: SeededRandom(seed: 1))
        let spares = mode == .full ? served.stored : []
        let outputs = use.handle(.connected(client, spares: spares), at: served.now)
        #expect(!sent(outputs).isEmpty == isAsked)
        #expect(!outputs.contains { if case .makeKeys = $0 { true } else { false } })
        #expect(isAsked || outputs == [.changed])
        #expect(events(outputs) == [], "it was granted before")
        #expect((use.freeKey != .notMediated) == givesKeys)
    }

    // Fetching.

    @Test func `after a round without messages the mediator is polled at the usual interval`() throws {
        var script = try Script()
        let quiet = try script.empty(script.begin())
        #expect(events(quiet) == [.caughtUp(remaining: 0)])
        let start = script.now
        script.now = start + .milliseconds(14_999)
        #expect(!script.use.isPollDue(at: script.now) && !names(script.feed(.timeReached)).contains("status-request"))
        script.now = start + .seconds(15)
        #expect(script.use.isPollDue(at: script.now) && names(script.feed(.timeReached)).contains("status-request"))
    }

    @Test(arguments: [true, false])
    func `while an answer is expected from anywhere, the mediator is polled every second`(waits: Bool) throws {
        var script = try Script()
        let asked = script.begin()
        _ = script.feed(.answersExpected(waits))
        _ = try script.empty(asked)
        script.now = script.now + .seconds(1)
        #expect(script.use.isPollDue(at: script.now) == waits)
    }

    @Test func `a refused poll is repeated at growing intervals, and a successful one starts the intervals anew`()
        throws
    {
        var script = try Script { $0.retryAfter = [.seconds(1), .seconds(5)] }
        var asked = script.begin()
        for wait in [Duration.seconds(1), .seconds(5), .seconds(5)] {
            #expect(waits(try script.problem(asked, "try-later")) == [wait])
            script.now = script.now + wait
            asked = script.feed(.timeReached).filter { if case .send = $0 { true } else { false } }
            #expect(names(asked).contains("status-request"))
        }
        _ = try script.empty(asked)
        script.now = script.now + .seconds(15)
        #expect(waits(try script.problem(script.feed(.timeReached), "try-later")) == [.seconds(1)])
    }

    @Test(arguments: [nil, PickupClient.PickupProtocol.pickup2])
    func `an older pickup protocol is remembered for the next run, unless the user chose the protocol`(
        chosen: PickupClient.PickupProtocol?
    ) throws {
        var script = try Script { $0.pickup = chosen }
        let outputs = try script.problem(script.begin(), "message-parse-failure")
        #expect(names(outputs) == ["batch-pickup"] && script.use.handsOverOnce)
        #expect(outputs.contains(.persist) == (chosen == nil))
        #expect(script.use.flavour == (chosen == nil ? .pickup1 : .pickup2))
    }

    @Test func `with at-most-once pickup an answered request is withdrawn and not sent again`() throws {
        var script = try Script { $0.pickup = .pickup1 }
        let request = try #require(messages(script.begin()).last)
        #expect(request.type.name == "batch-pickup")
        let outputs = try script.take("messagepickup/1.0/batch", ["messages~attach": []], thread: request.id)
        #expect(outputs.contains(.withdraw(id: request.id)))
    }

    @Test func `a message is acknowledged to the mediator after it was stored, and not before`() throws {
        var script = try Script()
        let request = try #require(messages(script.begin()).last)
        let waiting = try script.take("messagepickup/2.0/status", ["message_count": 1], thread: request.id)
        #expect(names(waiting) == ["delivery-request"])
        let entry: JSONValue = ["@id": "one", "data": ["base64": .string(Base64.encode([1, 2]))]]
        let delivered = try script.take(
            "messagepickup/2.0/delivery", ["~attach": [entry]], thread: messages(waiting).last?.id)
        #expect(delivered == [.deliver([1, 2], id: "one")])
        #expect(names(script.feed(.stored(id: "one"))) == ["messages-received"])
    }

    @Test func `after the agent begins to stop no pickup is planned, and pending answers are waited for`() throws {
        var script = try Script { $0.pickup = .pickup1 }
        let request = try #require(messages(script.begin()).last)
        _ = script.feed(.finish)
        #expect(script.use.isFetching)
        let last = try script.take("messagepickup/1.0/batch", ["messages~attach": []], thread: request.id)
        #expect(events(last) == [.caughtUp(remaining: 0)] && !script.use.isFetching)
        #expect(!script.use.isPollDue(at: script.now + .seconds(9999)))
    }

    // The WebSocket.

    @Test func `a mediator WebSocket that fails is opened again later, and the mediator is polled meanwhile`() throws {
        var script = try Script(socket: true)
        let begun = script.begin()
        #expect(opens(begun) && !names(begun).contains("status-request"))
        let failed = script.feed(.socketFailed(code: "a.b", reason: "C."))
        #expect(events(failed) == [.problem(code: "a.b", reason: "C.", retryIn: .seconds(1))])
        #expect(names(failed) == ["status-request"])
        script.now = script.now + .milliseconds(999)
        #expect(!opens(script.feed(.timeReached)))
        script.now = script.now + .milliseconds(1)
        #expect(opens(script.feed(.timeReached)))
        #expect(waits(script.feed(.socketFailed(code: "a.b", reason: "C."))) == [.seconds(5)])
    }

    @Test func `an open WebSocket is reported and used; its end is reported, and polling replaces it`() throws {
        var script = try Script(socket: true)
        _ = script.begin()
        let opened = script.feed(.socketOpened)
        #expect(events(opened) == [.socket(isOpen: true)] && names(opened) == ["status-request"] && script.use.isLive)
        let ended = script.feed(.socketEnded(refusal: nil))
        #expect(events(ended) == [.socket(isOpen: false)] && !script.use.isLive)
        script.now = script.now + .seconds(1)
        #expect(opens(script.feed(.timeReached)))
    }

    @Test func `a mediator WebSocket that ends with a status that excludes reconnecting is not opened again`() throws {
        var script = try Script(socket: true)
        try script.serve()
        _ = script.feed(.socketOpened)
        let ended = script.feed(.socketEnded(refusal: .init(code: "a.b", reason: "C.")))
        #expect(ended.contains(.dropSocket))
        #expect(events(ended) == [.socket(isOpen: false), .problem(code: "a.b", reason: "C.", retryIn: nil)])
        script.now = script.now + .seconds(9999)
        #expect(!opens(script.feed(.timeReached)) && !script.use.isFetching)
    }

    @Test func `a mediator WebSocket that brings no answers is closed`() throws {
        var script = try Script(socket: true)
        try script.serve()
        _ = script.feed(.socketOpened)
        var closed = false
        for _ in 0..<10 where !closed { closed = script.elapse().contains(.closeSocket) }
        #expect(closed)
    }

    @Test func `a mediator WebSocket that opens after the agent began to stop is closed`() throws {
        var script = try Script(socket: true)
        _ = script.begin()
        _ = script.feed(.finish)
        #expect(script.feed(.socketOpened) == [.closeSocket] && !script.use.isLive)
    }

    // Keys.

    @Test func `a spare key that is used is replaced by a new one`() throws {
        var script = try Script()
        try script.serve()
        let key = script.stored[0]
        _ = script.feed(.used(key))
        #expect(script.use.spareCount == 3)
        #expect(script.feed(.waitingArrivals(0)) == [], "no envelope waits for a key")
        let outputs = script.feed(.taken(key))
        #expect(outputs.contains(.makeKeys(count: 1)) && names(outputs) == ["keylist-update"])
        #expect(script.use.spareCount == 4 && script.use.readySpareCount == 3)
    }

    @Test func `a key that the mediator refuses is removed, and new keys are tried after a wait`() throws {
        var script = try Script { $0.spareKeys = 1 }
        let granted = try script.grant(script.begin())
        let key = script.stored[0]
        let refused = try script.answer(try #require(messages(granted).last), "client_error")
        #expect(refused.contains(.removeKey(key)) && waits(refused) == [.seconds(1)] && script.use.spareCount == 0)
        #expect(script.feed(.spares([])) == [], "the wait is not over")
        script.now = script.now + .seconds(1)
        #expect(script.feed(.timeReached).contains(.makeKeys(count: 1)))
    }

    @Test func `envelopes that wait for a spare key make the client add keys, and are resumed when one is registered`()
        throws
    {
        var script = try Script()
        try script.serve()
        let outputs = script.feed(.waitingArrivals(2))
        #expect(outputs.contains(.makeKeys(count: 2)))
        #expect(try script.answer(try #require(messages(outputs).last)).contains(.resumeArrivals))
        _ = script.feed(.arrivalResumed)
        _ = script.feed(.arrivalResumed)
        #expect(script.use.waitingArrivals == 0)
    }

    @Test func `keys that the mediator lost are registered again, and keys unknown to us are removed there`() throws {
        var script = try Script()
        try script.serve()
        let foreign = script.sides.stranger.verkey
        let outputs = script.feed(.compared(ours: script.stored, listed: Array(script.stored.dropFirst()) + [foreign]))
        let updates = try #require(messages(outputs).last?.object["updates"]?.array)
        #expect(updates.map { $0["action"]?.string } == ["add", "remove"])
        #expect(updates.map { $0["recipient_key"]?.string } == [script.stored[0].didKey, foreign.didKey])
    }

    @Test func `a mediator is left when it has confirmed that each key is removed`() throws {
        var script = try Script()
        try script.serve()
        let outputs = script.feed(.leave(script.stored))
        #expect(script.use.isLeaving && script.use.isLeft == nil && script.use.freeKey == .notMediated)
        #expect(script.feed(.waitingArrivals(9)) == [], "no key is made for a mediator that is left")
        _ = try script.answer(try #require(messages(outputs).last))
        #expect(script.use.isLeft == true)
    }

    @Test func `a mediator that does not remove the keys is left without its confirmation`() throws {
        var script = try Script()
        try script.serve()
        let outputs = script.feed(.leave(script.stored))
        _ = try script.answer(try #require(messages(outputs).last), "server_error")
        #expect(script.use.isLeft == false)
    }

    @Test func `a mediator whose removal is cancelled is asked to register the keys again`() throws {
        var script = try Script()
        try script.serve()
        let leaving = script.feed(.leave(script.stored))
        _ = script.feed(.stay(script.stored))
        #expect(!script.use.isLeaving)
        let again = try script.answer(try #require(messages(leaving).last))
        let updates = try #require(messages(again).last?.object["updates"]?.array)
        #expect(updates.count == script.stored.count && updates.allSatisfy { $0["action"]?.string == "add" })
    }

    // Wake-ups.

    @Test func `a webhook request to the mediator is sent, and its answer is stored`() throws {
        var script = try Script()
        try script.serve()
        let asked = script.feed(.wake(.ask))
        #expect(names(asked) == ["get-device-info"] && script.use.wakeAnswer == nil)
        let answered = try script.take(
            "push-notifications-webhook/1.0/device-info", ["device_token": nil, "webhook": nil, "secret": nil],
            thread: messages(asked).last?.id)
        #expect(answered == [.changed])
        guard case .success(nil) = script.use.wakeAnswer else { return #expect(Bool(false)) }
    }

    @Test func `a mediator's webhook answer in another thread is ignored`() throws {
        var script = try Script()
        try script.serve()
        _ = script.feed(.wake(.ask))
        let stray = Message(
            try MessageType(parsing: "https://didcomm.org/push-notifications-webhook/1.0/device-info"), id: "b",
            thread: MessageThread(id: "other"), body: ["device_token": nil, "webhook": nil])
        let sides = script.sides
        let outputs = script.feed(
            .received(sides.received(stray, from: sides.inviterKey.verkey, to: sides.inviteeKey.verkey)))
        #expect(outputs == [.ignored(AriesError(.wrongThread, ""))])
        #expect(script.use.wakeAnswer == nil)
    }

    @Test(arguments: [(256, true), (257, false)])
    func `a webhook secret for wake-ups has at most 256 characters`(count: Int, isTaken: Bool) throws {
        var script = try Script()
        try script.serve()
        let asked = script.feed(.wake(.ask))
        let secret = String(repeating: "s", count: count)
        let answered = try script.take(
            "push-notifications-webhook/1.0/device-info",
            ["device_token": "t", "webhook": "https://push.example/in", "secret": .string(secret)],
            thread: messages(asked).last?.id)
        #expect(answered == (isTaken ? [.changed] : [.ignored(AriesError(.messageMalformed, ""))]))
    }

    @Test func `a webhook request to the mediator that is not answered fails in time`() throws {
        var script = try Script()
        try script.serve()
        _ = script.feed(.wake(.ask))
        for _ in 0..<20 where script.use.wakeAnswer == nil { _ = script.elapse() }
        guard case .failure(let error) = script.use.wakeAnswer else { return #expect(Bool(false)) }
        #expect(error.code == .timeout)
    }
}

private func sent(_ outputs: [MediatorUse.Output]) -> [OutgoingMessage] { outputs.sent }

private func messages(_ outputs: [MediatorUse.Output]) -> [Message] { outputs.messages }

private func names(_ outputs: [MediatorUse.Output]) -> [String] { outputs.names }
