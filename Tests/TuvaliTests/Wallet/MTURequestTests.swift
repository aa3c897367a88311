import TestSupport
import Testing
import Tuvali

/// The MTU values that a wallet asks for when nothing is configured.
@Suite struct MTURequestTests {
    private func connected() throws -> (WalletScript, [WalletSession.Output]) {
        var wallet = try WalletScript { $0 = WalletConfiguration() }
        wallet.put(.start)
        wallet.hear()
        let outputs = wallet.put(.connected)
        return (wallet, outputs)
    }

    @Test(.shows("TUV-105"))
    func `the default configuration asks for an MTU of 498, then 512, 185 and 100, when each is refused`() throws {
        var (wallet, outputs) = try connected()
        for value in [498, 512, 185, 100] {
            #expect(outputs == [.exchangeMTU(value)])
            outputs = wallet.put(.mtuFailed(inForce: 23))
        }
        #expect(outputs == [.disconnect])
        #expect(wallet.put(.disconnected(.local)).endings == [.failed(TuvaliError(.walletMTUNotNegotiated, ""))])
    }

    @Test(.shows("TUV-105")) func `each of the four default MTU requests may take 500 ms, two seconds in all`() throws {
        #expect(WalletConfiguration().mtuWait == .milliseconds(500))
        var (wallet, _) = try connected()
        var outputs: [WalletSession.Output] = []
        for _ in 1...3 { outputs += wallet.pass(.milliseconds(500)) }
        outputs += wallet.pass(.milliseconds(499))
        #expect(!outputs.contains(.disconnect))
        #expect(wallet.pass(.milliseconds(1)) == [.disconnect])
    }
}
