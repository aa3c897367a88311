public import CodedErrors

extension CredentialErrorCode: ErrorCode {
    /// The explanation of each cause.
    public static let explanations: [Self: ErrorExplanation] =
        InputErrorExplanations.table.merging(SignatureErrorExplanations.table) { first, _ in first }
        .merging(TrustErrorExplanations.table) { first, _ in first }

    /// The end of a check that finds this cause, unless the verifier says otherwise: not done where more trust, another
    /// limit or another program could still show the credential to be genuine; failed for every other cause.
    public var outcome: CredentialCheck.CheckOutcome {
        explanation.exitClass == .credentialNotChecked ? .notDone : .failed
    }
}
