import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON
import Testing

@Suite struct ForwardHandlerTests {
    private struct Post {
        var random = SeededRandom(seed: 3)
        let routing: AgentKey
        var intake = ForwardHandler()

        init() { routing = .make(from: &random) }

        func opened(_ text: String) -> OpenedEnvelope {
            var codec = EnvelopeCodec()
            var random = random
            guard let envelope = try? codec.packAnonymously(Array(text.utf8), to: [routing.verkey], random: &random),
                let opened = try? codec.unpack(envelope, ownKey: { $0 == routing.verkey ? routing : nil })
            else { preconditionFailure("what is packed opens") }
            return opened
        }

        func forward(to key: String, _ message: String) -> OpenedEnvelope {
            opened(#"{"@type":"https://didcomm.org/routing/1.0/forward","@id":"f","to":"\#(key)","msg":\#(message)}"#)
        }

        func item(_ key: Verkey, _ envelope: String) -> ForwardHandler.Output {
            .store(.init(routingKey: routing.verkey, recipient: key, envelope: Array(envelope.utf8)))
        }
    }

    @Test(arguments: [#"{"a":1}"#, #""{\"a\":1}""#, #""eyJhIjoxfQ==""#, #""eyJhIjoxfQ""#])
    func `a forwarded envelope is accepted as an object, as a text and in base 64`(message: String) throws {
        var post = Post()
        let key = SessionHarness.key(1)
        for name in [key.base58, key.didKey] {
            var intake = ForwardHandler()
            let outputs = intake.handle(.opened(post.forward(to: name, message)))
            #expect(outputs == [post.item(key, #"{"a":1}"#)])
        }
        _ = post.intake.handle(.opened(post.forward(to: key.base58, message)))
        #expect(post.intake.handle(.stored(.stored)) == [.answer(.taken)])
    }

    @Test(arguments: ForwardHandler.ForwardStoreResult.allCases)
    func `the sender of a forward learns only whether a queue is full`(outcome: ForwardHandler.ForwardStoreResult)
        throws
    {
        var post = Post()
        _ = post.intake.handle(.opened(post.forward(to: SessionHarness.key(1).base58, "{}")))
        let outputs = post.intake.handle(.stored(outcome))
        switch outcome {
        case .stored, .storedOverSoftLimit, .unknown: #expect(outputs == [.answer(.taken)])
        case .full, .failed: #expect(outputs == [.answer(.later)])
        case .isRoutingKey: #expect(outputs == [.unwrap(Array("{}".utf8))])
        }
    }

    @Test func `a forward to a DID that is no key is answered like one to an unknown key`() throws {
        var post = Post()
        #expect(post.intake.handle(.opened(post.forward(to: "did:web:a.example", "{}"))) == [.answer(.taken)])
    }

    @Test(arguments: [
        "", "{}", "5", #"{"@type":"https://didcomm.org/trust_ping/1.0/ping","@id":"x"}"#,
        #"{"@type":"https://didcomm.org/routing/1.0/forward","@id":"f","to":"x","msg":5}"#,
        #"{"@type":"https://didcomm.org/routing/1.0/forward","@id":"f","msg":{}}"#,
    ])
    func `a message that is no forward is refused`(text: String) throws {
        var post = Post()
        #expect(post.intake.handle(.opened(post.opened(text))) == [.answer(.refused)])
    }

    @Test func `forwards nested for the same mediator are unwrapped up to a limit, so that loops end`() throws {
        var post = Post()
        for layer in 1...ForwardHandler.maximumLayers {
            let outputs = post.intake.handle(.opened(post.forward(to: SessionHarness.key(1).base58, "{}")))
            #expect(outputs == [post.item(SessionHarness.key(1), "{}")])
            let next = post.intake.handle(.stored(.isRoutingKey))
            #expect(next == [layer < ForwardHandler.maximumLayers ? .unwrap(Array("{}".utf8)) : .answer(.taken)])
        }
    }

    @Test func `an outer forward that cannot be opened is refused, and an inner one is dropped without an error`()
        throws
    {
        var post = Post()
        #expect(post.intake.handle(.notOpened) == [.answer(.refused)])
        _ = post.intake.handle(.opened(post.forward(to: SessionHarness.key(1).base58, "{}")))
        _ = post.intake.handle(.stored(.isRoutingKey))
        #expect(post.intake.handle(.notOpened) == [.answer(.taken)])
    }

    @Test func `a store result that no forward waits for is ignored`() {
        var intake = ForwardHandler()
        #expect(intake.handle(.stored(.stored)) == [])
    }
}

@Suite struct MailboxQuotaTests {
    private let quota = MailboxQuota(
        soft: .init(count: 2, bytes: 20), hard: .init(count: 3, bytes: 30), age: .seconds(60))

    @Test(arguments: [
        (1, 0, 0, MailboxQuota.QuotaDecision.fits), (2, 0, 0, .isOverSoftLimit), (3, 0, 0, .isFull), (0, 0, 20, .fits),
        (0, 0, 21, .isOverSoftLimit), (0, 1, 29, .isOverSoftLimit), (0, 1, 30, .isFull),
    ])
    func `a queue is full past its hard limits, and only logged past the soft ones`(
        count: Int, bytes: Int, more: Int, verdict: MailboxQuota.QuotaDecision
    ) {
        #expect(quota.verdict(adding: more, to: QueueStatus(count: count, bytes: bytes)) == verdict)
    }
}
