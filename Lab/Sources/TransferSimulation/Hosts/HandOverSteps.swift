public import Determinism
public import Tuvali

/// One step of a hand-over as the model in `Tests/Models/request` names it.
public enum HandOverStep: Hashable, Sendable, CustomStringConvertible {
    /// The wallet writes its Identify.
    case identifies
    /// The wallet reads REQUEST_SIZE.
    case readsSize
    /// The wallet has a size, and reads the first window.
    case size
    /// The wallet has a window, and reads the next one.
    case window
    /// The wallet has the last window and understands the request.
    case request
    /// The wallet is ready to send without a request.
    case ready
    /// The wallet is ready to send although the read of REQUEST_SIZE has no answer.
    case overdue
    /// The answer to the read of REQUEST_SIZE came after the wallet had gone on.
    case lateAnswer
    /// The wallet announces its payload, with a write command or with a write request.
    case announces(isCommand: Bool)
    /// The wallet has the verifier's report that all arrived.
    case sent
    /// The wallet has the decision.
    case status(VerificationStatus)
    /// The wallet's session ended.
    case walletEnds(SessionEnding)
    /// The verifier has an Identify.
    case identified
    /// The verifier answers a read of REQUEST_SIZE with a size.
    case servesSize
    /// The verifier answers a read of REQUEST with a window.
    case servesWindow
    /// The verifier answers a read of REQUEST with the last window, for the first time.
    case servesLast
    /// The verifier answers a read with the empty value.
    case servesNothing
    /// The verifier has the size of a payload.
    case announced(isRead: Bool)
    /// The verifier opened the payload.
    case received
    /// The verifier sends its decision.
    case decides(VerificationStatus)
    /// The verifier's session ended.
    case verifierEnds(SessionEnding)

    /// The event of the model.
    public var description: String {
        switch self {
        case .identifies: "wIdentifies"
        case .readsSize: "wReadsSize"
        case .size: "wSize"
        case .window: "wWindow"
        case .request: "wRequest"
        case .ready: "wReady"
        case .overdue: "wOverdue"
        case .lateAnswer: "wLateAnswer"
        case .announces(let isCommand): "wAnnounces(\(isCommand))"
        case .sent: "wSent"
        case .status(let status): "wStatus('\(status))"
        case .walletEnds(let ending): Self.text(of: ending, "w")
        case .identified: "vIdentified"
        case .servesSize: "vSize"
        case .servesWindow: "vWindow"
        case .servesLast: "vLast"
        case .servesNothing: "vEmpty"
        case .announced(let isRead): "vAnnounced(\(isRead))"
        case .received: "vReceived"
        case .decides(let status): "vStatus('\(status))"
        case .verifierEnds(let ending): Self.text(of: ending, "v")
        }
    }

    private static func text(of ending: SessionEnding, _ end: String) -> String {
        switch ending {
        case .completed: "\(end)Ends"
        case .failed(let error), .disconnected(let error): "\(end)Fails('\(error.code.rawValue))"
        case .cancelled: "\(end)Fails('cancelled)"
        }
    }
}

/// The steps of a wallet, with the instants.
public struct WalletSteps: Sendable {
    /// The steps so far.
    public private(set) var steps: [(step: HandOverStep, at: MonotonicInstant)] = []

    private var hasSize = false
    private var hasRequest = false

    /// Adds the steps of one input of the core; the input is nil when the user sends the payload.
    mutating func add(
        _ input: WalletSession.Input?, in stage: WalletSession.Stage, causing outputs: [WalletSession.Output],
        at now: MonotonicInstant
    ) {
        switch input {
        case .valueRead(.requestSize, _), .readFailed(.requestSize):
            // A read that fails with ATT's time limit ends the session, and was never answered.
            let isLate = stage != .readingRequestSize && stage != .closing && stage != .closed
            if isLate, !outputs.contains(.disconnect) { steps.append((.lateAnswer, now)) }
        default: break
        }
        for output in outputs { if let step = step(output, isLate: input == .tick) { steps.append((step, now)) } }
    }

    private mutating func step(_ output: WalletSession.Output, isLate: Bool) -> HandOverStep? {
        switch output {
        case .write(.identify, _, _, _): return .identifies
        case .write(.responseSize, _, _, let withResponse): return .announces(isCommand: !withResponse)
        case .read(.requestSize, _): return .readsSize
        case .read(.request, _):
            defer { hasSize = true }
            return hasSize ? .window : .size
        case .event(.requested):
            hasRequest = true
            return .request
        case .event(.secureChannelEstablished): return hasRequest ? nil : isLate ? .overdue : .ready
        case .event(.sent): return .sent
        case .event(.status(let status)): return .status(status)
        case .finished(let ending): return .walletEnds(ending)
        default: return nil
        }
    }
}

/// The steps of a verifier, with the instants.
public struct VerifierSteps: Sendable {
    /// The steps so far.
    public private(set) var steps: [(step: HandOverStep, at: MonotonicInstant)] = []

    private var isRead = false

    /// Adds the steps of one input of the core; the input is nil when the user decides.
    mutating func add(
        _ input: VerifierSession.Input?, causing outputs: [VerifierSession.Output], at now: MonotonicInstant
    ) {
        for output in outputs { if let step = step(output, of: input, outputs) { steps.append((step, now)) } }
    }

    private mutating func step(
        _ output: VerifierSession.Output, of input: VerifierSession.Input?, _ outputs: [VerifierSession.Output]
    ) -> HandOverStep? {
        switch output {
        case .event(.secureChannelEstablished): return .identified
        case .answerRead(_, let value):
            // The rest of a window is no step of its own.
            guard case .read(_, let characteristic, 0)? = input else { return nil }
            guard !value.isEmpty else { return .servesNothing }
            guard characteristic == .request else { return .servesSize }
            let isLast = outputs.contains { if case .event(.requestRead) = $0 { true } else { false } }
            isRead = isRead || isLast
            return isLast ? .servesLast : .servesWindow
        case .event(.announced): return .announced(isRead: isRead)
        case .event(.received): return .received
        case .event(.status(let status)): return .decides(status)
        case .finished(let ending): return .verifierEnds(ending)
        default: return nil
        }
    }
}
