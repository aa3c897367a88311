import ByteCoding
import CommandProgram
import Radio
import Terminal
import Tuvali
import TuvaliHandover

/// Runs the verifier of one hand-over for a command: starts it, reports its events, asks for the decision.
struct VerifierRun: Sendable {
    /// The result of one hand-over for the verifier.
    struct Outcome: Sendable {
        var payload: ReceivedPayload?
        var status: VerificationStatus?
        var report: LinkSpeedReport?
    }

    /// Decides about a payload that arrived whole; an error that it throws rejects the payload and ends the run.
    typealias Decision = @Sendable (ReceivedPayload) async throws -> VerificationStatus

    let reporter: HandoverReporter
    let session: Int
    let name: String
    let configuration: VerifierConfiguration
    let context: CommandContext
    /// The request that the wallet reads; nil for none.
    var asked: HandOverRequest?
    /// Called when a wallet has identified itself, so that the code serves no other.
    var onTaken: @Sendable () -> Void = {}

    /// Runs the verifier's session on `radio` to its end.
    ///
    /// - Parameters:
    ///   - announce: called with the URI once the verifier has one.
    /// - Throws: `CommandFailure`, `TuvaliError`, `CancellationError`, and what `decide` throws.
    func run(
        on radio: any PeripheralRadio, announce: @Sendable (TuvaliURI) async throws -> Void,
        decide: @escaping Decision
    ) async throws -> Outcome {
        let verifier = Verifier(
            radio: radio, configuration: configuration, clock: context.environment.clock,
            random: context.environment.makeRandom())
        do {
            return try await follow(verifier, announce: announce, decide: decide)
        } catch {
            // The radio is closed next: the request to disconnect must reach the wallet before.
            await verifier.stop()
            throw error
        }
    }

    private func follow(
        _ verifier: Verifier, announce: @Sendable (TuvaliURI) async throws -> Void, decide: @escaping Decision
    ) async throws -> Outcome {
        let asked = asked
        let uri = try await verifier.start(name: name) { (key) throws(TuvaliError) in try asked?.message(for: key) }
        event(uri)
        try await announce(uri)
        var outcome = Outcome()
        var keys: SessionPublicKeys?
        var decision: Task<Void, any Error>?
        defer { decision?.cancel() }
        for await event in verifier.events {
            switch event {
            case .received(let bytes, let summary):
                let payload = ReceivedPayload(bytes, channelKeys: keys)
                received(payload, summary)
                outcome.payload = payload
                decision = Task { try await Self.decide(decide, payload, verifier) }
            case .requestRead(let channelKeys):
                keys = channelKeys
                reporter.say("The wallet has read the request; its user decides.")
            case .status(let status):
                outcome.status = status
                reporter.status(status)
            case .linkReport(let report):
                outcome.report = report
                reporter.link(report)
            case .error(let error): throw try await Self.cause(error, of: decision)
            case .disconnected(let ending):
                if let error = ending.error { throw try await Self.cause(error, of: decision) }
                if case .cancelled = ending { throw CancellationError() }
            case .advertising, .connected, .secureChannelEstablished, .refused, .announced, .progress,
                .reported,
                .left:
                report(event)
            }
        }
        // A cancelled task gets no more events.
        try Task.checkCancellation()
        try await decision?.value
        return outcome
    }

    private func report(_ event: VerifierEvent) {
        switch event {
        case .connected:
            reporter.connected(mtu: nil)
            if !reporter.isOneOfTwo { reporter.say("A wallet connected.") }
        case .secureChannelEstablished(let mtu):
            reporter.secureChannel(mtu: mtu)
            onTaken()
            reporter.say("Secure channel established. The code is in use.")
        case .refused(let error):
            reporter.event(
                .refused, [.init("code", .string(error.code.rawValue)), .init("sentence", .string(error.reason))])
            if error.code == .verifierMTUTooSmall { reporter.say("A device was refused. \(error.reason)") }
            if error.code == .verifierRequestUnread {
                reporter.say("The wallet did not read the request; it sends what its user chose.")
            }
        case .progress(let progress): reporter.progress(progress)
        case .reported(let missing): reporter.retry(missing: missing)
        case .left(let departure): left(departure)
        case .advertising, .requestRead, .announced, .received, .status, .linkReport, .error, .disconnected: break
        }
    }

    private static func decide(_ decide: Decision, _ payload: ReceivedPayload, _ verifier: Verifier) async throws {
        let status: VerificationStatus
        do {
            status = try await decide(payload)
        } catch is CancellationError {
            // An interruption is no rejection: the wallet is asked to disconnect.
            await verifier.disconnect()
            throw CancellationError()
        } catch {
            try? await verifier.decide(.rejected)
            throw error
        }
        try await verifier.decide(status)
    }

    /// Returns the error of the decision, if it failed, in place of the session's later error.
    private static func cause(_ error: TuvaliError, of decision: Task<Void, any Error>?) async throws -> any Error {
        decision?.cancel()
        if case .failure(let cause) = await decision?.result, !(cause is CancellationError), !(cause is TuvaliError) {
            return cause
        }
        return error
    }

    private func event(_ uri: TuvaliURI) {
        reporter.event(
            .invitation,
            [
                .init("session", .integer(session)), .init("name", .string(uri.name)), .init("uri", .string(uri.text)),
                .init("key", .string(Hex.encode(uri.key))),
                .init("words", .array(KeyCheckWords.words(for: uri.key).map(JSONText.string))),
                .init("profile", .string(configuration.profiles.map(\.rawValue).joined(separator: " "))),
            ])
    }

    private func left(_ departure: WalletDisconnection) {
        reporter.event(
            .left, [.init("session", .integer(session)), .init("when", .string(departure.rawValue))])
        switch departure {
        case .beforeIdentify:
            if !reporter.isOneOfTwo { reporter.say("The wallet left before it identified itself; still waiting.") }
        case .beforeDecision: reporter.say("The wallet left before the decision; it will not learn it.")
        }
    }

    private func received(_ payload: ReceivedPayload, _ summary: TransferSummary) {
        reporter.event(
            .received,
            [
                .init("session", .integer(session)), .init("payloadBytes", .integer(summary.payloadBytes)),
                .init("sealedBytes", .integer(summary.sealedBytes)), .init("chunks", .integer(summary.chunkCount)),
                .init("corruptChunks", .integer(summary.corruptChunkCount)),
                .init("repeatedChunks", .integer(summary.repeatedChunkCount)),
                .init("rounds", .integer(summary.failureFrameCount)),
                .init("sha256", .string(payload.digest)), .init("kind", .string(payload.kind.rawValue)),
            ])
    }
}
