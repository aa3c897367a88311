import Air
import Bluetooth
import Compression
import CryptoSuite
import Determinism
import JSON
import TransferSimulation

@testable import Tuvali

/// The attacks that `Documentation/Profiles/request.md` says it prevents, each with the check that prevents it and its
/// code.
///
/// `Scripts/removed-checks.sh requests` plays each of them once more in a copy of the sources without that one check.
enum RequestAttack: String, CaseIterable, Sendable {
    /// A desk relays the request of another verifier to a wallet, to get the answer to it.
    case requestRelayed
    /// A desk hands out a request that it recorded at another verifier's, in an earlier session.
    case requestReplayed
    /// A desk relays another verifier's request that names no session.
    case unboundRequestRelayed
    /// A desk changes one byte of another verifier's signed request, and relays it.
    case signedRequestChanged
    /// A desk asks in its own name with the other verifier's nonce, and forwards the presentation as its own.
    case presentationForwarded
    /// A wallet sends an answer that another wallet gave elsewhere.
    case answerReplayed
    /// All that a wallet sent in a session is sent again to the verifier, which kept its key pair.
    case sessionReplayed
    /// A wallet presents the credential of another holder, which it has from them.
    case presenterReplaced
    /// A verifier seals its request with the key of the other direction.
    case keysSwapped
    /// A device between changes the sealed request in one byte of its plaintext, which it knows.
    case sealedRequestChanged
    /// A device between drops the reads of REQUEST_SIZE.
    case readsDropped
    /// A request that decompresses to two million bytes.
    case zipBomb
    /// A size above the limit, and windows without end.
    case sizeAboveLimit
    /// A size smaller than what is handed out.
    case sizeTooSmall
    /// Windows of one byte.
    case tinyWindows
    /// Windows that come one every nine seconds.
    case slowWindows
    /// A wallet that reads without end.
    case endlessReads

    /// The result of an attack.
    enum Outcome: Hashable, Sendable {
        /// The attack failed with this code.
        case prevented(String)
        /// The attacker has what it wanted.
        case succeeded
    }

    /// The code with which the attack fails.
    var code: String {
        switch self {
        case .requestRelayed, .requestReplayed: "request.wrong-channel"
        case .unboundRequestRelayed: "request.unbound"
        case .signedRequestChanged: "request.signature"
        case .presentationForwarded, .answerReplayed, .sessionReplayed: "answer.wrong-nonce"
        case .presenterReplaced: "answer.presentation"
        case .keysSwapped, .sealedRequestChanged: "tuvali.wallet.request-not-authentic"
        case .readsDropped: "tuvali.wallet.request-withheld"
        case .zipBomb, .sizeAboveLimit: "tuvali.wallet.request-too-large"
        case .sizeTooSmall, .tinyWindows: "tuvali.wallet.request-malformed"
        case .slowWindows: "tuvali.wallet.request-timeout"
        case .endlessReads: "tuvali.verifier.too-many-reads"
        }
    }

    /// Plays the attack against the cores.
    func play() throws -> Outcome {
        let relay = try RequestRelay()
        return switch self {
        case .requestRelayed, .requestReplayed: try relay.requestRelayed { try relay.recordedRequest().message }
        case .unboundRequestRelayed:
            try relay.requestRelayed {
                try relay.peers.request(for: relay.verifierKey) { $0["ble_key"] = nil }
            }
        case .signedRequestChanged: try relay.requestRelayed { try relay.changedRequest() }
        case .presentationForwarded: try relay.presentationForwarded()
        case .answerReplayed: try relay.answerReplayed()
        case .sessionReplayed: try relay.sessionReplayed()
        case .presenterReplaced: try relay.presenterReplaced()
        case .keysSwapped, .sealedRequestChanged, .zipBomb, .sizeAboveLimit, .sizeTooSmall, .tinyWindows, .slowWindows:
            try playDesk()
        case .readsDropped: try relay.readsDropped()
        case .endlessReads: try endlessReads()
        }
    }

    // MARK: - Attacks by what is read

    private func playDesk() throws -> Outcome {
        let desk = try HostileRequester()
        let attack = self
        let plain = try VerifierRequestMessage(
            mediaType: VerifierRequestMessage.plainRequestType,
            content: Array(#"{"nonce":"0123456789abcdef","purpose":"A"}"#.utf8))
        let outcome = try desk.run(limit: 2000) { identify in
            try attack.reading(plain, desk.context(identify, swapsKeys: attack == .keysSwapped))
        }
        let isSuccess =
            switch self {
            case .sealedRequestChanged: outcome.shown != nil && outcome.shown != plain
            case .zipBomb: (outcome.shown?.content.count ?? 0) > VerifierRequestMessage.maximumContentBytes
            case .sizeAboveLimit: outcome.readCount > SealedRequest.maximumBytes / 400 + 1
            case .slowWindows: outcome.readCount > 45
            default: outcome.shown != nil
            }
        return isSuccess ? .succeeded : .prevented(outcome.code)
    }

    private func reading(_ plain: VerifierRequestMessage, _ context: SealedRequest.SealingContext) throws
        -> HostileRequester.Reading
    {
        let salt = [UInt8](repeating: 5, count: SealedRequest.saltBytes)
        var reading = HostileRequester.Reading(try SealedRequest.seal(plain, for: context, salt: salt))
        switch self {
        case .sealedRequestChanged:
            let (old, new) = try Self.zippedPair(plain)
            for index in old.indices { reading.bytes[SealedRequest.saltBytes + index] ^= old[index] ^ new[index] }
        case .zipBomb:
            let bomb = plain.bytes + [UInt8](repeating: 0x20, count: 2_000_000)
            reading = HostileRequester.Reading(
                try SealedRequest.seal(zipped: Gzip.compress(bomb), for: context, salt: salt))
        case .sizeAboveLimit:
            reading = HostileRequester.Reading(HostileScenario.noise(4000))
            (reading.size, reading.isEndless) = (UInt32.max, true)
        case .sizeTooSmall: reading.size -= 10
        case .tinyWindows: reading.windowBytes = 1
        case .slowWindows:
            reading = HostileRequester.Reading(HostileScenario.noise(60_000))
            reading.delay = .seconds(9)
        default: break
        }
        return reading
    }

    /// The zipped message, and another one of the same length in which one byte of the content is another.
    private static func zippedPair(_ message: VerifierRequestMessage) throws -> (old: [UInt8], new: [UInt8]) {
        let old = try Gzip.compress(message.bytes)
        for letter in UInt8(ascii: "B")...UInt8(ascii: "Z") {
            var bytes = message.bytes
            bytes[bytes.count - 3] = letter
            let new = try Gzip.compress(bytes)
            if new.count == old.count { return (old, new) }
        }
        preconditionFailure("one of 25 letters zips to the same length")
    }

    private func endlessReads() throws -> Outcome {
        var random = SeededRandom(seed: 41)
        var session = try VerifierSession(name: "Simulated", random: &random)
        let message = try VerifierRequestMessage(mediaType: VerifierRequestMessage.plainRequestType, content: [1])
        try session.hold(message, salt: random.bytes(count: SealedRequest.saltBytes))
        var world = SimulatedWorld(seed: 17)
        let address = DeviceAddress(staticRandom: 1)
        let verifier = world.add(SimulatedVerifier(session: session), address: address)
        let key = try X25519.publicKey(for: X25519.makePrivateKey(from: &random))
        let identify = IdentifyRequest(nonce: HostileScenario.nonce, publicKey: key).bytes
        let wallet = world.add(
            try HostileWallet(
                [.mtu(512), .write(.identify, identify), .wait(.seconds(1)), .read(.requestSize, times: 6000)],
                target: address))
        world.run(until: .zero + .seconds(4000))
        guard let verifier, let wallet, let hostile = world.host(wallet, as: HostileWallet.self),
            let served = world.host(verifier, as: SimulatedVerifier.self)
        else { preconditionFailure("two devices fit on an air") }
        if hostile.answeredReads == 6000 { return .succeeded }
        return .prevented(served.record.endings.first?.error?.code.rawValue ?? "none")
    }
}
