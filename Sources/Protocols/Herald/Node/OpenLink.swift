/// A connection that this device opened, or is opening.
struct OpenLink: Sendable {
    enum Phase: Hashable, Sendable {
        /// Asked for; `connected` or `connectFailed` is owed.
        case connecting
        /// Its characteristics are being found.
        case discovering
        /// Something is being read.
        case reading(Need)
        /// A frame is being written; `pieces` holds what is left of it.
        case writing(Need)
        /// A link that stays is being subscribed to.
        case subscribing
        /// A link that stays is being kept awake by an empty write.
        case waking
        /// The signal strength of a link that stays is being read.
        case measuring
        /// A link that stays has nothing to do until its deadline.
        case resting
        /// It was told to end; `disconnected` is owed.
        case closing
    }

    let number: UInt64
    var token: SlotToken
    var phase = Phase.connecting
    /// When the present phase ends by itself.
    var deadline: UInt64
    /// When the link ends, whatever it is doing; `.max` for one that stays.
    var hardDeadline = UInt64.max
    let openedAt: UInt64
    /// Whether the connect was likely to be for nothing when it began.
    var isDoubtful = false
    /// What is left to write, the next piece last.
    var pieces: [[UInt8]] = []
    /// The message that is being written.
    var message: UInt64?
    var hasPayload = false
    var signal: SignalKind?
    var hasModel = false
    var hasLegacy = false
    var isStaying = false
    /// It stays because this device cannot advertise and has many to write to.
    var isKept = false
    var isSubscribed = false
    /// It was chosen to make room for another.
    var isGivingWay = false

    var isClosing: Bool { phase == .closing }
}
