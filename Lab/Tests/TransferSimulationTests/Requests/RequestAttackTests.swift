import TestSupport
import Testing

/// Attacks on requests and answers, played against the cores in simulation.
@Suite struct RequestAttackTests {
    @Test(.shows("TUV-142"), .shows("T2"), arguments: RequestAttack.allCases)
    func `an attack on a request or its answer fails with its code`(attack: RequestAttack) throws {
        #expect(try attack.play() == .prevented(attack.code))
    }

    @Test func `the session used for the attacks on requests completes without an attack`() throws {
        #expect(try RequestRelay().honest() == .succeeded)
    }
}
