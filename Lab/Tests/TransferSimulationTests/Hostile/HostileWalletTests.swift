import Air
import Bluetooth
import Determinism
import TestSupport
import Testing
import TransferSimulation
import Tuvali

/// A verifier on the air under attack: it ends with the right code in bounded time, and what it delivered stays as it
/// was.
@Suite struct HostileWalletTests {
    let payload = HostileScenario.noise(3000)

    // MARK: - Silence and hogging

    @Test(.shows("T14"))
    func `a device that connects and sends nothing is disconnected, and the next wallet is served`() throws {
        var field = try HostileScenario()
        let silent = try field.add(hostile: [])
        let honest = try field.addHonestWallet(payload: payload)
        #expect(field.run() < 20)
        #expect(field.payload == payload)
        #expect(field.wallet(honest)?.record.endings == [.completed(.accepted)])
        #expect(field.hostile(silent)?.disconnectedAt.count == 1)
    }

    @Test(.shows("T14")) func `four silent devices occupy every connection for ten seconds and no longer`() throws {
        var field = try HostileScenario()
        for _ in 0..<4 { try field.add(hostile: []) }
        let honest = try field.addHonestWallet(payload: payload) { $0.scanWait = .seconds(30) }
        #expect(field.run() < 30)
        #expect(field.payload == payload)
        #expect(field.wallet(honest)?.record.endings == [.completed(.accepted)])
        #expect(field.refusals == Array(repeating: .verifierIdentifyTimeout, count: 4))
    }

    @Test(.shows("T14")) func `a device that reconnects whenever it is disconnected does not keep a wallet out`() throws
    {
        var field = try HostileScenario()
        try field.add(hostile: [], comesBack: true)
        try field.add(hostile: [.wait(.seconds(1)), .disconnect], comesBack: true)
        let honest = try field.addHonestWallet(payload: payload)
        field.world.run(until: MonotonicInstant.zero + .seconds(60))
        #expect(field.payload == payload)
        #expect(field.wallet(honest)?.record.endings == [.completed(.accepted)])
    }

    @Test(.shows("T14"), arguments: 1...5)
    func `a wallet that falls silent after any of its messages ends the session at the deadline`(messages: Int) throws {
        var field = try HostileScenario()
        let sealed = try field.sealed(payload)
        let chunks = try HostileScenario.chunks(sealed)
        let whole = try field.opening + [HostileScenario.size(of: sealed)] + chunks
        let steps = [[], Array(whole.prefix(2)), Array(whole.prefix(3)), Array(whole.prefix(5)), whole][messages - 1]
        let device = try field.add(hostile: steps)
        let waits: [Double] = [3600, 330, 30, 30, 30]
        #expect(field.run() < waits[messages - 1] + 20)
        #expect(field.endings == .failed(messages == 1 ? .verifierNobodyCame : .verifierTransferTimeout))
        #expect(field.payload == nil)
        #expect(field.hostile(device)?.disconnectedAt.count == 1)
    }

    @Test func `a wallet that stays after the decision is disconnected, and the credential stays accepted`() throws {
        var field = try HostileScenario()
        let device = try field.add(hostile: field.opening + HostileScenario.transfer(field.sealed(payload)))
        #expect(field.run() < 10)
        #expect(field.endings == [.completed(.accepted)])
        #expect(field.payload == payload)
        #expect(field.hostile(device)?.disconnectedAt.count == 1)
    }

    @Test(.shows("T7")) func `chunks that contradict each other for ever end at the transfer's time limit`() throws {
        var field = try HostileScenario()
        var steps = try field.opening + [HostileScenario.size(1200)]
        for round in 0..<400 {
            let bytes = Array(repeating: UInt8(round & 1), count: 505)
            steps += [HostileScenario.chunk(1, bytes), .wait(.seconds(5))]
        }
        try field.add(hostile: steps)
        #expect(field.run() < 1820)
        #expect(field.endings == .failed(.verifierTransferTimeout))
        #expect(field.refusals.count == 16)
    }

    // MARK: - Messages that cannot be

    @Test(arguments: [0, 1, 43, 45])
    func `a short Identify is ignored, and of a long one the first 44 bytes count`(count: Int) throws {
        var field = try HostileScenario()
        guard case .write(_, let bytes) = try field.identify else { return }
        let changed = Array((bytes + [9]).prefix(count))
        try field.add(hostile: [.mtu(512), .write(.identify, changed), .wait(.seconds(1)), .disconnect])
        #expect(field.run() < 3700)
        #expect(field.refusals == (count < 44 ? [.verifierIdentifyMalformed] : []))
        #expect(field.endings == (count < 44 ? .failed(.verifierNobodyCame) : .disconnected(.peerDisconnected)))
    }

    @Test(
        .shows("T6"),
        arguments: [
            ([0, 0, 0, 0] as [UInt8], TuvaliError.Code.verifierSizeZero),
            ([255, 255, 255, 255], .verifierSizeTooLarge),
            ([128, 0, 0, 0], .verifierSizeTooLarge), ([0, 64, 0, 1], .verifierSizeTooLarge),
            ([], .verifierSizeMalformed),
            ([1, 2, 3], .verifierSizeMalformed),
        ])
    func `an invalid length ends the session at once with its code`(bytes: [UInt8], code: TuvaliError.Code) throws {
        var field = try HostileScenario()
        let device = try field.add(hostile: field.opening + [.write(.responseSize, bytes)])
        #expect(field.run() < 10)
        #expect(field.endings == .failed(code))
        #expect(field.hostile(device)?.pushed.map(\.1) == [[1]])
    }

    @Test(.shows("T7")) func `short, long, unnumbered and corrupt chunks are not stored as missing ones`() throws {
        var field = try HostileScenario()
        let sealed = try field.sealed(payload)
        let honest = try HostileScenario.chunks(sealed)
        let part = Array(sealed[..<505])
        let bad: [HostileWallet.Step] = [
            .command(.submitResponse, []), .command(.submitResponse, [0, 1, 0]),
            .command(.submitResponse, [0, 1, 0, 0]),
            HostileScenario.chunk(1, Array(part.dropLast())), HostileScenario.chunk(0, part),
            HostileScenario.chunk(8, part),
            HostileScenario.chunk(.max, part), HostileScenario.chunk(0x8000, part),
            .command(.submitResponse, [0, 1, 1, 1] + part), .write(.submitResponse, part),
        ]
        let steps =
            try field.opening + [HostileScenario.size(of: sealed)] + bad + honest + bad + [HostileScenario.askForReport]
        try field.add(hostile: steps)
        #expect(field.run() < 10)
        #expect(field.payload == payload)
        #expect(field.deliveryCount == 1)
        #expect(field.refusals.allSatisfy { $0 == .verifierBadChunk } && field.refusals.count == bad.count)
    }

    @Test(.shows("T7")) func `chunks in reverse order, each sent twice, deliver the credential unchanged`() throws {
        var field = try HostileScenario()
        let sealed = try field.sealed(payload)
        let chunks = try HostileScenario.chunks(sealed).reversed().flatMap { [$0, $0] }
        try field.add(
            hostile: field.opening + [HostileScenario.size(of: sealed)] + chunks + [HostileScenario.askForReport])
        #expect(field.run() < 10)
        #expect(field.payload == payload)
        #expect(field.endings == [.completed(.accepted)])
    }

    @Test func `messages in a wrong stage are refused and change nothing`() throws {
        var field = try HostileScenario()
        let sealed = try field.sealed(payload)
        let chunks = try HostileScenario.chunks(sealed)
        let size = HostileScenario.size(of: sealed)
        let opening: [HostileWallet.Step] = try [.mtu(512), field.identify]
        let steps = try opening + [chunks[0], size, HostileScenario.size(7), field.identify] + chunks
        try field.add(hostile: steps + [size, HostileScenario.askForReport])
        #expect(field.run() < 10)
        #expect(field.payload == payload)
        #expect(field.refusals == Array(repeating: .verifierOutOfTurn, count: 4))
    }

    @Test(.shows("T3")) func `a device that writes before an Identify loses its link, and an honest wallet is served`()
        throws
    {
        var field = try HostileScenario()
        let chunk = try HostileScenario.chunks(field.sealed(payload))[0]
        let device = try field.add(hostile: [.mtu(512)] + Array(repeating: chunk, count: 100))
        let honest = try field.addHonestWallet(payload: payload)
        #expect(field.run() < 20)
        #expect(field.payload == payload)
        #expect(field.wallet(honest)?.record.endings == [.completed(.accepted)])
        #expect(field.refusals == [.verifierOutOfTurn])
        #expect(field.hostile(device)?.pushed.map(\.0) == [.disconnect])
    }

    @Test func `a report request before any length ends the session with its code`() throws {
        var field = try HostileScenario()
        try field.add(hostile: field.opening + [HostileScenario.askForReport])
        #expect(field.run() < 10)
        #expect(field.endings == .failed(.verifierSizeMissing))
    }

    @Test(.shows("T10")) func `endless report requests are answered sixty-four times and then end the session`()
        throws
    {
        var field = try HostileScenario()
        let sealed = try field.sealed(payload)
        let most = try HostileScenario.chunks(sealed).dropLast()
        let asking = Array(repeating: HostileScenario.askForReport, count: 500)
        let device = try field.add(hostile: field.opening + [HostileScenario.size(of: sealed)] + most + asking)
        #expect(field.run() < 60)
        #expect(field.endings == .failed(.verifierTooManyReports))
        #expect(field.hostile(device)?.pushed.count { $0.0 == .reportResponse } == 64)
    }

    @Test(.shows("T14")) func `a device that sends noise on every channel does not affect the next wallet`() throws {
        var field = try HostileScenario()
        let noise: [HostileWallet.Step] = (0..<60).map { number in
            let bytes = HostileScenario.noise(1 + number * 3, seed: UInt64(number))
            return number.isMultiple(of: 3) ? .frame(bytes) : .pdu(bytes)
        }
        try field.add(hostile: noise.flatMap { [$0, .wait(.milliseconds(20))] })
        let honest = try field.addHonestWallet(payload: payload)
        #expect(field.run() < 30)
        #expect(field.payload == payload)
        #expect(field.wallet(honest)?.record.endings == [.completed(.accepted)])
    }

    // MARK: - Payloads that are not what they seem

    @Test(.shows("T8")) func `an authentic decompression bomb is given up with its code, and nothing is delivered`()
        throws
    {
        var field = try HostileScenario()
        let bomb = try field.sealed(Array(repeating: 0, count: (16 << 20) + 1))
        #expect(bomb.count < 20_000)
        let device = try field.add(hostile: field.opening + HostileScenario.transfer(bomb))
        #expect(field.run() < 20)
        #expect(field.endings == .failed(.verifierPayloadTooLarge))
        #expect(field.payload == nil)
        #expect(field.hostile(device)?.pushed.map(\.0) == [.disconnect])
    }

    @Test func `authentic bytes that are no gzip stream are refused with their code`() throws {
        var field = try HostileScenario()
        try field.add(hostile: field.opening + HostileScenario.transfer(field.sealedRaw(payload)))
        #expect(field.run() < 10)
        #expect(field.endings == .failed(.verifierNotGzip))
        #expect(field.payload == nil)
    }

    @Test(.shows("T5"))
    func `a recorded session replayed to another verifier is not decrypted and gets no success report`() throws {
        let recorded = try HostileScenario(seed: 5)
        let tape = try recorded.opening + HostileScenario.transfer(recorded.sealed(payload))
        var field = try HostileScenario(seed: 6)
        let device = try field.add(hostile: tape)
        #expect(field.run() < 10)
        #expect(field.endings == .failed(.verifierNotAuthentic))
        #expect(field.payload == nil)
        #expect(field.hostile(device)?.pushed.map(\.0) == [.disconnect])
    }

    @Test(.shows("T5"))
    func `a session replayed to the verifier that received it finds no advertisement`() throws {
        var field = try HostileScenario()
        let tape = try field.opening + HostileScenario.transfer(field.sealed(payload))
        try field.add(hostile: tape + tape + [.wait(.seconds(1)), .disconnect], comesBack: true)
        let second = try field.add(hostile: tape, after: .seconds(3), comesBack: true)
        field.world.run(until: MonotonicInstant.zero + .seconds(60))
        #expect(field.endings == [.completed(.accepted)])
        #expect(field.payload == payload)
        #expect(field.deliveryCount == 1)
        #expect(field.hostile(second)?.connectionCount == 0)
    }

    // MARK: - Others in the session

    @Test(.shows("T3")) func `another device can neither write into a session nor take it over`() throws {
        var field = try HostileScenario()
        let sealed = try field.sealed(HostileScenario.noise(100))
        let intrusion = try [field.identify] + HostileScenario.transfer(sealed)
        // It comes first, waits for the wallet to identify itself, and then writes until it is cut off.
        let intruder = try field.add(
            hostile: [.mtu(512)]
                + Array(repeating: [.wait(.milliseconds(15))] + intrusion.dropFirst(), count: 200).joined())
        let honest = try field.addHonestWallet(payload: payload)
        #expect(field.run() < 20)
        #expect(field.payload == payload)
        #expect(field.deliveryCount == 1)
        #expect(field.wallet(honest)?.record.endings == [.completed(.accepted)])
        #expect(field.refusals.contains(.verifierOutOfTurn))
        #expect(field.hostile(intruder)?.pushed.allSatisfy { $0.0 == .disconnect } == true)
    }

    @Test(.shows("T3")) func `a second Identify of the same wallet does not replace its keys`() throws {
        var field = try HostileScenario()
        let other = try HostileScenario(seed: 99)
        let sealed = try field.sealed(payload)
        let steps = try field.opening + [other.identify, HostileScenario.size(of: sealed), other.identify]
        try field.add(hostile: steps + HostileScenario.chunks(sealed) + [other.identify, HostileScenario.askForReport])
        #expect(field.run() < 10)
        #expect(field.payload == payload)
        #expect(field.refusals == Array(repeating: .verifierOutOfTurn, count: 3))
    }

    @Test(.shows("C4")) func `writes after the delivery do not change the credential`() throws {
        var field = try HostileScenario()
        let other = try field.sealed(HostileScenario.noise(900, seed: 8))
        let again =
            try [field.identify] + HostileScenario.transfer(other) + [
                HostileScenario.size(0), HostileScenario.size(.max),
            ]
        let device = try field.add(hostile: field.opening + HostileScenario.transfer(field.sealed(payload)) + again)
        #expect(field.run() < 10)
        #expect(field.endings == [.completed(.accepted)])
        #expect(field.payload == payload)
        #expect(field.deliveryCount == 1)
        #expect(field.hostile(device)?.pushed.filter { $0.0 == .verificationStatus }.map(\.1) == [[0]])
    }
}
