import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import Tuvali

/// Both cores joined by a medium that loses, corrupts, repeats and swaps chunks as a seed decides.
@Suite struct HandOverTests {
    /// The endings of both sides of a run, the payloads that the verifier received, and the number of failure frames.
    struct Outcome {
        var wallet: [SessionEnding]
        var verifier: [SessionEnding]
        var payloads: [[UInt8]]
        var failureFrames: Int
    }

    /// Runs one session over a medium that treats each chunk by the chances given (in thousandths).
    private func run(
        payload: [UInt8], mtu: Int, seed: UInt64, lose: UInt64 = 0, corrupt: UInt64 = 0, repeated: UInt64 = 0,
        swap: UInt64 = 0
    ) throws -> Outcome {
        var random = SeededRandom(seed: seed)
        var wallet = try WalletScript()
        var verifier = try VerifierScript()
        verifier.put(.start)
        verifier.put(.connected(VerifierScript.link))
        verifier.put(.mtu(VerifierScript.link, mtu))
        wallet.goToReady(mtu: mtu)
        verifier.write(.identify, wallet.said.writes[0].1)
        var pending = try wallet.send(payload)
        var held: [UInt8]?
        while let (characteristic, value) = pending.writes.first {
            var arriving: [[UInt8]] = [value]
            if characteristic == .submitResponse {
                if random.chance(lose, in: 1000) { arriving = [] }
                if random.chance(corrupt, in: 1000) {
                    arriving = arriving.map { chunk in
                        var chunk = chunk
                        chunk[4 + Int(random.below(UInt64(chunk.count - 4)))] ^= 1 << UInt8(random.below(8))
                        return chunk
                    }
                }
                if random.chance(repeated, in: 1000) { arriving += arriving }
                if let late = held {
                    arriving.append(late)
                    held = nil
                } else if random.chance(swap, in: 1000) {
                    held = arriving.popLast()
                }
            } else if let late = held {
                arriving.insert(late, at: 0)
                held = nil
            }
            var answers: [VerifierSession.Output] = []
            for (index, value) in arriving.enumerated() {
                let isLate = characteristic != .submitResponse && index < arriving.count - 1
                answers += verifier.write(isLate ? .submitResponse : characteristic, value)
            }
            pending = wallet.put(.written(characteristic))
            for (characteristic, value) in answers.pushed { pending += wallet.put(.received(characteristic, value)) }
        }
        if verifier.session.isDeciding {
            for (characteristic, value) in try verifier.decide(.accepted).pushed {
                wallet.put(.received(characteristic, value))
            }
        }
        wallet.put(.disconnected(.local))
        verifier.put(.disconnected(VerifierScript.link, .peer))
        let frames = wallet.said.events.filter { if case .failureFrame = $0 { true } else { false } }
        return Outcome(
            wallet: wallet.said.endings, verifier: verifier.said.endings, payloads: verifier.said.payloads,
            failureFrames: frames.count)
    }

    @Test(.shows("TUV-001", "TUV-010"), arguments: [67, 100, 185, 498, 512, 517])
    func `a credential is transferred unchanged with any MTU`(mtu: Int) throws {
        let payload = Samples.noise(20_000)
        let outcome = try run(payload: payload, mtu: mtu, seed: 1)
        #expect(outcome.wallet == [.completed(.accepted)])
        #expect(outcome.verifier == [.completed(.accepted)])
        #expect(outcome.payloads == [payload])
        #expect(outcome.failureFrames == 0)
    }

    @Test(arguments: 1...60)
    func `loss, corruption, repetition and reordering delay a credential but never change it`(seed: UInt64) throws {
        let payload = Samples.noise(30_000, seed: seed)
        let outcome = try run(
            payload: payload, mtu: 185, seed: seed, lose: seed * 5, corrupt: 50, repeated: 50, swap: 50)
        #expect(outcome.wallet == [.completed(.accepted)])
        #expect(outcome.verifier == [.completed(.accepted)])
        #expect(outcome.payloads == [payload])
        #expect(outcome.failureFrames > 0)
    }

    @Test(arguments: 1...10)
    func `a link that loses nearly everything ends both sides once, with a code`(seed: UInt64) throws {
        let outcome = try run(payload: Samples.noise(30_000), mtu: 185, seed: seed, lose: 900)
        #expect(outcome.payloads.isEmpty)
        #expect(outcome.verifier == [.failed(TuvaliError(.verifierTooManyMissingChunks, ""))])
        #expect(outcome.wallet == [.disconnected(TuvaliError(.peerDisconnected, ""))])
    }
}
