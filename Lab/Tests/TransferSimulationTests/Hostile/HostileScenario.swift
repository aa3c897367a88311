import Air
import Bluetooth
import ByteCoding
import CryptoSuite
import Determinism
import TransferSimulation

@testable import Tuvali

/// An air with an honest verifier on it, and what a hostile device needs to know to look honest.
struct HostileScenario {
    static let verifierAddress = DeviceAddress(staticRandom: 1)
    static let nonce = Array(UInt8(1)...12)
    static let mtu = 512

    var world = SimulatedWorld(seed: 11)
    let verifier: AirDeviceID
    let uri: TuvaliURI
    private let walletKey: Secret
    private let keys: SessionKeys
    private var random: SeededRandom

    init(seed: UInt64 = 5) throws {
        random = SeededRandom(seed: seed)
        let session = try VerifierSession(name: "Simulated", random: &random)
        uri = session.uri
        walletKey = X25519.makePrivateKey(from: &random)
        keys = try SessionKeys(privateKey: walletKey, peerPublicKey: uri.key)
        guard let device = world.add(SimulatedVerifier(session: session), address: Self.verifierAddress) else {
            preconditionFailure("a device fits on an empty air")
        }
        verifier = device
    }

    // MARK: - Who comes

    @discardableResult
    mutating func add(
        hostile steps: [HostileWallet.Step], after delay: Duration = .zero, comesBack: Bool = false
    ) throws -> AirDeviceID {
        let host = try HostileWallet(steps, target: Self.verifierAddress, after: delay, comesBack: comesBack)
        guard let device = world.add(host) else { preconditionFailure("a few devices fit on an air") }
        return device
    }

    mutating func addHonestWallet(
        payload: [UInt8], configure: (inout WalletConfiguration) -> Void = { _ in }
    ) throws -> AirDeviceID {
        var configuration = WalletConfiguration()
        configure(&configuration)
        let session = try WalletSession(uri: uri, random: &random, configuration: configuration)
        guard let device = world.add(SimulatedWallet(session: session, payload: payload)) else {
            preconditionFailure("a few devices fit on an air")
        }
        return device
    }

    /// Runs until nothing happens any more; returns the virtual seconds that took.
    mutating func run() -> Double {
        let outcome = world.run(until: MonotonicInstant.zero + .seconds(8000))
        return outcome == .quiet ? (world.now - MonotonicInstant.zero).inSeconds : .infinity
    }

    // MARK: - What came of it

    var host: SimulatedVerifier? { world.host(verifier) }
    var endings: [SessionEnding] { host?.record.endings ?? [] }
    var payload: [UInt8]? { host?.payload }
    var events: [VerifierEvent] { host?.record.events.map(\.event) ?? [] }
    var deliveryCount: Int { events.count { if case .received = $0 { true } else { false } } }

    /// The codes of refused messages.
    var refusals: [TuvaliError.Code] {
        events.compactMap { if case .refused(let error) = $0 { error.code } else { nil } }
    }

    func wallet(_ device: AirDeviceID) -> SimulatedWallet? { world.host(device) }
    func hostile(_ device: AirDeviceID) -> HostileWallet? { world.host(device) }

    // MARK: - What an honest wallet would send

    var identify: HostileWallet.Step {
        get throws {
            let key = try X25519.publicKey(for: walletKey)
            return .write(.identify, IdentifyRequest(nonce: Self.nonce, publicKey: key).bytes)
        }
    }

    var opening: [HostileWallet.Step] { get throws { [.mtu(Self.mtu), try identify] } }

    func sealed(_ payload: [UInt8]) throws -> [UInt8] {
        try SealedPayload.seal(payload, key: keys.verifier, nonce: Self.nonce)
    }

    /// Seals bytes as they are, unzipped.
    func sealedRaw(_ bytes: [UInt8]) throws -> [UInt8] {
        try AuthenticatedCipher.aesGCM.seal(bytes, key: keys.verifier, nonce: Self.nonce)
    }

    static func size(_ count: UInt32) -> HostileWallet.Step {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(count)
        return .write(.responseSize, bytes)
    }

    static func size(of sealed: [UInt8]) -> HostileWallet.Step { size(UInt32(sealed.count)) }

    static func chunks(_ sealed: [UInt8], mtu: Int = mtu) throws -> [HostileWallet.Step] {
        guard let layout = ChunkLayout(totalBytes: sealed.count, mtu: mtu) else { return [] }
        let chunker = PayloadChunker(sealed: sealed, layout: layout)
        return (1...layout.chunkCount).map { .command(.submitResponse, chunker.chunk($0)) }
    }

    /// A chunk whose check value is right, with any number and payload.
    static func chunk(_ sequence: UInt16, _ payload: [UInt8]) -> HostileWallet.Step {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(sequence)
        bytes.appendBigEndian(CRC16Kermit.checksum(of: payload))
        return .command(.submitResponse, bytes + payload)
    }

    static let askForReport = HostileWallet.Step.write(.reportRequest, [1])

    /// The whole of an honest transfer after the opening.
    static func transfer(_ sealed: [UInt8]) throws -> [HostileWallet.Step] {
        [size(of: sealed)] + (try chunks(sealed)) + [askForReport]
    }

    /// Bytes that do not shrink.
    static func noise(_ count: Int, seed: UInt64 = 3) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return random.bytes(count: count)
    }
}

extension [SessionEnding] {
    /// One failure with `code`, and nothing else.
    static func failed(_ code: TuvaliError.Code) -> [SessionEnding] { [.failed(TuvaliError(code, ""))] }

    /// One ending by the other side with `code`, and nothing else.
    static func disconnected(_ code: TuvaliError.Code) -> [SessionEnding] { [.disconnected(TuvaliError(code, ""))] }
}
