public import Bluetooth

/// An event of a wallet for its user, in the order in which they happen.
///
/// `error` or `disconnected` comes last, exactly one of them and once; a link report may come just before it. These
/// three come from the driver, which knows the radio; a `WalletSession` says `finished` instead.
public enum WalletEvent: Hashable, Sendable {
    /// The verifier of the QR code was found; a connection is attempted.
    case found(DeviceAddress, WireProfile)
    /// A verifier with another key was heard.
    case heardOther(DeviceAddress)
    /// The connection broke before anything was said and is tried again.
    case reconnecting(attempt: Int)
    /// The link to the verifier is ready.
    case connected(mtu: Int, profile: WireProfile)
    /// The verifier asks for a presentation; comes before `secureChannelEstablished`.
    ///
    /// The answer must be bound to the keys of the channel.
    case requested(RequestMessage, ChannelKeys)
    /// The verifier has our key: `send` is allowed now.
    case secureChannelEstablished
    /// Chunks are going out; the driver passes on twenty a second at most, and the one when all are out.
    case progress(TransferProgress)
    /// Missing chunks are sent again, for the nth time.
    case failureFrame(number: Int, missing: Int)
    /// The verifier confirmed that the whole payload arrived.
    case sent(TransferSummary)
    /// The verifier sent its decision.
    case status(VerificationStatus)
    /// The speed of the hand-over and the cause that limited it.
    case linkReport(LinkReport)
    /// This end gave up, for this error: the last event.
    case error(TuvaliError)
    /// The session is over, completed, cancelled or ended by the other side: the last event.
    case disconnected(SessionEnding)
}
