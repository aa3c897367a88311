import Bluetooth
import TestSupport
import Testing

@testable import Tuvali

/// Links on which no wallet has identified itself: what they do ends at most their own link.
@Suite struct UnidentifiedLinkTests {
    private let stranger = LinkID(2)

    private func advertising() throws -> VerifierScript {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(stranger))
        return verifier
    }

    @Test func `a link that is told to have connected a second time is the same link`() throws {
        var verifier = try advertising()
        #expect(verifier.put(.connected(stranger)).isEmpty)
        let ends = verifier.pass(.seconds(30)).filter { $0 == .disconnect(stranger) }
        #expect(ends.count == 1)
    }

    @Test func `a verifier of both profiles advertises them in turn, and uses the one of the Identify request`()
        throws
    {
        for profile in WireProfile.allCases {
            var verifier = try VerifierScript { $0.profiles = WireProfile.allCases }
            let uri = verifier.session.uri
            func advertised(_ outputs: [VerifierSession.Output]) -> [WireProfile] {
                WireProfile.allCases.filter { profile in
                    outputs.contains(.startAdvertising(TuvaliAdvertisement(uri: uri, profile: profile)))
                }
            }
            #expect(advertised(verifier.put(.start)) == [.tuvali05])
            #expect(verifier.pass(.milliseconds(999)).isEmpty)
            #expect(advertised(verifier.pass(.milliseconds(1))) == [.tuvali04])
            #expect(advertised(verifier.pass(.seconds(1))) == [.tuvali05])
            verifier.put(.connected(VerifierScript.link))
            verifier.put(.mtu(VerifierScript.link, 512))
            let identify = Samples.nonce + Samples.walletPublicKey
            verifier.put(.written(VerifierScript.link, .identify, identify, profile: profile))
            #expect(verifier.pass(.seconds(5)).isEmpty)
            try verifier.transfer([1, 2, 3])
            let report = verifier.said.compactMap { output -> BluetoothUUID? in
                if case .notify(_, let uuid, _) = output, TuvaliCharacteristic(uuid) == .reportResponse {
                    uuid
                } else {
                    nil
                }
            }
            #expect(report == [profile.uuid(of: .reportResponse)])
        }
    }

    @Test(.shows("T14"), arguments: [24, 46, 66])
    func `an ATT MTU too small for a chunk ends the link and not the session`(mtu: Int) throws {
        var verifier = try advertising()
        let outputs = verifier.put(.mtu(stranger, mtu))
        #expect(outputs.pushed(.disconnect) == [[1]])
        #expect(outputs.refusals == [.verifierMTUTooSmall])
        #expect(outputs.endings.isEmpty)
        #expect(verifier.pass(.milliseconds(999)).isEmpty)
        #expect(verifier.pass(.milliseconds(1)) == [.disconnect(stranger), .event(.left(.beforeIdentify))])
        #expect(verifier.put(.disconnected(stranger, .local)).endings.isEmpty)

        verifier.put(.connected(VerifierScript.link))
        verifier.put(.mtu(VerifierScript.link, 512))
        verifier.write(.identify, Samples.nonce + Samples.walletPublicKey)
        let payload = Samples.noise(300)
        try verifier.transfer(payload)
        #expect(verifier.said.payloads == [payload])
    }

    @Test(arguments: [TuvaliCharacteristic.responseSize, .submitResponse, .reportRequest], WireProfile.allCases)
    func `a size, chunk or report request without an Identify ends the link at once, with one event`(
        characteristic: TuvaliCharacteristic, profile: WireProfile
    ) throws {
        var verifier = try VerifierScript { $0.profiles = WireProfile.allCases }
        verifier.put(.start)
        verifier.put(.connected(stranger))
        verifier.put(.mtu(stranger, 512))
        let write = VerifierSession.Input.written(stranger, characteristic, [0, 0, 0, 9], profile: profile)
        let outputs = verifier.put(write)
        #expect(
            outputs == [
                .notify(stranger, profile.uuid(of: .disconnect), [1]),
                .event(.refused(TuvaliError(.verifierOutOfTurn, ""))),
            ])
        for _ in 0..<50 { #expect(verifier.put(write).isEmpty) }
        #expect(
            verifier.put(.written(stranger, .identify, Samples.nonce + Samples.walletPublicKey, profile: profile))
                .isEmpty)
        // Its user scans again, and is served while the old link still stands.
        verifier.put(.connected(VerifierScript.link))
        verifier.put(.mtu(VerifierScript.link, 512))
        verifier.write(.identify, Samples.nonce + Samples.walletPublicKey)
        let payload = Samples.noise(300)
        try verifier.transfer(payload)
        #expect(verifier.said.payloads == [payload])
    }

    @Test(.shows("TUV-084", "TUV-091", "TUV-111"))
    func `a link with an ATT MTU of 67 is kept, and one of 66 ended with the documented code`() throws {
        var kept = try advertising()
        #expect(kept.put(.mtu(stranger, 67)).isEmpty)
        var refused = try advertising()
        let error = refused.put(.mtu(stranger, 66)).events.compactMap {
            if case .refused(let error) = $0 { error } else { nil }
        }.first
        #expect(error?.wireCode == .unsupportedMTUSize)
    }

    @Test func `a link refused for its ATT MTU is reported once, and an Identify on it is ignored`() throws {
        var verifier = try advertising()
        #expect(verifier.put(.mtu(stranger, 66)).pushed(.disconnect) == [[1]])
        #expect(verifier.put(.mtu(stranger, 65)).isEmpty)
        #expect(verifier.write(.identify, Samples.nonce + Samples.walletPublicKey, on: stranger).isEmpty)
        #expect(verifier.session.stage == .advertising)
    }

    @Test func `a link refused for its ATT MTU makes room for another`() throws {
        var verifier = try advertising()
        for number in 3...5 { verifier.put(.connected(LinkID(UInt64(number)))) }
        verifier.put(.mtu(stranger, 66))
        let outputs = verifier.pass(.seconds(1))
        #expect(outputs.contains { if case .startAdvertising = $0 { true } else { false } })
        let next = LinkID(6)
        #expect(verifier.put(.connected(next)).contains(.event(.connected)))
    }

    @Test(.shows("TUV-084", "TUV-091", "TUV-111"))
    func `an ATT MTU that shrinks below 67 after the Identify ends the session with the documented code`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        #expect(verifier.put(.mtu(VerifierScript.link, 66)).pushed(.disconnect) == [[1]])
        let error = verifier.put(.disconnected(VerifierScript.link, .peer)).endings.first?.error
        #expect(error?.code == .verifierMTUTooSmall)
    }
}
