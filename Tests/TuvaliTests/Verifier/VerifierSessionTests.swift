import Bluetooth
import CryptoSuite
import TestSupport
import Testing

@testable import Tuvali

@Suite struct VerifierSessionTests {
    let link = VerifierScript.link

    @Test(.shows("TUV-002", "TUV-010", "TUV-020"))
    func `a verifier advertises until a wallet has identified itself`() throws {
        var verifier = try VerifierScript()
        let uri = verifier.session.uri
        #expect(
            verifier.put(.start) == [
                .startAdvertising(TuvaliAdvertisement(uri: uri, profile: .tuvali05)),
                .event(.advertising(uri)),
            ])
        let connected = verifier.put(.connected(link))
        #expect(connected.first == .event(.connected))
        #expect(connected.count == 2)
        verifier.put(.mtu(link, 512))
        #expect(
            verifier.write(.identify, Samples.nonce + Samples.walletPublicKey) == [
                .stopAdvertising, .event(.secureChannelEstablished(mtu: 512)),
            ])
    }

    @Test(.shows("TUV-011"))
    func `a payload is delivered once, and success is reported only when the payload is authentic`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        let payload = Samples.noise(1200)
        let sealed = try VerifierScript.sealed(payload)
        #expect(
            verifier.write(.responseSize, VerifierScript.size(sealed.count)).events == [
                .announced(sealedBytes: sealed.count, chunkCount: 3)
            ])
        for chunk in try VerifierScript.chunks(sealed) { verifier.write(.submitResponse, chunk) }
        #expect(verifier.said.pushed.isEmpty)
        #expect(verifier.write(.reportRequest, [1]).pushed(.reportResponse) == [[1, 0, 0]])
        #expect(verifier.said.payloads == [payload])
        #expect(verifier.write(.reportRequest, [1]).pushed(.reportResponse) == [[1, 0, 0]])
        #expect(verifier.said.payloads.count == 1)
        #expect(try verifier.decide(.accepted).pushed(.verificationStatus) == [[0]])
        #expect(throws: TuvaliError(.sessionMisused, "")) { try verifier.decide(.accepted) }
        #expect(verifier.put(.disconnected(link, .peer)) == [.finished(.completed(.accepted))])
    }

    @Test(.shows("TUV-054")) func `a rejected credential completes the session`() throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1, 2, 3])
        #expect(try verifier.decide(.rejected).pushed(.verificationStatus) == [[1]])
        #expect(verifier.put(.disconnected(link, .peer)) == [.finished(.completed(.rejected))])
    }

    @Test(.shows("TUV-047"))
    func `missing chunks are reported in order, and the transfer completes when they have arrived`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        let payload = Samples.noise(2400)
        let sealed = try VerifierScript.sealed(payload)
        let chunks = try VerifierScript.chunks(sealed)
        verifier.write(.responseSize, VerifierScript.size(sealed.count))
        for index in [0, 2, 4] { verifier.write(.submitResponse, chunks[index]) }
        #expect(verifier.write(.reportRequest, [1]).pushed(.reportResponse) == [[0, 0, 1, 0, 2, 0, 4]])
        for index in [1, 3] { verifier.write(.submitResponse, chunks[index]) }
        verifier.write(.reportRequest, [1])
        #expect(verifier.said.payloads == [payload])
        guard case .received(_, let summary)? = verifier.said.events.last else { return }
        #expect(summary.failureFrameCount == 1 && summary.chunkCount == 5)
    }

    @Test(.shows("TUV-061", "TUV-086", "TUV-090"))
    func `more than 70 per cent missing ends the session without a report`() throws {
        for (arrived, isReported) in [(2, false), (3, true)] {
            var verifier = try VerifierScript()
            verifier.goToIdentified()
            let sealed = try VerifierScript.sealed(Samples.noise(4950))
            let chunks = try VerifierScript.chunks(sealed)
            #expect(chunks.count == 10)
            verifier.write(.responseSize, VerifierScript.size(sealed.count))
            for chunk in chunks.prefix(arrived) { verifier.write(.submitResponse, chunk) }
            let answer = verifier.write(.reportRequest, [1])
            #expect(answer.pushed(.reportResponse).isEmpty != isReported)
            #expect(answer.pushed(.disconnect) == (isReported ? [] : [[1]]))
            guard !isReported else { continue }
            let error = verifier.put(.disconnected(link, .peer)).endings.first?.error
            #expect(error?.code == .verifierTooManyMissingChunks)
            #expect(error?.wireCode == .tooManyFailureChunks)
        }
    }

    @Test(
        .shows("TUV-061", "TUV-062", "TUV-085", "TUV-092"),
        arguments: [
            ([0, 0, 0, 0], TuvaliError.Code.verifierSizeZero, TuvaliWireCode.corruptedChunkReceived),
            ([0, 0, 1], .verifierSizeMalformed, .peripheralStateHandler),
            ([], .verifierSizeMalformed, .peripheralStateHandler),
            ([0xFF, 0xFF, 0xFF, 0xFF], .verifierSizeTooLarge, .corruptedChunkReceived),
            ([0x80, 0, 0, 0], .verifierSizeTooLarge, .corruptedChunkReceived),
        ] as [([UInt8], TuvaliError.Code, TuvaliWireCode)])
    func `an invalid length message ends the session with its code`(
        size: [UInt8], code: TuvaliError.Code, wireCode: TuvaliWireCode
    ) throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        #expect(verifier.write(.responseSize, size).pushed(.disconnect) == [[1]])
        let error = verifier.put(.disconnected(link, .peer)).endings.first?.error
        #expect(error?.code == code)
        #expect(error?.wireCode == wireCode)
    }

    @Test(.shows("T6")) func `a length at the limit is accepted and one byte more refused`() throws {
        for (size, accepted) in [(1000, true), (1001, false)] {
            var verifier = try VerifierScript { $0.maximumSealedBytes = 1000 }
            verifier.goToIdentified()
            let answer = verifier.write(.responseSize, VerifierScript.size(size))
            #expect(answer.pushed(.disconnect).isEmpty == accepted)
        }
    }

    @Test func `a wallet that never exchanged the MTU cannot announce a payload`() throws {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(link))
        verifier.write(.identify, Samples.nonce + Samples.walletPublicKey)
        verifier.write(.responseSize, VerifierScript.size(100))
        #expect(
            verifier.put(.disconnected(link, .peer)).endings.first?.error?.code == .verifierMTUTooSmall)
    }

    @Test func `a short Identify is ignored, and its link is ended when no valid one follows`() throws {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(link))
        #expect(verifier.write(.identify, Samples.noise(43)).refusals == [.verifierIdentifyMalformed])
        #expect(verifier.pass(.milliseconds(9999)).isEmpty)
        let outputs = verifier.pass(.milliseconds(1))
        #expect(outputs.refusals == [.verifierIdentifyTimeout])
        #expect(outputs.contains(.disconnect(link)))
        #expect(!verifier.session.isFinished)
        let next = LinkID(2)
        verifier.put(.connected(next))
        verifier.put(.mtu(next, 512))
        #expect(!verifier.write(.identify, Samples.nonce + Samples.walletPublicKey, on: next).events.isEmpty)
    }

    @Test(.shows("TUV-078")) func `a wallet key of low order ends the session with its code`() throws {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(link))
        verifier.write(.identify, Samples.nonce + [UInt8](repeating: 0, count: 32))
        let error = verifier.put(.disconnected(link, .peer)).endings.first?.error
        #expect(error?.code == .verifierLowOrderKey)
        #expect(error?.wireCode == .peripheralStateHandler)
    }

    @Test(.shows("T3")) func `a second Identify, on this link or another, changes nothing`() throws {
        var verifier = try VerifierScript()
        let other = LinkID(2)
        verifier.put(.start)
        verifier.put(.connected(other))
        verifier.put(.connected(link))
        verifier.put(.mtu(link, 512))
        let bound = verifier.write(.identify, Samples.nonce + Samples.walletPublicKey)
        #expect(bound.contains(.disconnect(other)))
        #expect(verifier.write(.identify, Samples.noise(44)).refusals == [.verifierOutOfTurn])
        #expect(verifier.write(.identify, Samples.noise(44), on: other).refusals == [.verifierForeignLink])
        #expect(verifier.write(.responseSize, [0, 0, 0, 0], on: other).refusals == [.verifierForeignLink])
        #expect(verifier.put(.disconnected(other, .local)).isEmpty)
        let payload = Samples.noise(50)
        try verifier.transfer(payload)
        #expect(verifier.said.payloads == [payload])
    }

    @Test(.shows("T3")) func `a device that connects while a wallet is being served is disconnected`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        let other = LinkID(9)
        #expect(verifier.put(.connected(other)) == [.disconnect(other)])
    }

    @Test func `four devices may be connected before one identifies itself, and a fifth is disconnected`() throws {
        var verifier = try VerifierScript()
        verifier.put(.start)
        for number in 1...4 { verifier.put(.connected(LinkID(UInt64(number)))) }
        let fifth = LinkID(5)
        #expect(verifier.put(.connected(fifth)) == [.disconnect(fifth)])
    }

    @Test(.shows("TUV-011")) func `wallet messages in a wrong stage are refused and change nothing`() throws {
        var verifier = try VerifierScript()
        verifier.put(.start)
        for (number, characteristic) in [TuvaliCharacteristic.responseSize, .submitResponse, .reportRequest]
            .enumerated()
        {
            let stranger = LinkID(UInt64(number + 10))
            verifier.put(.connected(stranger))
            #expect(verifier.write(characteristic, [1], on: stranger).refusals == [.verifierOutOfTurn])
        }
        verifier.put(.connected(link))
        verifier.put(.mtu(link, 512))
        verifier.write(.identify, Samples.nonce + Samples.walletPublicKey)
        #expect(verifier.write(.submitResponse, Samples.noise(20)).refusals == [.verifierOutOfTurn])
        let payload = Samples.noise(50)
        try verifier.transfer(payload)
        #expect(verifier.write(.responseSize, [0, 0, 0, 0]).refusals == [.verifierOutOfTurn])
        #expect(verifier.write(.submitResponse, Samples.noise(20)).isEmpty)
        #expect(verifier.said.payloads == [payload])
    }

    @Test func `a report request before any length message ends the session`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        for value in [[], [0], [2], [7]] as [[UInt8]] { #expect(verifier.write(.reportRequest, value).isEmpty) }
        verifier.write(.reportRequest, [1])
        #expect(verifier.put(.disconnected(link, .peer)).endings.first?.error?.code == .verifierSizeMissing)
    }

    @Test func `sixty-four report requests are answered and one more ends the session`() throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1, 2, 3])
        for _ in 2...64 { #expect(verifier.write(.reportRequest, [1]).pushed(.reportResponse).count == 1) }
        #expect(verifier.write(.reportRequest, [1]).pushed(.disconnect) == [[1]])
        #expect(verifier.put(.disconnected(link, .peer)).endings.first?.error?.code == .verifierTooManyReports)
    }

    @Test func `a flood of bad chunks is counted, reported sixteen times, and does not extend the deadline`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        verifier.write(.responseSize, VerifierScript.size(1000))
        let deadline = verifier.session.nextDeadline
        for _ in 0..<1000 { verifier.write(.submitResponse, [0, 1, 9, 9, 9]) }
        #expect(verifier.said.refusals.count == 16)
        #expect(verifier.session.nextDeadline == deadline)
    }

    @Test(.shows("TUV-079", "C5"))
    func `bytes that the wallet did not seal are neither delivered nor reported as a success`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        var sealed = try VerifierScript.sealed(Samples.noise(700))
        sealed[300] ^= 1
        verifier.write(.responseSize, VerifierScript.size(sealed.count))
        for chunk in try VerifierScript.chunks(sealed) { verifier.write(.submitResponse, chunk) }
        let answer = verifier.write(.reportRequest, [1])
        #expect(answer.pushed(.reportResponse).isEmpty && answer.payloads.isEmpty)
        let error = verifier.put(.disconnected(link, .peer)).endings.first?.error
        #expect(error?.code == .verifierNotAuthentic)
        #expect(error?.wireCode == .verifierTransferHandler)
    }

    @Test func `an authentic payload that is no gzip stream, and one that is too large, have their own codes`() throws {
        let keys = try SessionKeys(
            privateKey: Secret(copying: Samples.walletPrivateKey), peerPublicKey: Samples.verifierPublicKey)
        let notGzip = try AuthenticatedCipher.aesGCM.seal([1, 2, 3], key: keys.verifier, nonce: Samples.nonce)
        let bomb = try VerifierScript.sealed([UInt8](repeating: 0, count: 32 << 20))
        for (sealed, code) in [
            (notGzip, TuvaliError.Code.verifierNotGzip), (bomb, .verifierPayloadTooLarge),
        ] {
            var verifier = try VerifierScript()
            verifier.goToIdentified()
            verifier.write(.responseSize, VerifierScript.size(sealed.count))
            for chunk in try VerifierScript.chunks(sealed) { verifier.write(.submitResponse, chunk) }
            verifier.write(.reportRequest, [1])
            #expect(verifier.put(.disconnected(link, .peer)).endings.first?.error?.code == code)
        }
    }

    @Test func `every verifier stage has a deadline, and a wallet that does not disconnect is cut off`() throws {
        var waiting = try VerifierScript()
        waiting.put(.start)
        #expect(
            waiting.passToDeadline() == [
                .stopAdvertising, .finished(.failed(TuvaliError(.verifierNobodyCame, ""))),
            ])

        var silent = try VerifierScript()
        silent.goToIdentified()
        #expect(silent.passToDeadline().pushed(.disconnect) == [[1]])
        #expect(silent.passToDeadline() == [.disconnect(link)])
        #expect(silent.passToDeadline() == [.finished(.failed(TuvaliError(.verifierTransferTimeout, "")))])

        var stalled = try VerifierScript()
        stalled.goToIdentified()
        stalled.write(.responseSize, VerifierScript.size(1000))
        #expect(stalled.pass(.milliseconds(29_999)).isEmpty)
        #expect(stalled.pass(.milliseconds(1)).pushed(.disconnect) == [[1]])

        var undecided = try VerifierScript()
        try undecided.goToDelivered([1])
        undecided.passToDeadline()
        #expect(
            undecided.put(.disconnected(link, .peer)).endings.first?.error?.code == .verifierDecisionTimeout)
    }

    @Test func `a transfer with ever new chunks ends at its time limit`() throws {
        var verifier = try VerifierScript()
        verifier.goToIdentified()
        let chunks = try VerifierScript.chunks(Samples.noise(505 * 100))
        verifier.write(.responseSize, VerifierScript.size(505 * 100))
        for chunk in chunks {
            guard verifier.said.pushed(.disconnect).isEmpty else { break }
            verifier.write(.submitResponse, chunk)
            verifier.pass(.seconds(29))
        }
        #expect(
            verifier.put(.disconnected(link, .peer)).endings.first?.error?.code == .verifierTransferTimeout)
    }

    @Test(.shows("TUV-060", "TUV-062"))
    func `a wallet that stays after the decision is asked to disconnect and then cut off`() throws {
        var verifier = try VerifierScript()
        try verifier.goToDelivered([1])
        _ = try verifier.decide(.accepted)
        #expect(verifier.pass(.seconds(1)).pushed(.disconnect) == [[1]])
        #expect(verifier.pass(.seconds(1)) == [.disconnect(link)])
        #expect(verifier.put(.disconnected(link, .local)) == [.finished(.completed(.accepted))])
    }

    @Test func `a wallet that leaves before the end makes the session end as disconnected`() throws {
        for (end, code) in [(LinkEndCause.peer, TuvaliError.Code.peerDisconnected), (.lost, .linkLost)] {
            var verifier = try VerifierScript()
            verifier.goToIdentified()
            #expect(verifier.put(.disconnected(link, end)) == [.finished(.disconnected(TuvaliError(code, "")))])
        }
    }

    @Test func `a link that ends before a wallet identified itself leaves the verifier advertising`() throws {
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(link))
        let outputs = verifier.put(.disconnected(link, .peer))
        #expect(outputs.count == 2)
        guard case .startAdvertising? = outputs.last else {
            Issue.record("the verifier stopped advertising")
            return
        }
    }

    @Test(.shows("TUV-067")) func `cancelling a verifier ends it once, at any stage`() throws {
        var idle = try VerifierScript()
        #expect(idle.put(.cancel) == [.finished(.cancelled)])

        var advertising = try VerifierScript()
        advertising.put(.start)
        #expect(advertising.put(.cancel) == [.stopAdvertising, .finished(.cancelled)])

        var receiving = try VerifierScript()
        receiving.goToIdentified()
        #expect(receiving.put(.cancel).pushed(.disconnect) == [[1]])
        #expect(receiving.put(.cancel).isEmpty)
        #expect(receiving.put(.disconnected(link, .peer)) == [.finished(.cancelled)])
        #expect(receiving.put(.tick).isEmpty)
        #expect(!receiving.session.holdsSecrets)
    }

    @Test(.shows("TUV-074", "TUV-077")) func `a radio that fails ends the verifier with the unknown wire code`()
        throws
    {
        var verifier = try VerifierScript()
        verifier.put(.start)
        let error = verifier.put(.radioFailed("The adapter is gone.")).endings.first?.error
        #expect(error?.code == .verifierRadioFailed)
        #expect(error?.wireCode == .verifierUnknown)
    }
}

extension VerifierScript {
    /// Writes length, chunks and report request of `payload`, sealed by the wallet of the published vectors.
    mutating func transfer(_ payload: [UInt8], mtu: Int = 512) throws {
        let sealed = try Self.sealed(payload)
        write(.responseSize, Self.size(sealed.count))
        for chunk in try Self.chunks(sealed, mtu: mtu) { write(.submitResponse, chunk) }
        write(.reportRequest, [1])
    }

    /// Goes from the start to the owed decision.
    mutating func goToDelivered(_ payload: [UInt8]) throws {
        goToIdentified()
        try transfer(payload)
    }
}
