package import COSE

/// The end of a session.
public enum MobileSessionEnding: Hashable, Sendable {
    /// The reader has a whole answer, or the holder's answer left whole and the reader ended as it should.
    case completed
    /// A person ended the session, on this side.
    case cancelled
    /// The session failed.
    case failed(MobileSessionError)
}

/// An event of a session for its user; the deviations and attempts may come at any time before the end.
package enum MobileSessionEvent: Sendable {
    /// The other side was found, and a link is being set up.
    case connecting(MobileMode)
    /// An attempt failed, and the other side is still looked for.
    case attemptFailed(MobileSessionError)
    /// The link carries messages.
    case ready(MobileMode, mtu: Int)
    /// The reader's request has left; the person decides.
    case asked
    /// So many bytes of the answer are here, of as many as it announces; nil where it does not, and at its end.
    case progress(Int, of: Int?)
    /// A holder got a request; the application answers with `answer` or `decline`.
    case requested(DeviceRequest, MobileSessionKeys)
    /// A reader got an answer, still to be verified in the session of the keys.
    case answered(DeviceResponse, MobileSessionKeys)
    /// A holder's answer has left whole.
    case sent
    /// A holder's session ends while the radio has the last part of the answer: the reader may have all of it.
    case mayHaveArrived
    /// A deviation was taken.
    case deviation(MobileDeviation)
}

/// An output of a reader's or a holder's session; the caller handles outputs in their order.
package enum MobileSessionOutput: Sendable {
    /// An action of the radio.
    case link(MobileLinkOutput)
    /// A fact for the user.
    case event(MobileSessionEvent)
    /// The session has ended; no output follows.
    case finished(MobileSessionEnding)
}

/// The keys and the transcript with which the proofs of a session are made and checked.
package struct MobileSessionKeys: Sendable {
    /// The transcript of the session.
    package let transcript: SessionTranscript
    /// The private key of this side for the session.
    package let ownKey: AgreementKey
    /// The public key of the other side for the session.
    package let peerKey: COSEKey

    /// Makes the keys of a session from their parts.
    package init(transcript: SessionTranscript, ownKey: AgreementKey, peerKey: COSEKey) {
        self.transcript = transcript
        self.ownKey = ownKey
        self.peerKey = peerKey
    }
}
