import TestSupport
import Testing

@testable import Tuvali

/// The least MTU with which a verifier takes a transfer.
@Suite struct VerifierMTUTests {
    private func outputs(after mtu: Int) throws -> [VerifierSession.Output] {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(VerifierScript.link))
        return verifier.put(.mtu(VerifierScript.link, mtu))
    }

    @Test(.shows("TUV-091"), arguments: [23, 47, 63, 64, 65, 66])
    func `a link with an ATT MTU that carries less than 64 bytes is ended with the documented code`(mtu: Int) throws {
        let outputs = try outputs(after: mtu)
        #expect(outputs.pushed(.disconnect) == [[1]])
        let error = outputs.events.compactMap { if case .refused(let error) = $0 { error } else { nil } }.first
        #expect(error?.code == .verifierMTUTooSmall && error?.wireCode == .unsupportedMTUSize)
    }

    @Test(.shows("TUV-111"), arguments: [67, 68, 100, 517])
    func `a link with an ATT MTU that carries 64 bytes or more is served`(mtu: Int) throws {
        #expect(try outputs(after: mtu).isEmpty)
    }
}
