import TestSupport
import Testing

@testable import Tuvali

@Suite struct WalletSendingTests {
    @Test(.shows("TUV-040", "TUV-041", "TUV-042", "TUV-044", "TUV-046"))
    func `a wallet sends the length, the chunks and one report request`() throws {
        var wallet = try WalletScript()
        let chunks = try wallet.goToReport(Samples.noise(1200))
        let writes = wallet.said.writes
        #expect(writes.map(\.0) == [.identify, .responseSize] + chunks.map { _ in .submitResponse } + [.reportRequest])
        let total = chunks.reduce(0) { $0 + $1.count - 4 }
        #expect(writes[1].1 == VerifierScript.size(total))
        #expect(chunks.map { Int($0[0]) << 8 | Int($0[1]) } == Array(1...chunks.count))
        #expect(writes.last?.1 == [1])
        #expect(wallet.said.events.contains(.progress(TransferProgress(bytes: total, totalBytes: total))))
    }

    @Test(.shows("TUV-005", "TUV-042"))
    func `chunks are write commands, and all other messages are written with response`() throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(2400))
        for case .write(let characteristic, _, _, let withResponse) in wallet.said {
            #expect(withResponse == (characteristic != .submitResponse))
        }
    }

    @Test(arguments: [
        (100, [true]), (800, [false, true]), (1300, [false, false, true]), (1900, [false, false, false, false]),
    ])
    func `the last of up to three chunks is written with response, and of four or more none is`(
        count: Int, expected: [Bool]
    ) throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(count))
        let chunks: [Bool] = wallet.said.compactMap {
            if case .write(.submitResponse, _, _, let withResponse) = $0 { withResponse } else { nil }
        }
        #expect(chunks == expected)
    }

    @Test(.shows("TUV-048", "TUV-063"))
    func `success and an accepted status complete the session, and the wallet disconnects`() throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(600))
        let sent = wallet.put(.received(.reportResponse, [1, 0, 0]))
        guard case .event(.sent(let summary))? = sent.first else {
            Issue.record("the wallet did not say that it sent")
            return
        }
        #expect(summary.payloadBytes == 600 && summary.chunkCount == 2 && summary.failureFrameCount == 0)
        #expect(wallet.put(.received(.verificationStatus, [0])) == [.event(.status(.accepted)), .disconnect])
        #expect(wallet.put(.disconnected(.local)) == [.finished(.completed(.accepted))])
        #expect(wallet.session.nextDeadline == nil)
    }

    @Test(
        .shows("TUV-054"),
        arguments: [(UInt8(0), VerificationStatus.accepted), (1, .rejected), (2, .rejected), (255, .rejected)])
    func `status 0 means accepted and any other value rejected`(byte: UInt8, status: VerificationStatus) throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(600))
        wallet.put(.received(.reportResponse, [1, 0, 0]))
        #expect(wallet.put(.received(.verificationStatus, [])).isEmpty)
        #expect(wallet.put(.received(.verificationStatus, [byte])).events == [.status(status)])
    }

    @Test(.shows("C1")) func `a status that arrives before the report counts once the report has arrived`() throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(600))
        #expect(wallet.put(.received(.verificationStatus, [1])).isEmpty)
        #expect(wallet.put(.received(.reportResponse, [1, 0, 0])).events.last == .status(.rejected))
    }

    @Test func `a report that arrives before the response to its request is accepted`() throws {
        var wallet = try WalletScript()
        wallet.goToReady()
        _ = try wallet.send(Samples.noise(100))
        wallet.put(.written(.responseSize))
        #expect(wallet.put(.written(.submitResponse)).writes.first?.0 == .reportRequest)
        #expect(!wallet.put(.received(.reportResponse, [1, 0, 0])).events.isEmpty)
        #expect(wallet.put(.written(.reportRequest)).isEmpty)
    }

    @Test(.shows("TUV-046", "TUV-049")) func `missing chunks are sent again, and only those`() throws {
        var wallet = try WalletScript()
        let chunks = try wallet.goToReport(Samples.noise(2000))
        let again = wallet.put(.received(.reportResponse, [0, 0, 1, 0, 4, 0, 2]))
        #expect(again.events == [.failureFrame(number: 1, missing: 2)])
        #expect(wallet.drainChunks(from: again) == [chunks[3], chunks[1]])
        #expect(!wallet.put(.received(.reportResponse, [1, 0, 0])).events.isEmpty)
    }

    @Test(.shows("TUV-050"))
    func `chunks are repeated as commands in the first round and with response from the second`() throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(2400))
        for (frame, isConfirmed) in [(1, false), (2, true), (3, true)] {
            let before = wallet.said.count
            let again = wallet.put(.received(.reportResponse, [0, 0, 2, 0, 1, 0, 4]))
            #expect(again.events == [.failureFrame(number: frame, missing: 2)])
            #expect(wallet.drainChunks(from: again).count == 2)
            let chunks: [Bool] = wallet.said[before...].compactMap {
                if case .write(.submitResponse, _, _, let withResponse) = $0 { withResponse } else { nil }
            }
            #expect(chunks == [isConfirmed, isConfirmed])
        }
    }

    @Test(arguments: [(1, false), (7, false), (8, true), (40, true)])
    func `if a report's missing chunks need too many rounds, chunks past its first page are resent too`(
        pageCount: UInt8, sendsRest: Bool
    ) throws {
        var wallet = try WalletScript()
        let chunks = try wallet.goToReport(Samples.noise(4000))
        let again = wallet.put(.received(.reportResponse, [0, 0, pageCount, 0, 2, 0, 4]))
        #expect(again.events == [.failureFrame(number: 1, missing: 2)])
        let rest = sendsRest ? Array(chunks[4...]) : []
        #expect(wallet.drainChunks(from: again) == [chunks[1], chunks[3]] + rest)
        // The last chunk has nothing behind it.
        let last = wallet.put(.received(.reportResponse, [0, 0, pageCount, 0, UInt8(chunks.count)]))
        #expect(wallet.drainChunks(from: last).count == 1)
    }

    @Test func `in later rounds listed chunks are written with response, and chunks past the list as commands`()
        throws
    {
        var wallet = try WalletScript()
        let chunks = try wallet.goToReport(Samples.noise(2400))
        for isConfirmed in [false, true] {
            let before = wallet.said.count
            let again = wallet.put(.received(.reportResponse, [0, 0, 40, 0, 1, 0, 3]))
            #expect(wallet.drainChunks(from: again).count == chunks.count - 1)
            let responses: [Bool] = wallet.said[before...].compactMap {
                if case .write(.submitResponse, _, _, let withResponse) = $0 { withResponse } else { nil }
            }
            #expect(responses.prefix(2) == [isConfirmed, isConfirmed])
            #expect(responses.dropFirst(2).allSatisfy { !$0 })
        }
    }

    @Test(.shows("TUV-096"), arguments: [LinkEndCause.peer, .lost, .local])
    func `a link that ends after the success report leaves the decision unknown, with its own code`(
        end: LinkEndCause
    ) throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(600))
        wallet.put(.received(.reportResponse, [1, 0, 0]))
        #expect(
            wallet.put(.disconnected(end)) == [.finished(.disconnected(TuvaliError(.walletDecisionUnknown, "")))])
    }

    @Test func `a disconnect request after the success report leaves the decision unknown`() throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(600))
        wallet.put(.received(.reportResponse, [1, 0, 0]))
        #expect(wallet.put(.received(.disconnect, [1])) == [.disconnect])
        #expect(
            wallet.put(.disconnected(.local)) == [.finished(.disconnected(TuvaliError(.walletDecisionUnknown, "")))])
    }

    @Test(.shows("TUV-050", "TUV-051", "TUV-083", "TUV-094", "TUV-112"))
    func `fifteen rounds of missing chunks are sent and a sixteenth is not`() throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(2000))
        for _ in 1...15 {
            let again = wallet.put(.received(.reportResponse, [0, 0, 1, 0, 1]))
            #expect(wallet.drainChunks(from: again).count == 1)
        }
        #expect(wallet.put(.received(.reportResponse, [0, 0, 1, 0, 1])) == [.disconnect])
        let error = wallet.put(.disconnected(.local)).endings.first?.error
        #expect(error?.code == .walletTooManyFailureFrames)
        #expect(error?.wireCode == .transferFailed)
    }

    @Test func `an empty list of missing chunks makes the wallet request the report again, and counts as a round`()
        throws
    {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(100))
        let again = wallet.put(.received(.reportResponse, [0, 0, 0]))
        #expect(again.writes.map(\.0) == [.reportRequest])
        #expect(again.events == [.failureFrame(number: 1, missing: 0)])
    }

    @Test(
        .shows("TUV-064", "TUV-075", "TUV-076"),
        arguments: [
            ([0, 0, 1, 0, 0], TuvaliError.Code.walletReportOutOfRange, TuvaliWireCode.walletTransferHandler),
            ([0, 0, 1, 0, 4], .walletReportOutOfRange, .walletTransferHandler),
            ([0, 0, 1, 0xFF, 0xFF], .walletReportOutOfRange, .walletTransferHandler),
            ([2, 0, 0], .walletReportMalformed, .centralStateHandler),
            ([0], .walletReportMalformed, .centralStateHandler),
            ([], .walletReportMalformed, .centralStateHandler),
        ] as [([UInt8], TuvaliError.Code, TuvaliWireCode)])
    func `an invalid report ends the wallet with an error and no crash`(
        report: [UInt8], code: TuvaliError.Code, wireCode: TuvaliWireCode
    ) throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(1200))
        #expect(wallet.put(.received(.reportResponse, report)) == [.disconnect])
        let error = wallet.put(.disconnected(.local)).endings.first?.error
        #expect(error?.code == code)
        #expect(error?.wireCode == wireCode)
    }

    @Test func `a missing report is requested five times, two seconds apart`() throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(100))
        for _ in 2...5 {
            #expect(wallet.pass(.seconds(2)).writes.map(\.0) == [.reportRequest])
            wallet.put(.written(.reportRequest))
        }
        #expect(wallet.pass(.seconds(2)) == [.disconnect])
        #expect(wallet.put(.disconnected(.local)).endings.first?.error?.code == .walletReportTimeout)
    }

    @Test(.shows("TUV-095", "TUV-104")) func `a report request that cannot be written is tried five more times`() throws
    {
        var wallet = try WalletScript()
        wallet.goToReady()
        _ = try wallet.send(Samples.noise(100))
        wallet.put(.written(.responseSize))
        wallet.put(.written(.submitResponse))
        for wait in [2, 4, 8, 16, 32] {
            #expect(wallet.put(.writeFailed(.reportRequest)).isEmpty)
            #expect(wallet.pass(.milliseconds(wait)).writes.map(\.0) == [.reportRequest])
        }
        #expect(wallet.put(.writeFailed(.reportRequest)) == [.disconnect])
        let error = wallet.put(.disconnected(.local)).endings.first?.error
        #expect(error?.code == .walletReportRequestFailed)
        #expect(error?.wireCode == .transferFailed)
    }

    @Test func `a write that the verifier refuses ends the session`() throws {
        var wallet = try WalletScript()
        wallet.goToReady()
        _ = try wallet.send(Samples.noise(100))
        #expect(wallet.put(.writeFailed(.responseSize)) == [.disconnect])
        #expect(wallet.put(.disconnected(.local)).endings.first?.error?.code == .walletWriteFailed)
    }

    @Test(.shows("TUV-069", "T4", "T12"))
    func `a wallet session sends one non-empty payload, once the channel is ready`() throws {
        var wallet = try WalletScript()
        #expect(throws: TuvaliError(.sessionMisused, "")) { try wallet.send([1]) }
        wallet.goToReady()
        #expect(throws: TuvaliError(.sessionMisused, "")) { try wallet.send([]) }
        _ = try wallet.send([1])
        #expect(throws: TuvaliError(.sessionMisused, "")) { try wallet.send([1]) }
        #expect(TuvaliError(.sessionMisused, "").wireCode == .unknown)
    }

    @Test func `a payload of too many chunks is refused and the session goes on`() throws {
        var wallet = try WalletScript()
        wallet.goToReady(mtu: 67)
        #expect(throws: TuvaliError(.walletPayloadTooLarge, "")) {
            try wallet.send(Samples.noise(32_768 * 60))
        }
        #expect(wallet.session.isReady)
        _ = try wallet.send([1])
    }

    @Test func `a transfer without progress ends at its deadline`() throws {
        for answered in 0...2 {
            var wallet = try WalletScript()
            wallet.goToReady()
            _ = try wallet.send(Samples.noise(100))
            let steps: [WalletSession.Input] = [.written(.responseSize), .written(.submitResponse)]
            for step in steps.prefix(answered) { wallet.put(step) }
            #expect(wallet.pass(.milliseconds(19_999)).isEmpty)
            #expect(wallet.pass(.milliseconds(1)) == [.disconnect])
            #expect(
                wallet.put(.disconnected(.local)) == [.finished(.failed(TuvaliError(.walletTransferTimeout, "")))])
        }
    }

    @Test func `a user who never sends and a verifier who never decides are waited for up to a deadline`() throws {
        var silent = try WalletScript()
        silent.goToReady()
        #expect(silent.passToDeadline() == [.disconnect])
        #expect(silent.put(.disconnected(.local)).endings.first?.error?.code == .walletConsentTimeout)

        var undecided = try WalletScript()
        _ = try undecided.goToReport([1, 2, 3])
        undecided.put(.received(.reportResponse, [1, 0, 0]))
        #expect(undecided.passToDeadline() == [.disconnect])
        #expect(undecided.put(.disconnected(.local)).endings.first?.error?.code == .walletStatusTimeout)
    }

    @Test(.shows("TUV-065")) func `a disconnect request from the verifier ends the session as disconnected`() throws {
        for isSending in [false, true] {
            var wallet = try WalletScript()
            wallet.goToReady()
            if isSending { _ = try wallet.send([1]) }
            #expect(wallet.put(.received(.disconnect, [0])).isEmpty)
            #expect(wallet.put(.received(.disconnect, [])).isEmpty)
            #expect(wallet.put(.received(.disconnect, [1])) == [.disconnect])
            #expect(
                wallet.put(.disconnected(.local)) == [.finished(.disconnected(TuvaliError(.peerDisconnected, "")))])
        }
    }

    @Test(.shows("TUV-007", "TUV-066")) func `a cancelled session disconnects the link and ends once`() throws {
        var wallet = try WalletScript()
        wallet.goToReady()
        #expect(wallet.put(.cancel) == [.disconnect])
        #expect(wallet.put(.cancel).isEmpty)
        #expect(wallet.put(.disconnected(.local)) == [.finished(.cancelled)])
        #expect(wallet.put(.disconnected(.local)).isEmpty)
        #expect(wallet.put(.start).isEmpty)
    }

    @Test func `cancelling before, during and after scanning ends the wallet once`() throws {
        var idle = try WalletScript()
        #expect(idle.put(.cancel) == [.finished(.cancelled)])
        var scanning = try WalletScript()
        scanning.put(.start)
        #expect(scanning.put(.cancel) == [.stopScanning, .finished(.cancelled)])
        #expect(scanning.put(.cancel).isEmpty)
    }

    @Test(.shows("TUV-074", "TUV-077")) func `a radio that fails ends the wallet with the unknown wire code`() throws {
        var wallet = try WalletScript()
        wallet.put(.start)
        let ending = wallet.put(.radioFailed("The adapter is gone.")).endings.first
        #expect(ending == .failed(TuvaliError(.walletRadioFailed, "")))
        #expect(ending?.error?.wireCode == .walletUnknown)
    }

    @Test(.shows("TUV-067", "T4")) func `keys and payload are wiped when the wallet session has ended`() throws {
        var wallet = try WalletScript()
        _ = try wallet.goToReport(Samples.noise(100))
        wallet.put(.disconnected(.peer))
        #expect(!wallet.session.holdsSecrets)
        #expect(wallet.session.isFinished)
    }
}
