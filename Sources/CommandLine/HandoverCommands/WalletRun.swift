import Bluetooth
import ByteCoding
import CommandProgram
import CryptoSuite
import Radio
import Terminal
import Tuvali
import TuvaliRuntime

/// Runs the wallet of one hand-over for a command: connects, sends, reports its events.
struct WalletRun: Sendable {
    /// The result of one hand-over for the wallet.
    struct Outcome: Sendable {
        /// The SHA-256 digest of the payload in hexadecimal digits.
        let digest: String
        var status: VerificationStatus?
        var report: LinkReport?
    }

    let reporter: HandoverReporter
    let configuration: WalletConfiguration
    let context: CommandContext

    /// Sends `payload` to the verifier of `uri` and waits for its decision.
    ///
    /// - Throws: `TuvaliError`, `CancellationError`.
    func run(on radio: any CentralRadio, to uri: TuvaliURI, payload: [UInt8]) async throws -> Outcome {
        let wallet = Wallet(
            radio: radio, configuration: configuration, clock: context.environment.clock,
            random: context.environment.makeRandom())
        try await wallet.connect(to: uri)
        var outcome = Outcome(digest: Hex.encode(SHA256.hash(payload)))
        for await event in wallet.events {
            switch event {
            case .secureChannelEstablished:
                reporter.secureChannel(mtu: nil)
                try await wallet.send(payload)
            case .sent(let summary): sent(summary, outcome.digest)
            case .status(let status):
                outcome.status = status
                reporter.status(status)
            case .linkReport(let report):
                outcome.report = report
                reporter.link(report)
            case .error(let error): throw error
            case .disconnected(let ending):
                if let error = ending.error { throw error }
                if case .cancelled = ending { throw CancellationError() }
            case .found, .heardOther, .reconnecting, .connected, .requested, .progress, .failureFrame: report(event)
            }
        }
        guard !Task.isCancelled else {
            await wallet.disconnect()
            throw CancellationError()
        }
        return outcome
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
