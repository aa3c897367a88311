public import Determinism
import Tuvali

/// One step of a hand-over: the event of the model in `Tests/Models/request`, as that spells it.
public typealias HandOverStep = String

extension SessionEnding {
    /// The event of the model for the end of a session, of the wallet `w` or the verifier `v`.
    fileprivate func step(of end: String) -> HandOverStep {
        switch self {
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
            if isLate, !outputs.contains(.disconnect) { steps.append(("wLateAnswer", now)) }
        default: break
        }
        for output in outputs { if let step = step(output, isLate: input == .tick) { steps.append((step, now)) } }
    }

    private mutating func step(_ output: WalletSession.Output, isLate: Bool) -> HandOverStep? {
        switch output {
        case .write(.identify, _, _, _): return "wIdentifies"
        case .write(.responseSize, _, _, let withResponse): return "wAnnounces(\(!withResponse))"
        case .read(.requestSize, _): return "wReadsSize"
        case .read(.request, _):
            defer { hasSize = true }
            return hasSize ? "wWindow" : "wSize"
        case .event(.requested):
            hasRequest = true
            return "wRequest"
        case .event(.secureChannelEstablished): return hasRequest ? nil : isLate ? "wOverdue" : "wReady"
        case .event(.sent): return "wSent"
        case .event(.status(let status)): return "wStatus('\(status))"
        case .finished(let ending): return ending.step(of: "w")
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
        case .event(.secureChannelEstablished): return "vIdentified"
        case .answerRead(_, let value):
            // The rest of a window is no step of its own.
            guard case .read(_, let characteristic, 0)? = input else { return nil }
            guard !value.isEmpty else { return "vEmpty" }
            guard characteristic == .request else { return "vSize" }
            let isLast = outputs.contains { if case .event(.requestRead) = $0 { true } else { false } }
            isRead = isRead || isLast
            return isLast ? "vLast" : "vWindow"
        case .event(.announced): return "vAnnounced(\(isRead))"
        case .event(.received): return "vReceived"
        case .event(.status(let status)): return "vStatus('\(status))"
        case .finished(let ending): return ending.step(of: "v")
        default: return nil
        }
    }
}
