/// An event of a verifier for its user, in the order in which they happen.
///
/// `error` or `disconnected` comes last, exactly one of them and once; a link report may come just before it. These
/// three come from the driver, which knows the radio; a `VerifierSession` says `finished` instead.
public enum VerifierEvent: Hashable, Sendable {
    /// The verifier can be found; its QR code says this.
    case advertising(TuvaliURI)
    /// A device connected to the verifier.
    case connected
    /// A wallet identified itself, and the session belongs to it from now on.
    case secureChannelEstablished(mtu: Int)
    /// The wallet has read the whole request; its answer must be bound to these keys.
    case requestRead(ChannelKeys)
    /// A message was refused; the session continues. Reported at most sixteen times.
    case refused(TuvaliError)
    /// The wallet announced the length of its payload.
    case announced(sealedBytes: Int, chunkCount: Int)
    /// Chunks are coming in, in steps of a sixty-fourth of the whole; the driver passes on twenty a second at most, and
    /// the one when all are there.
    case progress(TransferProgress)
    /// The verifier sent the list of missing chunks.
    case reported(missing: Int)
    /// The payload is complete and unaltered: `decide` is owed now.
    case received([UInt8], TransferSummary)
    /// The verifier's decision is on its way to the wallet.
    case status(VerificationStatus)
    /// A device disconnected and the session goes on: before its Identify, or before the decision, which is still owed
    /// and does not reach the wallet.
    case left(WalletDisconnection)
    /// The speed of the hand-over and the cause that limited it.
    case linkReport(LinkReport)
    /// This end gave up, for this error: the last event.
    case error(TuvaliError)
    /// The session is over, completed, cancelled or ended by the other side: the last event.
    case disconnected(SessionEnding)
}
