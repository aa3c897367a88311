import Air
import Bluetooth
import Determinism
import Presentations
import TestSupport
import Testing
import TransferSimulation
import Tuvali

/// Hand-overs in which the verifier asks: every link, loss, sizes, time to think, and a link that breaks at each step.
@Suite struct RequestHandOverTests {
    static let links = LinkParameters.named.map(\.name)

    private func scenario(
        request: Int, answer: Int, link: String = "phone-5", loss: Double = 0, seed: UInt64 = 1
    ) throws -> HandOverScenario {
        var scenario = HandOverScenario(seed: seed, payload: HostileScenario.noise(answer))
        scenario.request = try VerifierRequestMessage(
            mediaType: VerifierRequestMessage.plainRequestType, content: HostileScenario.noise(request, seed: 9))
        scenario.conditions.link = LinkParameters.named.first { $0.name == link }?.parameters
        scenario.conditions.writeCommandDropShare = loss
        scenario.conditions.packetLossShare = loss
        return scenario
    }

    /// Expects that the request arrived whole, then the answer, and that both sides say so.
    private func expectAnswered(_ scenario: HandOverScenario, _ comment: Comment) throws {
        let result = try scenario.run(trace: nil)
        #expect(result.wallet.endings == [.completed(.accepted)], comment)
        #expect(result.verifier.endings == [.completed(.accepted)], comment)
        #expect(result.received == scenario.payload, comment)
        var read: VerifierRequestMessage?
        var keys: SessionPublicKeys?
        for case .requested(let message, let found) in result.wallet.events.map(\.event) {
            (read, keys) = (message, found)
        }
        #expect(read == scenario.request, comment)
        let known = try #require(keys)
        #expect(result.verifier.events.map(\.event).contains(.requestRead(known)), comment)
    }

    @Test(.shows("TUV-142"), arguments: links, [0, 0.05])
    func `requests of 1, 20 and 64 kB are read and answered on every named link`(link: String, loss: Double) throws {
        for request in [1000, 20_000, 65_536] {
            try expectAnswered(
                scenario(request: request, answer: 2000, link: link, loss: loss), "\(request) bytes on \(link)")
        }
    }

    @Test(arguments: links, [0, 0.05])
    func `answers of 1, 20, 150 and 550 kB follow a request on every named link`(link: String, loss: Double) throws {
        for answer in [1000, 20_000, 150_000, 550_000] {
            try expectAnswered(
                scenario(request: 1000, answer: answer, link: link, loss: loss), "\(answer) bytes on \(link)")
        }
    }

    @Test(arguments: [0, 0.05])
    func `answers of 1 MiB follow a request`(loss: Double) throws {
        for link in Set([Self.links.first, Self.links.last].compactMap { $0 }) {
            try expectAnswered(scenario(request: 1000, answer: 1 << 20, link: link, loss: loss), "\(link)")
        }
    }

    @Test(arguments: links, [0, 0.05])
    func `a signed request is answered with a credential, or refused with a reason, on every named link`(
        link: String, loss: Double
    ) throws {
        let peers = try AskingPeers()
        for reason in [nil, "not today"] {
            var scenario = try scenario(request: 1, answer: 1, link: link, loss: loss)
            scenario.request = try peers.request(for: scenario.verifierKey)
            scenario.answer = { message, keys in
                guard let reason else { return try? peers.answer(message, over: keys) }
                return try? peers.refusal(message, over: keys, because: reason)
            }
            let result = try scenario.run(trace: nil)
            #expect(result.wallet.endings == [.completed(.accepted)])
            var session: (message: VerifierRequestMessage, keys: SessionPublicKeys)?
            for case .requested(let message, let keys) in result.wallet.events.map(\.event) {
                session = (message, keys)
            }
            let (message, keys) = try #require(session)
            switch try peers.check(#require(result.received), to: message, over: keys) {
            case .presented(let presented): #expect(reason == nil && presented.count == 1)
            case .refused(let refusal): #expect(refusal.kind == .accessDenied && refusal.reason == reason)
            case .unbound: Issue.record("The wallet read the request.")
            }
        }
    }

    @Test(arguments: links, [(300_000, true), (300_001, false)])
    func `the user may decide for five minutes after the credential request was read`(
        link: String, limit: (milliseconds: Int, isInTime: Bool)
    ) throws {
        var scenario = try scenario(request: 1000, answer: 2000, link: link)
        scenario.walletUser.thinks = .milliseconds(limit.milliseconds)
        let result = try scenario.run(trace: nil)
        #expect((result.received == scenario.payload) == limit.isInTime)
        guard !limit.isInTime else { return #expect(result.wallet.endings == [.completed(.accepted)]) }
        #expect(result.wallet.endings == .failed(.walletConsentTimeout))
        #expect(result.verifier.endings == .disconnected(.peerDisconnected))
    }

    @Test(arguments: links)
    func `a link that breaks at any step after Identify ends both sides as broken`(link: String) throws {
        let whole = try scenario(request: 20_000, answer: 20_000, link: link)
        let stages = try whole.run(trace: nil).walletStages
        for stage in [
            WalletSession.Stage.readingRequestSize, .readingRequest, .announcing, .sending, .requestingReport,
            .awaitingReport, .awaitingStatus,
        ] {
            let at = try #require(stages.first { $0.stage == stage }?.at)
            var broken = whole
            // After the packet that led to the stage.
            broken.conditions.outages = [AirOutage(from: at + .microseconds(1), until: at + .seconds(200))]
            let result = try broken.run(trace: nil)
            let comment: Comment = "\(stage.rawValue) on \(link)"
            let lost: TuvaliError.Code = stage == .awaitingStatus ? .walletDecisionUnknown : .linkLost
            #expect(result.wallet.endings == .disconnected(lost), comment)
            #expect(result.verifier.endings.count == 1, comment)
            let code = result.verifier.endings.first?.error?.code
            // The last packets may have arrived before the link broke.
            let isLate = stage == .awaitingReport || stage == .awaitingStatus || stage == .requestingReport
            #expect(code == .linkLost || (isLate && code != .peerDisconnected), comment)
            #expect(result.outcome == .quiet, comment)
        }
    }

    @Test func `a link that breaks while the user decides ends both sides as broken`() throws {
        var broken = try scenario(request: 20_000, answer: 20_000)
        broken.walletUser.thinks = .seconds(60)
        let ready = try #require(try broken.run(trace: nil).walletStages.first { $0.stage == .ready }?.at)
        broken.conditions.outages = [AirOutage(from: ready + .seconds(30), until: ready + .seconds(200))]
        let result = try broken.run(trace: nil)
        #expect(result.wallet.endings == .disconnected(.linkLost))
        #expect(result.verifier.endings == .disconnected(.linkLost))
        #expect(result.received == nil)
    }

    @Test func `a request adds the same number of connection intervals to the set-up on every run`() throws {
        let seeds = UInt64(1)...5
        let extra = try seeds.map { seed in
            let asked = try scenario(request: 1000, answer: 2000, seed: seed)
            var plain = asked
            plain.request = nil
            let link = try #require(asked.conditions.link)
            let with = try #require(HandOverTiming(asked.run(trace: nil)))
            let without = try #require(HandOverTiming(plain.run(trace: nil)))
            return with.setupIntervals(on: link) - without.setupIntervals(on: link)
        }
        // The read of the size and three windows, two intervals each, give or take one for the phase of the link.
        #expect(extra.allSatisfy { (3...10).contains($0) }, "\(extra)")
    }
}
