/// The reason for the end of a link.
public enum DisconnectReason: UInt8, Hashable, Sendable, CaseIterable {
    /// This side ended it (HCI 0x16).
    case local = 0x16
    /// The other side ended it (HCI 0x13).
    case peer = 0x13
    /// The peer was silent for the supervision time-out (HCI 0x08).
    case supervisionTimeout = 0x08
    /// The connection never became established (HCI 0x3E).
    case notEstablished = 0x3E
    /// The peer broke the protocol, or a request went unanswered for 30 s.
    case protocolFailure = 0x3D
    /// The adapter, the daemon or the air is gone.
    case radioLost = 0x1F
}
