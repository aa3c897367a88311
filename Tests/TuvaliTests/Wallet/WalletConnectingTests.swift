import Bluetooth
import TestSupport
import Testing

@testable import Tuvali

@Suite struct WalletConnectingTests {
    @Test(.shows("TUV-002", "TUV-003", "TUV-004", "TUV-010", "TUV-024", "TUV-025"), arguments: WireProfile.allCases)
    func `a wallet scans, connects, negotiates the MTU, discovers, subscribes and identifies itself`(
        profile: WireProfile
    ) throws {
        var wallet = try WalletScript()
        #expect(
            wallet.put(.start) == [
                .startScanning(WireProfile.allCases.flatMap { [$0.service, $0.scanResponseService] })
            ])
        let heard = wallet.hear(profile)
        // The preferred profile is taken at once, the other one when a turn has passed without it.
        #expect(
            (profile == .tuvali05 ? heard : wallet.passToDeadline()) == [
                .stopScanning, .event(.found(Samples.address, profile)),
                .connect(Samples.address, timeout: .seconds(5)),
            ])
        #expect(wallet.put(.connected) == [.exchangeMTU(512)])
        #expect(wallet.put(.mtu(512)) == [.discover(profile)])
        let pushed: [TuvaliCharacteristic] = [.reportResponse, .verificationStatus, .disconnect]
        #expect(
            wallet.put(.discovered(TuvaliCharacteristic.allCases.map(profile.uuid(of:))))
                == [.subscribe(pushed.map(profile.uuid(of:)))])
        let identify = Samples.nonce + Samples.walletPublicKey
        #expect(
            wallet.put(.subscribed(failed: [])) == [
                .event(.connected(mtu: 512, profile: profile)),
                .write(.identify, profile.uuid(of: .identify), identify, withResponse: true),
            ])
        #expect(wallet.put(.written(.identify)) == [.event(.secureChannelEstablished)])
        #expect(wallet.session.isReady)
    }

    @Test(.shows("TUV-023"))
    func `a wallet accepts advertisement and scan response in either order, or merged into one report`() throws {
        let advertisement = try TuvaliAdvertisement(uri: Samples.uri(), profile: .tuvali05)
        for parts in [
            [advertisement.scanResponse, advertisement.data], [advertisement.data + advertisement.scanResponse],
        ] {
            var wallet = try WalletScript()
            wallet.put(.start)
            for part in parts {
                wallet.put(
                    .heard(AdvertisementReport(address: Samples.address, kind: .connectable, rssi: nil, data: part)))
            }
            #expect(wallet.said.contains(.connect(Samples.address, timeout: .seconds(5))))
        }
    }

    @Test func `a wallet does not connect to a key that shares only the right five bytes`() throws {
        var forgedKey = Samples.verifierPublicKey
        forgedKey[31] ^= 1
        let forged = try TuvaliAdvertisement(uri: TuvaliURI(name: "OVPMOSIP", key: forgedKey), profile: .tuvali05)
        var wallet = try WalletScript()
        wallet.put(.start)
        for data in [forged.data, forged.scanResponse, forged.data] {
            wallet.put(.heard(AdvertisementReport(address: Samples.address, kind: .connectable, rssi: -40, data: data)))
        }
        #expect(wallet.said.events == [.heardOther(Samples.address)])
        #expect(wallet.passToDeadline().endings == [.failed(TuvaliError(.walletStaleURI, ""))])
    }

    @Test(.shows("T1")) func `a wallet that hears only other verifiers reports that the QR code is old`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        let other = try TuvaliAdvertisement(
            uri: TuvaliURI(name: "OVPMOSIP", key: Samples.walletPublicKey), profile: .tuvali04)
        let report = AdvertisementReport(address: Samples.address, kind: .connectable, rssi: -40, data: other.data)
        #expect(wallet.put(.heard(report)) == [.event(.heardOther(Samples.address))])
        #expect(wallet.put(.heard(report)).isEmpty)
        #expect(wallet.pass(.milliseconds(9999)).isEmpty)
        #expect(
            wallet.pass(.milliseconds(1)) == [.stopScanning, .finished(.failed(TuvaliError(.walletStaleURI, "")))])
    }

    @Test func `a wallet that hears no verifier ends with verifier-not-found`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        for data in [[], [0], [5, 0x16, 1, 0, 9], Samples.noise(31)] as [[UInt8]] {
            wallet.put(.heard(AdvertisementReport(address: Samples.address, kind: .broadcast, rssi: -40, data: data)))
        }
        #expect(
            wallet.passToDeadline() == [
                .stopScanning, .finished(.failed(TuvaliError(.walletVerifierNotFound, ""))),
            ])
    }

    @Test func `a wallet whose verifier vanishes after a lost connection reports why that was lost`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        wallet.put(.connected)
        wallet.put(.mtu(512))
        #expect(wallet.put(.disconnected(.peer)).events == [.reconnecting(attempt: 2)])
        #expect(
            wallet.passToDeadline() == [.stopScanning, .finished(.failed(TuvaliError(.peerDisconnected, "")))])
    }

    @Test(.shows("T9")) func `the wallet forgets the oldest advertiser when there are more than its limit`() throws {
        var wallet = try WalletScript { $0.sightingLimit = 2 }
        wallet.put(.start)
        let advertisement = try TuvaliAdvertisement(uri: Samples.uri(), profile: .tuvali05)
        func report(_ number: UInt64, _ data: [UInt8]) -> WalletSession.Input {
            .heard(
                AdvertisementReport(
                    address: DeviceAddress(staticRandom: number), kind: .connectable, rssi: nil, data: data))
        }
        for number in 1...3 { wallet.put(report(UInt64(number), advertisement.data)) }
        #expect(wallet.put(report(1, advertisement.scanResponse)).isEmpty)
        #expect(!wallet.put(report(3, advertisement.scanResponse)).isEmpty)
    }

    @Test(.shows("TUV-081", "TUV-093", "TUV-105"))
    func `a wallet whose MTU request is refused asks for 512, then 185, then 100, and then fails`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        #expect(wallet.put(.connected) == [.exchangeMTU(512)])
        #expect(wallet.put(.mtuFailed(inForce: 23)) == [.exchangeMTU(185)])
        #expect(wallet.put(.mtuFailed(inForce: 23)) == [.exchangeMTU(100)])
        #expect(wallet.put(.mtuFailed(inForce: 23)) == [.disconnect])
        let ending = wallet.put(.disconnected(.local)).endings
        #expect(ending == [.failed(TuvaliError(.walletMTUNotNegotiated, ""))])
    }

    @Test(.shows("TUV-081", "TUV-093", "TUV-105"))
    func `an MTU request without an answer is not repeated, and is given up after 500 ms for each value`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        #expect(wallet.put(.connected) == [.exchangeMTU(512)])
        for _ in 1...2 {
            #expect(wallet.pass(.milliseconds(499)).isEmpty)
            #expect(wallet.pass(.milliseconds(1)).isEmpty)
        }
        #expect(wallet.pass(.milliseconds(499)).isEmpty)
        #expect(wallet.pass(.milliseconds(1)) == [.disconnect])
        let ending = wallet.put(.disconnected(.local)).endings
        #expect(ending == [.failed(TuvaliError(.walletMTUNotNegotiated, ""))])
        #expect(ending.first?.error?.wireCode == .mtuNegotiation)
    }

    @Test(arguments: [(23, false), (24, true), (66, true), (67, true), (185, true)])
    func `after a refused MTU request the wallet uses the MTU that the system negotiated`(mtu: Int, isUsed: Bool) throws
    {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        wallet.put(.connected)
        let expected: [WalletSession.Output] =
            !isUsed ? [.exchangeMTU(185)] : mtu < 67 ? [.disconnect] : [.discover(.tuvali05)]
        #expect(wallet.put(.mtuFailed(inForce: mtu)) == expected)
    }

    @Test func `a wallet sends its key even when the verifier refuses subscriptions`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        wallet.put(.connected)
        wallet.put(.mtu(512))
        wallet.put(.discovered(TuvaliCharacteristic.allCases.map(WireProfile.tuvali05.uuid(of:))))
        let refused = TuvaliCharacteristic.pushed.map(WireProfile.tuvali05.uuid(of:))
        let outputs = wallet.put(.subscribed(failed: refused))
        #expect(outputs.contains { if case .write(.identify, _, _, _) = $0 { true } else { false } })
    }

    @Test func `a wallet requests its preferred ATT MTU first`() throws {
        var wallet = try WalletScript { $0.preferredMTU = 498 }
        wallet.put(.start)
        wallet.hear()
        #expect(wallet.put(.connected) == [.exchangeMTU(498)])
        #expect(wallet.put(.mtuFailed(inForce: 23)) == [.exchangeMTU(512)])
    }

    @Test(.shows("TUV-081", "TUV-111"))
    func `an ATT MTU of 67 is accepted and one of 66 is refused with the documented code`() throws {
        var accepted = try WalletScript()
        accepted.put(.start)
        accepted.hear()
        accepted.put(.connected)
        #expect(accepted.put(.mtu(67)) == [.discover(.tuvali05)])

        var refused = try WalletScript()
        refused.put(.start)
        refused.hear()
        refused.put(.connected)
        // An answer settles it: a connection has one exchange.
        #expect(refused.put(.mtu(66)) == [.disconnect])
        let error = refused.put(.disconnected(.local)).endings.first?.error
        #expect(error?.code == .walletMTUTooSmall)
        #expect(error?.wireCode == .mtuNegotiation)
    }

    @Test func `an ATT MTU that shrinks to 67 before anything is sent is accepted, and 66 ends the session`() throws {
        for (mtu, isTaken) in [(67, true), (66, false), (-1, false)] {
            var wallet = try WalletScript()
            wallet.goToReady()
            let outputs = wallet.put(.mtu(mtu))
            #expect(outputs == (isTaken ? [] : [.disconnect]))
            #expect(wallet.session.isReady == isTaken)
            if isTaken { #expect(try wallet.send([1, 2, 3]).writes.count == 1) }
            if !isTaken {
                #expect(wallet.put(.disconnected(.local)).endings == [.failed(TuvaliError(.walletMTUTooSmall, ""))])
            }
        }
    }

    @Test(.shows("TUV-106")) func `an MTU answer that comes after its 500 ms is accepted`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        wallet.put(.connected)
        #expect(wallet.pass(.milliseconds(700)).isEmpty)
        #expect(wallet.put(.mtu(517)) == [.discover(.tuvali05)])
    }

    @Test(.shows("TUV-082", "TUV-100", "TUV-103"))
    func `a failed discovery is repeated after 2, 4, 8, 16, 32 and 32 ms, and then the service is missing`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        wallet.put(.connected)
        wallet.put(.mtu(512))
        for wait in [2, 4, 8, 16, 32, 32] {
            #expect(wallet.put(.discoveryFailed).isEmpty)
            #expect(wallet.pass(.milliseconds(wait) - .nanoseconds(1)).isEmpty)
            #expect(wallet.pass(.nanoseconds(1)) == [.discover(.tuvali05)])
        }
        #expect(wallet.put(.discoveryFailed) == [.disconnect])
        let error = wallet.put(.disconnected(.local)).endings.first?.error
        #expect(error?.code == .walletServiceNotFound)
        #expect(error?.wireCode == .serviceNotFound)
    }

    @Test(arguments: TuvaliCharacteristic.written + TuvaliCharacteristic.pushed)
    func `a service that lacks a required characteristic counts as missing`(missing: TuvaliCharacteristic) throws {
        var wallet = try WalletScript { $0.discoveryBackOff.retryLimit = 0 }
        wallet.put(.start)
        wallet.hear()
        wallet.put(.connected)
        wallet.put(.mtu(512))
        let profile = WireProfile.tuvali05
        let uuids = TuvaliCharacteristic.allCases.filter { $0 != missing }.map(profile.uuid(of:))
        #expect(wallet.put(.discovered(uuids)) == [.disconnect])
    }

    @Test func `a connection that breaks before anything was sent is tried three times`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        #expect(wallet.put(.connectFailed).events == [.reconnecting(attempt: 2)])
        wallet.hear()
        wallet.put(.connected)
        #expect(wallet.put(.disconnected(.lost)).events == [.reconnecting(attempt: 3)])
        wallet.hear()
        #expect(wallet.put(.connectFailed) == [.finished(.failed(TuvaliError(.walletConnectFailed, "")))])
    }

    @Test(.shows("TUV-065")) func `a link that breaks after the wallet's key was sent is not tried again`() throws {
        var wallet = try WalletScript()
        wallet.goToReady()
        #expect(wallet.put(.disconnected(.lost)) == [.finished(.disconnected(TuvaliError(.linkLost, "")))])
    }

    @Test func `a verifier that stops answering during set-up is given up at its deadline`() throws {
        let steps: [WalletSession.Input] = [
            .connected, .mtu(512), .discovered(TuvaliCharacteristic.allCases.map(WireProfile.tuvali05.uuid(of:))),
            .subscribed(failed: []),
        ]
        for count in 2...4 {
            var wallet = try WalletScript()
            wallet.put(.start)
            wallet.hear()
            for step in steps.prefix(count) { wallet.put(step) }
            #expect(wallet.pass(.milliseconds(9999)).isEmpty)
            #expect(wallet.pass(.milliseconds(1)) == [.disconnect])
            #expect(wallet.passToDeadline() == [.finished(.failed(TuvaliError(.walletSetupTimeout, "")))])
        }
    }

    @Test func `a connect without any answer from the radio is given up at its deadline`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        #expect(wallet.pass(.milliseconds(14_999)).isEmpty)
        #expect(wallet.pass(.milliseconds(1)) == [.disconnect])
        #expect(wallet.put(.connectFailed) == [.finished(.failed(TuvaliError(.walletConnectFailed, "")))])
    }

    @Test func `a connect that fails late is tried again`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear()
        #expect(wallet.pass(.milliseconds(14_999)).isEmpty)
        #expect(wallet.put(.connectFailed).events == [.reconnecting(attempt: 2)])
    }

    @Test func `a verifier key of low order is refused before anything is sent`() throws {
        let uri = try TuvaliURI(name: "A", key: [UInt8](repeating: 0, count: 32))
        #expect(throws: TuvaliError(.walletLowOrderKey, "")) { try WalletScript(uri: uri) }
    }
}
