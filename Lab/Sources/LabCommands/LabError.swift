@_exported public import CodedErrors

/// Why a command of the lab failed.
public typealias LabError = CodedFailure<LabErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum LabErrorCode: String, CaseIterable, Sendable {
    case recordingMalformed = "recording.malformed"
    case expectationFailed = "replay.expectation-failed"
    case recordingEnded = "replay.recording-ended"
    case simulationPlanMalformed = "sim.plan-malformed"
    case simulationRuleBroken = "sim.rule-broken"
    case simulationNotVisited = "sim.not-visited"
}

extension LabErrorCode: ErrorCode {
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
            nextStep: "Check that all of it was copied or received."),
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
