import ByteCoding
import JSON
import Presentations
import TransferSimulation
import Tuvali

/// A device that is a wallet to one verifier and a desk to another wallet.
///
/// The sessions of a relay are played one after another: with its seed again, a session of the simulation is the same
/// one.
struct RequestRelay {
    let peers: AskingPeers
    /// The verifier's session, in which the device is the wallet.
    private let verifierSeed: UInt64 = 1
    /// The session of the device's own desk with the other wallet.
    private let deskSeed: UInt64 = 2
    /// The verifier's key in its session.
    let verifierKey: [UInt8]

    init() throws {
        peers = try AskingPeers()
        verifierKey = try HandOverScenario(seed: 1, payload: [1]).verifierKey
    }

    /// Runs one hand-over in which the wallet answers the request by `answer`.
    private func session(
        _ seed: UInt64, _ request: VerifierRequestMessage, _ answer: @escaping SimulatedWallet.Answer
    ) throws -> (received: [UInt8]?, message: VerifierRequestMessage, keys: SessionPublicKeys) {
        var scenario = HandOverScenario(seed: seed, payload: [1])
        scenario.request = request
        scenario.answer = answer
        let result = try scenario.run(trace: nil)
        for case .requested(let message, let keys) in result.wallet.events.map(\.event) {
            return (result.received, message, keys)
        }
        throw TuvaliError(.sessionInternal, "The request was not read.")
    }

    /// The verifier's request as the device reads it in its session with the verifier.
    func recordedRequest() throws -> (message: VerifierRequestMessage, keys: SessionPublicKeys) {
        let read = try session(verifierSeed, peers.request(for: verifierKey)) { _, _ in nil }
        return (read.message, read.keys)
    }

    /// Hands a request out at the device's desk; succeeds when an honest wallet answers it.
    func requestRelayed(_ request: () throws -> VerifierRequestMessage) throws -> RequestAttack.Outcome {
        let peers = peers
        let read = try session(deskSeed, request()) { message, keys in try? peers.answer(message, over: keys) }
        if read.received != nil { return .succeeded }
        do {
            _ = try peers.answer(read.message, over: read.keys)
            return .prevented("none")
        } catch {
            return .prevented(error.code.rawValue)
        }
    }

    /// The verifier's signed request with the session of the device's desk in it, and its former signature.
    func changedRequest() throws -> VerifierRequestMessage {
        let desk = try HandOverScenario(seed: deskSeed, payload: [1]).verifierKey
        let signed = try peers.request(for: verifierKey).content.split(separator: UInt8(ascii: "."))
        let changed = try peers.request(for: desk).content.split(separator: UInt8(ascii: "."))
        return try VerifierRequestMessage(
            mediaType: VerifierRequestMessage.signedRequestType,
            content: Array([signed[0], changed[1], signed[2]].joined(separator: [UInt8(ascii: ".")])))
    }

    /// Returns the answer of an honest wallet at the device's desk to a request in the desk's own session, with the
    /// verifier's nonce and name.
    private func answerAtDesk(nonce: String) throws -> [UInt8] {
        let desk = try HandOverScenario(seed: deskSeed, payload: [1]).verifierKey
        let peers = peers
        let read = try session(deskSeed, peers.request(for: desk, nonce: nonce, isSigned: false)) { message, keys in
            try? peers.answer(message, over: keys)
        }
        guard let answer = read.received else { throw TuvaliError(.sessionInternal, "The wallet did not answer.") }
        return answer
    }

    /// Sends a payload to the verifier in the session of a seed, in answer to its request with `nonce`.
    private func present(
        _ payload: [UInt8], seed: UInt64, nonce: String = AskingPeers.nonce
    ) throws -> RequestAttack.Outcome {
        let key = try HandOverScenario(seed: seed, payload: [1]).verifierKey
        let read = try session(seed, peers.request(for: key, nonce: nonce)) { _, _ in payload }
        guard let received = read.received else { return .prevented("none") }
        do {
            try peers.check(received, to: read.message, over: read.keys)
            return .succeeded
        } catch {
            return .prevented(error.code.rawValue)
        }
    }

    func presentationForwarded() throws -> RequestAttack.Outcome {
        let read = try recordedRequest()
        var answer = try JSONValue(parsing: answerAtDesk(nonce: AskingPeers.nonce)).object ?? JSONObject()
        let channel = ChannelBinding(verifierKey: read.keys.verifier, walletKey: read.keys.wallet)
        answer["nonce"] = .string(channel.answerNonce(for: AskingPeers.nonce))
        return try present(answer.encoded, seed: verifierSeed)
    }

    func answerReplayed() throws -> RequestAttack.Outcome {
        try present(answerAtDesk(nonce: "nonce-of-yesterday"), seed: 3)
    }

    func sessionReplayed() throws -> RequestAttack.Outcome {
        // The same seed gives the same key pairs and Identify, and the same payload is sealed to the same bytes.
        let peers = peers
        let first = try session(verifierSeed, peers.request(for: verifierKey)) { message, keys in
            try? peers.answer(message, over: keys)
        }
        guard let answer = first.received else { return .prevented("none") }
        return try present(answer, seed: verifierSeed, nonce: "nonce-of-the-next-session")
    }

    /// The verifier's session with an honest wallet.
    func honest() throws -> RequestAttack.Outcome {
        let read = try recordedRequest()
        return try present(peers.answer(read.message, over: read.keys), seed: verifierSeed)
    }

    /// A radio between both drops the reads of the request; succeeds when the wallet sends without having read it.
    func readsDropped() throws -> RequestAttack.Outcome {
        var scenario = HandOverScenario(seed: verifierSeed, payload: [1, 2, 3])
        scenario.request = try peers.request(for: verifierKey)
        scenario.ignoresReads = true
        let result = try scenario.run(trace: nil)
        if result.received != nil { return .succeeded }
        return .prevented(result.wallet.endings.first?.error?.code.rawValue ?? "none")
    }

    func presenterReplaced() throws -> RequestAttack.Outcome {
        let read = try recordedRequest()
        return try present(
            peers.answer(read.message, over: read.keys, by: peers.stranger), seed: verifierSeed)
    }
}
