import Bluetooth
import CryptoSuite
import Determinism

@testable import Tuvali

/// A verifier session under test, with its clock and all its outputs.
struct VerifierScript {
    static let link = LinkID(1)

    var session: VerifierSession
    var now = Samples.start
    private(set) var said: [VerifierSession.Output] = []

    init(
        privateKey: [UInt8] = Samples.verifierPrivateKey, configure: (inout VerifierConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = VerifierConfiguration()
        configure(&configuration)
        session = try VerifierSession(
            name: "OVPMOSIP", privateKey: Secret(copying: privateKey), configuration: configuration)
    }

    @discardableResult
    mutating func put(_ input: VerifierSession.Input) -> [VerifierSession.Output] {
        let outputs = session.handle(input, at: now)
        said += outputs
        return outputs
    }

    @discardableResult
    mutating func write(
        _ characteristic: TuvaliCharacteristic, _ value: [UInt8], on link: LinkID = link
    ) -> [VerifierSession.Output] {
        put(.written(link, characteristic, value))
    }

    @discardableResult
    mutating func pass(_ duration: Duration) -> [VerifierSession.Output] {
        now = now + duration
        return put(.tick)
    }

    @discardableResult
    mutating func passToDeadline() -> [VerifierSession.Output] {
        if let deadline = session.nextDeadline { now = max(now, deadline) }
        return put(.tick)
    }

    mutating func decide(_ status: VerificationStatus) throws -> [VerifierSession.Output] {
        var outputs: [VerifierSession.Output] = []
        try session.decide(status, at: now, into: &outputs)
        said += outputs
        return outputs
    }

    /// Starts the verifier, connects a wallet and lets it identify itself with the key of the published vectors.
    mutating func goToIdentified(mtu: Int = 512) {
        put(.start)
        put(.connected(Self.link))
        put(.mtu(Self.link, mtu))
        write(.identify, Samples.nonce + Samples.walletPublicKey)
    }

    /// Returns the payload as the wallet of the published vectors seals it for this verifier.
    static func sealed(_ payload: [UInt8]) throws -> [UInt8] {
        let keys = try SessionKeys(
            privateKey: Secret(copying: Samples.walletPrivateKey), peerPublicKey: Samples.verifierPublicKey)
        return try SealedPayload.seal(payload, key: keys.verifier, nonce: Samples.nonce)
    }

    /// Splits `sealed` into chunks for a link with `mtu`.
    static func chunks(_ sealed: [UInt8], mtu: Int = 512) throws -> [[UInt8]] {
        guard let layout = ChunkLayout(totalBytes: sealed.count, mtu: mtu) else { return [] }
        let chunker = PayloadChunker(sealed: sealed, layout: layout)
        return (1...layout.chunkCount).map(chunker.chunk)
    }

    static func size(_ count: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    }
}

extension [VerifierSession.Output] {
    /// The values that the verifier pushed, in order.
    var pushed: [(TuvaliCharacteristic, [UInt8])] {
        compactMap {
            guard case .notify(_, let uuid, let value) = $0 else { return nil }
            return TuvaliCharacteristic(uuid).map { ($0, value) }
        }
    }

    /// The values that the verifier pushed on one characteristic, in order.
    func pushed(_ characteristic: TuvaliCharacteristic) -> [[UInt8]] {
        pushed.filter { $0.0 == characteristic }.map(\.1)
    }

    var events: [VerifierEvent] {
        compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    var endings: [SessionEnding] {
        compactMap { if case .finished(let ending) = $0 { ending } else { nil } }
    }

    /// The payloads that were delivered; never more than one in a session.
    var payloads: [[UInt8]] {
        events.compactMap { if case .received(let payload, _) = $0 { payload } else { nil } }
    }

    /// The error codes of the messages that the verifier refused.
    var refusals: [TuvaliError.Code] {
        events.compactMap { if case .refused(let error) = $0 { error.code } else { nil } }
    }
}
