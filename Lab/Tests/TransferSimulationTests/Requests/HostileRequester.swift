import Air
import ByteCoding
import Compression
import CryptoSuite
import Determinism
import TransferSimulation

@testable import Tuvali

/// A device that has a verifier's key pair and answers reads of its request as it likes, and an honest wallet that
/// scans its code.
struct HostileRequester {
    let uri: TuvaliURI
    private let privateKey: Secret

    init(seed: UInt64 = 21) throws {
        var random = SeededRandom(seed: seed)
        privateKey = X25519.makePrivateKey(from: &random)
        uri = try TuvaliURI(name: "Simulated", key: X25519.publicKey(for: privateKey)).asking()
    }

    /// The answers to reads: the value of REQUEST_SIZE, the bytes of which the windows are cut, and their size.
    struct Reading: Sendable {
        var size: UInt32
        var bytes: [UInt8]
        var windowBytes = 400
        var delay: Duration = .zero
        /// True when the windows begin anew after the last one, with numbers that go on.
        var isEndless = false

        init(_ sealed: [UInt8]) {
            size = UInt32(sealed.count)
            bytes = sealed
        }

        func value(of characteristic: TuvaliCharacteristic, _ count: Int) -> [UInt8] {
            guard characteristic == .request else { return VerifierRequestSize(sealedBytes: size).bytes }
            let perRound = (bytes.count + windowBytes - 1) / windowBytes
            guard count <= perRound || isEndless else { return [] }
            let data = Array(bytes.dropFirst((count - 1) % perRound * windowBytes).prefix(windowBytes))
            var window: [UInt8] = []
            window.appendBigEndian(UInt16(truncatingIfNeeded: count))
            window.appendBigEndian(CRC16Kermit.checksum(of: data))
            return window + data
        }
    }

    /// The keys of the session with a wallet, as both ends derive them.
    func context(_ identify: IdentifyRequest, swapsKeys: Bool = false) throws -> SealedRequest.SealingContext {
        let keys = try SessionKeys(privateKey: privateKey, peerPublicKey: identify.publicKey)
        return SealedRequest.SealingContext(
            walletKey: swapsKeys ? keys.verifier : keys.wallet, identify: identify, verifierKey: uri.key)
    }

    /// The result at both ends.
    struct Outcome {
        let wallet: SimulatedWallet
        let readCount: Int

        /// The request that the wallet shows.
        var shown: VerifierRequestMessage? {
            for case .requested(let message, _) in wallet.record.events.map(\.event) { return message }
            return nil
        }

        var code: String { wallet.record.endings.first?.error?.code.rawValue ?? "none" }
    }

    /// Lets an honest wallet read what `reading` makes of its Identify, for at most `limit` windows.
    func run(
        limit: Int = 4000, _ reading: @escaping @Sendable (IdentifyRequest) throws -> Reading
    ) throws -> Outcome {
        var random = SeededRandom(seed: 31)
        var world = SimulatedWorld(seed: 13)
        let answer: HostileVerifier.ReadReaction = { identify, characteristic, count in
            guard count <= limit, let reading = try? reading(identify) else { return nil }
            return (reading.value(of: characteristic, count), characteristic == .request ? reading.delay : .zero)
        }
        let desk = try HostileVerifier(uri: uri, onRead: answer)
        let session = try WalletSession(uri: uri, random: &random)
        guard let first = world.add(desk), let second = world.add(SimulatedWallet(session: session, payload: [1]))
        else {
            preconditionFailure("two devices fit on an air")
        }
        world.run(until: .zero + .seconds(4000))
        guard let wallet = world.host(second, as: SimulatedWallet.self),
            let verifier = world.host(first, as: HostileVerifier.self)
        else { preconditionFailure("both devices are there") }
        return Outcome(wallet: wallet, readCount: verifier.readCounts[.request] ?? 0)
    }
}
