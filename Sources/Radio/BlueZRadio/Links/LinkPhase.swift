import Radio

/// The phase of a link of either role, and the reason with which it ends: the first one that is known.
enum LinkPhase: Hashable, Sendable {
    /// The link can be used.
    case up
    /// This side has begun to end the link, with this reason; its end is not reported yet.
    case closing(DisconnectReason)
    /// The link has ended; its consumer knows the reason.
    case over

    /// True once this side has begun to end the link, or the link has ended.
    var isDown: Bool { self != .up }

    /// Records that this side ends the link; later reasons and the end of a link that is over change nothing.
    mutating func beginClosing(_ reason: DisconnectReason) {
        if case .up = self { self = .closing(reason) }
    }

    /// Records the end of the link, once.
    ///
    /// - Parameter reported: the reason that the kernel reported; nil when it reported none.
    /// - Returns: The reason for the consumer: this side's, else the reported one, else that the peer ended the link.
    mutating func finish(_ reported: DisconnectReason?) -> DisconnectReason {
        defer { self = .over }
        return switch self {
        case .up: reported ?? .peer
        case .closing(let reason): reason
        case .over: preconditionFailure("a link ends once")
        }
    }
}
