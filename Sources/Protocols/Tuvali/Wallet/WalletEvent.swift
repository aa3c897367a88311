public import Bluetooth

/// An event of a wallet for its user; events come in the order in which they happen.
///
/// `error` or `disconnected` comes last, exactly one of them and once; a link report may come just before it. These
/// three come from the driver, which knows the radio; a `WalletSession` says `finished` instead.
public enum WalletEvent: Hashable, Sendable {
    /// The verifier of the QR code was found; the wallet connects to it.
    case found(DeviceAddress, WireProfile)
    /// A verifier with another key than that of the QR code was found.
    case heardOther(DeviceAddress)
    /// The connection broke before the wallet identified itself; the wallet connects again.
    case reconnecting(attempt: Int)
    /// The link to the verifier is ready.
    case connected(mtu: Int, profile: WireProfile)
    /// The verifier asks for a presentation; comes before `secureChannelEstablished`.
    ///
    /// The answer must be bound to the keys of the channel.
    case requested(VerifierRequestMessage, SessionPublicKeys)
    /// The verifier has the wallet's key; the application may call `send` now.
    case secureChannelEstablished
    /// Chunks are being sent; the driver passes on at most twenty of these events a second, and the last one.
    case progress(TransferProgress)
    /// Missing chunks are sent again, for the time with this number.
    case failureFrame(number: Int, missing: Int)
    /// The verifier confirmed that the whole payload arrived.
    case sent(TransferSummary)
    /// The verifier sent its decision.
    case status(VerificationStatus)
    /// The speed of the hand-over and the cause that limited it.
    case linkReport(LinkSpeedReport)
    /// The wallet ended the session because of this error: the last event.
    case error(TuvaliError)
    /// The session ended: completed, cancelled or ended by the other side. The last event.
    case disconnected(SessionEnding)
}
