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

    @Test mutating func `the failure of a phone is said until the code of the next one comes`() throws {
        _ = give(.start)
        #expect(give(.phoneFailed(StationError(.phoneNotFound))) == [.changed])
        #expect(core.state.notice == .phoneNotFound)
        #expect(give(.phoneCode) == [.changed] && core.state.notice == nil)
        #expect(give(.phoneCode) == [])
        // A radio that is missing is missing for the next phone too.
        _ = give(.couldNotOpen(StationError(.noRadio)))
        #expect(give(.phoneCode) == [] && core.state.notice == .noRadio)
    }

    @Test mutating func `the credential of a code is shown beside the session, and decided about without a wallet`()
        throws
    {
        try showCode()
        #expect(give(.codeJudged(CredentialJudgement(.genuine))) == [.changed, .showCode, .changed])
        #expect(core.state.step == .waiting)
        #expect(core.state.code != nil, "wallets can scan on")
        #expect(core.state.shown?.session == -1)
        #expect(give(.accept(session: 1)) == [])
        #expect(give(.accept(session: -1)) == [.record(.accepted), .changed])
        #expect(give(.reject(session: -1)) == [])
        #expect(core.state.shown?.decision == .accepted)
        #expect(core.state.counts.accepted == 1)
        #expect(give(.erase) == [.eraseCode, .changed])
        #expect(core.state.shown == nil)
    }

    @Test mutating func `a code waits while the credential of a wallet arrives and is decided about`() throws {
        try showCode()
        deliver()
        #expect(give(.codeJudged(CredentialJudgement(.refused))) == [.changed])
        #expect(core.state.waiting == 1)
        #expect(core.state.shown?.session == 1)
        _ = give(.reject(session: 1))
        #expect(core.state.waiting == 1)
        let next = give(.event(.disconnected(.completed(.rejected))))
        #expect(next == [.openSession(session: 2, request: 0), .changed, .erase, .changed, .showCode, .changed])
        #expect(core.state.waiting == 0)
        #expect(core.state.shown?.session == -1)
    }

    @Test mutating func `a wallet's credential waits while a code is not decided about, and is judged next`() throws {
        try showCode()
        _ = give(.codeJudged(CredentialJudgement(.genuine)))
        _ = give(.codeJudged(CredentialJudgement(.genuine)))
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        _ = give(.event(.announced(sealedBytes: 1000, chunkCount: 2)))
        #expect(core.state.shown?.session == -1, "a wallet that connects erases nothing that is owed a decision")
        #expect(give(.arrived) == [.changed])
        #expect(core.state.waiting == 2)
        #expect(give(.accept(session: -1)) == [.record(.accepted), .changed, .eraseCode, .changed, .judge, .changed])
        _ = give(.judged(CredentialJudgement(.genuine)))
        #expect(core.state.shown?.session == 1)
        #expect(core.state.waiting == 1)
    }

    @Test mutating func `a wallet that leaves while its credential waits takes it away, and the code stays`() throws {
        try showCode()
        _ = give(.codeJudged(CredentialJudgement(.genuine)))
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        _ = give(.arrived)
        let ended = give(.event(.disconnected(.completed(.rejected))))
        #expect(ended.contains(.erase))
        #expect(!ended.contains(.eraseCode))
        #expect(core.state.shown?.session == -1)
        #expect(core.state.waiting == 0)
    }

    @Test mutating func `a code without a decision is erased in its time, and the next one is shown`() throws {
        try showCode()
        _ = give(.codeJudged(CredentialJudgement(.genuine)))
        _ = give(.codeJudged(CredentialJudgement(.notChecked)))
        let outputs = wait(.seconds(120))
        #expect(outputs.contains(.eraseCode))
        #expect(outputs.contains(.showCode))
        #expect(core.state.shown?.session == -2)
        #expect(core.state.counts.failed == 1)
    }

    @Test mutating func `16 codes wait and not one more, and all are forgotten when the station ends`() throws {
        #expect(give(.codeJudged(CredentialJudgement(.genuine))) == [.refuseCode], "it has not started")
        try showCode()
        _ = give(.codeJudged(CredentialJudgement(.genuine)))
        for _ in 0..<16 { #expect(give(.codeJudged(CredentialJudgement(.genuine))) == [.changed]) }
        #expect(give(.codeJudged(CredentialJudgement(.genuine))) == [.refuseCode])
        let outputs = give(.stop)
        #expect(outputs.contains(.dropCodes))
        #expect(outputs.contains(.eraseCode))
        #expect(core.state.waiting == 0)
    }

    @Test mutating func `the policy decides about a code as about a wallet's credential`() throws {
        try showCode()
        let outputs = give(.codeJudged(CredentialJudgement(.genuine, rule: .accept)))
        #expect(outputs == [.changed, .showCode, .record(.accepted), .changed])
        #expect(core.state.shown?.decision == .accepted)
    }

    @Test mutating func `a station opens its next session after the last event of the one before`() throws {
        try showCode()
        deliver()
        _ = give(.accept(session: 1))
        #expect(give(.event(.disconnected(.completed(.accepted)))) == [.openSession(session: 2, request: 0), .changed])
        #expect(core.state.shown?.decision == .accepted)
    }

    @Test mutating func `a decision for another session than the waiting one is ignored`() throws {
        try showCode()
        deliver()
        #expect(give(.accept(session: 2)) == [])
        #expect(give(.reject(session: 0)) == [])
        #expect(core.state.step == .deciding)
        #expect(give(.reject(session: 1)) == [.record(.rejected), .decide(.rejected), .changed])
        #expect(give(.accept(session: 1)) == [])
    }

    @Test mutating func `a station's QR code is renewed when its time is over, and not a moment before`() throws {
        try showCode()
        #expect(core.nextDeadline == now + StationTimes.codeLifetime)
        #expect(wait(StationTimes.codeLifetime - .nanoseconds(1)) == [])
        #expect(wait(.nanoseconds(1)) == [.end, .changed])
        #expect(give(.event(.disconnected(.cancelled))) == [.openSession(session: 2, request: 0), .changed])
    }

    @Test mutating func `a session that no wallet joined ends without a notice`() throws {
        try showCode()
        let outputs = give(.event(.error(TuvaliError(.verifierNobodyCame, ""))))
        #expect(outputs == [.openSession(session: 2, request: 0), .changed])
        #expect(core.state.notice == nil)
    }

    @Test(.shows("VD6")) mutating func `a shown credential is erased after its time, and not a moment before`() throws {
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

    @Test(.shows("VD6")) mutating func `a shown credential is erased when the next wallet has identified itself`()
        throws
    {
        try showCode()
        deliver()
        _ = give(.accept(session: 1))
        _ = give(.event(.disconnected(.completed(.accepted))))
        _ = give(.opened(try uri()))
        #expect(give(.event(.secureChannelEstablished(mtu: 517))) == [.erase, .changed, .changed])
    }

    @Test mutating func `a credential without a decision in its time ends the session and is erased`() throws {
        try showCode()
        deliver()
        #expect(wait(StationTimes().shownFor) == [.undecided, .end, .changed, .erase, .changed])
        #expect(core.state.notice == .decisionLate)
        #expect(core.state.counts.failed == 1)
    }

    @Test mutating func `erasing a credential by hand rejects it if it was not decided about`() throws {
        try showCode()
        deliver()
        #expect(give(.erase) == [.record(.rejected), .decide(.rejected), .changed, .erase, .changed])
        #expect(give(.erase) == [])
    }

    @Test mutating func `a payload that cannot be verified is rejected and erased, with a notice`() throws {
        try showCode()
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        _ = give(.arrived)
        #expect(
            give(.unusable(StationError(.declined))) == [.decide(.rejected), .changed, .erase, .changed])
        #expect(core.state.notice == .declined)
    }

    @Test
    mutating func `a policy accepts and rejects without a person, but accepts nothing while the clock is unset`()
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
    func `a Tuvali session error becomes the desk's notice for it`(_ error: TuvaliError.Code, _ code: StationError.Code)
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

    @Test mutating func `a station's notice disappears after its time`() throws {
        try showCode()
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        _ = give(.event(.error(TuvaliError(.peerDisconnected, ""))))
        _ = wait(StationTimes.noticeFor - .nanoseconds(1))
        #expect(core.state.notice == .walletLeft)
        _ = wait(.nanoseconds(1))
        #expect(core.state.notice == nil)
    }

    @Test mutating func `an expired QR code is kept for 30 s while a connected device may have scanned it`()
        throws
    {
        try showCode()
        _ = give(.event(.connected))
        #expect(!wait(StationTimes.codeLifetime).contains(.end))
        #expect(core.state.step == .waiting)
        #expect(!wait(StationTimes.codeGrace - .nanoseconds(1)).contains(.end))
        #expect(wait(.nanoseconds(1)).contains(.end))
    }

    @Test mutating func `an expired QR code is renewed when the device that may have scanned it has left`() throws {
        try showCode()
        _ = give(.event(.connected))
        #expect(!wait(StationTimes.codeLifetime).contains(.end))
        #expect(give(.event(.left(.beforeIdentify))).contains(.end))
    }

    @Test
    mutating func `a QR code in its time survives a device's leaving, and an expired one waits for the last device`()
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

    @Test mutating func `two devices connected before one identifies itself give the notice of several wallets`() throws
    {
        try showCode()
        _ = give(.event(.connected))
        #expect(core.state.notice == nil)
        _ = give(.event(.connected))
        #expect(core.state.notice == .severalWallets)
    }

    @Test mutating func `a device that left does not count for the notice of several wallets`() throws {
        try showCode()
        _ = give(.event(.connected))
        _ = give(.event(.left(.beforeIdentify)))
        _ = give(.event(.connected))
        #expect(core.state.notice == nil)
    }

    @Test mutating func `a second report of missing chunks gives the notice of a weak link`() throws {
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

    @Test mutating func `a wallet that leaves before the decision gives a notice, and the decision stays open`() throws
    {
        try showCode()
        deliver()
        _ = give(.event(.left(.beforeDecision)))
        #expect(core.state.notice == .walletLeft)
        #expect(core.state.step == .deciding)
    }

    @Test mutating func `a radio that cannot be opened is retried with a back-off that doubles up to a limit`() {
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

    @Test mutating func `the notice about the radio disappears when a QR code is shown`() throws {
        _ = give(.start)
        _ = give(.couldNotOpen(StationError(.noPermission)))
        _ = wait(.seconds(2))
        _ = give(.opened(try uri()))
        #expect(core.state.notice == nil)
    }

    @Test mutating func `choosing another request renews the QR code, and an index past the last one is ignored`()
        throws
    {
        try showCode()
        #expect(give(.ask(3)) == [])
        #expect(give(.ask(-1)) == [])
        #expect(give(.ask(0)) == [])
        #expect(give(.ask(2)) == [.end, .changed])
        #expect(give(.event(.disconnected(.cancelled))) == [.openSession(session: 2, request: 2), .changed])
    }

    @Test mutating func `a station's QR code is renewed by hand only while it is shown`() throws {
        try showCode()
        _ = give(.event(.secureChannelEstablished(mtu: 517)))
        #expect(give(.renew) == [])
    }

    @Test mutating func `the warning of a full disk stays until the list can be written again`() throws {
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

    @Test mutating func `a station that is stopped while its radio cannot be opened stops, and does not retry`() throws
    {
        _ = give(.start)
        #expect(give(.stop) == [])
        #expect(give(.couldNotOpen(StationError(.noRadio))) == [.changed, .stopped])
        #expect(core.nextDeadline == nil)
        #expect(core.state.notice == nil)
    }

    @Test mutating func `a station that is stopped twice erases its credential and ends its session once`() throws {
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
