/// Checks the nonce and the audience of a holder's proof, which show that it was made for this verifier now.
struct HolderChallengeCheck {
    /// The nonce in the holder's proof; nil without one.
    let nonce: String?
    /// The audiences that the holder's proof names.
    let audiences: [String]
    /// The error codes for a wrong nonce and for a wrong audience.
    let codes: (nonce: CredentialError.Code, audience: CredentialError.Code)
    /// The location of the holder's proof in the credential.
    var location: CheckLocation?

    /// Records mismatches; without a nonce to compare, the proof counts as not done, because it may be an old one.
    func check(_ policy: VerificationPolicy, into list: inout CredentialCheckList) {
        if let wanted = policy.nonce {
            if nonce?.isExactly(wanted) != true {
                list.fail(codes.nonce, "The proof of the holder is for another nonce.", in: .holder, at: location)
            }
        } else {
            list.leave(
                .holder, "No nonce was given, so the proof of the holder may be an old one.", code: .kbUnchecked,
                at: location)
        }
        guard let wanted = policy.audience else { return }
        if !audiences.containsExactly(wanted) {
            list.fail(
                codes.audience, "The proof of the holder is for another verifier.", in: .holder, at: location)
        }
    }
}
