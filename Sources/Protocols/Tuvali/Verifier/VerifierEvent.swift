/// An event of a verifier for its user; events come in the order in which they happen.
///
/// `error` or `disconnected` comes last, exactly one of them and once; a link report may come just before it. These
/// three come from the driver, which knows the radio; a `VerifierSession` says `finished` instead.
public enum VerifierEvent: Hashable, Sendable {
    /// The verifier is advertising; its QR code has this content.
    case advertising(TuvaliURI)
    /// A device connected to the verifier.
    case connected
    /// A wallet identified itself, and the session belongs to it from now on.
    case secureChannelEstablished(mtu: Int)
    /// The wallet has read the whole request; its answer must be bound to these keys.
    case requestRead(SessionPublicKeys)
    /// A message was ignored as invalid; the session continues. Reported at most sixteen times.
    case refused(TuvaliError)
    /// The wallet announced the length of its payload.
    case announced(sealedBytes: Int, chunkCount: Int)
    /// Chunks are arriving; reported at each sixty-fourth of the payload.
    ///
    /// The driver passes on twenty a second at most, and the one when all are there.
    case progress(TransferProgress)
    /// The verifier sent the list of missing chunks.
    case reported(missing: Int)
    /// The payload is complete and unaltered; the verifier waits for `decide` now.
    case received([UInt8], TransferSummary)
    /// The verifier sends its decision to the wallet.
    case status(VerificationStatus)
    /// A device disconnected and the session continues: before its Identify, or before the decision.
    ///
    /// The decision is still pending and does not reach the wallet.
    case left(WalletDisconnection)
    /// The speed of the hand-over and the cause that limited it.
    case linkReport(LinkSpeedReport)
    /// The verifier ended the session because of this error: the last event.
    case error(TuvaliError)
    /// The session ended: completed, cancelled or ended by the other side. The last event.
    case disconnected(SessionEnding)
}
