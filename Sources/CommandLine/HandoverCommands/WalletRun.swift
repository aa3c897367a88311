import Bluetooth
import ByteCoding
import CommandProgram
import CryptoSuite
import Presentations
import Radio
import Terminal
import Tuvali
import TuvaliHandover

/// Runs the wallet of one hand-over for a command: connects, sends, reports its events.
struct WalletRun: Sendable {
    /// The result of one hand-over for the wallet.
    struct Outcome: Sendable {
        /// The SHA-256 digest of the payload in hexadecimal digits.
        var digest: String
        var status: VerificationStatus?
        var report: LinkSpeedReport?
        /// The verifier's request; nil when there was none.
        var request: VerifierRequestMessage?
        /// True when the wallet sent a refusal.
        var isRefusal = false
        /// True once the verifier has the whole payload.
        var isWhole = false

        /// The error of an interrupted run; another one when the verifier has everything and may have accepted it.
        var interruption: any Error {
            isWhole && status == nil
                ? TuvaliError(.walletDecisionUnknown, "The run was interrupted after everything had arrived.")
                : CancellationError()
        }
    }

    let reporter: HandoverReporter
    let configuration: WalletConfiguration
    let context: CommandContext
    /// Answers the verifier's request; nil sends the payload whatever the verifier asks.
    var answering: RequestAnswering?

    /// Sends `payload` to the verifier of `uri` and waits for its decision.
    ///
    /// - Parameter payload: what a verifier without a request gets; nil: nothing.
    /// - Throws: `TuvaliError`, `PresentationError`, `CancellationError`.
    func run(on radio: any CentralRadio, to uri: TuvaliURI, payload: [UInt8]?) async throws -> Outcome {
        let wallet = Wallet(
            radio: radio, configuration: configuration, clock: context.environment.clock,
            random: context.environment.makeRandom())
        try await wallet.connect(to: uri)
        var outcome = Outcome(digest: Hex.encode(SHA256.hash(payload ?? [])))
        var asked: (VerifierRequestMessage, SessionPublicKeys)?
        var consent: Task<RequestAnswering.WalletAnswer, any Error>?
        defer { consent?.cancel() }
        for await event in wallet.events {
            switch event {
            case .secureChannelEstablished:
                reporter.secureChannel(mtu: nil)
                if let answering, let asked {
                    consent = Task { try await Self.answer(asked, by: answering, through: wallet) }
                } else {
                    try await Self.send(payload, through: wallet)
                }
            case .requested(let message, let keys):
                outcome.request = message
                asked = (message, keys)
            case .sent(let summary):
                if let answer = try await consent?.value {
                    outcome.digest = Hex.encode(SHA256.hash(answer.payload))
                    outcome.isRefusal = answer.isRefusal
                }
                outcome.isWhole = true
                sent(summary, outcome.digest)
            case .status(let status):
                outcome.status = status
                reporter.status(status)
            case .linkReport(let report):
                outcome.report = report
                reporter.link(report)
            case .error(let error): throw await Self.cause(error, of: consent)
            case .disconnected(let ending):
                if let error = ending.error { throw await Self.cause(error, of: consent) }
                if case .cancelled = ending { throw await Self.cause(outcome.interruption, of: consent) }
            case .found, .heardOther, .reconnecting, .connected, .progress, .failureFrame: report(event)
            }
        }
        guard !Task.isCancelled else {
            await wallet.disconnect()
            throw outcome.interruption
        }
        return outcome
    }

    private static func send(_ payload: [UInt8]?, through wallet: Wallet) async throws {
        guard let payload else {
            await wallet.disconnect()
            throw PresentationError(.requestMissing, "The verifier holds no request, and no file was named.")
        }
        try await wallet.send(payload)
    }

    /// Sends the answer that `answering` makes; a request that is not answered ends the session.
    private static func answer(
        _ asked: (VerifierRequestMessage, SessionPublicKeys), by answering: RequestAnswering, through wallet: Wallet
    ) async throws -> RequestAnswering.WalletAnswer {
        do {
            let answer = try await answering.answer(asked.0, over: asked.1)
            try await wallet.send(answer.payload)
            return answer
        } catch {
            await wallet.disconnect()
            throw error
        }
    }

    /// Returns the error of the answer, if it failed, in place of the session's later error.
    private static func cause(
        _ error: any Error, of consent: Task<RequestAnswering.WalletAnswer, any Error>?
    ) async -> any Error {
        consent?.cancel()
        if case .failure(let cause) = await consent?.result, !(cause is CancellationError), !(cause is TuvaliError) {
            return cause
        }
        return error
    }

    private func report(_ event: WalletEvent) {
        switch event {
        case .found(let address, let profile):
            reporter.event(
                .found,
                [.init("address", .string(address.description)), .init("profile", .string(profile.rawValue))])
            reporter.say("Found the verifier; it speaks \(profile.rawValue).")
        case .heardOther:
            reporter.say("Heard a verifier with another key; still looking.")
        case .reconnecting(let attempt): reporter.say("The connection broke; attempt \(attempt).")
        case .connected(let mtu, _):
            reporter.connected(mtu: mtu)
            reporter.say("Connected, ATT MTU \(mtu).")
        case .progress(let progress): reporter.progress(progress)
        case .failureFrame(_, let missing): reporter.retry(missing: missing)
        case .requested, .secureChannelEstablished, .sent, .status, .linkReport, .error, .disconnected: break
        }
    }

    private func sent(_ summary: TransferSummary, _ digest: String) {
        reporter.event(
            .sent,
            [
                .init("payloadBytes", .integer(summary.payloadBytes)),
                .init("sealedBytes", .integer(summary.sealedBytes)), .init("chunks", .integer(summary.chunkCount)),
                .init("repeatedChunks", .integer(summary.repeatedChunkCount)),
                .init("rounds", .integer(summary.failureFrameCount)),
                .init("sha256", .string(digest)),
            ])
        if !reporter.isOneOfTwo { reporter.say("Everything arrived; the verifier decides.") }
    }
}
