public import CodedErrors

/// Why a command of the lab failed.
public struct LabError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The recording does not follow its format.
        case recordingMalformed = "recording.malformed"
        /// The result differs from the one that the recording expects.
        case expectationFailed = "replay.expectation-failed"
        /// The recording ended before the session did.
        case recordingEnded = "replay.recording-ended"
        /// The line is not a plan of faults.
        case simulationPlanMalformed = "sim.plan-malformed"
        /// A simulated hand-over broke a rule.
        case simulationRuleBroken = "sim.rule-broken"
        /// The seeds did not reach every state that they should.
        case simulationNotVisited = "sim.not-visited"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    ///
    /// Texts of others in it have been sanitised.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension LabError.Code: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] = [
        .recordingMalformed: ErrorExplanation(
            .dataInvalid, "The recording does not follow its format.",
            nextStep: "Correct the line named above; symbolon-lab tuvali replay --help shows the format."),
        .expectationFailed: ErrorExplanation(
            .dataInvalid, "The result differs from the one that the recording expects.",
            nextStep: "Compare the line named above with the answers printed."),
        .recordingEnded: ErrorExplanation(
            .dataInvalid, "The recording ended before the session did.",
            nextStep: "Check that the recording is whole."),
        .simulationPlanMalformed: ErrorExplanation(
            .dataInvalid, "The line is not a plan of faults.",
            nextStep: "Copy a line that symbolon-lab sim run prints; "
                + "Documentation/Manual/Simulation.md explains its words."),
        .simulationRuleBroken: ErrorExplanation(
            .dataInvalid, "A simulated hand-over broke a rule.",
            nextStep: "Make the plan smaller with symbolon-lab sim shrink, and report the line as a defect."),
        .simulationNotVisited: ErrorExplanation(
            .dataInvalid, "The seeds did not reach every state that they should.",
            nextStep: "Run more of them with --count."),
    ]
}
