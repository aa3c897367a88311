import Bluetooth
import Determinism
import Testing

@testable import Tuvali

/// Verifiers that advertise two profiles in turn, and which of them a wallet takes.
@Suite struct PreferredProfileTests {
    private func connects(_ outputs: [WalletSession.Output]) -> Bool {
        outputs.contains { if case .connect = $0 { true } else { false } }
    }

    @Test func `a wallet that hears a Tuvali 0.4 verifier first waits for 0.5, and prefers that`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        #expect(wallet.hear(.tuvali04) == [])
        #expect(wallet.pass(.milliseconds(1000)) == [])
        #expect(wallet.hear(.tuvali04) == [])
        wallet.hear(.tuvali05)
        #expect(wallet.said.contains(.event(.found(Samples.address, .tuvali05))))
        #expect(connects(wallet.said))
    }

    @Test func `a verifier of Tuvali 0.4 only is connected to after one turn of advertising, and no earlier`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.pass(.seconds(3))
        wallet.hear(.tuvali04)
        #expect(wallet.session.nextDeadline == wallet.now + .milliseconds(1500))
        #expect(wallet.pass(.milliseconds(1499)) == [])
        let outputs = wallet.pass(.milliseconds(1))
        #expect(outputs.contains(.event(.found(Samples.address, .tuvali04))))
        #expect(connects(outputs))
    }

    @Test func `a Tuvali 0.5 verifier is connected to at once, and so is one of the wallet's only profile`() throws {
        for profiles in [WireProfile.allCases, [.tuvali04]] {
            var wallet = try WalletScript { $0.profiles = profiles }
            wallet.put(.start)
            #expect(connects(wallet.hear(profiles[0])))
        }
    }

    @Test func `a verifier heard just before the search ends is connected to then`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.pass(.milliseconds(9500))
        wallet.hear(.tuvali04)
        #expect(connects(wallet.pass(.milliseconds(500))))
    }

    @Test func `after a lost connection the wallet waits for a Tuvali 0.5 verifier again`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        wallet.hear(.tuvali04)
        #expect(connects(wallet.pass(.milliseconds(1500))))
        wallet.put(.connectFailed)
        #expect(wallet.hear(.tuvali04) == [])
        wallet.hear(.tuvali05)
        #expect(wallet.said.contains(.event(.found(Samples.address, .tuvali05))))
    }
}
