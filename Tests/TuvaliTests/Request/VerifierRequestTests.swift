import Bluetooth
import TestSupport
import Testing

@testable import Tuvali

@Suite struct VerifierRequestTests {
    private static let link = VerifierScript.link

    private func script(_ count: Int = 600, configure: (inout VerifierConfiguration) -> Void = { _ in }) throws
        -> VerifierScript
    {
        var script = try VerifierScript(configure: configure)
        try script.session.hold(WalletRequestTests.message(count), salt: Array(1...16))
        return script
    }

    @Test func `a verifier with a request adds request=1 to its URI, and one without does not change it`() throws {
        #expect(try VerifierScript().session.uri.text.hasSuffix("4e6a"))
        let uri = try script().session.uri
        #expect(uri.text.hasSuffix("4e6a&request=1"))
        #expect(try TuvaliURI(parsing: uri.text).asks)
        let text = try VerifierScript().session.uri.text + "&request=0"
        #expect(try !TuvaliURI(parsing: text).asks)
    }

    @Test func `request reads before Identify, on another link, or after the announced answer get an empty value`()
        throws
    {
        var script = try script()
        script.put(.start)
        script.put(.connected(Self.link))
        script.put(.connected(LinkID(2)))
        script.put(.mtu(Self.link, 512))
        #expect(script.put(.read(Self.link, .requestSize, offset: 0)).answers == [[]])
        script.write(.identify, Samples.nonce + Samples.walletPublicKey)
        #expect(script.put(.read(LinkID(2), .requestSize, offset: 0)).answers == [[]])
        #expect(script.put(.read(Self.link, .requestSize, offset: 0)).answers[0].count == 8)
        script.write(.responseSize, VerifierScript.size(100))
        #expect(script.put(.read(Self.link, .requestSize, offset: 0)).answers == [[]])
        #expect(script.put(.read(Self.link, .request, offset: 0)).answers == [[]])
    }

    @Test func `a verifier without a request answers every read with an empty value`() throws {
        var script = try VerifierScript()
        script.goToIdentified()
        for characteristic in TuvaliCharacteristic.allCases {
            #expect(script.put(.read(Self.link, characteristic, offset: 0)).answers == [[]])
        }
    }

    @Test func `a long read gets the rest of the request's window, and a read of the size restarts`() throws {
        var script = try script()
        script.goToIdentified()
        script.put(.read(Self.link, .requestSize, offset: 0))
        let first = script.put(.read(Self.link, .request, offset: 0)).answers[0]
        #expect(script.put(.read(Self.link, .request, offset: 20)).answers[0] == first)
        let second = script.put(.read(Self.link, .request, offset: 0)).answers[0]
        #expect(first.prefix(2) == [0, 1] && second.prefix(2) == [0, 2])
        #expect(script.put(.read(Self.link, .request, offset: 0)).answers[0] == [])
        script.put(.read(Self.link, .requestSize, offset: 0))
        #expect(script.put(.read(Self.link, .request, offset: 0)).answers[0] == first)
        #expect(script.said.events.count { if case .requestRead = $0 { true } else { false } } == 1)
    }

    @Test(arguments: [(10, false), (11, true)])
    func `endless request reads end the verifier's session with a code of its own`(reads: Int, ends: Bool) throws {
        var script = try script(configure: { $0.requestReadLimit = 10 })
        script.goToIdentified()
        for _ in 0..<reads { script.put(.read(Self.link, .requestSize, offset: 0)) }
        #expect((script.session.stage == .parting) == ends)
        guard ends else { return }
        script.put(.disconnected(Self.link, .peer))
        #expect(script.said.endings == [.failed(TuvaliError(.verifierTooManyReads, ""))])
    }

    @Test(.shows("T15")) func `an answer from a wallet that never read the request is reported as such`() throws {
        var script = try script()
        script.goToIdentified()
        script.write(.responseSize, VerifierScript.size(100))
        #expect(script.said.refusals == [.verifierRequestUnread])
        #expect(script.session.stage == .receiving)
    }

    @Test(.shows("T15"), arguments: [(false, true), (true, false)])
    func `a verifier that requires answers disconnects a wallet that announces a size without reading`(
        isRead: Bool, endsSession: Bool
    ) throws {
        var script = try script(configure: { $0.requiresAnswer = true })
        script.goToIdentified()
        if isRead {
            for characteristic in [TuvaliCharacteristic.requestSize, .request, .request] {
                script.put(.read(Self.link, characteristic, offset: 0))
            }
        }
        let outputs = script.write(.responseSize, VerifierScript.size(100))
        #expect((script.session.stage == .closing) == endsSession)
        guard endsSession else { return }
        #expect(outputs.pushed(.disconnect) == [[1]])
        #expect(outputs.last == .disconnect(Self.link))
        #expect(!script.session.holdsSecrets)
        #expect(script.write(.submitResponse, [0, 1, 0, 0, 1]).isEmpty)
        script.put(.disconnected(Self.link, .local))
        #expect(script.said.endings == [.failed(TuvaliError(.verifierRequestUnread, ""))])
        #expect(!script.said.events.contains { if case .announced = $0 { true } else { false } })
    }

    @Test func `a verifier without a request accepts any payload, even if it requires answers`() throws {
        var script = try VerifierScript(configure: { $0.requiresAnswer = true })
        script.goToIdentified()
        script.write(.responseSize, VerifierScript.size(100))
        #expect(script.session.stage == .receiving)
    }

    @Test func `a verifier accepts the request to offer before its session starts, and not later`() throws {
        var script = try script()
        script.put(.start)
        #expect(throws: TuvaliError(.sessionMisused, "")) {
            try script.session.hold(WalletRequestTests.message(), salt: Array(1...16))
        }
    }

    @Test func `the user's time to decide begins when the last window of the request was read`() throws {
        var script = try script()
        script.goToIdentified()
        script.pass(.seconds(200))
        for characteristic in [TuvaliCharacteristic.requestSize, .request, .request] {
            script.put(.read(Self.link, characteristic, offset: 0))
        }
        script.pass(.seconds(329))
        #expect(script.session.stage == .awaitingSize)
        script.pass(.seconds(1))
        #expect(script.session.stage == .parting)
    }

    @Test(arguments: [(0, false), (1, true), (65_536, true), (65_537, false)])
    func `a credential request has 1 to 65,536 bytes`(count: Int, isTaken: Bool) {
        #expect(((try? WalletRequestTests.message(count)) != nil) == isTaken)
    }

    @Test(arguments: [("", false), ("a", true), ("a b", false), ("é", false)])
    func `the media type of a credential request has printable URICharacterClass characters`(
        type: String, isTaken: Bool
    ) {
        #expect(((try? VerifierRequestMessage(mediaType: type, content: [1])) != nil) == isTaken)
    }
}
