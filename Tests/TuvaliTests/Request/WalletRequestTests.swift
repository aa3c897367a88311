import Bluetooth
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Tuvali

@Suite struct WalletRequestTests {
    static func message(_ count: Int = 600) throws -> VerifierRequestMessage {
        try VerifierRequestMessage(mediaType: VerifierRequestMessage.plainRequestType, content: Samples.noise(count))
    }

    /// A wallet that reads requests, and a verifier that holds one, both connected and identified.
    private func pair(
        _ message: VerifierRequestMessage, mtu: Int = 512
    ) throws -> (wallet: WalletScript, verifier: VerifierScript) {
        var verifier = try VerifierScript()
        try verifier.session.hold(message, salt: Array(1...16))
        verifier.goToIdentified(mtu: mtu)
        var wallet = try WalletScript(uri: verifier.session.uri)
        wallet.goToRequest(mtu: mtu)
        return (wallet, verifier)
    }

    /// Lets the verifier answer what the wallet reads until it reads no more.
    private func exchange(_ wallet: inout WalletScript, _ verifier: inout VerifierScript) -> Int {
        var reads = 0
        var pending = wallet.said.reads.suffix(1)
        while let characteristic = pending.first, reads < 5000 {
            reads += 1
            let answers = verifier.put(.read(VerifierScript.link, characteristic, offset: 0)).answers
            pending = wallet.put(.valueRead(characteristic, answers.first ?? [])).reads.suffix(1)
        }
        return reads
    }

    @Test(
        .shows("TUV-012"), .shows("TUV-141"), .shows("TUV-142"),
        arguments: [(1, 67), (1000, 67), (65_536, 67), (1000, 185), (65_536, 185), (1000, 517), (65_536, 517)])
    func `a request of 1 to 65,536 bytes reaches the wallet whole at every MTU`(count: Int, mtu: Int) throws {
        let message = try Self.message(count)
        var (wallet, verifier) = try pair(message, mtu: mtu)
        #expect(wallet.session.stage == .readingRequestSize)
        let reads = exchange(&wallet, &verifier)
        let keys = SessionPublicKeys(verifier: Samples.verifierPublicKey, wallet: Samples.walletPublicKey)
        #expect(wallet.said.events.suffix(2) == [.requested(message, keys), .secureChannelEstablished])
        #expect(verifier.said.events.last == .requestRead(keys))
        #expect(reads <= count / (min(mtu, 512) - 7) + 4)
        for answer in verifier.said.answers { #expect(answer.count <= min(mtu - 2, 509)) }
    }

    @Test func `a wallet that does not read requests reads nothing`() throws {
        var script = try WalletScript()
        script.goToReady()
        #expect(script.said.reads == [])
        #expect(script.session.isReady)
    }

    @Test func `a wallet reads REQUEST_SIZE once, after all subscriptions and its Identify`() throws {
        var script = try WalletScript(configure: { $0.readsRequest = true })
        script.goToRequest()
        #expect(script.said.reads == [.requestSize])
        #expect(script.put(.readFailed(.requestSize)) == [.event(.secureChannelEstablished)])
        #expect(script.said.reads == [.requestSize])
    }

    @Test func `a verifier without the characteristics of a request is served without a read`() throws {
        var script = try WalletScript(configure: { $0.readsRequest = true })
        script.put(.start)
        script.hear()
        script.put(.connected)
        script.put(.mtu(512))
        let needed = TuvaliCharacteristic.written + TuvaliCharacteristic.pushed
        script.put(.discovered(needed.map(WireProfile.tuvali05.uuid(of:))))
        script.put(.subscribed(failed: []))
        #expect(script.put(.written(.identify)) == [.event(.secureChannelEstablished)])
    }

    @Test func `an unanswered read of REQUEST_SIZE lets the wallet go on after 1.5 s with write commands alone`()
        throws
    {
        var script = try WalletScript(configure: { $0.readsRequest = true })
        script.goToRequest()
        #expect(script.pass(.milliseconds(1499)) == [])
        #expect(script.pass(.milliseconds(1)) == [.event(.secureChannelEstablished)])
        _ = try script.send(Samples.noise(1200))
        _ = script.drainChunks(from: script.put(.written(.responseSize)))
        #expect(script.said.writesWithResponse.filter { $0 != .identify } == [])
        script.put(.received(.reportResponse, TransferReport.success.bytes))
        script.put(.received(.verificationStatus, [0]))
        script.passToDeadline()
        #expect(script.said.endings == [.completed(.accepted)])
    }

    @Test func `a late answer to REQUEST_SIZE makes the wallet write with response again`() throws {
        var script = try WalletScript(configure: { $0.readsRequest = true })
        script.goToRequest()
        script.pass(.milliseconds(1500))
        #expect(script.put(.valueRead(.requestSize, [])) == [])
        _ = try script.send([1])
        #expect(script.said.writesWithResponse == [.identify, .responseSize])
        #expect(script.pass(.seconds(19)) == [])
    }

    @Test(arguments: [(29_999, false), (30_000, true)])
    func `a wallet without an answer to REQUEST_SIZE in ATT's 30 s ends with a code of its own`(
        milliseconds: Int, ends: Bool
    )
        throws
    {
        var script = try WalletScript(configure: { $0.readsRequest = true })
        script.goToRequest()
        script.pass(.milliseconds(1500))
        script.pass(.milliseconds(milliseconds - 1500))
        #expect((script.session.stage == .closing) == ends)
        script.pass(.seconds(3))
        if ends { #expect(script.said.endings == [.failed(TuvaliError(.walletRequestUnanswered, ""))]) }
    }

    @Test func `a link that the host ends for an unanswered request read ends with the same code`() throws {
        var script = try WalletScript(configure: { $0.readsRequest = true })
        script.goToRequest()
        script.pass(.milliseconds(1500))
        script.now = script.now + .milliseconds(28_500)
        #expect(
            script.put(.disconnected(.local))
                == [.finished(.failed(TuvaliError(.walletRequestUnanswered, "")))])
    }

    @Test
    func `a request that the code announces and that cannot be read ends the session, unless the user accepts it`()
        throws
    {
        let uri = try TuvaliURI(name: "OVPMOSIP", key: Samples.verifierPublicKey, asks: true)
        for accepts in [false, true] {
            var script = try WalletScript(uri: uri, configure: { $0.acceptsMissingRequest = accepts })
            script.goToRequest()
            script.put(.valueRead(.requestSize, []))
            #expect(script.session.isReady == accepts)
            guard !accepts else { continue }
            script.passToDeadline()
            #expect(script.said.endings == [.failed(TuvaliError(.walletRequestWithheld, ""))])
        }
    }

    @Test func `request reads that stop, or that never end, time out`() throws {
        var (wallet, verifier) = try pair(Self.message(65_536), mtu: 67)
        let size = verifier.put(.read(VerifierScript.link, .requestSize, offset: 0)).answers
        wallet.put(.valueRead(.requestSize, size[0]))
        wallet.pass(.seconds(10))
        wallet.passToDeadline()
        #expect(wallet.said.endings == [.failed(TuvaliError(.walletRequestTimeout, ""))])

        var (slow, other) = try pair(Self.message(65_536), mtu: 67)
        slow.put(.valueRead(.requestSize, size[0]))
        for _ in 0..<40 where slow.session.stage == .readingRequest {
            slow.now = slow.now + .seconds(9)
            let window = other.put(.read(VerifierScript.link, .request, offset: 0)).answers[0]
            slow.put(.valueRead(.request, window))
        }
        slow.passToDeadline()
        #expect(slow.said.endings == [.failed(TuvaliError(.walletRequestTimeout, ""))])
    }

    @Test func `a refused read of an announced request ends the session`() throws {
        var (wallet, verifier) = try pair(Self.message())
        let size = verifier.put(.read(VerifierScript.link, .requestSize, offset: 0)).answers
        wallet.put(.valueRead(.requestSize, size[0]))
        wallet.put(.readFailed(.request))
        wallet.passToDeadline()
        #expect(wallet.said.endings == [.failed(TuvaliError(.walletRequestReadFailed, ""))])
    }

    @Test(.shows("T4")) func `one request sealed twice shares neither key nor initialisation vector`() throws {
        let keys = try SessionKeys(
            privateKey: Secret(copying: Samples.verifierPrivateKey), peerPublicKey: Samples.walletPublicKey)
        let identify = IdentifyRequest(nonce: Samples.nonce, publicKey: Samples.walletPublicKey)
        let context = SealedRequest.SealingContext(
            walletKey: keys.wallet, identify: identify, verifierKey: Samples.verifierPublicKey)
        let message = try Self.message()
        let first = try SealedRequest.seal(message, for: context, salt: Array(1...16))
        let second = try SealedRequest.seal(message, for: context, salt: Array(2...17))
        let same = zip(first.dropFirst(16), second.dropFirst(16)).count { $0 == $1 }
        #expect(same < first.count / 20)
        #expect(first != second)
    }
}

extension WalletScript {
    /// Goes from the start to the read of REQUEST_SIZE.
    mutating func goToRequest(mtu: Int = 512) { goToReady(mtu: mtu) }
}

extension [WalletSession.Output] {
    /// The characteristics that the wallet reads, in order.
    var reads: [TuvaliCharacteristic] {
        compactMap { if case .read(let characteristic, _) = $0 { characteristic } else { nil } }
    }

    /// The characteristics that the wallet writes with response, in order.
    var writesWithResponse: [TuvaliCharacteristic] {
        compactMap { if case .write(let characteristic, _, _, withResponse: true) = $0 { characteristic } else { nil } }
    }
}

extension [VerifierSession.Output] {
    /// The answers to reads, in order.
    var answers: [[UInt8]] {
        compactMap { if case .answerRead(_, let value) = $0 { value } else { nil } }
    }
}
