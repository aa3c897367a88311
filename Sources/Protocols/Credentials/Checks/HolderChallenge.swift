/// The nonce and the audience that a holder's proof must carry, so that it was made for this verifier now.
struct HolderChallenge {
    /// The nonce of the proof; nil when it has none.
    let nonce: String?
    /// The audiences that the proof says it is for.
    let audiences: [String]
    /// The codes for another nonce and for another audience.
    let codes: (nonce: CredentialError.Code, audience: CredentialError.Code)
    /// The place of the proof in the credential.
    var location: CheckLocation?

    /// Records what does not fit; a proof counts as not done without a nonce to compare, because it may be an old one.
    func check(_ policy: VerificationPolicy, into list: inout CheckList) {
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
