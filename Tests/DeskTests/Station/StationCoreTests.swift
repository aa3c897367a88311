import Credentials
import CryptoSuite
import Determinism
import TestSupport
import Testing
import Tuvali

@testable import Desk

/// A station as a script: what happens, and what is then to be done.
@Suite struct StationCoreTests {
    private var core = StationCore(requestCount: 3)
    private var now = MonotonicInstant.zero
    private static let key = [UInt8](repeating: 7, count: 32)

    private func uri() throws -> TuvaliURI { try TuvaliURI(name: "Desk", key: Self.key) }

    private mutating func give(_ input: StationCore.Input) -> [StationCore.Output] { core.handle(input, at: now) }

    private mutating func wait(_ duration: Duration) -> [StationCore.Output] {
        now = now + duration
        return give(.tick)
    }

    /// Goes on to a session whose code is shown.
    private mutating func showCode() throws {
        _ = give(.start)
        _ = give(.opened(try uri()))
    }

    /// Goes on to a credential that waits for the decision.
    private mutating func deliver(_ judgement: CredentialJudgement = CredentialJudgement(.genuine)) {
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        _ = give(.event(.announced(sealedBytes: 1000, chunkCount: 2)))
        _ = give(.arrived)
        _ = give(.judged(judgement))
    }

    @Test mutating func `a station opens a session, shows its code, and receives a credential`() throws {
        #expect(give(.start) == [.openSession(session: 1, request: 0), .changed])
        #expect(core.state.step == .opening)
        #expect(give(.opened(try uri())) == [.changed])
        #expect(core.state.step == .waiting)
        #expect(core.state.code == (try uri()))
        #expect(give(.event(.connected)) == [])
        #expect(give(.event(.secureChannelEstablished(mtu: 517))) == [.changed])
        #expect(core.state.code == nil)
        #expect(give(.event(.announced(sealedBytes: 1000, chunkCount: 2))) == [.changed])
        #expect(give(.event(.progress(TransferProgress(bytes: 500, totalBytes: 1000)))) == [.changed])
        #expect(core.state.progress == TransferProgress(bytes: 500, totalBytes: 1000))
        #expect(give(.arrived) == [.judge, .changed])
        #expect(give(.judged(CredentialJudgement(.genuine))) == [.changed])
        #expect(core.state.step == .deciding)
        #expect(give(.accept(session: 1)) == [.record(.accepted), .decide(.accepted), .changed])
        #expect(core.state.counts.accepted == 1)
        #expect(core.state.counts.genuine == 1)
    }

    @Test mutating func `the next session opens when the last event of the one before has come`() throws {
        try showCode()
        deliver()
        _ = give(.accept(session: 1))
        #expect(give(.event(.disconnected(.completed(.accepted)))) == [.openSession(session: 2, request: 0), .changed])
        #expect(core.state.shown?.decision == .accepted)
    }

    @Test mutating func `a decision for another session than the one that waits does nothing`() throws {
        try showCode()
        deliver()
        #expect(give(.accept(session: 2)) == [])
        #expect(give(.reject(session: 0)) == [])
        #expect(core.state.step == .deciding)
        #expect(give(.reject(session: 1)) == [.record(.rejected), .decide(.rejected), .changed])
        #expect(give(.accept(session: 1)) == [])
    }

    @Test mutating func `a code is renewed when its time is over, and not a moment before`() throws {
        try showCode()
        #expect(core.nextDeadline == now + StationTimes.codeLifetime)
        #expect(wait(StationTimes.codeLifetime - .nanoseconds(1)) == [])
        #expect(wait(.nanoseconds(1)) == [.end, .changed])
        #expect(give(.event(.disconnected(.cancelled))) == [.openSession(session: 2, request: 0), .changed])
    }

    @Test mutating func `an expired advertisement is no notice`() throws {
        try showCode()
        let outputs = give(.event(.error(TuvaliError(.verifierNobodyCame, ""))))
        #expect(outputs == [.openSession(session: 2, request: 0), .changed])
        #expect(core.state.notice == nil)
    }

    @Test(.shows("VD6")) mutating func `a credential is erased after its time, and not a moment before`() throws {
        try showCode()
        deliver()
        _ = give(.accept(session: 1))
        _ = give(.event(.disconnected(.completed(.accepted))))
        _ = give(.opened(try uri()))
        #expect(wait(StationTimes().shownFor - .nanoseconds(1)) == [])
        #expect(wait(.nanoseconds(1)) == [.erase, .changed])
        #expect(core.state.shown == nil)
    }

    @Test mutating func `the seconds until a credential is erased count from its arrival, rounded up`() throws {
        try showCode()
        #expect(core.secondsShown(at: now) == 0)
        deliver()
        #expect(core.secondsShown(at: now) == 120)
        #expect(core.secondsShown(at: now + .milliseconds(30_001)) == 90)
        #expect(core.secondsShown(at: now + .seconds(31)) == 89)
        #expect(core.secondsShown(at: now + .milliseconds(119_999)) == 1)
        #expect(core.secondsShown(at: now + .seconds(120)) == 0)
    }

    @Test(.shows("VD6")) mutating func `a credential is erased when the next wallet has identified itself`() throws {
        try showCode()
        deliver()
        _ = give(.accept(session: 1))
        _ = give(.event(.disconnected(.completed(.accepted))))
        _ = give(.opened(try uri()))
        #expect(give(.event(.secureChannelEstablished(mtu: 517))) == [.erase, .changed, .changed])
    }

    @Test mutating func `a credential that was not decided about in its time ends the session and is erased`() throws {
        try showCode()
        deliver()
        #expect(wait(StationTimes().shownFor) == [.undecided, .end, .changed, .erase, .changed])
        #expect(core.state.notice == .decisionLate)
        #expect(core.state.counts.failed == 1)
    }

    @Test mutating func `erasing by hand rejects what was not decided about`() throws {
        try showCode()
        deliver()
        #expect(give(.erase) == [.record(.rejected), .decide(.rejected), .changed, .erase, .changed])
        #expect(give(.erase) == [])
    }

    @Test mutating func `what cannot be judged is rejected, erased and named`() throws {
        try showCode()
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        _ = give(.arrived)
        #expect(
            give(.unusable(StationError(.declined))) == [.decide(.rejected), .changed, .erase, .changed])
        #expect(core.state.notice == .declined)
    }

    @Test
    mutating func `a policy accepts and rejects without a person, but accepts nothing while the clock is not set`()
        throws
    {
        try showCode()
        deliver(CredentialJudgement(.genuine, rule: .accept))
        #expect(core.state.shown?.decision == .accepted)
        _ = give(.event(.disconnected(.completed(.accepted))))
        _ = give(.opened(try uri()))
        _ = give(.standing([.clockNotSet]))
        deliver(CredentialJudgement(.genuine, rule: .accept))
        #expect(core.state.step == .deciding)
        _ = give(.reject(session: 2))
        _ = give(.event(.disconnected(.completed(.rejected))))
        _ = give(.opened(try uri()))
        deliver(CredentialJudgement(.refused, rule: .reject))
        #expect(core.state.shown?.decision == .rejected)
    }

    @Test(arguments: [
        (TuvaliError.Code.peerDisconnected, StationError.Code.walletLeft), (.linkLost, .linkWeak),
        (.verifierTransferTimeout, .linkWeak), (.verifierNotAuthentic, .wrongCode),
        (.verifierTooManyReports, .tooManyRetries), (.verifierTooManyMissingChunks, .tooManyRetries),
        (.verifierNotGzip, .payloadUnreadable), (.verifierSizeTooLarge, .payloadUnreadable),
        (.sessionInternal, .internal), (.verifierRequestUnread, .requestUnread),
        (.verifierDecisionTimeout, .decisionLate),
    ])
    func `an error of a session is named in the words of a desk`(_ error: TuvaliError.Code, _ code: StationError.Code)
        throws
    {
        var script = self
        try script.showCode()
        _ = script.give(.event(.secureChannelEstablished(mtu: 517)))
        let outputs = script.give(.event(.error(TuvaliError(error, ""))))
        #expect(outputs == [.openSession(session: 2, request: 0), .changed])
        #expect(script.core.state.notice == code)
        #expect(script.core.state.counts.failed == 1)
    }

    @Test mutating func `a notice goes after its time`() throws {
        try showCode()
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        _ = give(.event(.error(TuvaliError(.peerDisconnected, ""))))
        _ = wait(StationTimes.noticeFor - .nanoseconds(1))
        #expect(core.state.notice == .walletLeft)
        _ = wait(.nanoseconds(1))
        #expect(core.state.notice == nil)
    }

    @Test mutating func `an expired code stands for 30 s more while a device is connected that may have scanned it`()
        throws
    {
        try showCode()
        _ = give(.event(.connected))
        #expect(!wait(StationTimes.codeLifetime).contains(.end))
        #expect(core.state.step == .waiting)
        #expect(!wait(StationTimes.codeGrace - .nanoseconds(1)).contains(.end))
        #expect(wait(.nanoseconds(1)).contains(.end))
    }

    @Test mutating func `an expired code goes when the device that it stood for has left`() throws {
        try showCode()
        _ = give(.event(.connected))
        #expect(!wait(StationTimes.codeLifetime).contains(.end))
        #expect(give(.event(.left(.beforeIdentify))).contains(.end))
    }

    @Test
    mutating func `a code goes before its time with no device, and an expired one not while another device is left`()
        throws
    {
        try showCode()
        _ = give(.event(.connected))
        #expect(!give(.event(.left(.beforeIdentify))).contains(.end))
        _ = give(.event(.connected))
        _ = give(.event(.connected))
        #expect(!wait(StationTimes.codeLifetime).contains(.end))
        #expect(!give(.event(.left(.beforeIdentify))).contains(.end))
        #expect(give(.event(.left(.beforeIdentify))).contains(.end))
    }

    @Test mutating func `two devices before one has identified itself are several wallets`() throws {
        try showCode()
        _ = give(.event(.connected))
        #expect(core.state.notice == nil)
        _ = give(.event(.connected))
        #expect(core.state.notice == .severalWallets)
    }

    @Test mutating func `a device that left does not count among several wallets`() throws {
        try showCode()
        _ = give(.event(.connected))
        _ = give(.event(.left(.beforeIdentify)))
        _ = give(.event(.connected))
        #expect(core.state.notice == nil)
    }

    @Test mutating func `the second list of missing chunks says that the link is weak`() throws {
        try showCode()
        _ = give(.event(.secureChannelEstablished(mtu: 23)))
        _ = give(.event(.announced(sealedBytes: 1000, chunkCount: 20)))
        _ = give(.event(.reported(missing: 3)))
        // A list without a chunk says that all have arrived.
        _ = give(.event(.reported(missing: 0)))
        #expect(core.state.notice == nil)
        _ = give(.event(.reported(missing: 1)))
        #expect(core.state.notice == .linkWeak)
    }

    @Test mutating func `a wallet that leaves before the decision is named, and the decision is still owed`() throws {
        try showCode()
        deliver()
        _ = give(.event(.left(.beforeDecision)))
        #expect(core.state.notice == .walletLeft)
        #expect(core.state.step == .deciding)
    }

    @Test mutating func `a radio that cannot be used is tried again, with waits that double up to a limit`() {
        _ = give(.start)
        var expected = StationTimes.firstRest
        for _ in 0..<8 {
            _ = give(.couldNotOpen(StationError(.noRadio)))
            #expect(core.state.notice == .noRadio)
            #expect(core.state.step == .resting)
            #expect(core.nextDeadline == now + expected)
            #expect(wait(expected).first == .openSession(session: core.state.session, request: 0))
            expected = min(expected * 2, StationTimes.longestRest)
        }
    }

    @Test mutating func `the notice about the radio goes when a code is shown`() throws {
        _ = give(.start)
        _ = give(.couldNotOpen(StationError(.noPermission)))
        _ = wait(.seconds(2))
        _ = give(.opened(try uri()))
        #expect(core.state.notice == nil)
    }

    @Test mutating func `asking for something else renews the code, and an index past the last one does nothing`()
        throws
    {
        try showCode()
        #expect(give(.ask(3)) == [])
        #expect(give(.ask(-1)) == [])
        #expect(give(.ask(0)) == [])
        #expect(give(.ask(2)) == [.end, .changed])
        #expect(give(.event(.disconnected(.cancelled))) == [.openSession(session: 2, request: 2), .changed])
    }

    @Test mutating func `a code is renewed by hand only while it is shown`() throws {
        try showCode()
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        #expect(give(.renew) == [])
    }

    @Test mutating func `a full disk stands until the list can be written again`() throws {
        try showCode()
        _ = give(.standing([.trustOutdated]))
        #expect(give(.kept(StationError(.diskFull))) == [.changed])
        #expect(core.state.standing == [.trustOutdated, .diskFull])
        #expect(give(.standing([])) == [.changed])
        #expect(core.state.standing == [.diskFull])
        #expect(give(.kept(nil)) == [.changed])
        #expect(core.state.standing == [])
    }

    @Test mutating func `a station that stops erases what it holds and ends its session first`() throws {
        try showCode()
        deliver()
        #expect(give(.stop) == [.erase, .changed, .end, .changed])
        #expect(give(.event(.disconnected(.cancelled))) == [.changed, .stopped])
        #expect(core.nextDeadline == nil)
        #expect(give(.start) == [])
    }

    @Test mutating func `a station that stops while its radio cannot be opened has stopped, and rests no more`() throws
    {
        _ = give(.start)
        #expect(give(.stop) == [])
        #expect(give(.couldNotOpen(StationError(.noRadio))) == [.changed, .stopped])
        #expect(core.nextDeadline == nil)
        #expect(core.state.notice == nil)
    }

    @Test mutating func `a station that is stopped twice erases and ends once`() throws {
        try showCode()
        deliver()
        #expect(give(.stop) == [.erase, .changed, .end, .changed])
        #expect(give(.stop) == [])
        #expect(give(.event(.disconnected(.cancelled))) == [.changed, .stopped])
        #expect(give(.stop) == [])
    }

    @Test mutating func `a station that stops while a session opens ends that one`() throws {
        _ = give(.start)
        #expect(give(.stop) == [])
        #expect(give(.opened(try uri())) == [.changed, .end, .changed])
        #expect(give(.event(.disconnected(.cancelled))) == [.changed, .stopped])
    }
}
