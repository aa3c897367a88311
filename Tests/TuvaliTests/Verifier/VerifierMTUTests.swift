import Testing
import Tuvali

/// The least MTU with which a verifier takes a transfer.
@Suite struct VerifierMTUTests {
    private func outputs(after mtu: Int) throws -> (VerifierScript, [VerifierSession.Output]) {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(VerifierScript.link))
        let outputs = verifier.put(.mtu(VerifierScript.link, mtu))
        return (verifier, outputs)
    }

    @Test(arguments: [23, 47, 63, 64, 65, 66])
    func `an ATT MTU of which a write carries less than 64 bytes ends the session, that of 64 to 66 too`(
        mtu: Int
    ) throws {
        var (verifier, outputs) = try outputs(after: mtu)
        #expect(outputs.pushed(.disconnect) == [[1]])
        let error = verifier.put(.disconnected(VerifierScript.link, .peer)).endings.first?.error
        #expect(error?.code == .verifierMTUTooSmall && error?.wireCode == .unsupportedMTUSize)
    }

    @Test(arguments: [67, 68, 100, 517])
    func `an ATT MTU of which a write carries 64 bytes or more is served`(mtu: Int) throws {
        #expect(try outputs(after: mtu).1.isEmpty)
    }
}
