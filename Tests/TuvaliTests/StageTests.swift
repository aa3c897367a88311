import Testing

@testable import Tuvali

@Suite struct StageTests {
    @Test func `a wallet session reports its stage, and holds its secrets no longer than needed`() throws {
        var script = try WalletScript()
        #expect(script.session.stage == .idle)
        script.put(.start)
        #expect(script.session.stage == .scanning)
        script.hear()
        #expect(script.session.stage == .connecting)
        script.put(.connected)
        #expect(script.session.stage == .exchangingMTU)
        script.put(.mtu(512))
        #expect(script.session.stage == .discovering)
        script.put(.discoveryFailed)
        #expect(script.session.stage == .waitingToDiscover)
        script.passToDeadline()
        script.put(.discovered(TuvaliCharacteristic.allCases.map(WireProfile.tuvali05.uuid(of:))))
        #expect(script.session.stage == .subscribing)
        script.put(.subscribed(failed: []))
        #expect(script.session.stage == .identifying)
        script.put(.written(.identify))
        #expect(script.session.stage == .ready)
        _ = try script.send([1, 2, 3])
        #expect(script.session.stage == .announcing)
        script.put(.written(.responseSize))
        #expect(script.session.stage == .sending)
        #expect(script.session.holdsSecrets)
        script.put(.cancel)
        #expect(script.session.stage == .closing)
        script.passToDeadline()
        #expect(script.session.stage == .closed)
        #expect(!script.session.holdsSecrets)
    }

    @Test func `a wallet session has a stage for each step of the report request`() throws {
        var script = try WalletScript()
        script.goToReady()
        _ = try script.send([1, 2, 3])
        script.put(.written(.responseSize))
        script.put(.written(.submitResponse))
        #expect(script.session.stage == .requestingReport)
        script.put(.writeFailed(.reportRequest))
        #expect(script.session.stage == .waitingToRequestReport)
        script.passToDeadline()
        script.put(.written(.reportRequest))
        #expect(script.session.stage == .awaitingReport)
        script.put(.received(.reportResponse, TransferReport.success.bytes))
        #expect(script.session.stage == .awaitingStatus)
    }

    @Test func `a verifier session reports its stage, and holds its secrets no longer than needed`() throws {
        var script = try VerifierScript()
        #expect(script.session.stage == .idle)
        script.put(.start)
        #expect(script.session.stage == .advertising)
        script.put(.connected(VerifierScript.link))
        script.put(.mtu(VerifierScript.link, 512))
        script.write(.identify, Samples.nonce + Samples.walletPublicKey)
        #expect(script.session.stage == .awaitingSize)
        let sealed = try VerifierScript.sealed([1, 2, 3])
        script.write(.responseSize, VerifierScript.size(sealed.count))
        #expect(script.session.stage == .receiving)
        #expect(script.session.holdsSecrets)
        for chunk in try VerifierScript.chunks(sealed) { script.write(.submitResponse, chunk) }
        script.write(.reportRequest, [1])
        #expect(script.session.stage == .deciding)
        #expect(!script.session.holdsSecrets)
        _ = try script.decide(.accepted)
        #expect(script.session.stage == .concluding)
        script.put(.disconnected(VerifierScript.link, .peer))
        #expect(script.session.stage == .closed)
    }

    @Test func `a verifier that cancels asks its wallet to disconnect before it closes the link`() throws {
        var script = try VerifierScript()
        script.goToIdentified()
        script.put(.cancel)
        #expect(script.session.stage == .parting)
        script.passToDeadline()
        #expect(script.session.stage == .closing)
        script.passToDeadline()
        #expect(script.session.stage == .closed)
    }
}
